#include "sill/formats/segy/convert/trace_header_conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/words/true_value_writing.hpp"

namespace sill::segy {
namespace {

constexpr std::size_t upper_at = 180;
constexpr std::size_t energy_at = 218;

void join(std::span<std::byte> into, std::span<const std::byte> other) {
  for (std::size_t i = 0; i < other.size(); ++i) into[i] |= other[i];
}

bool any(std::span<const std::byte> bits) {
  return std::any_of(bits.begin(), bits.end(), [](std::byte b) { return b != std::byte{0}; });
}

// Returns the words that are not in extension 1.
std::vector<WordRef> without_extension(std::span<const WordRef> words) {
  std::vector<WordRef> others;
  for (const WordRef& word : words)
    if (word.standard == nullptr || word.standard->block != WordBlock::extension1) others.push_back(word);
  return others;
}

/// Sets a 16-bit word; returns true if its value was different.
bool set_short(std::byte* at, std::uint16_t value, ByteOrder order) {
  const bool differs = load<std::uint16_t>(at, order) != value;
  store(at, value, order);
  return differs;
}

}  // namespace

void TraceHeaderAccount::add(const TraceHeaderAccount& other) {
  join(upper, other.upper);
  unnamed.resize(std::max(unnamed.size(), other.unnamed.size()));
  join(unnamed, other.unnamed);
  for (const auto count : counts) this->*count += other.*count;
}

TraceHeaderConversion::TraceHeaderConversion(const FileDescription& from, const FileForm& to,
                                             std::span<const WordRef> words, const TraceHeaderRules& rules,
                                             bool needs_names, std::vector<WordRef> times)
    : to_(to),
      words_(words.begin(), words.end()),
      times_(std::move(times)),
      swap_(without_extension(words), from.header_bytes(), from.byte_order, to.byte_order),
      extension_swap_(words, from.header_bytes(), from.byte_order, to.byte_order),
      clears_(from.kind != to.kind && !rules.keep_181),
      turns_(from.byte_order != to.byte_order),
      needs_names_(needs_names),
      sets_shape_(to.kind == FileKind::seismic_unix) {
  const bool is_of_segy = from.kind == FileKind::segy && !rules.is_of_output;
  const bool gets_scalar = to.kind == FileKind::segy && to.revision >= Revision::rev1;
  const bool is_alike = from.kind == to.kind && (revision_of(from) >= Revision::rev1) == gets_scalar;
  const bool keeps_scalar = to.kind == FileKind::seismic_unix && rules.keep_181;
  applies_scalar_ = is_of_segy && !is_alike && !times_.empty() && !gets_scalar && !keeps_scalar;
  clears_scalar_ = is_of_segy && !is_alike && times_.empty() && gets_scalar;
  changes_energy_ = is_of_segy && gets_scalar && revision_of(from) >= Revision::rev1 &&
                    (revision_of(from) >= Revision::rev2_0) != (to.revision >= Revision::rev2_0);
}

void TraceHeaderConversion::convert(const std::byte* in, std::byte* out, int headers,
                                    TraceHeaderAccount& account) const {
  const std::int64_t bytes = std::int64_t{trace_header_bytes} * headers;
  const bool has_extension = headers > 1 && is_extension_1(in + trace_header_bytes + header_name_at);
  const WordSwap& swap = has_extension ? extension_swap_ : swap_;
  swap.apply(in, out, bytes);
  if (turns_) {
    account.unnamed.resize(std::max(account.unnamed.size(), static_cast<std::size_t>(bytes)));
    for (const ByteRange& range : swap.uncovered())
      for (std::int64_t i = range.offset; i < std::min(bytes, range.end()); ++i)
        account.unnamed[static_cast<std::size_t>(i)] |= in[i];
  }
  keep_times(out, account);
  if (changes_energy_ && any({in + energy_at, 6})) ++account.energy_changed;
  if (clears_) {
    join(account.upper, {out + upper_at, account.upper.size()});
    std::fill_n(out + upper_at, account.upper.size(), std::byte{0});
  }
  if (sets_shape_) {
    if (set_short(out + samples_at, static_cast<std::uint16_t>(to_.samples), to_.byte_order)) ++account.samples_set;
    if (set_short(out + interval_at, static_cast<std::uint16_t>(to_.interval_us), to_.byte_order))
      ++account.interval_set;
  }
}

// Source: SEG-Y rev 1, trace header bytes 95-114 and 215-216.
void TraceHeaderConversion::keep_times(std::byte* header, TraceHeaderAccount& account) const {
  if (!applies_scalar_ && !clears_scalar_) return;
  std::byte* const scalar_at = header + 214;
  const auto scalar = load<std::int16_t>(scalar_at, to_.byte_order);
  if (scalar == 0 || scalar == 1) return;
  if (clears_scalar_) {
    if (!any({header + 94, 20})) return;
    ++account.scalars_cleared;
  } else {
    bool is_exact = true;
    for (const WordRef& scaled : times_) {
      const double value = true_value(scaled, header, to_.byte_order);
      WordRef word = scaled;
      word.scaling = {};
      try {
        write_true_value(word, header, to_.byte_order, value);
      } catch (const Error&) {  // the word cannot hold it
        is_exact = false;
      }
      is_exact = is_exact && true_value(word, header, to_.byte_order) == value;
    }
    if (!is_exact) ++account.times_lost;
  }
  store(scalar_at, std::int16_t{0}, to_.byte_order);
}

std::string TraceHeaderConversion::names_of(std::span<const std::byte> bits, std::int64_t first_byte) const {
  std::string names;
  for (const WordRef& word : words_) {
    const std::int64_t at = word.byte - first_byte;
    if (at < 0 || at + word.type.bytes > std::ssize(bits)) continue;
    if (!any(bits.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(word.type.bytes)))) continue;
    names +=
        fmt::format("{}{} ({}-{})", names.empty() ? "" : ", ", word.name, word.byte, word.byte + word.type.bytes - 1);
  }
  return names;
}

