// True values of a word in many headers, for C.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill::bindings {

/// Headers of traces, one after another.
struct Headers {
  std::int64_t count = 0;
  std::int64_t header_bytes = 0;
  ByteOrder order = ByteOrder::big;
};

/// Local. Reads the true values of a word. Errors: usage, as sill_reader_true_values.
void read_true_values(const segy::HeaderMap& map, const char* word, const Headers& headers, const void* from,
                      double* values);
/// Local. Sets the true values of a word. Errors: usage, as sill_reader_set_true_values.
void write_true_values(const segy::HeaderMap& map, const char* word, const Headers& headers, void* into,
                       const double* values);

}  // namespace sill::bindings
