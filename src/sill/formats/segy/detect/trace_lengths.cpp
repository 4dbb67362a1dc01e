#include "sill/formats/segy/detect/trace_lengths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sill::segy {
namespace {

/// Number of traces that are followed by their own headers before their lengths are accepted.
constexpr std::int64_t max_followed = 64;

constexpr const char* clause = "SEG-Y rev 1, bytes 3503-3504 and trace header bytes 115-116";

}  // namespace

TraceLengths::TraceLengths(const FileDescription& file, const BinaryHeader& binary, const Assumptions& assume)
    : file_(file),
      promised_(file.kind == FileKind::seismic_unix || assume.lengths_vary == false ||
                (assume.samples && !assume.lengths_vary) || (file.revision >= 1 && binary.fixed_length_flag != 0)),
      stated_to_vary_(assume.lengths_vary.value_or(false)) {
  const std::int64_t data_bytes = std::max<std::int64_t>(0, file_.traces_end_byte() - file_.first_trace_byte);
  file_.traces = data_bytes / file_.trace_bytes;
  file_.remainder_bytes = data_bytes % file_.trace_bytes;
  std::vector<std::int64_t> sampled = {0, file_.traces / 2, file_.traces - 1};
  sampled.erase(std::unique(sampled.begin(), sampled.end()), sampled.end());
  for (const std::int64_t trace : sampled)
    if (trace >= 0 && trace < file_.traces)
      wanted_.push_back({file_.first_trace_byte + trace * file_.trace_bytes, trace_header_bytes});
  if (wanted_.empty()) evaluate_samples();
}

std::optional<ByteRange> TraceLengths::next() const {
  if (wanted_.empty()) return std::nullopt;
  return wanted_.front();
}

void TraceLengths::feed(std::span<const std::byte> bytes) {
  const ByteRange range = wanted_.front();
  wanted_.pop_front();
  if (confirming_) return confirm(range, bytes);
  if (following_) return follow(bytes);
  SampledTraceHeader header{.trace = (range.offset - file_.first_trace_byte) / file_.trace_bytes + 1};
  std::copy(bytes.begin(), bytes.end(), header.bytes.begin());
  headers_.push_back(header);
  if (wanted_.empty()) evaluate_samples();
}

// Even if the headers are wrong, a file with one length has the same word in all of them. If traces differ in length,
// the bytes at multiples of one length are not a header, or state a different length.
void TraceLengths::evaluate_samples() {
  bool is_silent = false;
  for (const SampledTraceHeader& header : headers_) {
    const int samples = load<std::uint16_t>(header.bytes.data() + 114, file_.byte_order);
    is_silent = is_silent || samples == 0;
    if (samples == 0) continue;
    if (samples_stated_ == 0) samples_stated_ = samples;
    contradict_ = contradict_ || samples != samples_stated_;
  }
  // If one header states no number, and another states a number that differs from the number of the file, the first one
  // may not be a header.
  contradict_ = contradict_ || (is_silent && samples_stated_ != 0 && samples_stated_ != file_.samples);
  if (stated_to_vary_) {
    verdict_ = Verdict::vary;
    return;
  }
  // In revision 0 all traces have the same length, unless the file itself shows otherwise. In later ones, zeros where a
  // header should be may be samples.
  const bool is_doubtful = contradict_ || (is_silent && samples_stated_ != 0);
  if (promised_ || (file_.remainder_bytes == 0 && (!is_doubtful || file_.revision == 0))) return;
  rule_.emplace(file_);
  followed_to_ = file_.first_trace_byte;
  if (followed_to_ + rule_->needed_bytes().end() > file_.traces_end_byte()) return;
  following_ = true;
  wanted_.push_back({followed_to_, rule_->needed_bytes().end()});
}

void TraceLengths::follow(std::span<const std::byte> trace) {
  const TraceShape shape = rule_->shape_of(trace.data());
  if (!shape_) shape_ = shape;
  const std::int64_t end = followed_to_ + rule_->bytes_of(shape);
  if (end > file_.traces_end_byte()) return conclude(false);
  shapes_differ_ = shapes_differ_ || shape != *shape_;
  followed_to_ = end;
  if (++followed_ == max_followed || end == file_.traces_end_byte()) return conclude(true);
  if (end + rule_->needed_bytes().end() > file_.traces_end_byte()) return conclude(false);
  wanted_.push_back({end, rule_->needed_bytes().end()});
}

