#include "sill/formats/segy/convert/file_header_repair.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/formats/segy/convert/file_header_conversion.hpp"
#include "sill/formats/segy/words/binary_header.hpp"

namespace sill::segy {
namespace {

/// Words that may leave open what other words state, and the value with this meaning.
struct OpenWord {
  int byte;
  std::int64_t value;
};
constexpr OpenWord open_words[] = {{3217, 0},  {3221, 0}, {3269, 0}, {3273, 0}, {3503, 0},
                                   {3505, -1}, {3513, 0}, {3521, 0}, {3529, -1}};

constexpr int constant_byte = 3297;  // the byte-order constant

const Word* listed_word(std::span<const Word* const> words, int byte) {
  const auto found = std::ranges::find(words, byte, [](const Word* word) { return word->byte; });
  return found == words.end() ? nullptr : *found;
}

// Revision 0 does not define bytes 3501-3506; they are displayed with the meaning of revision 1.
std::vector<const Word*> shown_words(Revision revision) { return binary_words_in(std::max(revision, Revision::rev1)); }

bool is_contested(const FileDescription& file, int byte, int last_byte) {
  const std::string where = fmt::format("bytes {}-{}", byte, last_byte);
  return std::ranges::any_of(
      file.diagnostics, [&](const Diagnostic& found) { return found.grade >= Grade::minor && found.where == where; });
}

class HeaderRepair {
 public:
  HeaderRepair(std::span<const std::byte> header, const FileDescription& from, const FileForm& to, bool sets_revision)
      : from_(from),
        to_(to),
        sets_revision_(sets_revision),
        before_(
            header.subspan(static_cast<std::size_t>(from.label_bytes + std::int64_t{text_header_bytes})).first<400>()),
        words_before_(shown_words(revision_of(from))),
        words_after_(shown_words(to.revision)) {
    ConvertedFileHeader converted = convert_file_header(header, from, to);
    result_.bytes = std::move(converted.bytes);
    result_.notes = std::move(converted.notes);
    const bool keeps_label = from.label_bytes > 0 && to.revision >= Revision::rev1;
    const std::int64_t text_at = keeps_label ? tape_label_bytes : 0;
    after_ = result_.bytes.data() + text_at + std::int64_t{text_header_bytes};
    keep_open_words();
    keep_revision(header);
    if (to.revision == Revision::rev0) keep_undefined_bytes();
  }

  RepairedFileHeader run() {
    for (const Word* word : words_after_) {
      const Word* const old_word = listed_word(words_before_, word->byte);
      const std::string old = old_word == nullptr ? "none" : old_of(*old_word).text();
      const std::string fresh = read_word(after_, *word, to_.byte_order).text();
      if (old == fresh || (old_word == nullptr && fresh == "0")) continue;
      result_.changes.push_back({std::string(word->text), word->byte, word->byte + word->type.bytes - 1, old, fresh});
    }
    // Before revision 2 the constant is not a defined word, but it is read.
    const Word& constant = binary_word(constant_byte);
    const std::string old = read_word(before_.data(), constant, from_.byte_order).text();
    const std::string fresh = read_word(after_, constant, to_.byte_order).text();
    if (to_.revision < Revision::rev2_0 && byte_order_constant(before_) && old != fresh)
      result_.changes.push_back({std::string(constant.text), constant_byte, constant_byte + 3, old, fresh});
    std::ranges::stable_sort(result_.changes, {}, &WordChange::byte);
    return std::move(result_);
  }

 private:
  [[nodiscard]] WordValue old_of(const Word& word) const { return read_word(before_.data(), word, from_.byte_order); }

  void restore(const Word& word) {
    if (listed_word(words_before_, word.byte) != nullptr) write_word(after_, word, to_.byte_order, old_of(word));
  }

  void keep_open_words() {
    if (to_.revision != revision_of(from_) || to_.revision == Revision::rev0) return;
    for (const OpenWord& open : open_words) {
      const Word* const word = listed_word(words_before_, open.byte);
      if (word == nullptr || old_of(*word).as_double() != static_cast<double>(open.value)) continue;
      if (is_contested(from_, word->byte, word->byte + word->type.bytes - 1)) continue;
      if (open.byte == 3503 && to_.lengths_vary) continue;  // already 0
      if (open.byte == 3269 && to_.samples > max_short_samples) continue;
      if (open.byte == 3273 && !is_short_interval(to_.interval_us)) continue;
      // Another word must state the value.
      const auto is_stated = [&](int byte) {
        const Word* const other = listed_word(words_before_, byte);
        return other != nullptr && old_of(*other).as_double() != 0.0;
      };
      if (open.byte == 3221 && to_.samples != 0 && !is_stated(3269)) continue;
      if (open.byte == 3217 && to_.interval_us != 0.0 && !is_stated(3273)) continue;
      restore(*word);
    }
  }

  // A revision later than those known here is read as 2.1; it is not an error.
  void keep_revision(std::span<const std::byte> header) {
    if (sets_revision_ || from_.revision < 2 || from_.revision_major < 2) return;
    std::copy_n(before_.data() + 300, 2, after_ + 300);
    if (from_.label_bytes > 0) std::copy_n(header.data(), tape_label_bytes, result_.bytes.data());
  }

  void keep_undefined_bytes() {
    if (revision_of(from_) != Revision::rev0) return;
    // If the file is read as revision 0 only because the user assumed it, these bytes belong to the stated revision,
    // and the result must be a file of revision 0.
    if (sets_revision_ && (from_.revision_major != 0 || from_.revision_minor != 0)) return;
    if (!is_contested(from_, 3501, 3502)) std::copy_n(before_.data() + 300, 2, after_ + 300);
    restore(*listed_word(words_before_, 3503));
    if (!is_contested(from_, 3505, 3506)) restore(*listed_word(words_before_, 3505));
  }

  const FileDescription& from_;
  const FileForm& to_;
  bool sets_revision_;
  std::span<const std::byte, 400> before_;
  std::vector<const Word*> words_before_;
  std::vector<const Word*> words_after_;
  std::byte* after_ = nullptr;  // the binary header in the result
  RepairedFileHeader result_;
};

}  // namespace

RepairedFileHeader repair_file_header(std::span<const std::byte> header, const FileDescription& from,
                                      const FileForm& to, bool sets_revision) {
  return HeaderRepair(header, from, to, sets_revision).run();
}

ByteOrder order_of_file_header(std::span<const std::byte, 400> block, ByteOrder read_as) {
  const auto makes_sense = [&](ByteOrder order) {
    return !meaning_of_code(read_binary_header(block, order).format_code).empty();
  };
  const ByteOrder other = read_as == ByteOrder::big ? ByteOrder::little : ByteOrder::big;
  return makes_sense(read_as) || !makes_sense(other) ? read_as : other;
}

}  // namespace sill::segy
