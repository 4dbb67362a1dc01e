#include "sill/formats/segy/detect/text_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <variant>

namespace sill::segy {
namespace {

int bytes_of(const ByteLabel& label) {
  const int bytes = label.last_byte - label.first_byte + 1;
  return bytes == 2 || bytes == 8 ? bytes : 4;
}

std::int64_t value_at(const SampledTraceHeader& trace, int byte, int bytes, ByteOrder order) {
  return std::get<std::int64_t>(read_word(trace.bytes.data(), byte, {WordKind::signed_integer, bytes}, order).number);
}

// Returns false for ranges such as 181-188 that contain two words: it is unknown which word is at which bytes.
bool can_hold(const ByteLabel& label) {
  return label.first_byte + bytes_of(label) - 1 <= trace_header_bytes &&
         (label.last_byte == label.first_byte || label.last_byte - label.first_byte + 1 == bytes_of(label));
}

}  // namespace

std::vector<TextWord> find_text_words(std::span<const ByteLabel> labels, std::span<const SampledTraceHeader> traces,
                                      ByteOrder order) {
  std::map<std::string_view, ByteLabel> places;
  std::map<std::string_view, bool> at_standard;
  for (const ByteLabel& label : labels) {
    const std::string_view name = word_named_by(label);
    if (name.empty() || !can_hold(label)) continue;
    if (label.first_byte == find_trace_word(name)->byte) at_standard[name] = true;
    const auto known = places.find(name);
    if (known == places.end() || known->second.first_byte < label.first_byte) places[name] = label;
  }
  std::vector<TextWord> found;
  for (const auto& [name, label] : places) {
    if (at_standard[name]) continue;
    const Word& standard = *find_trace_word(name);
    TextWord word{.name = std::string(name),
                  .byte = label.first_byte,
                  .bytes = bytes_of(label),
                  .standard_byte = standard.byte,
                  .line = label.line,
                  .label = label.label};
    for (const SampledTraceHeader& trace : traces) {
      const std::int64_t there = value_at(trace, word.byte, word.bytes, order);
      const std::int64_t here = value_at(trace, standard.byte, standard.type.bytes, order);
      word.is_contradicted = word.is_contradicted || (there != 0 && there != here);
      if (&trace != &traces.front()) continue;
      word.value = there;
      word.value_at_standard = here;
    }
    found.push_back(std::move(word));
  }
  std::ranges::sort(found, {}, &TextWord::byte);
  return found;
}

void report_text_words(FileDescription& file, const HeaderMap* words) {
  if (words != nullptr && words->follows_text()) return;
  std::vector<std::string> texts;
  for (const TextWord& each : file.text_words) {
    const MapWord* const word = words != nullptr ? words->find(each.name) : nullptr;
    const bool is_moved = words != nullptr && (word == nullptr || word->byte != each.standard_byte);
    if (is_moved || !each.is_contradicted) continue;
    texts.push_back(fmt::format("{} (bytes {}-{} according to line {}: {}) is {} at these bytes, but {} at byte {}",
                                each.name, each.byte, each.byte + each.bytes - 1, each.line, each.label, each.value,
                                each.value_at_standard, each.standard_byte));
  }
  if (texts.empty()) return;
  file.diagnostics.push_back(
      {.grade = Grade::major,
       .problem =
           fmt::format("the text header states other positions of words than the standard: in the first trace, {}",
                       fmt::join(texts, "; ")),
       .where = "trace headers",
       .clause = "SEG-Y rev 1, textual file header",
       .action = "read at the positions of the standard; --map text reads them at the positions of the text header"});
}

std::vector<LayerWord> layer_of(std::span<const TextWord> words) {
  std::vector<LayerWord> layer;
  for (const TextWord& word : words) {
    LayerWord& one = layer.emplace_back();
    one.names = {word.name};
    one.byte = word.byte;
    one.type = {WordKind::signed_integer, word.bytes};
  }
  return layer;
}

}  // namespace sill::segy
