// Scores candidates for the positions of traces: reads headers, collects candidates, and selects the best.
#include "sill/formats/segy/detect/candidate_scores.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/detect/extended_text.hpp"
#include "sill/formats/segy/detect/header_reading.hpp"
#include "sill/formats/segy/text/text_header.hpp"

namespace sill::segy {
namespace {

constexpr std::int64_t text_blocks_per_batch = 16;
/// Further candidates would fit only by chance.
constexpr std::size_t max_candidates = 32;
constexpr int lead = 4;
/// Points for beginning directly after the text in the file.
constexpr int points_of_text = 4;
/// A trace header contains more zero bytes, and text contains none.
constexpr std::ptrdiff_t header_zeros = 24;

template <class T>
void add_once(std::vector<T>& list, const T& item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

}  // namespace

Weighing::Weighing(const FileDescription& file, const BinaryHeader& binary, const Assumptions& assume)
    : file_(file), binary_(binary), assume_(assume) {
  stated_.candidate = {file_.byte_order, file_.first_trace_byte,        1 + file_.additional_trace_headers,
                       file_.samples,    bytes_of(file_.sample_format), file_.trailers * text_block_bytes};
  want_headers(stated_.candidate.sampled_places(file_.file_bytes));
  const bool has_texts = file_.extended_text_headers > 0 && file_.first_trace_byte <= file_.file_bytes;
  if (has_texts && !assume_.first_trace_byte && !assume_.extended_text_headers)
    wanted_.push_back({file_.first_trace_byte - text_block_bytes, text_block_bytes});
  if (wanted_.empty()) advance();
}

std::optional<ByteRange> Weighing::next() const {
  if (wanted_.empty()) return std::nullopt;
  return wanted_.back();
}

void Weighing::feed(std::span<const std::byte> bytes) {
  const ByteRange range = wanted_.back();
  wanted_.pop_back();
  if (step_ == Step::as_stated && range.length == text_block_bytes) {
    is_text_before_ = is_text_block(bytes.first<text_header_bytes>());
  } else if (step_ == Step::text) {
    count_text(bytes);
  } else {
    std::copy(bytes.begin(), bytes.end(), headers_[range.offset].begin());
  }
  if (wanted_.empty()) advance();
}

void Weighing::want_headers(std::span<const std::int64_t> places) {
  for (const std::int64_t place : places) {
    const ByteRange range{place, trace_header_bytes};
    if (place < 0 || range.end() > file_.file_bytes || headers_.contains(place)) continue;
    if (std::ranges::find(wanted_, place, &ByteRange::offset) == wanted_.end()) wanted_.insert(wanted_.begin(), range);
  }
}

Weight Weighing::weighed(const Candidate& candidate) const {
  Weight weight = weigh(candidate, file_.file_bytes, file_.interval_us, headers_);
  weight.follows_text =
      text_is_counted_ && candidate.first_trace_byte == text_begin() + text_blocks_ * text_block_bytes;
  if (weight.follows_text) weight.points += points_of_text;
  return weight;
}

void Weighing::advance() {
  while (wanted_.empty() && step_ != Step::done) switch (step_) {
      case Step::as_stated:
        stated_.weight = weighed(stated_.candidate);
        winner_ = stated_;
        if ((stated_.weight.divides && stated_.weight.contradict == 0 && is_text_before_) ||
            assume_.lengths_vary.value_or(false)) {
          step_ = Step::done;
        } else {
          step_ = Step::text;
          text_is_counted_ = !assume_.first_trace_byte && !assume_.extended_text_headers;
          look_for_text();
        }
        break;
      case Step::text:
        step_ = Step::starts;
        gather_starts();
        break;
      case Step::starts:
        step_ = Step::others;
        gather_others();
        break;
      case Step::others:
        step_ = Step::done;
        decide();
        break;
      case Step::done: break;
    }
}

void Weighing::look_for_text() {
  if (!text_is_counted_ || text_blocks_ >= max_text_blocks) return;
  const std::int64_t begin = text_begin() + text_blocks_ * text_block_bytes;
  const std::int64_t blocks = std::min(text_blocks_per_batch, (file_.file_bytes - begin) / text_block_bytes);
  if (blocks > 0) wanted_.push_back({begin, blocks * text_block_bytes});
}

void Weighing::count_text(std::span<const std::byte> blocks) {
  for (std::size_t at = 0; at < blocks.size(); at += text_header_bytes) {
    const auto block = blocks.subspan(at).first<text_header_bytes>();
    // A short trace after its header, which contains many zeros, may otherwise look like text.
    const bool is_trace = load<std::uint16_t>(block.data() + samples_at, file_.byte_order) == binary_.samples &&
                          std::ranges::count(block.first<trace_header_bytes>(), std::byte{0}) >= header_zeros;
    if (is_trace || !is_text_block(block)) return;
    ++text_blocks_;
  }
  look_for_text();
}

void Weighing::gather_starts() {
  add_once(starts_, file_.first_trace_byte);
  if (text_is_counted_) {
    add_once(starts_, text_begin() + text_blocks_ * text_block_bytes);
    add_once(starts_, text_begin());
    if (binary_.extended_text_headers > 0)
      add_once(starts_, text_begin() + binary_.extended_text_headers * text_block_bytes);
  }
  std::erase_if(starts_, [&](std::int64_t start) { return start > file_.file_bytes; });
  want_headers(starts_);
}

// Returns the numbers of samples of candidates whose traces begin at `start`.
std::vector<std::int64_t> Weighing::samples_from(std::int64_t start) const {
  std::vector<std::int64_t> samples = {stated_.candidate.samples};
  if (assume_.samples) return samples;
  if (binary_.samples > 0) add_once(samples, std::int64_t{binary_.samples});
  // If lengths may vary and traces do not divide the file, `TraceLengths` evaluates the numbers in the trace headers
  // instead.
  const bool is_promised = file_.revision >= 1 && binary_.fixed_length_flag != 0;
  const auto header = headers_.find(start);
  if ((!is_promised && !stated_.weight.divides) || header == headers_.end()) return samples;
  const auto stated = load<std::uint16_t>(header->second.data() + samples_at, file_.byte_order);
  if (stated != 0) add_once(samples, std::int64_t{stated});
  return samples;
}

void Weighing::gather_others() {
  std::vector<std::int64_t> afters = {stated_.candidate.bytes_after};
  std::vector<int> headers = {stated_.candidate.headers};
  if (file_.revision == 2) {
    add_once(afters, std::int64_t{0});
    if (binary_.trailers > 0) add_once(afters, binary_.trailers * text_block_bytes);
    add_once(headers, 1);
  }
  for (const std::int64_t start : starts_)
    for (const std::int64_t each : samples_from(start))
      for (const int many : headers)
        for (const std::int64_t after : afters) {
          const Candidate other{file_.byte_order, start, many, each, stated_.candidate.sample_bytes, after};
          const std::int64_t rest = other.remainder_bytes(file_.file_bytes);
          if (other == stated_.candidate || rest < 0 || candidates_.size() >= max_candidates) continue;
          if (rest != 0 && weighed(other).agree == 0) continue;
          add_once(candidates_, other);
        }
  if (!stated_.weight.divides && !assume_.samples && binary_.samples > 0) add_counts_modulo();
  for (const int bytes : {1, 2, 3, 4, 8}) {
    Candidate other = stated_.candidate;
    other.sample_bytes = bytes;
    if (other != stated_.candidate && other.remainder_bytes(file_.file_bytes) == 0) of_other_sizes_.push_back(other);
  }
  for (const Candidate& other : candidates_) want_headers(other.sampled_places(file_.file_bytes));
  for (const Candidate& other : of_other_sizes_) want_headers(other.sampled_places(file_.file_bytes));
}

// Adds candidates for a number above 65,535 that was truncated to 16 bits: lengths that divide the file.
void Weighing::add_counts_modulo() {
  constexpr std::int64_t max = std::int64_t{1} << 26;
  for (const std::int64_t start : starts_)
    for (std::int64_t samples = binary_.samples + max_short_samples + 1; samples <= max;
         samples += max_short_samples + 1) {
      Candidate other = stated_.candidate;
      other.first_trace_byte = start;
      other.samples = samples;
      if (other.traces(file_.file_bytes) == 0 || candidates_.size() >= max_candidates) break;
      if (other.remainder_bytes(file_.file_bytes) == 0) add_once(candidates_, other);
    }
}

// Returns true if no sampled header contradicts the candidate, and there is evidence for it.
bool Weighing::is_followed(const Weighed& other) const {
  if (other.weight.contradict > 0 || other.weight.points < winner_.weight.points + lead) return false;
  // If only trace headers state the number, all must state it, and its trace length must not be a multiple of the
  // stated one.
  const Candidate& stated = stated_.candidate;
  const std::int64_t samples = other.candidate.samples;
  if (stated_.weight.divides && samples != stated.samples && samples != binary_.samples &&
      (other.weight.agree < other.weight.looked_at || other.candidate.trace_bytes() % stated.trace_bytes() == 0))
    return false;
  return other.weight.agree > 0 || (other.weight.divides && stated_.weight.contradict > 0);
}

void Weighing::decide() {
  stated_.weight = weighed(stated_.candidate);
  winner_ = stated_;
  std::vector<Weighed> others;
  for (const Candidate& other : candidates_) others.push_back({other, weighed(other)});
  // Among candidates with equal scores, the first one deviates least from the header.
  std::ranges::stable_sort(others, std::ranges::greater(), [](const Weighed& w) { return w.weight.points; });
  const auto followed = std::ranges::find_if(others, [&](const Weighed& w) { return is_followed(w); });
  if (followed != others.end()) {
    winner_ = *followed;
    runner_up_ = stated_;
  } else if (stated_.weight.first_is_text && text_blocks_ > 0) {
    // Traces never begin with text, whatever their lengths.
    const std::int64_t start = text_begin() + text_blocks_ * text_block_bytes;
    if (start == file_.file_bytes || start + trace_header_bytes <= file_.file_bytes) {
      winner_.candidate.first_trace_byte = start;
      winner_.weight = weighed(winner_.candidate);
      runner_up_ = stated_;
    }
  } else if (!others.empty()) {
    runner_up_ = others.front();
  }
}

void Weighing::describe(FileDescription& file) const {
  const Candidate& stated = stated_.candidate;
  const Candidate& found = winner_.candidate;
  Evidence evidence{"traces", text_of(found, file.file_bytes), text_of(winner_.weight), {}};
  if (runner_up_)
    evidence.runner_up = fmt::format("{} ({} points to {}): {}", text_of(runner_up_->candidate, file.file_bytes),
                                     runner_up_->weight.points, winner_.weight.points, text_of(runner_up_->weight));
  const std::string why = text_of(winner_.weight);
  if (found.first_trace_byte != stated.first_trace_byte) {
    const bool by_byte = file.revision == 2 && binary_.first_trace_byte != 0;
    const std::int64_t blocks = (found.first_trace_byte - text_begin()) / text_block_bytes;
    report_bytes(
        file, Grade::major,
        fmt::format("according to the binary header, the first trace begins at byte {}, but it begins at byte {}",
                    stated.first_trace_byte, found.first_trace_byte),
        by_byte ? 3521 : 3505, by_byte ? 3528 : 3506,
        fmt::format("{} extended text headers are read: {}", blocks, why));
    file.first_trace_byte = found.first_trace_byte;
    file.extended_text_headers = static_cast<int>(blocks);
  }
  if (found.samples != stated.samples) {
    const bool is_extended = stated.samples != binary_.samples;
    report_bytes(file, Grade::major,
                 fmt::format("the binary header states {} samples per trace, but the traces have {}", stated.samples,
                             found.samples),
                 is_extended ? 3269 : 3221, is_extended ? 3272 : 3222,
                 fmt::format("read as {} samples: {}", found.samples, why));
    file.samples = found.samples;
  }
  if (found.headers != stated.headers) {
    report_bytes(file, Grade::major,
                 fmt::format("the binary header states {} additional trace headers, but there are {}",
                             stated.headers - 1, found.headers - 1),
                 3507, 3508, fmt::format("read with {}: {}", found.headers - 1, why));
    file.additional_trace_headers = found.headers - 1;
  }
  if (found.bytes_after != stated.bytes_after) {
    const std::int64_t trailers = found.bytes_after / text_block_bytes;
    report_bytes(file, Grade::major,
                 fmt::format("the binary header states {} data trailers, but there are {}", binary_.trailers, trailers),
                 3529, 3532, fmt::format("read with {}: {}", trailers, why));
    file.trailers = trailers;
  }
  file.trace_bytes = found.trace_bytes();
  if (found == stated && !winner_.weight.divides) hint_at_sample_bytes(file);
  if (found == stated && winner_.weight.contradict > 0) hint_at_byte_order(file);
  file.evidence.push_back(std::move(evidence));
}

// The size of samples does not determine their format, so this alternative is only reported.
void Weighing::hint_at_sample_bytes(FileDescription& file) const {
  for (const Candidate& other : of_other_sizes_) {
    const Weight weight = weighed(other);
    if (weight.contradict > 0 || weight.agree < 2) continue;
    file.fitting_sample_bytes = other.sample_bytes;
    report_bytes(file, Grade::critical,
                 fmt::format("the file size and the trace headers fit samples of {} bytes, not of {}",
                             other.sample_bytes, stated_.candidate.sample_bytes),
                 3225, 3226,
                 "not read so, because the size does not determine the sample format: if you know the format, give "
                 "--assume sample_format=CODE");
    return;
  }
}

void Weighing::hint_at_byte_order(FileDescription& file) const {
  Candidate transformed = stated_.candidate;
  transformed.byte_order = file.byte_order == ByteOrder::big ? ByteOrder::little : ByteOrder::big;
  const Weight weight = weighed(transformed);
  if (weight.agree == 0 || weight.contradict > 0 || weight.points < stated_.weight.points + lead) return;
  file.order_of_traces = transformed.byte_order;
  report_bytes(file, Grade::critical,
               fmt::format("the trace headers are in {} byte order, the binary header is in {}",
                           name_of(transformed.byte_order), name_of(file.byte_order)),
               3225, 3226,
               fmt::format("read in {} order; to read the traces, assume the values of the binary header and the other "
                           "order: --assume byte_order={},samples={},interval={},sample_format={},revision={}",
                           name_of(file.byte_order), name_of(transformed.byte_order), file.samples, file.interval_us,
                           code_of(file.sample_format), file.revision));
}

}  // namespace sill::segy
