#include "sill/survey/edit/trace_edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sill/base/error.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/survey/edit/renumbering.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill {
namespace {

ByteRange range_of(segy::TrueBytes bytes) { return {bytes.first, bytes.end - bytes.first}; }

bool has_true_value(const segy::WordRef& word) {
  return word.type.kind != segy::WordKind::text && word.scaling.kind != segy::Scaling::Kind::none &&
         word.scaling.kind != segy::Scaling::Kind::missing;
}

// Returns the words that must not change, because they determine the positions or the meaning of other bytes.
std::vector<ByteRange> layout_words(int additional_headers) {
  std::vector<ByteRange> words{{segy::samples_at, 2}};
  if (additional_headers > 0)
    words.insert(words.end(), {{segy::extension_samples_at, 4}, {segy::extension_headers_at, 2}});
  for (int header = 1; header <= additional_headers; ++header)
    words.push_back({std::int64_t{segy::trace_header_bytes} * header + segy::header_name_at, 8});
  return words;
}

}  // namespace

TraceEdit::TraceEdit(const SurveyReader& reader, const HeaderEdits& edits) : reader_(reader), edits_(edits) {
  if (edits.where) need(edits.where->needed_bytes());
  if (edits.table != nullptr) need(range_of(edits.table->needed_bytes()));
  for (const segy::Assignment& assignment : edits.assignments) {
    for (const ByteRange target : assignment.targets()) add_target(target, assignment.word.name);
    set_.push_back(assignment.word);
    need(assignment.needed_bytes());
    need(assignment.value.needed_bytes());
  }
  for (const segy::Rescaling& rescaling : edits.rescalings)
    for (const segy::WordRef& word : rescaling.words()) add_word(word);
  if (edits.renumber) {
    need(ensemble_number_bytes);
    for (const char* name : {"@1:i4", "@5:i4", "@25:i4"}) {
      segy::WordRef word = segy::parse_word(name);
      word.scaling = {};
      if (word.standard != nullptr) word.name = word.standard->shown_name();
      add_word(word);
    }
  }
  find_scaled_words();
  for (const std::vector<segy::WordRef>* words : {&set_, &scaled_})
    for (const segy::WordRef& word : *words)
      if (has_true_value(word)) need(range_of(segy::bytes_of_true_value(word)));
  for (const ByteRange target : targets_) need(target);
  for (const ByteRange word : layout_words(reader.files().front().additional_trace_headers)) {
    if (std::ranges::none_of(targets_, [&](ByteRange target) { return segy::overlap(word, target); })) continue;
    may_change_layout_ = true;
    need(word);
  }
  join_targets();
}

void TraceEdit::need(ByteRange bytes) { needed_ = joined(needed_, bytes); }

void TraceEdit::add_word(const segy::WordRef& word) {
  add_target(segy::bytes_of(word), word.name);
  set_.push_back(word);
}

// Finds words whose meaning changes with a scalar that is set.
void TraceEdit::find_scaled_words() {
  const int headers = 1 + reader_.words().additional_headers();
  for (const segy::MapWord& word : reader_.words().all()) {
    if (word.scaling.byte == 0 || word.byte > segy::trace_header_bytes * headers) continue;
    const ByteRange scalar{word.scaling.byte - 1, word.scaling.type.bytes};
    const bool is_set = std::ranges::any_of(edits_.assignments, [&](const segy::Assignment& assignment) {
      return segy::overlap(segy::bytes_of(assignment.word), scalar);
    });
    if (!is_set) continue;
    segy::WordRef ref = reader_.words().word(fmt::format("@{}:{}", word.byte, segy::name_of(word.type)));
    ref.name = word.names.front();
    const auto has_its_byte = [&ref](const segy::WordRef& known) { return known.byte == ref.byte; };
    const bool is_shown = std::ranges::any_of(scaled_, has_its_byte) || std::ranges::any_of(set_, has_its_byte);
    if (!is_shown && has_true_value(ref)) scaled_.push_back(std::move(ref));
  }
}