/// `sound`: no followed trace extends beyond the end of the file.
void TraceLengths::conclude(bool sound) {
  const std::int64_t data_bytes = file_.traces_end_byte() - file_.first_trace_byte;
  leads_out_ = !sound;
  if (shapes_differ_ && (sound || (followed_ > 2 && (file_.remainder_bytes != 0 || contradict_)))) {
    verdict_ = Verdict::vary;  // the file may be truncated
  } else if (!sound && followed_ > 0 && headers_.size() < 2 && file_.revision >= 1 &&
             shape_->samples != file_.samples) {
    verdict_ = Verdict::vary;  // truncated before the position of a second header
  } else if (sound && followed_to_ == file_.traces_end_byte() && rule_->bytes_of(*shape_) != file_.trace_bytes) {
    verdict_ = Verdict::one_of_traces;  // every trace states this length
    headers_.resize(std::min<std::size_t>(1, headers_.size()));
  } else if (sound && file_.remainder_bytes != 0) {
    const bool is_other = !shapes_differ_ && shape_->samples != file_.samples;
    if (contradict_ || (is_other && data_bytes % rule_->bytes_of(*shape_) == 0))
      verdict_ = Verdict::vary;  // lengths differ after the followed traces, or not at all: only reading all headers
                                 // shows it
    if (is_other) want_to_confirm();
  }
}

// All followed traces have one length; requests the middle and the last one to verify it.
void TraceLengths::want_to_confirm() {
  confirming_ = true;
  const std::int64_t trace_bytes = rule_->bytes_of(*shape_);
  const std::int64_t traces = (file_.traces_end_byte() - file_.first_trace_byte) / trace_bytes;
  for (const std::int64_t trace : {std::int64_t{0}, traces / 2, traces - 1})
    wanted_.push_back({file_.first_trace_byte + trace * trace_bytes,
                       std::max<std::int64_t>(trace_header_bytes, rule_->needed_bytes().end())});
}

void TraceLengths::confirm(const ByteRange& range, std::span<const std::byte> bytes) {
  if (rule_->shape_of(bytes.data()) != *shape_) {
    wanted_.clear();
    return;
  }
  SampledTraceHeader header{.trace = (range.offset - file_.first_trace_byte) / rule_->bytes_of(*shape_) + 1};
  std::copy_n(bytes.begin(), header.bytes.size(), header.bytes.begin());
  confirmed_.push_back(header);
  if (!wanted_.empty()) return;
  verdict_ = Verdict::one_of_traces;
  headers_ = std::move(confirmed_);
}

void TraceLengths::describe(FileDescription& file) const {
  file.traces = file_.traces;
  file.remainder_bytes = file_.remainder_bytes;
  file.samples_stated_by_traces = samples_stated_;
  file.may_vary_in_length = !promised_ && file.revision >= 1;
  const auto report = [&](Grade grade, std::string problem, std::string action, const char* where = "bytes 3503-3504") {
    file.diagnostics.push_back(
        {.grade = grade, .problem = std::move(problem), .where = where, .clause = clause, .action = std::move(action)});
  };
  switch (verdict_) {
    case Verdict::vary:
      file.lengths_vary = true;
      file.may_vary_in_length = false;
      file.traces = -1;
      file.remainder_bytes = 0;
      if (leads_out_ && !stated_to_vary_)
        file.diagnostics.push_back(
            {.grade = Grade::critical,
             .problem = fmt::format("trace {}, whose position follows from the lengths in the trace headers, extends "
                                    "beyond the end of the file",
                                    followed_ + 1),
             .where = fmt::format("byte {}", followed_to_ + 1),
             .clause = clause,
             .action = fmt::format("read as {} complete traces; the file is truncated, or a number of samples is wrong",
                                   followed_)});
      report(file.revision == 0 && !stated_to_vary_ ? Grade::minor : Grade::info,
             stated_to_vary_      ? "the traces are assumed to differ in length"
             : file.revision == 0 ? "the traces differ in length, which revision 0 does not allow"
                                  : "the traces differ in length",
             "each trace is as long as its own header states");
      break;
    case Verdict::one_of_traces:
      file.samples = shape_->samples;
      file.additional_trace_headers = shape_->headers - 1;
      file.trace_bytes = rule_->bytes_of(*shape_);
      file.traces = (file.traces_end_byte() - file.first_trace_byte) / file.trace_bytes;
      file.remainder_bytes = (file.traces_end_byte() - file.first_trace_byte) % file.trace_bytes;
      file.samples_stated_by_traces = shape_->samples;
      report(Grade::major,
             fmt::format("the binary header states {} samples per trace, but all trace headers{} state {}{}",
                         file_.samples, confirming_ ? " examined" : "", shape_->samples,
                         file.remainder_bytes == 0 ? ", a length that divides the file" : ""),
             "the trace headers are used", "bytes 3221-3222");
      break;
    case Verdict::one:
      if (contradict_ && file.remainder_bytes == 0 && file.may_vary_in_length)
        report(Grade::major, "trace headers state several numbers of samples, but only one length divides the file",
               fmt::format("read as {} samples each", file.samples));
      break;
  }
}

}  // namespace sill::segy
