#include "sill/formats/segy/detect/extended_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/segy/text/text_header.hpp"

namespace sill::segy {
namespace {

constexpr std::int64_t blocks_per_batch = 16;

using TextBlock = std::span<const std::byte, text_header_bytes>;

constexpr const char* count_clause = "SEG-Y rev 1, bytes 3505-3506";

}  // namespace

bool holds_end_text(std::span<const std::byte, text_header_bytes> block) {
  for (const TextEncoding encoding : {TextEncoding::ebcdic, TextEncoding::ascii}) {
    std::string letters;
    for (const std::string& line : decode_text_header(block, encoding))
      for (const char c : line)
        if (c != ' ') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (letters.find("((seg:endtext))") != std::string::npos) return true;
  }
  return false;
}

ExtendedText::ExtendedText(File file) : file_(std::move(file)) {
  if (file_.count == 0) return;
  const std::int64_t end_byte = file_.first_byte + text_block_bytes * std::max(file_.count, 1);
  if (file_.count < -1) {
    ignore(Grade::minor, says());
  } else if (end_byte > file_.file_bytes) {
    ignore(file_.revision == 0 ? Grade::minor : Grade::major, says() + ", for which the file is too short");
  } else {
    wanted_ = {file_.first_byte, text_block_bytes};
  }
}

std::string ExtendedText::says() const {
  if (file_.count == -1) return "the binary header does not state the number of extended text headers (-1)";
  return fmt::format("the binary header states {} extended text header{}", file_.count, file_.count == 1 ? "" : "s");
}

void ExtendedText::feed(std::span<const std::byte> bytes) {
  wanted_.reset();
  if (file_.count == -1) return scan_for_end(bytes);
  // A text header that was never written is blank: zeros, or blanks in ASCII or EBCDIC.
  const TextBlock block(bytes.data(), text_header_bytes);
  const bool is_blank = std::ranges::all_of(block, [&](std::byte b) { return b == block[0]; }) &&
                        (block[0] == std::byte{0} || block[0] == std::byte{0x20} || block[0] == std::byte{0x40});
  evaluate_counted(is_text_block(block), is_blank);
}

void ExtendedText::ignore(Grade grade, std::string problem) {
  diagnostics_.push_back({.grade = grade,
                          .problem = std::move(problem),
                          .where = "bytes 3505-3506",
                          .clause = count_clause,
                          .action = fmt::format("ignored: traces start at byte {}", file_.first_byte + 1)});
}

void ExtendedText::evaluate_counted(bool first_block_is_text, bool first_block_is_blank) {
  const std::int64_t first_trace_byte = file_.first_byte + file_.count * text_block_bytes;
  const bool fits_with = file_.fits_after(first_trace_byte);
  const bool fits_without = file_.fits_after(file_.first_byte);
  const bool believed = first_block_is_text || (fits_with && (!fits_without || first_block_is_blank)) ||
                        (file_.revision >= 1 && (fits_with || !fits_without));
  if (!believed)
    return ignore(Grade::minor, fmt::format("{}, but no text follows it{}", says(),
                                            fits_with      ? ", and the file size agrees without it, too"
                                            : fits_without ? " and the file size contradicts it"
                                                           : ""));
  if (file_.revision == 0 || (!first_block_is_text && !fits_with)) {
    const std::string_view why = first_block_is_text && fits_with ? "text follows, and the file size agrees"
                                 : first_block_is_text            ? "text follows"
                                 : fits_with && fits_without      ? "a blank text header follows"
                                 : fits_with                      ? "the file size agrees"
                                                                  : "no contrary evidence";
    diagnostics_.push_back(
        {.grade = Grade::minor,
         .problem = says() + (file_.revision == 0 ? ", which revision 0 does not have" : ", but they contain no text"),
         .where = "bytes 3505-3506",
         .clause = count_clause,
         .action = fmt::format("used: {}; traces start at byte {}", why, first_trace_byte + 1)});
  }
  found_ = file_.count;
}

void ExtendedText::scan_for_end(std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at + text_header_bytes <= bytes.size(); at += text_header_bytes) {
    const TextBlock block(bytes.data() + at, text_header_bytes);
    if (file_.revision == 0 && blocks_scanned_ == 0 && !is_text_block(block))
      return ignore(Grade::minor, says() + ", but no text follows it");
    ++blocks_scanned_;
    if (!holds_end_text(block)) continue;
    found_ = static_cast<int>(blocks_scanned_);
    diagnostics_.push_back({.grade = file_.revision == 0 ? Grade::minor : Grade::info,
                            .problem = says() + (file_.revision == 0 ? ", which revision 0 does not have" : ""),
                            .where = "bytes 3505-3506",
                            .clause = count_clause,
                            .action = fmt::format("{} found with the stanza ((SEG: EndText))", blocks_scanned_)});
    return;
  }
  const std::int64_t start = file_.first_byte + blocks_scanned_ * text_block_bytes;
  const std::int64_t blocks =
      std::min({blocks_per_batch, (file_.file_bytes - start) / text_block_bytes, max_text_blocks - blocks_scanned_});
  if (blocks > 0) {
    wanted_ = {start, blocks * text_block_bytes};
    return;
  }
  const std::string not_found =
      says() +
      fmt::format(", and the stanza ((SEG: EndText)) that ends them is not in the {} blocks after it", blocks_scanned_);
  if (file_.fits_after(file_.first_byte)) return ignore(Grade::major, not_found);
  throw Error({.code = ErrorCode::input,
               .problem = not_found,
               .where = {.file = file_.path},
               .clause = count_clause,
               .action = "if you know the number, correct bytes 3505-3506"});
}

}  // namespace sill::segy
