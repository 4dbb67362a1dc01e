// What a SEG-Y file is like, as C has it and as C++ has it.
#pragma once

#include <cstdint>
#include <optional>

#include "sill.h"
#include "sill/formats/segy/convert/file_form.hpp"

namespace sill::bindings {

/// Local. Errors: usage for numbers that stand for nothing.
[[nodiscard]] segy::FileForm file_form(const sill_file_form& form);

/// Local. `traces` are those of the file, which a description does not state where lengths vary.
[[nodiscard]] sill_file_form file_form(const segy::FileDescription& file, std::int64_t traces);

/// Local. Errors: usage for a number that stands for none.
[[nodiscard]] ByteOrder byte_order(int number);

/// Local. The number of a byte order.
[[nodiscard]] int byte_order_number(ByteOrder order);

/// Local. The sample format of a code, nothing for 0. Errors: usage for a code of none.
[[nodiscard]] std::optional<segy::SampleFormat> sample_format(int code);

}  // namespace sill::bindings
