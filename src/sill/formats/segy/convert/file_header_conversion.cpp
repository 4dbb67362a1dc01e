#include "sill/formats/segy/convert/file_header_conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/formats/segy/words/binary_header.hpp"
#include "sill/formats/segy/words/word_swap.hpp"

namespace sill::segy {
namespace {

constexpr std::int64_t binary_at = 3200;
constexpr std::int64_t binary_bytes = 400;
/// Bytes 3297-3300 of the file, counted from 0 in the binary header.
constexpr std::int64_t constant_at = 96;
constexpr std::uint32_t byte_order_constant_value = 0x01020304;

/// Words of revision 2 and the shorter words that they override.
struct Twin {
  int byte;
  int short_byte;
};
constexpr Twin twins[] = {{3261, 3213}, {3265, 3215}, {3281, 3219}, {3289, 3223}, {3293, 3227}};

/// Returns the words of the binary header that a revision defines, with bytes counted from 1 in the block.
std::vector<WordRef> words_of(Revision revision) {
  std::vector<WordRef> words;
  for (const Word* word : binary_words_in(revision))
    words.push_back({std::string(word->shown_name()), word->byte - 3200, word->type});
  return words;
}

// For a revision without the longer words: writes their values into the shorter words.
void shorten(std::span<std::byte> block, ByteOrder order) {
  for (const Twin& twin : twins) {
    const Word& long_word = binary_word(twin.byte);
    const WordValue value = read_word(block.data(), long_word, order);
    if (value.as_double() == 0.0) continue;
    try {
      write_word(block.data(), binary_word(twin.short_byte), order, value);
    } catch (const Error&) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format(
                       "{} (bytes {}-{} of the file header) is {}, which bytes {}-{} of earlier revisions cannot store",
                       long_word.shown_name(), twin.byte, twin.byte + long_word.type.bytes - 1, value.text(),
                       twin.short_byte, twin.short_byte + 1),
                   .clause = long_word.clause(),
                   .action = "choose --revision 2.0 or 2.1"});
    }
  }
}

// Clears bytes that the revision of the output does not define; adds a note if they contained information (`what`) that
// no other word states.
void clear(std::span<std::byte> block, int byte, int last_byte, const char* what, std::vector<std::string>& notes) {
  const auto bytes =
      block.subspan(static_cast<std::size_t>(byte - 3201), static_cast<std::size_t>(last_byte - byte + 1));
  const bool held = std::any_of(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{0}; });
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  if (held && what != nullptr)
    notes.push_back(fmt::format("bytes {}-{} of the file header ({}) were cleared", byte, last_byte, what));
}

}  // namespace

ConvertedFileHeader convert_file_header(std::span<const std::byte> header, const FileDescription& from,
                                        const FileForm& to) {
  ConvertedFileHeader result;
  const bool keeps_label = from.label_bytes > 0 && to.revision >= Revision::rev1;
  if (from.label_bytes > 0 && !keeps_label)
    result.notes.emplace_back("the tape label was omitted, because revision 0 has none");
  const std::span<const std::byte> kept =
      keeps_label ? header : header.subspan(static_cast<std::size_t>(from.label_bytes));
  result.bytes.assign(kept.begin(), kept.end());
  const std::size_t text_at = keeps_label ? static_cast<std::size_t>(from.label_bytes) : 0;
  if (keeps_label) {
    const std::string revision = fmt::format("SY{}.{}", major_of(to.revision), minor_of(to.revision));
    std::memcpy(result.bytes.data() + 4, revision.data(), 5);
  }

  const auto block = std::span(result.bytes).subspan(text_at + binary_at).first<binary_bytes>();
  std::array<std::byte, binary_bytes> before;
  std::copy(block.begin(), block.end(), before.begin());
  const std::vector<WordRef> words = words_of(revision_of(from));
  WordSwap(words, binary_bytes, from.byte_order, to.byte_order).apply(before.data(), block.data(), binary_bytes);
  // The byte-order constant is not defined before revision 2. But if it is present, it states the byte order, and a
  // wrong constant would mislead readers.
  if (from.revision < 2 && byte_order_constant(before))
    store(block.data() + constant_at, byte_order_constant_value, to.byte_order);

  if (from.revision == 2 && to.revision < Revision::rev2_0) {
    shorten(block, to.byte_order);
    clear(block, 3261, 3300, nullptr, result.notes);
    clear(block, 3507, 3508, nullptr, result.notes);
    // In revision 2.0 these bytes are the lower half of the number at 3507.
    clear(block, 3509, 3510, revision_of(from) == Revision::rev2_1 ? "survey type" : nullptr, result.notes);
    clear(block, 3511, 3512, "time basis", result.notes);
    clear(block, 3513, 3532, nullptr, result.notes);
  } else if (from.revision < 2 && to.revision >= Revision::rev2_0) {
    clear(block, 3261, 3300, "unassigned before revision 2", result.notes);
    clear(block, 3507, 3532, "unassigned before revision 2", result.notes);
  } else if (revision_of(from) == Revision::rev2_0 && to.revision == Revision::rev2_1) {
    // Revision 2.1 stores the survey type where 2.0 stores the lower half of a number.
    clear(block, 3507, 3510, nullptr, result.notes);
  } else if (revision_of(from) == Revision::rev2_1 && to.revision == Revision::rev2_0) {
    clear(block, 3509, 3510, "survey type", result.notes);
  }
  set_form_words(to, block);
  return result;
}

}  // namespace sill::segy
