// Finds contradictions between file headers, trailers and trace headers of merged inputs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>

#include "sill/base/byte_order.hpp"
#include "sill/comm/agree.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/edit/renumbering.hpp"
#include "sill/survey/merge/merge_conflicts.hpp"

namespace sill {
namespace {

constexpr std::size_t max_words_listed = 4;
constexpr std::int64_t binary_bytes_at = 3200;
constexpr int first_file_number_byte = 5;  // of the trace header: the trace number within the file

// Returns true for words that other properties compare, or that are set for the output.
bool is_of_other_property(int byte) {
  constexpr int bytes[] = {3217, 3221, 3225, 3229, 3255, 3269, 3273, 3297};
  return std::ranges::find(bytes, byte) != std::end(bytes) || byte >= 3501;
}

struct HeadOfFile {
  const segy::FileDescription& file;
  std::vector<std::byte> bytes;  // the bytes before the first trace

  [[nodiscard]] std::span<const std::byte> after_label() const {
    return std::span(bytes).subspan(static_cast<std::size_t>(file.label_bytes));
  }
  [[nodiscard]] const std::byte* binary() const { return after_label().data() + binary_bytes_at; }
  [[nodiscard]] std::span<const std::byte> extended() const { return after_label().subspan(segy::file_header_bytes); }
  [[nodiscard]] std::array<std::string, segy::text_header_lines> text() const {
    return segy::decode_text_header(after_label().first<segy::text_header_bytes>(), file.text_encoding);
  }
};

// The files that differ in one property: their number, and the first of them.
struct Differing {
  std::int64_t files = 0;
  std::string file;
  std::string detail;

  void add(const std::string& path, std::string what = {}) {
    if (files++ > 0) return;
    file = path;
    detail = std::move(what);
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("{}in {}{}", detail.empty() ? "" : detail + " ", file,
                       files > 1 ? fmt::format(" and {} more", files - 1) : "");
  }
};

// Compares the file headers and trailers, on rank 0.
class HeaderComparison {
 public:
  HeaderComparison(const SurveyReader& reader, const MergeRules& rules) : reader_(reader), rules_(rules) {}

  HeaderConflicts run() {
    const segy::FileDescription& first = reader_.files().front();
    const HeadOfFile head{first, reader_.file_header(0)};
    HeaderConflicts result;
    result.trailer = reader_.file_trailer(0);
    for (int i = 1; i < static_cast<int>(reader_.files().size()); ++i) {
      const segy::FileDescription& file = reader_.files()[static_cast<std::size_t>(i)];
      if (first.kind == segy::FileKind::segy && file.kind == segy::FileKind::segy)
        compare(head, {file, reader_.file_header(i)});
      if (file.trailers > 0) add_trailers(i, result.trailer);
    }
    const auto add = [&](MergeProperty property, const Differing& differing, std::string found) {
      if (differing.files > 0)
        result.conflicts.push_back({property, rules_.of(property), std::move(found), differing.file});
    };
    add(MergeProperty::binary, binary_, binary_.text());
    add(MergeProperty::text, text_, "another " + text_.text());
    add(MergeProperty::extended, extended_, "others " + extended_.text());
    add(MergeProperty::trailers, trailers_, "others " + trailers_.text());
    const bool has_room = first.kind == segy::FileKind::segy && first.revision == 2;
    if (trailers_.files > 0 && rules_.of(MergeProperty::trailers) == MergeRule::keep && !has_room) {
      result.conflicts.back().rule = MergeRule::refuse;
      result.conflicts.back().cannot_keep = true;
      result.conflicts.back().found += fmt::format("; {} cannot store them", name_of_form(first));
    }
    if (rules_.of(MergeProperty::trailers) != MergeRule::keep) result.trailer = reader_.file_trailer(0);
    if (rules_.of(MergeProperty::binary) == MergeRule::clear) result.cleared = std::move(differing_bytes_);
    return result;
  }

 private:
  static std::string name_of_form(const segy::FileDescription& file) {
    return file.kind == segy::FileKind::segy
               ? fmt::format("revision {} of {}", segy::name_of(segy::revision_of(file)), file.path)
               : fmt::format("Seismic Unix data as {}", file.path);
  }

  void compare(const HeadOfFile& first, const HeadOfFile& other) {
    const std::string& path = other.file.path;
    compare_binary(first, other);
    if (first.text() != other.text()) text_.add(path);
    if (!other.extended().empty() && !std::ranges::equal(first.extended(), other.extended())) extended_.add(path);
  }