void TraceEdit::join_targets() {
  std::ranges::sort(targets_, {}, &ByteRange::offset);
  std::vector<ByteRange> apart;
  for (const ByteRange target : targets_) {
    if (!apart.empty() && apart.back().end() == target.offset) {
      apart.back().length += target.length;
    } else {
      apart.push_back(target);
    }
  }
  targets_ = std::move(apart);
}

void TraceEdit::add_target(ByteRange bytes, const std::string& name) {
  for (const ByteRange other : targets_)
    if (segy::overlap(bytes, other))
      throw Error(
          {.code = ErrorCode::usage,
           .problem = fmt::format("{} (bytes {} to {}) would be set twice", name, bytes.offset + 1, bytes.end()),
           .action = "set each byte once: with --set, --rescale or --renumber"});
  targets_.push_back(bytes);
}

TraceFate TraceEdit::apply(const segy::HeaderView& old, std::byte* fresh, const Place& place) const {
  if (edits_.where && !edits_.where->holds(old)) return TraceFate::not_chosen;
  segy::HeaderView view = old;
  if (edits_.table != nullptr) {
    view.columns = edits_.table->row_of(old);
    if (view.columns == nullptr) return TraceFate::without_row;
  }
  segy::apply(edits_.assignments, view, fresh);
  for (const segy::Rescaling& rescaling : edits_.rescalings) rescaling.apply(view, fresh);
  if (edits_.renumber)
    renumber(fresh, old.order, place.in_file,
             place.ensemble.add(load<std::int32_t>(fresh + ensemble_number_bytes.offset, old.order)));
  if (may_change_layout_) require_same_layout(old, fresh);
  const bool is_changed = std::ranges::any_of(targets_, [&](ByteRange target) {
    return std::memcmp(old.header + target.offset, fresh + target.offset, static_cast<std::size_t>(target.length)) != 0;
  });
  return is_changed ? TraceFate::changed : TraceFate::unchanged;
}

void TraceEdit::require_same_layout(const segy::HeaderView& old, const std::byte* fresh) const {
  const segy::TraceShape shape = reader_.shape_of(old.trace - 1);
  for (const ByteRange word : layout_words(shape.headers - 1)) {
    const bool is_looked_at = word.offset >= needed_.offset && word.end() <= needed_.end();
    if (!is_looked_at ||
        std::memcmp(old.header + word.offset, fresh + word.offset, static_cast<std::size_t>(word.length)) == 0)
      continue;
    const bool is_samples = word.offset == segy::samples_at;
    const std::uint64_t stated = segy::load_bits(fresh + word.offset, static_cast<int>(word.length), old.order);
    if (is_samples && stated == static_cast<std::uint64_t>(shape.samples)) continue;
    throw Error(
        {.code = ErrorCode::input,
         .problem = is_samples
                        ? fmt::format("the trace would state {} samples, but it has {}", stated, shape.samples)
                        : fmt::format("bytes {} to {} would change: they determine how the trace's bytes are read",
                                      word.offset + 1, word.end()),
         .clause = is_samples ? "SEG-Y rev 1, trace header bytes 115-116" : "SEG-Y rev 2.1, trace header extension 1",
         .action = is_samples ? "set the word to the number of samples of the trace, or do not set it"
                              : "do not set these bytes"});
  }
}

std::vector<std::string> TraceEdit::shown(const segy::HeaderView& old, const std::byte* fresh) const {
  std::vector<std::string> lines;
  for (const segy::WordRef& word : set_) {
    const auto text = [&](const std::byte* header) {
      return segy::read_word(header, word.byte, word.type, old.order).text();
    };
    std::string line = fmt::format("{}: {} -> {}", word.name, text(old.header), text(fresh));
    if (has_true_value(word))
      line += fmt::format(" (true value {} -> {})", segy::true_value(word, old.header, old.order),
                          segy::true_value(word, fresh, old.order));
    lines.push_back(std::move(line));
  }
  for (const segy::WordRef& word : scaled_)
    lines.push_back(fmt::format("true({}): {} -> {}", word.name, segy::true_value(word, old.header, old.order),
                                segy::true_value(word, fresh, old.order)));
  return lines;
}

}  // namespace sill
