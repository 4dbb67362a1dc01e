// The steps of the probe: file header, Seismic Unix, binary header, extended text headers, trailers, traces.
#include "sill/formats/segy/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/segy/file_signs.hpp"
#include "sill/formats/segy/header_checks.hpp"

namespace sill::segy {
namespace {

constexpr std::int64_t block_bytes = text_header_bytes;

constexpr const char* format_clause = "SEG-Y rev 1, bytes 3225-3226";

/// Whether traces of one length divide a file from a byte on, but for so many bytes after them.
struct Division {
  std::int64_t file_bytes = 0;
  std::int64_t trace_bytes = 0;

  [[nodiscard]] bool fits(std::int64_t first_trace_byte, std::int64_t bytes_after) const {
    const std::int64_t left = file_bytes - first_trace_byte - bytes_after;
    return left >= 0 && left % trace_bytes == 0;
  }
};

}  // namespace

Probe::Probe(std::string path, std::int64_t file_bytes) {
  description_.path = std::move(path);
  description_.file_bytes = file_bytes;
  if (file_bytes <= 0) refuse("the file is empty", {}, "check how it was written or copied");
  wanted_ = {0, std::min(file_bytes, tape_label_bytes + file_header_bytes)};
}

std::optional<ByteRange> Probe::next() const {
  switch (stage_) {
    case Stage::seismic_unix: return seismic_unix_->next();
    case Stage::extended_text: return extended_text_->next();
    case Stage::trailers: return trailers_->next();
    case Stage::trace_lengths: return trace_lengths_->next();
    case Stage::file_header:
    case Stage::first_trace:
    case Stage::complete: break;
  }
  return wanted_;
}

FileDescription Probe::result() const { return description_; }

void Probe::refuse(std::string problem, std::string clause, std::string action) const {
  throw Error({.code = ErrorCode::input,
               .problem = std::move(problem),
               .where = {.file = description_.path},
               .clause = std::move(clause),
               .action = std::move(action)});
}

void Probe::report(Grade grade, std::string problem, int byte, int last_byte, std::string action) {
  const std::string bytes = fmt::format("bytes {}-{}", byte, last_byte);
  const bool is_old = byte < 3261 || (byte > 3500 && byte < 3507);
  description_.diagnostics.push_back({.grade = grade,
                                      .problem = std::move(problem),
                                      .where = bytes,
                                      .clause = fmt::format("SEG-Y rev {}, {}", is_old ? "1" : "2.1", bytes),
                                      .action = std::move(action)});
}

void Probe::feed(std::span<const std::byte> bytes) {
  const std::optional<ByteRange> range = next();
  if (!range || static_cast<std::int64_t>(bytes.size()) != range->length)
    throw Error(
        {.code = ErrorCode::io,
         .problem = fmt::format("{} bytes came where {} were to be read", bytes.size(), range ? range->length : 0),
         .where = {.file = description_.path},
         .action = "the file may have changed while it was read: try again"});
  switch (stage_) {
    case Stage::file_header:
      head_.assign(bytes.begin(), bytes.end());
      wanted_.reset();
      if (is_seg2(head_))
        refuse("this is a SEG-2 file; not supported", "SEG-2, file descriptor block", "convert it to SEG-Y first");
      find_tape_label();
      return begin_seismic_unix();
    case Stage::seismic_unix:
      seismic_unix_->feed(bytes);
      if (!seismic_unix_->next()) judge_seismic_unix();
      return;
    case Stage::extended_text:
      extended_text_->feed(bytes);
      if (!extended_text_->next()) begin_first_trace();
      return;
    case Stage::first_trace: wanted_.reset(); return read_first_trace(bytes);
    case Stage::trailers: try { trailers_->feed(bytes);
      } catch (const Error& error) {
        throw_at(error, {.file = description_.path});
      }
      if (!trailers_->next()) begin_trace_lengths();
      return;
    case Stage::trace_lengths:
      trace_lengths_->feed(bytes);
      if (!trace_lengths_->next()) finish();
      return;
    case Stage::complete: return;
  }
}

void Probe::find_tape_label() {
  if (begins_with_tape_label(head_)) description_.label_bytes = tape_label_bytes;
  const auto wanted = static_cast<std::size_t>(description_.label_bytes + file_header_bytes);
  if (head_.size() > wanted) head_.resize(wanted);
}

std::span<const std::byte, 400> Probe::binary_block() const {
  return std::span(head_).subspan(static_cast<std::size_t>(description_.label_bytes) + text_header_bytes).first<400>();
}

void Probe::begin_seismic_unix() {
  stage_ = Stage::seismic_unix;
  const std::int64_t before_traces = description_.label_bytes + file_header_bytes;
  bool segy_fits = description_.label_bytes > 0;
  if (std::ssize(head_) == before_traces) {
    for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
      const BinaryHeader binary = read_binary_header(binary_block(), order);
      const auto format = sample_format_from_code(binary.format_code, binary.revision_major);
      if (!format || binary.samples == 0) continue;
      const std::int64_t trace_bytes = trace_header_bytes + std::int64_t{binary.samples} * bytes_of(*format);
      segy_fits = segy_fits || (description_.file_bytes - before_traces) % trace_bytes == 0;
    }
  }
  seismic_unix_.emplace(segy_fits ? std::span<const std::byte>() : std::span<const std::byte>(head_),
                        description_.file_bytes);
  if (!seismic_unix_->next()) judge_seismic_unix();
}

