// Conversion of the form of a SEG-Y file between C and C++.
#pragma once

#include <cstdint>
#include <optional>

#include "sill.h"
#include "sill/formats/segy/convert/file_form.hpp"

namespace sill::bindings {

/// Local. Converts a form from C. Errors: usage for invalid numbers.
[[nodiscard]] segy::FileForm file_form(const sill_file_form& form);

/// Local. Converts a description to C. `traces` is the number of traces in the file, which a description does not state
/// if lengths vary.
[[nodiscard]] sill_file_form file_form(const segy::FileDescription& file, std::int64_t traces);

/// Local. Returns the byte order with this number. Errors: usage for an invalid number.
[[nodiscard]] ByteOrder byte_order(int number);

/// Local. Returns the number of a byte order.
[[nodiscard]] int byte_order_number(ByteOrder order);

/// Local. Returns the sample format with this code, or nothing for 0. Errors: usage for an invalid code.
[[nodiscard]] std::optional<segy::SampleFormat> sample_format(int code);

}  // namespace sill::bindings
