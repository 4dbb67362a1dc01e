// The steps of the probe: file header, Seismic Unix, binary header, extended text headers, trace headers.
#include "sill/formats/segy/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/segy/words.hpp"

namespace sill::segy {
namespace {

constexpr std::int64_t block_bytes = text_header_bytes;
/// An open count of extended text headers is searched this far, a batch at a time, before it is given up.
constexpr std::int64_t blocks_at_most = 1024;
constexpr std::int64_t blocks_a_batch = 16;

constexpr const char* count_clause = "SEG-Y rev 1, bytes 3505-3506";
constexpr const char* format_clause = "SEG-Y rev 1, bytes 3225-3226";

/// The format of a code, if the probe describes files of it.
std::optional<SampleFormat> supported_format(int code) {
  constexpr std::array supported = {1, 2, 3, 5, 8};
  if (std::find(supported.begin(), supported.end(), code) == supported.end()) return std::nullopt;
  return sample_format_from_code(code, 1);
}

using Block = std::span<const std::byte, text_header_bytes>;

/// The binary header within the first 3600 bytes of a file.
std::span<const std::byte, 400> binary_header_of(std::span<const std::byte> head) {
  return head.subspan(text_header_bytes).first<400>();
}

/// SEG-2 starts with 0x3A55 and a small revision number, both in the order of the file.
bool is_seg2(std::span<const std::byte> head) {
  if (head.size() < 4) return false;
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little})
    if (load<std::uint16_t>(head.data(), order) == 0x3A55 && load<std::uint16_t>(head.data() + 2, order) < 16)
      return true;
  return false;
}

/// True if nine in ten bytes are ASCII text, which no binary header is.
bool is_plain_text(std::span<const std::byte> bytes) {
  const auto printable = std::count_if(bytes.begin(), bytes.end(), [](std::byte b) {
    const auto c = std::to_integer<unsigned char>(b);
    return (c >= 32 && c < 127) || c == '\n' || c == '\r' || c == '\t';
  });
  return 10 * printable >= 9 * std::ssize(bytes);
}

std::string_view long_name_of(ByteOrder order) { return order == ByteOrder::big ? "big-endian" : "little-endian"; }