void Probe::judge_seismic_unix() {
  bool header_makes_sense = false;
  const bool has_header = std::ssize(head_) == description_.label_bytes + file_header_bytes;
  if (has_header)
    for (const ByteOrder order : {ByteOrder::big, ByteOrder::little})
      header_makes_sense =
          header_makes_sense || !meaning_of_code(read_binary_header(binary_block(), order).format_code).empty();
  if (const auto division = seismic_unix_->verdict(!header_makes_sense)) return describe_seismic_unix(*division);
  if (const std::string_view packer = packer_of(head_); !packer.empty() && !header_makes_sense)
    refuse(fmt::format("this is a file that {} packed", packer), "", "unpack it first, and name what comes out");
  if (!has_header)
    refuse(fmt::format("{} bytes, not a SEG-Y file: its file header alone has {}", head_.size(), file_header_bytes),
           "SEG-Y rev 1, textual and binary file header", "check how the file was written or copied");
  interpret_binary_header();
}

void Probe::describe_seismic_unix(const SeismicUnix::Division& division) {
  description_.kind = FileKind::seismic_unix;
  description_.byte_order = division.order;
  description_.sample_format = SampleFormat::ieee_float;
  description_.samples = division.samples;
  description_.interval_us = load<std::uint16_t>(head_.data() + 116, division.order);
  description_.first_trace_byte = 0;
  description_.trace_bytes = trace_header_bytes + division.samples * bytes_of(SampleFormat::ieee_float);
  if (!has_name_of_su(description_.path))
    description_.diagnostics.push_back(
        {.grade = Grade::info,
         .problem = "this is bare Seismic Unix data, though its name does not end with .su",
         .where = "the whole file",
         .clause = "Seismic Unix, segy.h",
         .action = fmt::format("{} traces of {} samples at bytes 115-116 divide it without a rest: read so",
                               division.traces, division.samples)});
  begin_trace_lengths();
}

void Probe::interpret_binary_header() {
  const std::span<const std::byte> text = std::span(head_).subspan(static_cast<std::size_t>(description_.label_bytes));
  description_.text_encoding = detect_text_encoding(text.first<text_header_bytes>());
  choose_byte_order();
  interpret_revision();
  interpret_sizes();
  begin_extended_text();
}

