#include "sill/formats/segy/detect/trailers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/segy/text/text_header.hpp"

namespace sill::segy {
namespace {

/// An open count is searched this far.
constexpr std::int64_t max_blocks = 4096;
constexpr std::int64_t trailer_blocks_per_batch = 16;

}  // namespace

Trailers::Trailers(File file) : file_(std::move(file)) {
  const std::int64_t room = file_.file_bytes - file_.first_trace_byte;
  if (file_.stated == 0) return;
  const std::string says = fmt::format("the binary header states {} data trailers", file_.stated);
  const std::int64_t after = file_.file_bytes - file_.traces_end_byte;
  if (file_.stated == -1 && file_.traces_end_byte > 0 && after >= 0 && after % text_block_bytes == 0) {
    found_ = after / text_block_bytes;
    report(Grade::info, "the binary header does not state the number of data trailers (-1)",
           fmt::format("{} follow the traces that it states", found_));
  } else if (file_.stated == -1) {
    look_further();
  } else if (file_.stated < -1) {
    report(Grade::minor, says, "ignored: read without data trailers");
  } else if (file_.stated > room / text_block_bytes) {
    report(Grade::major, says + ", for which the file is too short", "ignored: read without data trailers");
  } else {
    wanted_ = {file_.file_bytes - file_.stated * text_block_bytes, text_block_bytes};
  }
}

void Trailers::report(Grade grade, std::string problem, std::string action) {
  diagnostics_.push_back({.grade = grade,
                          .problem = std::move(problem),
                          .where = "bytes 3529-3532",
                          .clause = "SEG-Y rev 2.0, bytes 3529-3532",
                          .action = std::move(action)});
}

void Trailers::look_further() {
  const std::int64_t room = (file_.file_bytes - file_.first_trace_byte) / text_block_bytes - blocks_of_text_;
  const std::int64_t blocks = std::min(room, trailer_blocks_per_batch);
  if (blocks <= 0) return conclude_open();
  if (blocks_of_text_ >= max_blocks)
    throw Error(
        {.code = ErrorCode::input,
         .problem =
             fmt::format("the number of data trailers is not stated (-1), and the last {} blocks of the file are text",
                         blocks_of_text_),
         .clause = "SEG-Y rev 2.0, bytes 3529-3532",
         .action = "set bytes 3529-3532 to the number of trailers, or bytes 3513-3520 to the number of traces"});
  wanted_ = {file_.file_bytes - (blocks_of_text_ + blocks) * text_block_bytes, blocks * text_block_bytes};
}

void Trailers::feed(std::span<const std::byte> bytes) {
  wanted_.reset();
  const auto is_text = [&](std::int64_t block) {
    const auto at = static_cast<std::size_t>(block * text_block_bytes);
    return is_text_block(bytes.subspan(at).first<text_header_bytes>());
  };
  if (file_.stated == -1) {
    for (std::int64_t block = std::ssize(bytes) / text_block_bytes - 1; block >= 0; --block) {
      if (!is_text(block)) return conclude_open();
      ++blocks_of_text_;
    }
    return look_further();
  }
  if (!is_text(0) && !file_.fits_before(file_.stated * text_block_bytes) && file_.fits_before(0))
    return report(
        Grade::major,
        fmt::format("the binary header states {} data trailers, but there is no text, and the file size contradicts it",
                    file_.stated),
        "ignored: read without data trailers");
  found_ = file_.stated;
}

// Blocks of samples can look like text, so the bytes before the trailers must be a whole number of traces.
void Trailers::conclude_open() {
  found_ = blocks_of_text_;
  for (std::int64_t blocks = blocks_of_text_; blocks >= 0; --blocks) {
    if (!file_.fits_before(blocks * text_block_bytes)) continue;
    found_ = blocks;
    break;
  }
  report(Grade::info, "the binary header does not state the number of data trailers (-1)",
         fmt::format("{} found from their text", found_));
}

}  // namespace sill::segy