/// Does the block hold the stanza that ends the extended text headers? Any case, any blanks.
bool holds_end_text(Block block) {
  for (const TextEncoding encoding : {TextEncoding::ebcdic, TextEncoding::ascii}) {
    std::string letters;
    for (const std::string& line : decode_text_header(block, encoding))
      for (const char c : line)
        if (c != ' ') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (letters.find("((seg:endtext))") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

Probe::Probe(std::string path, std::int64_t file_bytes) {
  description_.path = std::move(path);
  description_.file_bytes = file_bytes;
  if (file_bytes <= 0) refuse("the file is empty", {}, "check how it was written or copied");
  wanted_.push_back({0, std::min(file_bytes, file_header_bytes)});
}

std::optional<ByteRange> Probe::next() const {
  if (wanted_.empty()) return std::nullopt;
  return wanted_.front();
}

FileDescription Probe::result() const { return description_; }

void Probe::refuse(std::string problem, std::string clause, std::string action) const {
  throw Error({.code = ErrorCode::input,
               .problem = std::move(problem),
               .where = {.file = description_.path},
               .clause = std::move(clause),
               .action = std::move(action)});
}

void Probe::feed(std::span<const std::byte> bytes) {
  if (wanted_.empty() || static_cast<std::int64_t>(bytes.size()) != wanted_.front().length)
    throw Error({.code = ErrorCode::io,
                 .problem = fmt::format("{} bytes came where {} were to be read", bytes.size(),
                                        wanted_.empty() ? 0 : wanted_.front().length),
                 .where = {.file = description_.path},
                 .action = "the file may have changed while it was read: try again"});
  const ByteRange range = wanted_.front();
  wanted_.pop_front();
  switch (stage_) {
    case Stage::file_header: head_.assign(bytes.begin(), bytes.end()); return interpret_file_header();
    case Stage::seismic_unix: {
      SeismicUnixGuess& guess = guesses_[guess_of_wanted_.front()];
      guess_of_wanted_.pop_front();
      guess.agrees = guess.agrees && load<std::uint16_t>(bytes.data(), guess.order) == guess.samples;
      if (wanted_.empty()) judge_seismic_unix();
      return;
    }
    case Stage::extended_text: return read_extended_text(bytes);
    case Stage::trace_headers: {
      SampledTraceHeader header{.trace = (range.offset - description_.first_trace_byte) / description_.trace_bytes + 1};
      std::copy(bytes.begin(), bytes.end(), header.bytes.begin());
      trace_headers_.push_back(header);
      if (wanted_.empty()) finish();
      return;
    }
    case Stage::complete: return;
  }
}

void Probe::interpret_file_header() {
  if (is_seg2(head_))
    refuse("this is a SEG-2 file; not supported", "SEG-2, file descriptor block", "convert it to SEG-Y first");
  bool segy_fits = false;
  if (std::ssize(head_) == file_header_bytes) {
    const auto block = binary_header_of(head_);
    for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
      const BinaryHeader binary = read_binary_header(block, order);
      const auto format = supported_format(binary.format_code);
      if (!format || binary.samples == 0) continue;
      const std::int64_t trace_bytes = trace_header_bytes + std::int64_t{binary.samples} * bytes_of(*format);
      segy_fits = segy_fits || (description_.file_bytes - file_header_bytes) % trace_bytes == 0;
    }
  }
  guess_seismic_unix(segy_fits);
}

// Bare Seismic Unix data has no file header, so what reads as one is a trace. It is told by its own evidence: one
// number of samples at bytes 115-116 of every trace header looked at, by which the file divides without a rest.
void Probe::guess_seismic_unix(bool segy_fits) {
  stage_ = Stage::seismic_unix;
  const std::int64_t file_bytes = description_.file_bytes;
  if (!segy_fits && std::ssize(head_) >= trace_header_bytes) {
    for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
      const std::int64_t samples = load<std::uint16_t>(head_.data() + 114, order);
      const std::int64_t trace_bytes = trace_header_bytes + 4 * samples;
      if (samples == 0 || file_bytes % trace_bytes != 0) continue;
      const std::int64_t traces = file_bytes / trace_bytes;
      std::vector<std::int64_t> sampled = {1, traces / 2, traces - 1};
      std::erase_if(sampled, [&](std::int64_t trace) { return trace < 1 || trace >= traces; });
      std::sort(sampled.begin(), sampled.end());
      sampled.erase(std::unique(sampled.begin(), sampled.end()), sampled.end());
      for (const std::int64_t trace : sampled) {
        wanted_.push_back({trace * trace_bytes + 114, 2});
        guess_of_wanted_.push_back(guesses_.size());
      }
      guesses_.push_back({.order = order, .samples = samples, .traces = traces});
    }
  }
  if (wanted_.empty()) judge_seismic_unix();
}

void Probe::judge_seismic_unix() {
  for (const SeismicUnixGuess& guess : guesses_) {
    if (!guess.agrees) continue;
    // One trace is weak evidence: not against a binary header that makes sense.
    if (guess.traces == 1 && std::ssize(head_) == file_header_bytes) {
      const auto block = binary_header_of(head_);
      if (!meaning_of_code(read_binary_header(block, ByteOrder::big).format_code).empty() ||
          !meaning_of_code(read_binary_header(block, ByteOrder::little).format_code).empty())
        continue;
    }
    refuse(fmt::format("this looks like bare Seismic Unix data ({}, {} trace{} of {} samples); not supported yet",
                       long_name_of(guess.order), guess.traces, guess.traces == 1 ? "" : "s", guess.samples),
           {}, "give it a SEG-Y file header first (Seismic Unix: segyhdrs, segywrite)");
  }
  if (std::ssize(head_) < file_header_bytes)
    refuse(fmt::format("{} bytes, not a SEG-Y file: its file header alone has {}", head_.size(), file_header_bytes),
           "SEG-Y rev 1, textual and binary file header", "check how the file was written or copied");
  interpret_binary_header();
}

void Probe::interpret_binary_header() {
  const auto block = binary_header_of(head_);
  description_.text_encoding = detect_text_encoding(Block(head_.data(), text_header_bytes));

  // The code of the sample format is 1 to 16, so it makes sense in one order at most. The size of the file has been
  // heard against it above, and the 32-bit words tell little from pairwise order later.
  const BinaryHeader big = read_binary_header(block, ByteOrder::big);
  const BinaryHeader little = read_binary_header(block, ByteOrder::little);
  if (!meaning_of_code(big.format_code).empty()) {
    description_.byte_order = ByteOrder::big;
    binary_ = big;
  } else if (!meaning_of_code(little.format_code).empty()) {
    description_.byte_order = ByteOrder::little;
    binary_ = little;
  } else if (is_plain_text(block)) {
    refuse("this is no SEG-Y file: there is text where its binary header would be", "SEG-Y rev 1, bytes 3201-3600",
           "check that this is the file you meant");
  } else if (description_.text_encoding == TextEncoding::unknown) {
    refuse(fmt::format("this is no SEG-Y file: it does not start with text, and its sample format would be {} "
                       "(big-endian) or {} (little-endian)",
                       big.format_code, little.format_code),
           format_clause, "check that this is the file you meant");
  } else {
    refuse(
        fmt::format("sample format {} is unknown: the standard has 1 to 12, 15 and 16",
                    std::abs(big.format_code) <= std::abs(little.format_code) ? big.format_code : little.format_code),
        format_clause, "correct bytes 3225-3226 of the file if you know its format");
  }
  description_.revision_major = binary_.revision_major;
  description_.revision_minor = binary_.revision_minor;
  interpret_revision();

  const auto format = supported_format(binary_.format_code);
  if (!format)
    refuse(fmt::format("sample format {} ({}) is not supported yet", binary_.format_code,
                       meaning_of_code(binary_.format_code)),
           format_clause, "supported are 1, 2, 3, 5 and 8: convert the file to one of them");
  if (binary_.samples == 0 && description_.file_bytes > file_header_bytes)
    refuse("the binary header says 0 samples a trace (bytes 3221-3222)", "SEG-Y rev 1, bytes 3221-3222",
           "correct these bytes if you know the number");
  description_.sample_format = *format;
  description_.samples = binary_.samples;
  description_.interval_us = binary_.interval_us;
  description_.sorting_code = binary_.sorting_code;
  description_.measurement_system = binary_.measurement_system;
  description_.trace_bytes = trace_header_bytes + description_.samples * bytes_of(*format);
  plan_extended_text();
}

void Probe::interpret_revision() {
  const int major = binary_.revision_major;
  const int minor = binary_.revision_minor;
  const auto report = [&](Grade grade, std::string problem, std::string action) {
    description_.diagnostics.push_back({.grade = grade,
                                        .problem = std::move(problem),
                                        .where = "bytes 3501-3502",
                                        .clause = "SEG-Y rev 1, bytes 3501-3502",
                                        .action = std::move(action)});
  };
  // Numbers that a later revision of the standard may have; others are rubbish left in a header of revision 0.
  if ((major == 2 || major == 3) && minor < 10)
    refuse(
        fmt::format("this is a SEG-Y file of revision {}.{}, not supported yet: revisions 0 and 1 are", major, minor),
        "SEG-Y rev 2, bytes 3501-3502", "write it as revision 1 with the program that made it");
  revision_ = major == 1 || (major == 0 && minor > 0 && minor < 10) ? 1 : 0;
  if (major == 1 && minor > 0) {
    report(Grade::info, fmt::format("the revision is 1.{}, which the standard does not know", minor),
           "read as revision 1.0");
  } else if (major == 0 && revision_ == 1) {
    // Revision 1 calls the two bytes one 16-bit number, so files in little order may well swap them.
    report(description_.byte_order == ByteOrder::big ? Grade::minor : Grade::info,
           fmt::format("the revision is stored as 0.{}: its bytes are swapped", minor), "read as revision 1.0");
  } else if (major > 1 || minor > 0) {
    report(Grade::minor, fmt::format("the revision is stored as {}.{}, which means nothing", major, minor),
           "read as revision 0");
  }
}

bool Probe::fits_after(std::int64_t first_trace_byte) const {
  const std::int64_t left = description_.file_bytes - first_trace_byte;
  return left >= 0 && left % description_.trace_bytes == 0;
}

void Probe::ignore_extended_text(Grade grade, std::string problem) {
  description_.diagnostics.push_back({.grade = grade,
                                      .problem = std::move(problem),
                                      .where = "bytes 3505-3506",
                                      .clause = count_clause,
                                      .action = "ignored: traces start at byte 3601"});
  plan_traces();
}

void Probe::plan_extended_text() {
  stage_ = Stage::extended_text;
  const int count = binary_.extended_text_headers;
  if (count == 0) return plan_traces();
  const std::string says = fmt::format("the binary header says {} extended text headers", count);
  if (count < -1) return ignore_extended_text(Grade::minor, says);
  const std::int64_t needed_bytes = file_header_bytes + block_bytes * std::max(count, 1);
  if (needed_bytes > description_.file_bytes)
    return ignore_extended_text(revision_ == 0 ? Grade::minor : Grade::major,
                                says + ", for which the file is too short");
  wanted_.push_back({file_header_bytes, block_bytes});
}

void Probe::read_extended_text(std::span<const std::byte> bytes) {
  if (binary_.extended_text_headers == -1) return scan_for_end_text(bytes);
  judge_counted_text(detect_text_encoding(Block(bytes.data(), text_header_bytes)) != TextEncoding::unknown);
}

// A count may be rubbish, above all in a file of revision 0, which knows no extended text headers. It is believed if
// there is text, if only with it the size of the file is right, or (from revision 1) if nothing speaks against it.
void Probe::judge_counted_text(bool first_block_is_text) {
  const int count = binary_.extended_text_headers;
  const std::int64_t first_trace_byte = file_header_bytes + count * block_bytes;
  const bool fits_with = fits_after(first_trace_byte);
  const bool fits_without = fits_after(file_header_bytes);
  const bool believed =
      first_block_is_text || (fits_with && !fits_without) || (revision_ >= 1 && (fits_with || !fits_without));
  const std::string says =
      fmt::format("the binary header says {} extended text header{}", count, count == 1 ? "" : "s");
  if (!believed)
    return ignore_extended_text(Grade::minor, fmt::format("{}, but after it there is no text{}", says,
                                                          fits_without ? " and the file size speaks against it" : ""));
  if (revision_ == 0 || (!first_block_is_text && !fits_with)) {
    const std::string_view why = first_block_is_text && fits_with ? "there is text, and the file size agrees"
                                 : first_block_is_text            ? "there is text"
                                 : fits_with                      ? "the file size agrees"
                                                                  : "nothing speaks against it";
    description_.diagnostics.push_back(
        {.grade = Grade::minor,
         .problem = revision_ == 0 ? says + ", which revision 0 does not have" : says + ", but they hold no text",
         .where = "bytes 3505-3506",
         .clause = count_clause,
         .action = fmt::format("believed: {}; traces start at byte {}", why, first_trace_byte + 1)});
  }
  description_.extended_text_headers = count;
  description_.first_trace_byte = first_trace_byte;
  plan_traces();
}

void Probe::scan_for_end_text(std::span<const std::byte> bytes) {
  const std::string says = "the binary header leaves the number of extended text headers open (-1)";
  for (std::size_t at = 0; at + text_header_bytes <= bytes.size(); at += text_header_bytes) {
    const Block block(bytes.data() + at, text_header_bytes);
    if (revision_ == 0 && blocks_scanned_ == 0 && detect_text_encoding(block) == TextEncoding::unknown)
      return ignore_extended_text(Grade::minor, says + ", but after it there is no text");
    ++blocks_scanned_;
    if (!holds_end_text(block)) continue;
    description_.extended_text_headers = static_cast<int>(blocks_scanned_);
    description_.first_trace_byte = file_header_bytes + blocks_scanned_ * block_bytes;
    description_.diagnostics.push_back(
        {.grade = revision_ == 0 ? Grade::minor : Grade::info,
         .problem = says + (revision_ == 0 ? ", which revision 0 does not have" : ""),
         .where = "bytes 3505-3506",
         .clause = count_clause,
         .action = fmt::format("{} found by the stanza ((SEG: EndText))", blocks_scanned_)});
    return plan_traces();
  }
  const std::int64_t start = file_header_bytes + blocks_scanned_ * block_bytes;
  const std::int64_t blocks =
      std::min({blocks_a_batch, (description_.file_bytes - start) / block_bytes, blocks_at_most - blocks_scanned_});
  if (blocks > 0) {
    wanted_.push_back({start, blocks * block_bytes});
    return;
  }
  const std::string not_found = says + fmt::format(
                                           ", and the stanza ((SEG: EndText)) that ends them is not in the {} "
                                           "blocks after it",
                                           blocks_scanned_);
  if (fits_after(file_header_bytes)) return ignore_extended_text(Grade::major, not_found);
  refuse(not_found, count_clause, "correct bytes 3505-3506 if you know the number");
}

void Probe::plan_traces() {
  stage_ = Stage::trace_headers;
  const std::int64_t data_bytes = description_.file_bytes - description_.first_trace_byte;
  description_.traces = data_bytes / description_.trace_bytes;
  description_.remainder_bytes = data_bytes % description_.trace_bytes;
  std::vector<std::int64_t> sampled = {0, description_.traces / 2, description_.traces - 1};
  sampled.erase(std::unique(sampled.begin(), sampled.end()), sampled.end());
  for (const std::int64_t trace : sampled)
    if (trace >= 0 && trace < description_.traces)
      wanted_.push_back({description_.first_trace_byte + trace * description_.trace_bytes, trace_header_bytes});
  if (wanted_.empty()) finish();
}

void Probe::finish() {
  stage_ = Stage::complete;
  const auto block = binary_header_of(head_);
  if (description_.byte_order == ByteOrder::little) description_.byte_order = little_or_pairwise(block, trace_headers_);

  description_.may_vary_in_length = revision_ >= 1 && binary_.fixed_length_flag == 0;
  // Even where the headers are wrong, a file of one length has the same word in all of them; where traces differ in
  // length, what lies at multiples of one length is no header, or tells of another length.
  int samples_told = 0;
  for (const SampledTraceHeader& header : trace_headers_) {
    const int samples = load<std::uint16_t>(header.bytes.data() + 114, description_.byte_order);
    if (samples == 0) continue;
    if (samples_told == 0) samples_told = samples;
    if (samples != samples_told && description_.may_vary_in_length)
      refuse("the traces differ in length, which is not supported yet",
             "SEG-Y rev 1, bytes 3503-3504 and trace header bytes 115-116", "write the file with traces of one length");
  }
  description_.samples_told_by_traces = samples_told;

  if (description_.remainder_bytes != 0) {
    description_.diagnostics.push_back(
        {.grade = Grade::critical,
         .problem = fmt::format("{} bytes are left after the last whole trace: too few for one of {} bytes",
                                description_.remainder_bytes, description_.trace_bytes),
         .where = fmt::format("byte {}", description_.file_bytes - description_.remainder_bytes + 1),
         .clause = "SEG-Y rev 1, bytes 3221-3222 and 3225-3226",
         .action =
             fmt::format("{} whole traces counted; the file was cut, or its header is wrong", description_.traces)});
  }
  check_binary_header(binary_, revision_, description_);
  check_trace_headers(trace_headers_, binary_, revision_, description_);
}

}  // namespace sill::segy