void Probe::choose_byte_order() {
  // The code of the sample format is 1 to 16, so it makes sense in one order at most. The size of the file has been
  // heard against it before, and the 32-bit words tell little from pairwise order later.
  const auto block = binary_block();
  const BinaryHeader big = read_binary_header(block, ByteOrder::big);
  const BinaryHeader little = read_binary_header(block, ByteOrder::little);
  if (!meaning_of_code(big.format_code).empty()) {
    description_.byte_order = ByteOrder::big;
  } else if (!meaning_of_code(little.format_code).empty()) {
    // What revision 2 adds is needed before any trace is looked at.
    description_.byte_order = byte_order_constant(block).value_or(
        little.revision_major == 2 ? little_or_pairwise(block, {}) : ByteOrder::little);
    if (description_.byte_order == ByteOrder::big) description_.byte_order = ByteOrder::little;
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
  binary_ = read_binary_header(block, description_.byte_order);
}

void Probe::interpret_revision() {
  const int major = binary_.revision_major;
  const int minor = binary_.revision_minor;
  description_.revision_major = major;
  description_.revision_minor = minor;
  const auto told = [&](Grade grade, std::string problem, std::string action) {
    report(grade, std::move(problem), 3501, 3502, std::move(action));
  };
  // Numbers that a later revision of the standard may have; others are rubbish left in a header of revision 0.
  const bool may_be_later = (major == 2 || major == 3) && minor < 10;
  const bool is_swapped = major == 0 && minor > 0 && minor < 10;
  const bool has_constant = byte_order_constant(binary_block()).has_value();
  description_.revision = may_be_later || (is_swapped && minor == 2 && has_constant) ? 2
                          : major == 1 || is_swapped                                 ? 1
                                                                                     : 0;
  if (may_be_later && (major > 2 || minor > 1)) {
    told(Grade::info, fmt::format("the revision is {}.{}, which is later than any that is known here", major, minor),
         "read as revision 2.1");
  } else if (major == 1 && minor > 0) {
    told(Grade::info, fmt::format("the revision is 1.{}, which the standard does not know", minor),
         "read as revision 1.0");
  } else if (is_swapped) {
    // Revision 1 calls the two bytes one 16-bit number, so files in little order may well swap them.
    told(description_.byte_order == ByteOrder::big ? Grade::minor : Grade::info,
         fmt::format("the revision is stored as 0.{}: its bytes are swapped", minor),
         fmt::format("read as revision {}.0", description_.revision));
  } else if ((major > 1 && !may_be_later) || (major == 0 && minor > 0)) {
    told(Grade::minor, fmt::format("the revision is stored as {}.{}, which means nothing", major, minor),
         "read as revision 0");
  }
  const auto constant = byte_order_constant(binary_block());
  if (description_.revision == 2 && constant && *constant != description_.byte_order)
    report(Grade::major,
           fmt::format("the byte-order constant says {}, but the sample format makes sense in {} order only",
                       name_of(*constant), name_of(description_.byte_order)),
           3297, 3300, fmt::format("read in {} order", name_of(description_.byte_order)));
  const auto stored = load<std::uint32_t>(binary_block().data() + 96, description_.byte_order);
  if (description_.revision == 2 && !constant && stored != 0)
    report(Grade::minor, fmt::format("the byte-order constant is 0x{:08X}, which means nothing", stored), 3297, 3300,
           fmt::format("read in {} order, in which the sample format makes sense", name_of(description_.byte_order)));
}

void Probe::interpret_sizes() {
  // The code was found to be one of the standard's with the byte order.
  const SampleFormat format = sample_format_from_code(binary_.format_code, description_.revision).value();
  description_.sample_format = format;
  description_.samples = binary_.samples;
  description_.interval_us = binary_.interval_us;
  description_.sorting_code = binary_.sorting_code;
  description_.measurement_system = binary_.measurement_system;
  if (description_.revision == 2) {
    description_.traces_told = binary_.traces;
    const double interval_us = binary_.extended_interval_us;
    if (interval_us > 0.0 && std::isfinite(interval_us)) {
      description_.interval_us = interval_us;
    } else if (interval_us != 0.0) {
      report(Grade::minor, fmt::format("the extended sample interval is {}", interval_us), 3273, 3280,
             fmt::format("ignored: {} us of bytes 3217-3218 count", binary_.interval_us));
    }
    const std::int64_t extended = binary_.extended_samples;
    if (extended * bytes_of(format) > description_.file_bytes && description_.file_bytes > file_header_bytes) {
      report(Grade::major,
             fmt::format("the extended number of samples is {}, for which the file is too short", extended), 3269, 3272,
             fmt::format("ignored: {} of bytes 3221-3222 count", binary_.samples));
    } else if (extended != 0) {
      description_.samples = extended;
    }
    interpret_additional_headers();
  }
  description_.trace_bytes = description_.header_bytes() + description_.samples * bytes_of(format);
}

// Revision 2.0 has 32 bits for them, 2.1 only 16, and files of 2.0 that have 16 exist.
void Probe::interpret_additional_headers() {
  const bool has_i4 = binary_.revision_major == 2 && binary_.revision_minor == 0;
  std::int64_t told = has_i4 ? binary_.additional_headers_i4 : binary_.additional_headers_i2;
  const auto possible = [&](std::int64_t count) {
    return count >= 0 && count <= std::numeric_limits<std::int16_t>::max() &&
           (count == 0 || (count + 1) * trace_header_bytes <= description_.file_bytes - file_header_bytes);
  };
  if (has_i4 && !possible(told) && possible(binary_.additional_headers_i2)) {
    report(Grade::minor, fmt::format("{} additional trace headers are told as a 32-bit number", told), 3507, 3510,
           fmt::format("read as revision 2.1 has it, in 16 bits: {}", binary_.additional_headers_i2));
    told = binary_.additional_headers_i2;
  }
  if (!possible(told)) {
    report(Grade::major, fmt::format("the binary header says {} additional trace headers", told), 3507, 3508,
           "ignored: none are assumed");
    told = 0;
  }
  description_.additional_trace_headers = static_cast<int>(told);
}

void Probe::begin_extended_text() {
  stage_ = Stage::extended_text;
  const std::int64_t begin = description_.label_bytes + file_header_bytes;
  const int count = binary_.extended_text_headers;
  const std::uint64_t told = description_.revision == 2 ? binary_.first_trace_byte : 0;
  if (told != 0) {
    const auto most = static_cast<std::uint64_t>(description_.file_bytes - description_.label_bytes);
    if (told < static_cast<std::uint64_t>(file_header_bytes) || told > most) {
      report(Grade::major, fmt::format("the first trace is said to begin after {} bytes", told), 3521, 3528,
             "ignored: the number of extended text headers counts");
    } else {
      // It overrides what the number of extended text headers implies.
      const std::int64_t text_bytes = static_cast<std::int64_t>(told) - file_header_bytes;
      const std::int64_t blocks = text_bytes / block_bytes;
      if (text_bytes % block_bytes != 0 || (count != -1 && count != blocks))
        report(Grade::minor,
               fmt::format("the first trace is said to begin after {} bytes, which is not after {} extended text "
                           "headers",
                           told, count),
               3521, 3528, "the byte of the first trace counts");
      description_.first_trace_byte = description_.label_bytes + static_cast<std::int64_t>(told);
      description_.extended_text_headers = static_cast<int>(blocks);
      return begin_first_trace();
    }
  }
  const Division division{description_.file_bytes, description_.trace_bytes};
  extended_text_.emplace(ExtendedText::File{
      description_.path, description_.revision, count, begin, description_.file_bytes,
      [division, known = description_.samples > 0](std::int64_t first) { return known && division.fits(first, 0); }});
  if (!extended_text_->next()) begin_first_trace();
}

void Probe::begin_first_trace() {
  stage_ = Stage::first_trace;
  if (extended_text_) {
    description_.extended_text_headers = extended_text_->count();
    description_.first_trace_byte =
        description_.label_bytes + file_header_bytes + extended_text_->count() * block_bytes;
    description_.diagnostics.insert(description_.diagnostics.end(), extended_text_->diagnostics().begin(),
                                    extended_text_->diagnostics().end());
    extended_text_.reset();
  }
  const bool asks = description_.samples == 0 || description_.interval_us == 0.0;
  if (asks && description_.first_trace_byte + trace_header_bytes <= description_.file_bytes) {
    wanted_ = {description_.first_trace_byte, trace_header_bytes};
    return;
  }
  begin_trailers();
}

// What the binary header leaves open, the first trace may tell.
void Probe::read_first_trace(std::span<const std::byte> header) {
  const std::int64_t samples = load<std::uint16_t>(header.data() + 114, description_.byte_order);
  const int interval_us = load<std::uint16_t>(header.data() + 116, description_.byte_order);
  if (description_.samples == 0) {
    if (samples == 0)
      refuse("the binary header says 0 samples a trace (bytes 3221-3222), and so does the first trace header",
             "SEG-Y rev 1, bytes 3221-3222", "correct these bytes if you know the number");
    report(Grade::minor, "the binary header says 0 samples a trace", 3221, 3222,
           fmt::format("taken from the first trace header: {}", samples));
    description_.samples = samples;
    description_.trace_bytes = description_.header_bytes() + samples * bytes_of(description_.sample_format);
  }
  if (description_.interval_us == 0.0 && interval_us != 0) {
    report(Grade::minor, "the binary header says a sample interval of 0", 3217, 3218,
           fmt::format("taken from the first trace header: {} us", interval_us));
    description_.interval_us = interval_us;
  }
  begin_trailers();
}

void Probe::begin_trailers() {
  stage_ = Stage::trailers;
  const Division division{description_.file_bytes, description_.trace_bytes};
  // So many traces as are told end here, if they are all of one length and fit.
  const std::int64_t room = description_.file_bytes - description_.first_trace_byte;
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(0, room / description_.trace_bytes));
  const std::int64_t traces_end =
      description_.traces_told == 0 || description_.traces_told > most
          ? 0
          : description_.first_trace_byte +
                static_cast<std::int64_t>(description_.traces_told) * description_.trace_bytes;
  trailers_.emplace(Trailers::File{
      description_.revision == 2 ? binary_.trailers : 0, description_.first_trace_byte, description_.file_bytes,
      traces_end,
      [division, first = description_.first_trace_byte](std::int64_t after) { return division.fits(first, after); }});
  if (!trailers_->next()) begin_trace_lengths();
}