  // Compares words that both revisions define by value, and other bytes directly.
  void compare_binary(const HeadOfFile& first, const HeadOfFile& other) {
    std::array<bool, 400> covered{};
    std::vector<std::string> stated;
    std::size_t words = 0;
    const auto differs = [&](int byte, int bytes, const std::string& name) {
      differing_bytes_.push_back({byte - 3201, bytes});
      if (++words <= max_words_listed) stated.push_back(name);
    };
    const auto [earlier, later] = std::minmax({segy::revision_of(first.file), segy::revision_of(other.file)});
    const auto cover = [&](const segy::Word& word) {
      std::fill_n(covered.begin() + (word.byte - 3201), word.type.bytes, true);
    };
    for (const segy::Word* word : segy::binary_words_in(later))
      if (is_of_other_property(word->byte)) cover(*word);
    for (const segy::Word* word : segy::binary_words_in(earlier)) {
      if (is_of_other_property(word->byte)) continue;
      cover(*word);
      const segy::WordValue a = segy::read_word(first.binary(), *word, first.file.byte_order);
      const segy::WordValue b = segy::read_word(other.binary(), *word, other.file.byte_order);
      if (a != b)
        differs(word->byte, word->type.bytes,
                fmt::format("{} ({}-{}) {} instead of {}", word->shown_name(), word->byte,
                            word->byte + word->type.bytes - 1, b.text(), a.text()));
    }
    // Words that the other file's revision does not define are compared as bytes.
    const auto bytes_differ = [&](int byte, int bytes) {
      return std::memcmp(first.binary() + byte - 3201, other.binary() + byte - 3201, static_cast<std::size_t>(bytes)) !=
             0;
    };
    for (const segy::Word* word : segy::binary_words_in(segy::revision_of(first.file))) {
      if (covered[static_cast<std::size_t>(word->byte - 3201)]) continue;
      cover(*word);
      if (bytes_differ(word->byte, word->type.bytes))
        differs(word->byte, word->type.bytes,
                fmt::format("bytes {}-{}", word->byte, word->byte + word->type.bytes - 1));
    }
    for (int i = 0; i < 400; ++i) {
      if (covered[static_cast<std::size_t>(i)] || first.binary()[i] == other.binary()[i]) continue;
      int end = i + 1;
      while (end < 400 && !covered[static_cast<std::size_t>(end)] && first.binary()[end] != other.binary()[end]) ++end;
      differs(3201 + i, end - i, fmt::format("bytes {}-{}", 3201 + i, 3200 + end));
      i = end;
    }
    if (words == 0) return;
    if (words > max_words_listed) stated.push_back(fmt::format("{} more", words - max_words_listed));
    binary_.add(other.file.path, fmt::format("{}", fmt::join(stated, ", ")));
  }

  // Adds the blocks of 3200 bytes that the output does not yet contain.
  void add_trailers(int file, std::vector<std::byte>& all) {
    const std::vector<std::byte> trailer = reader_.file_trailer(file);
    bool adds = false;
    for (std::size_t at = 0; at < trailer.size(); at += segy::text_header_bytes) {
      const auto block = std::span(trailer).subspan(at, segy::text_header_bytes);
      bool is_there = false;
      for (std::size_t i = 0; i < all.size() && !is_there; i += segy::text_header_bytes)
        is_there = std::ranges::equal(block, std::span(all).subspan(i, segy::text_header_bytes));
      if (is_there) continue;
      all.insert(all.end(), block.begin(), block.end());
      adds = true;
    }
    if (adds) trailers_.add(reader_.files()[static_cast<std::size_t>(file)].path);
  }

