#include "true_values.hpp"

#include "sill/formats/segy/words/true_value_writing.hpp"
#include "status.hpp"

namespace sill::bindings {
namespace {

segy::WordRef scaled_word(const segy::HeaderMap& map, const char* name, const Headers& headers) {
  segy::WordRef word = map.word(&at(name, "the name of the word"));
  segy::require_true_value(word, name);
  if (headers.count < 0 || headers.header_bytes < segy::trace_header_bytes)
    refuse(std::to_string(headers.count) + " headers of " + std::to_string(headers.header_bytes) + " bytes were passed",
           "pass 0 or more headers of 240 bytes, or of all headers that a trace has");
  if (word.byte - 1 + word.type.bytes > headers.header_bytes ||
      (word.scaling.byte != 0 && word.scaling.byte - 1 + word.scaling.type.bytes > headers.header_bytes))
    refuse(
        "the word '" + word.name + "' is beyond the " + std::to_string(headers.header_bytes) + " bytes of each header",
        "pass all headers of the traces");
  // Uses the value in extension 1 only if the headers include it.
  if (word.twin_byte != 0 && segy::bytes_of_true_value(word).end > headers.header_bytes) word.twin_byte = 0;
  return word;
}

}  // namespace

void read_true_values(const segy::HeaderMap& map, const char* word, const Headers& headers, const void* from,
                      double* values) {
  const segy::WordRef ref = scaled_word(map, word, headers);
  if (headers.count == 0) return;
  const auto* header = &at(static_cast<const std::byte*>(from), "the array of headers");
  double* value = &at(values, "the array of values");
  for (std::int64_t i = 0; i < headers.count; ++i, header += headers.header_bytes)
    *value++ = segy::true_value(ref, header, headers.order);
}

void write_true_values(const segy::HeaderMap& map, const char* word, const Headers& headers, void* into,
                       const double* values) {
  const segy::WordRef ref = scaled_word(map, word, headers);
  if (headers.count == 0) return;
  auto* header = &at(static_cast<std::byte*>(into), "the array of headers");
  const double* value = &at(values, "the array of values");
  for (std::int64_t i = 0; i < headers.count; ++i, header += headers.header_bytes)
    segy::write_true_value(ref, header, headers.order, *value++);
}

}  // namespace sill::bindings