std::vector<std::string> TraceHeaderConversion::notes(const TraceHeaderAccount& account) const {
  std::vector<std::string> notes;
  if (any(account.upper)) {
    const std::string names = names_of(account.upper, upper_at + 1);
    notes.push_back(
        fmt::format("bytes 181-240 of the trace headers have other meanings in {}: cleared{} (--keep-181 of sill "
                    "convert copies them)",
                    name_of(to_.kind), names.empty() ? "" : ": " + names));
  }
  if (account.times_lost > 0)
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("times (bytes 95-114) of {} cannot be stored without their scalar (215-216), "
                                        "which the output does not have",
                                        format_count(account.times_lost, "trace")),
                 .clause = "SEG-Y rev 1, trace header bytes 215-216",
                 .action = "write SEG-Y of revision 1 or later, or round them in the input with 'sill edit', such as "
                           "--set 'delrt=true(delrt)' --set 'sctrh=0'"});
  const auto has_scalar_bytes = [](const WordRef& word) {
    return word.byte <= 216 && word.byte + word.type.bytes > 215;
  };
  const auto named = clears_scalar_ ? std::ranges::find_if(words_, has_scalar_bytes) : words_.end();
  if (account.scalars_cleared > 0 && named != words_.end())
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format(
                     "{} is at bytes 215-216, which scale the times in bytes 95-114 from revision 1 on", named->name),
                 .clause = "SEG-Y rev 1, trace header bytes 215-216",
                 .action = "keep revision 0, or copy the word to other bytes with 'sill edit' first"});
  if (account.scalars_cleared > 0)
    notes.push_back(
        fmt::format("bytes 215-216 of {} were cleared: from revision 1 on they would scale the times in bytes 95-114",
                    format_count(account.scalars_cleared, "trace")));
  if (account.energy_changed > 0)
    notes.push_back(
        fmt::format("bytes 219-224 of {} contain the source energy direction, which has other words before "
                    "revision 2.0 than from it on: converted as words of the input",
                    format_count(account.energy_changed, "trace")));
  std::string unnamed;
  std::size_t last = 0;
  for (std::size_t i = 0; i < account.unnamed.size(); ++i) {
    if (account.unnamed[i] == std::byte{0}) continue;
    std::size_t end = i;
    while (end + 1 < account.unnamed.size() && account.unnamed[end + 1] != std::byte{0}) ++end;
    unnamed += fmt::format("{}{}-{}", unnamed.empty() ? "" : ", ", i + 1, end + 1);
    i = last = end;
  }
  if (needs_names_ && !clears_ && last >= upper_at)
    throw Error(
        {.code = ErrorCode::input,
         .problem = fmt::format("bytes {} of the trace headers contain values, but revision 0 does not define them: "
                                "their byte order cannot be changed",
                                unnamed),
         .clause = "SEG-Y rev 0, trace header bytes 181-240: unassigned",
         .action = "give --map standard if they contain the words of revision 1, or a map that names their words"});
  if (!unnamed.empty())
    notes.push_back(
        fmt::format("bytes {} of the trace headers contain values, but belong to no word: copied in the byte order of "
                    "the input; name their words with --map",
                    unnamed));
  if (account.samples_set > 0)
    notes.push_back(fmt::format("bytes 115-116 were set to {} samples in {} traces that stated another value",
                                to_.samples, account.samples_set));
  if (account.interval_set > 0)
    notes.push_back(fmt::format("bytes 117-118 were set to {} us in {} traces that stated another value",
                                to_.interval_us, account.interval_set));
  return notes;
}

}  // namespace sill::segy
