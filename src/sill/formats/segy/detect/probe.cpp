// The steps of the probe: file header, Seismic Unix, extended text headers, trailers, traces, end of the file.
#include "sill/formats/segy/detect/probe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/segy/detect/byte_labels.hpp"
#include "sill/formats/segy/detect/detected_units.hpp"
#include "sill/formats/segy/detect/file_signs.hpp"
#include "sill/formats/segy/detect/float_words.hpp"
#include "sill/formats/segy/detect/header_checks.hpp"
#include "sill/formats/segy/detect/header_reading.hpp"
#include "sill/formats/segy/detect/text_words.hpp"

namespace sill::segy {
namespace {

/// Tests whether a file contains a whole number of traces of one length between a first byte and a number of bytes at
/// its end.
struct Division {
  std::int64_t file_bytes = 0;
  std::int64_t trace_bytes = 0;

  [[nodiscard]] bool fits(std::int64_t first_trace_byte, std::int64_t bytes_after) const {
    const std::int64_t left = file_bytes - first_trace_byte - bytes_after;
    return left >= 0 && left % trace_bytes == 0;
  }
};

}  // namespace

Probe::Probe(std::string path, std::int64_t file_bytes, Assumptions assume) : assume_(std::move(assume)) {
  description_.path = std::move(path);
  description_.file_bytes = file_bytes;
  for (const std::string& stated : assume_.stated)
    description_.diagnostics.push_back({.grade = Grade::info,
                                        .problem = "assumed: " + stated,
                                        .where = "--assume",
                                        .clause = "docs/segy-support.md, assumptions",
                                        .action = "used instead of the value in the file"});
  if (file_bytes <= 0) refuse("the file is empty", {}, "check how the file was written or copied");
  require_possible(assume_, description_.path, file_bytes);
  wanted_ = {0, std::min(file_bytes, tape_label_bytes + file_header_bytes)};
}

std::optional<ByteRange> Probe::next() const {
  switch (stage_) {
    case Stage::seismic_unix: return seismic_unix_->next();
    case Stage::extended_text: return extended_text_->next();
    case Stage::trailers: return trailers_->next();
    case Stage::weighing: return weighing_->next();
    case Stage::trace_lengths: return trace_lengths_->next();
    case Stage::file_end: return file_end_->next();
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

void Probe::feed(std::span<const std::byte> bytes) {
  const std::optional<ByteRange> range = next();
  if (!range || static_cast<std::int64_t>(bytes.size()) != range->length)
    throw Error({.code = ErrorCode::io,
                 .problem = fmt::format("{} bytes were read instead of {}", bytes.size(), range ? range->length : 0),
                 .where = {.file = description_.path},
                 .action = "the file may have changed while it was read: try again"});
  take(bytes);
  if (range->length == trace_header_bytes) std::ranges::copy(bytes, known_headers_[range->offset].begin());
  take_what_is_known();
}

void Probe::take_what_is_known() {
  while (const std::optional<ByteRange> range = next()) {
    const auto known = known_headers_.find(range->offset);
    if (range->length != trace_header_bytes || known == known_headers_.end()) return;
    take(known->second);
  }
}

void Probe::take(std::span<const std::byte> bytes) {
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
      if (!seismic_unix_->next()) evaluate_seismic_unix();
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
      if (!trailers_->next()) begin_weighing();
      return;
    case Stage::weighing:
      weighing_->feed(bytes);
      if (!weighing_->next()) begin_trace_lengths();
      return;
    case Stage::trace_lengths:
      trace_lengths_->feed(bytes);
      if (!trace_lengths_->next()) begin_file_end();
      return;
    case Stage::file_end:
      file_end_->feed(bytes);
      if (!file_end_->next()) finish();
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
  if (assume_.kind == FileKind::seismic_unix)
    return describe_seismic_unix(assumed_division(head_, assume_, description_));
  const std::int64_t before_traces = description_.label_bytes + file_header_bytes;
  bool segy_fits = description_.label_bytes > 0 || assume_.kind == FileKind::segy;
  if (std::ssize(head_) == before_traces) {
    for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
      const BinaryHeader binary = read_binary_header(binary_block(), order);
      const auto format = sample_format_from_code(binary.format_code, binary.revision_major);
      if (!format || binary.samples == 0) continue;
      const std::int64_t trace_bytes = trace_header_bytes + std::int64_t{binary.samples} * bytes_of(*format);
      segy_fits = segy_fits || (description_.file_bytes - before_traces) % trace_bytes == 0;
    }
  }
  may_be_other_ = !segy_fits;
  seismic_unix_.emplace(segy_fits ? std::span<const std::byte>() : std::span<const std::byte>(head_),
                        description_.file_bytes);
  if (!seismic_unix_->next()) evaluate_seismic_unix();
}

void Probe::evaluate_seismic_unix() {
  bool header_makes_sense = false;
  const bool has_header = std::ssize(head_) == description_.label_bytes + file_header_bytes;
  if (has_header)
    for (const ByteOrder order : {ByteOrder::big, ByteOrder::little})
      header_makes_sense =
          header_makes_sense || !meaning_of_code(read_binary_header(binary_block(), order).format_code).empty();
  if (const std::optional<PasscalTrace> trace = passcal_trace_of(head_, description_.file_bytes);
      trace && may_be_other_ && !header_makes_sense && !assume_.kind)
    refuse(fmt::format("this is PASSCAL SEG-Y, which is traces without a file header: {} of {} samples of {} bytes, {} "
                       "us apart, {}-endian; not supported",
                       description_.file_bytes / (trace_header_bytes + trace->samples * trace->sample_bytes),
                       trace->samples, trace->sample_bytes, trace->interval_us, name_of(trace->byte_order)),
           "PASSCAL, SEG-Y trace header, bytes 201-206 and 229-232",
           fmt::format("write a SEG-Y file header of 3600 bytes before it, in the same byte order: {} at bytes "
                       "3221-3222 (samples), {} at 3217-3218 (us), {} at 3225-3226 (sample format)",
                       trace->samples, trace->interval_us, trace->sample_bytes == 2 ? 3 : 2));
  if (const auto division = seismic_unix_->verdict(!header_makes_sense)) return describe_seismic_unix(*division);
  if (const auto cut = seismic_unix_->verdict_if_cut(has_name_of_su(description_.path)); cut && !header_makes_sense)
    return describe_seismic_unix(*cut);
  if (const std::optional<std::string> format = segd_format_of(head_); format && may_be_other_)
    refuse(fmt::format("this is a SEG-D file (format {}); not supported", *format),
           "SEG-D, general header block 1, bytes 3-4", "convert it to SEG-Y first");
  if (const std::string version = rp66_version_of(head_); !version.empty())
    refuse(fmt::format("this is a file of API RP66, {}, which contains other records: SEG-Y as RODE, or well logs as "
                       "DLIS; not supported",
                       version),
           "API RP66, storage unit label",
           "extract the SEG-Y file with the program that made this file, and name the extracted file");
  if (const std::string_view packer = packer_of(head_); !packer.empty() && !header_makes_sense)
    refuse(fmt::format("this file is compressed with {}", packer), "", "decompress it, and name the result");
  if (has_name_of_su(description_.path) && may_be_other_ && !header_makes_sense && !assume_.format_code)
    refuse(
        fmt::format("this is neither Seismic Unix data, as its name suggests, nor SEG-Y: {}", seismic_unix_->reason()),
        "Seismic Unix, segy.h: ns, bytes 115-116",
        "check how the file was written or copied; if you know the format, give --assume "
        "kind=su,byte_order=big,samples=N or sample_format=CODE");
  if (!has_header)
    refuse(fmt::format("{} bytes, too few for a SEG-Y file, whose file header has {}", head_.size(), file_header_bytes),
           "SEG-Y rev 1, textual and binary file header", "check how the file was written or copied");
  read_header();
}

void Probe::describe_seismic_unix(const SeismicUnix::Division& division) {
  Assumptions assume = assume_;
  assume.kind = FileKind::seismic_unix;
  require_possible(assume, description_.path, description_.file_bytes);
  const bool is_assumed = assume.samples || assume.byte_order;
  describe(is_assumed ? assumed_division(head_, assume, description_) : division, head_, assume_, description_);
  begin_trace_lengths();
}

void Probe::read_header() {
  const std::span<const std::byte> text = std::span(head_).subspan(static_cast<std::size_t>(description_.label_bytes));
  description_.text_encoding = assume_.text_encoding.value_or(detect_text_encoding(text.first<text_header_bytes>()));
  description_.evidence.push_back({"format",
                                   "SEG-Y",
                                   assume_.kind == FileKind::segy
                                       ? "assumed"
                                       : "the bytes at the position of the binary header are a valid binary header",
                                   {}});
  if (description_.label_bytes > 0)
    description_.evidence.push_back({"tape label", "128 bytes", "SY, a revision and RECORD at bytes 5-15", {}});
  binary_ = read_file_header(binary_block(), assume_, description_);
  begin_extended_text();
}

void Probe::begin_extended_text() {
  stage_ = Stage::extended_text;
  const std::int64_t begin = description_.label_bytes + file_header_bytes;
  const int count = binary_.extended_text_headers;
  if (assume_.first_trace_byte || assume_.extended_text_headers) {
    const std::int64_t implied = begin + text_block_bytes * assume_.extended_text_headers.value_or(0);
    description_.first_trace_byte = std::max(begin, assume_.first_trace_byte.value_or(implied));
    description_.extended_text_headers = assume_.extended_text_headers.value_or(
        static_cast<int>(std::min<std::int64_t>(32767, (description_.first_trace_byte - begin) / text_block_bytes)));
    return begin_first_trace();
  }
  const std::uint64_t stated = description_.revision == 2 ? binary_.first_trace_byte : 0;
  if (stated != 0) {
    const auto max = static_cast<std::uint64_t>(description_.file_bytes - description_.label_bytes);
    if (stated < static_cast<std::uint64_t>(file_header_bytes) || stated > max) {
      report_bytes(description_, Grade::major,
                   fmt::format("the headers state that the first trace begins after {} bytes", stated), 3521, 3528,
                   "ignored: the number of extended text headers is used");
    } else {
      // The stated byte overrides the position that follows from the number of extended text headers.
      const std::int64_t text_bytes = static_cast<std::int64_t>(stated) - file_header_bytes;
      const std::int64_t blocks = text_bytes / text_block_bytes;
      if (text_bytes % text_block_bytes != 0 || (count != -1 && count != blocks))
        report_bytes(description_, Grade::minor,
                     fmt::format("the headers state that the first trace begins after {} bytes, which is not the end "
                                 "of {} extended text headers",
                                 stated, count),
                     3521, 3528, "the byte of the first trace is used");
      description_.first_trace_byte = description_.label_bytes + static_cast<std::int64_t>(stated);
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
        description_.label_bytes + file_header_bytes + extended_text_->count() * text_block_bytes;
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

// The first trace may state values that the binary header leaves open.
void Probe::read_first_trace(std::span<const std::byte> header) {
  const std::int64_t samples = load<std::uint16_t>(header.data() + 114, description_.byte_order);
  const int interval_us = load<std::uint16_t>(header.data() + 116, description_.byte_order);
  if (description_.samples == 0) {
    if (samples == 0)
      refuse("the binary header (bytes 3221-3222) and the first trace header state 0 samples per trace",
             "SEG-Y rev 1, bytes 3221-3222", "if you know the number, give --assume samples=N, or correct these bytes");
    report_bytes(description_, Grade::minor, "the binary header states 0 samples per trace", 3221, 3222,
                 fmt::format("read from the first trace header: {}", samples));
    description_.samples = samples;
    description_.trace_bytes = description_.header_bytes() + samples * bytes_of(description_.sample_format);
  }
  if (description_.interval_us == 0.0 && interval_us != 0) {
    report_bytes(description_, Grade::minor, "the binary header states a sample interval of 0", 3217, 3218,
                 fmt::format("read from the first trace header: {} us", interval_us));
    description_.interval_us = interval_us;
  }
  begin_trailers();
}

void Probe::begin_trailers() {
  stage_ = Stage::trailers;
  const Division division{description_.file_bytes, description_.trace_bytes};
  // `traces_end` is where the stated number of traces ends if all traces have one length and fit into the file, or 0.
  const std::int64_t room = description_.file_bytes - description_.first_trace_byte;
  const auto max = static_cast<std::uint64_t>(std::max<std::int64_t>(0, room / description_.trace_bytes));
  const std::int64_t traces_end =
      description_.traces_stated == 0 || description_.traces_stated > max
          ? 0
          : description_.first_trace_byte +
                static_cast<std::int64_t>(description_.traces_stated) * description_.trace_bytes;
  trailers_.emplace(Trailers::File{
      description_.revision == 2 ? binary_.trailers : 0, description_.first_trace_byte, description_.file_bytes,
      traces_end,
      [division, first = description_.first_trace_byte](std::int64_t after) { return division.fits(first, after); }});
  if (!trailers_->next()) begin_weighing();
}

void Probe::begin_weighing() {
  stage_ = Stage::weighing;
  description_.trailers = trailers_->count();
  description_.diagnostics.insert(description_.diagnostics.end(), trailers_->diagnostics().begin(),
                                  trailers_->diagnostics().end());
  weighing_.emplace(description_, binary_, assume_);
  if (!weighing_->next()) begin_trace_lengths();
}

void Probe::begin_trace_lengths() {
  stage_ = Stage::trace_lengths;
  if (weighing_) weighing_->describe(description_);
  const std::int64_t room = description_.traces_end_byte() - description_.first_trace_byte;
  if (assume_.samples && room > 0 && description_.trace_bytes > room && !assume_.lengths_vary.value_or(false))
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format(
                     "traces of {} samples, as assumed, have {} bytes, but the file has only {} bytes for traces",
                     *assume_.samples, description_.trace_bytes, room),
                 .where = {.file = description_.path},
                 .action = "assume fewer samples"});
  trace_lengths_.emplace(description_, binary_, assume_);
  if (!trace_lengths_->next()) begin_file_end();
}

void Probe::begin_file_end() {
  stage_ = Stage::file_end;
  if (description_.kind == FileKind::segy && !assume_.byte_order && description_.byte_order != ByteOrder::big)
    hear_words_of_32_bits();
  const std::int64_t stated = description_.samples;
  trace_lengths_->describe(description_);
  for (Evidence& known : description_.evidence)
    if (known.subject == "traces" && !description_.lengths_vary && description_.samples != stated) {
      known.runner_up = fmt::format("{} samples each, as the binary header states: {}", stated, known.by);
      known.by = "all examined trace headers state this number of samples";
    }
  file_end_.emplace(description_, trace_lengths_->headers());
  if (!file_end_->next()) finish();
}

// 16-bit words read the same in little and in pairwise order. The constant distinguishes the orders, then the 32-bit
// words do.
void Probe::hear_words_of_32_bits() {
  const std::optional<ByteOrder> heard = little_or_pairwise(binary_block(), trace_lengths_->headers());
  const std::optional<ByteOrder> stated = stated_byte_order(binary_block(), assume_);
  if (stated != description_.byte_order) {
    if (description_.revision < 2) description_.byte_order = heard.value_or(ByteOrder::little);
  } else if (heard && heard != stated) {
    // Pairwise order is very rare, and of the counts only the 32-bit one depends on it: a doubtful file is refused.
    const std::int64_t extended = description_.revision == 2 ? binary_.extended_samples : 0;
    const bool agrees = *stated == ByteOrder::little && (extended == 0 || extended == description_.samples);
    report_bytes(
        description_, agrees ? Grade::major : Grade::critical,
        fmt::format("the byte-order constant states {}, but the 32-bit words of the headers are valid in {} order",
                    name_of(*stated), name_of(*heard)),
        3297, 3300,
        fmt::format("read in {} order; state the order with --assume byte_order={} or byte_order={}", name_of(*stated),
                    name_of(*heard), name_of(*stated)));
  }
}

void Probe::finish() {
  stage_ = Stage::complete;
  wanted_.reset();
  file_end_->describe(description_);
  std::span<const std::byte> text;
  if (description_.kind == FileKind::segy) {
    text = std::span(head_).subspan(static_cast<std::size_t>(description_.label_bytes)).first(text_header_bytes);
    if (has_name_of_su(description_.path))
      report_bytes(description_, Grade::info, "this is SEG-Y, although its name ends with .su", 3201, 3600, "read so");
    check_text(text.first<text_header_bytes>(), description_);
    if (!description_.lengths_vary) check_trace_count(description_);
    check_binary_header(binary_, description_);
    if (!assume_.interval_us) settle_interval(trace_lengths_->headers(), description_);
  }
  check_trace_headers(trace_lengths_->headers(), binary_, assume_, description_);
  const std::vector<ByteLabel> labels = byte_labels(text, description_.text_encoding);
  description_.text_words = find_text_words(labels, trace_lengths_->headers(), description_.byte_order);
  description_.float_words = find_float_words(trace_lengths_->headers(), description_);
  report_lengths();
  if (description_.revision == 2) report_late_words();
  find_units(text, labels, trace_lengths_->headers(), assume_, description_);
}

// Reports which words that only revision 2 defines were not followed.
void Probe::report_late_words() {
  std::vector<std::string> not_followed;
  for (const Diagnostic& found : description_.diagnostics)
    if (found.grade >= Grade::minor && found.where.starts_with("bytes ") && found.clause.starts_with("SEG-Y rev 2"))
      not_followed.push_back(found.where.substr(6));
  const auto constant = byte_order_constant(binary_block());
  description_.evidence.push_back({"words of revision 2",
                                   not_followed.empty() ? "trusted" : "trusted in part",
                                   fmt::format("the byte-order constant is {}; {}", constant ? "present" : "absent",
                                               not_followed.empty() ? std::string("no evidence contradicts them")
                                                                    : fmt::format("there are findings about bytes {}",
                                                                                  fmt::join(not_followed, ", "))),
                                   {}});
}

void Probe::report_lengths() {
  std::string by = "the first, the middle and the last trace header are consistent with it";
  if (description_.kind == FileKind::seismic_unix)
    by = "traces of Seismic Unix data are of one length";
  else if (assume_.lengths_vary)
    by = "assumed";
  else if (description_.lengths_vary)
    by = "the lengths were read from the headers of all traces";
  else if (description_.revision >= 1 && binary_.fixed_length_flag != 0)
    by = fmt::format("bytes 3503-3504 contain {}", binary_.fixed_length_flag);
  for (Evidence& known : description_.evidence) {
    if (known.subject == "byte order" && known.decided != name_of(description_.byte_order)) {
      known.decided = name_of(description_.byte_order);
      known.by += "; the 32-bit words are smaller in pairwise order than in little order";
    }
    if (known.subject != "traces") continue;
    if (description_.lengths_vary)
      known = {known.subject, fmt::format("from byte {}", description_.first_trace_byte), by, {}};
    else if (description_.samples != 0)
      known.decided = fmt::format("{} of {} samples from byte {}", description_.traces, description_.samples,
                                  description_.first_trace_byte);
  }
  description_.evidence.push_back(
      {"lengths", description_.lengths_vary ? "one per trace" : "one for all", std::move(by), {}});
}

}  // namespace sill::segy