  const SurveyReader& reader_;
  const MergeRules& rules_;
  Differing binary_;
  Differing text_;
  Differing extended_;
  Differing trailers_;
  std::vector<ByteRange> differing_bytes_;
};

struct WordSpan {
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::size_t file = 0;
};

// Collective. Returns the range of a four-byte word at `byte` (from 1) in each file that has traces.
std::vector<WordSpan> spans_of(const Resources& resources, const SurveyReader& reader, int byte) {
  Communicator& comm = resources.comm;
  const std::size_t files = reader.files().size();
  const auto threads = static_cast<std::size_t>(resources.threads());
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> min(files, none);
  std::vector<std::int64_t> max(files, -none);
  run_and_agree(comm, [&] {
    std::vector<std::vector<std::int64_t>> of_threads(2 * threads, std::vector<std::int64_t>(files, none));
    reader.scan_headers(block_of(reader.traces(), comm.size(), comm.rank()), {byte - 1, 4}, resources.threads(),
                        [&](const HeaderBlock& block, int thread) {
                          const auto file = static_cast<std::size_t>(block.file);
                          std::int64_t& low = of_threads[2 * static_cast<std::size_t>(thread)][file];
                          std::int64_t& high = of_threads[2 * static_cast<std::size_t>(thread) + 1][file];
                          for (std::int64_t i = 0; i < block.count; ++i) {
                            const std::int64_t value = load<std::int32_t>(block.header(i) + byte - 1, block.byte_order);
                            low = std::min(low, value);
                            high = std::min(high, -value);
                          }
                        });
    for (std::size_t i = 0; i < of_threads.size(); ++i)
      for (std::size_t file = 0; file < files; ++file) {
        if (i % 2 == 0) min[file] = std::min(min[file], of_threads[i][file]);
        if (i % 2 == 1) max[file] = std::max(max[file], -of_threads[i][file]);
      }
  });
  comm.all_reduce(min, Reduction::min);
  comm.all_reduce(max, Reduction::max);
  std::vector<WordSpan> spans;
  for (std::size_t file = 0; file < files; ++file)
    if (min[file] != none) spans.push_back({min[file], max[file], file});
  return spans;
}

// Collective. Returns the reason to doubt that a code that all inputs have holds for the merged file; empty if it
// holds.
std::string doubt_of_sorting(const Resources& resources, const SurveyReader& reader, int code) {
  if (code < 2 || code == 3 || code == 4 || code > 9) return {};
  if (code >= 6) return fmt::format("{} in all inputs, but it may not be valid for the merged survey", code);
  const int byte = code == 2 ? 21 : 9;
  std::vector<WordSpan> spans = spans_of(resources, reader, byte);
  std::ranges::sort(spans, {}, [](const WordSpan& span) { return std::pair(span.min, span.file); });
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].min > spans[i - 1].max) continue;
    return fmt::format("{} in all inputs, but {} (bytes {}-{}) of {} and {} overlap: {} to {} and {} to {}", code,
                       code == 2 ? "ensemble numbers" : "field records", byte, byte + 3,
                       reader.paths()[spans[i - 1].file], reader.paths()[spans[i].file], spans[i - 1].min,
                       spans[i - 1].max, spans[i].min, spans[i].max);
  }
  return {};
}

// Local. Returns the inputs whose trace numbers within the file do not continue those of the previous input.
std::vector<MergeConflict> numbers_anew(const SurveyReader& reader, const MergeRules& rules) {
  Differing anew;
  bool has_numbers = false;
  std::int64_t before = 0;
  std::int64_t first_trace = 0;
  for (const segy::FileDescription& file : reader.files()) {
    if (file.traces == 0) continue;
    const std::int64_t last_trace = first_trace + file.traces - 1;
    std::array<std::int64_t, 2> numbers{};
    for (const bool is_last : {false, true})
      reader.scan_headers({is_last ? last_trace : first_trace, 1}, {first_file_number_byte - 1, 4}, 1,
                          [&](const HeaderBlock& block, int /*thread*/) {
                            numbers[is_last ? 1 : 0] =
                                load<std::int32_t>(block.header(0) + first_file_number_byte - 1, block.byte_order);
                          });
    has_numbers = has_numbers || numbers[0] != 0 || numbers[1] != 0;
    if (first_trace > 0 && numbers[0] != before + 1)
      anew.add(file.path, fmt::format("{} after {}", numbers[0], before));
    before = numbers[1];
    first_trace += file.traces;
  }
  if (anew.files == 0 || !has_numbers) return {};
  return {{MergeProperty::numbers, rules.of(MergeProperty::numbers), anew.text(), anew.file}};
}

}  // namespace

HeaderConflicts conflicts_of_headers(const Resources& resources, const SurveyReader& reader, const MergeRules& rules) {
  HeaderConflicts found;
  run_on_rank(resources.comm, 0, [&] { found = HeaderComparison(reader, rules).run(); });
  found.conflicts = shared(resources.comm, found.conflicts);
  found.trailers =
      all_reduce(resources.comm, std::ssize(found.trailer) / std::int64_t{segy::text_header_bytes}, Reduction::max);
  return found;
}

std::vector<MergeConflict> conflicts_of_traces(const Resources& resources, const SurveyReader& reader,
                                               const MergeRules& rules, bool renumbers) {
  std::vector<MergeConflict> found;
  const segy::FileDescription& first = reader.files().front();
  const bool has_one_code = std::ranges::all_of(reader.files(), [&](const segy::FileDescription& file) {
    return file.kind == segy::FileKind::segy && (file.sorting_code == first.sorting_code || file.traces == 0);
  });
  if (reader.files().size() > 1 && has_one_code && rules.of(MergeProperty::sorting) != MergeRule::first) {
    std::string doubt = doubt_of_sorting(resources, reader, first.sorting_code);
    if (!doubt.empty())
      found.push_back({MergeProperty::sorting, rules.of(MergeProperty::sorting), std::move(doubt), first.path});
  }
  if (renumbers) return found;
  std::vector<MergeConflict> numbers;
  run_on_rank(resources.comm, 0, [&] { numbers = numbers_anew(reader, rules); });
  std::ranges::move(shared(resources.comm, numbers), std::back_inserter(found));
  return found;
}

}  // namespace sill
