// Access to words of trace headers, for C.
#include <cmath>

#include "file_form.hpp"
#include "sill/formats/segy/words/words.hpp"
#include "status.hpp"

using namespace sill;
using namespace sill::bindings;

namespace {

const segy::Word& trace_word(const char* name) {
  const segy::Word* word = segy::find_trace_word(&at(name, "the name of the word"));
  if (word == nullptr) {
    refuse("no word of trace headers is called '" + std::string(name) + "'", "docs/words.md has their names");
  }
  if (word->type.kind == segy::WordKind::text) {
    refuse("the word '" + std::string(name) + "' is text, not a number", "read its bytes from the header");
  }
  return *word;
}

}  // namespace

extern "C" {

int sill_read_word(const void* header, const char* word, int order, double* value) {
  return status_of([&] {
    const auto* block = &at(static_cast<const std::byte*>(header), "the header");
    at(value, "the pointer for the value") = segy::read_word(block, trace_word(word), byte_order(order)).as_double();
  });
}

int sill_write_word(void* header, const char* word, int order, double value) {
  return status_of([&] {
    auto* block = &at(static_cast<std::byte*>(header), "the header");
    const segy::Word& to = trace_word(word);
    const bool is_whole = std::trunc(value) == value && std::abs(value) < 9e15;
    segy::write_word(block, to, byte_order(order),
                     is_whole && !segy::is_float(to.type) ? segy::WordValue{static_cast<std::int64_t>(value)}
                                                          : segy::WordValue{value});
  });
}

}  // extern "C"