void Probe::begin_trace_lengths() {
  stage_ = Stage::trace_lengths;
  if (trailers_) {
    description_.trailers = trailers_->count();
    description_.diagnostics.insert(description_.diagnostics.end(), trailers_->diagnostics().begin(),
                                    trailers_->diagnostics().end());
  }
  trace_lengths_.emplace(description_, binary_);
  if (!trace_lengths_->next()) finish();
}

void Probe::finish() {
  stage_ = Stage::complete;
  wanted_.reset();
  if (description_.kind == FileKind::segy && description_.revision < 2 &&
      description_.byte_order == ByteOrder::little && !byte_order_constant(binary_block()))
    description_.byte_order = little_or_pairwise(binary_block(), trace_lengths_->headers());
  trace_lengths_->describe(description_);
  if (description_.remainder_bytes != 0) {
    description_.diagnostics.push_back(
        {.grade = Grade::critical,
         .problem = fmt::format("{} bytes are left after the last whole trace: too few for one of {} bytes",
                                description_.remainder_bytes, description_.trace_bytes),
         .where = fmt::format("byte {}", description_.traces_end_byte() - description_.remainder_bytes + 1),
         .clause = "SEG-Y rev 1, bytes 3221-3222 and 3225-3226",
         .action =
             fmt::format("{} whole traces counted; the file was cut, or its header is wrong", description_.traces)});
  }
  if (description_.kind == FileKind::segy) {
    if (!description_.lengths_vary) check_trace_count(description_);
    check_binary_header(binary_, description_);
  }
  check_trace_headers(trace_lengths_->headers(), binary_, description_);
}

}  // namespace sill::segy
