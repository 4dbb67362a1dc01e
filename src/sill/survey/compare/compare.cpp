#include "sill/survey/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/samples/sample_codec.hpp"
#include "sill/formats/segy/words/words.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/compare/header_fields.hpp"

namespace sill {
namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t bytes_per_task = 1 << 20;
// If traces differ in length, all traces of a task may be among the longest.
constexpr std::int64_t max_bytes_per_task = 16 << 20;

// A cursor over the bytes of consecutive traces in a buffer.
class Cursor {
 public:
  // Precondition: there is a trace.
  Cursor(const SurveyReader& reader, std::span<const std::byte> bytes, std::span<const std::int64_t> traces)
      : reader_(reader), file_(reader.files()[0]), at_(bytes.data()), traces_(traces) {
    load_shape();
  }
  void next() {
    at_ += bytes();
    traces_ = traces_.subspan(1);
    if (!traces_.empty()) load_shape();
  }
  [[nodiscard]] std::int64_t number() const { return traces_.front(); }
  [[nodiscard]] const std::byte* trace() const { return at_; }
  [[nodiscard]] const segy::TraceShape& shape() const { return shape_; }
  [[nodiscard]] std::size_t header_bytes() const { return static_cast<std::size_t>(shape_.header_bytes()); }
  [[nodiscard]] std::size_t bytes() const { return header_bytes() + samples().size(); }
  [[nodiscard]] std::span<const std::byte> samples() const {
    return {at_ + header_bytes(), static_cast<std::size_t>(shape_.samples * segy::bytes_of(file_.sample_format))};
  }
  [[nodiscard]] const segy::FileDescription& file() const { return file_; }

 private:
  void load_shape() { shape_ = reader_.shape_of(traces_.front()); }

  const SurveyReader& reader_;
  const segy::FileDescription& file_;
  const std::byte* at_;
  std::span<const std::int64_t> traces_;
  segy::TraceShape shape_;
};

struct FieldCount {
  std::int64_t traces = 0;
  std::int64_t first_trace = none;  // of `a`, from 0
  std::int64_t partner = none;      // of `b`

  void add(const Cursor& a, const Cursor& b) { merge({1, a.number(), b.number()}); }
  void merge(const FieldCount& other) {
    traces += other.traces;
    if (other.first_trace >= first_trace) return;
    first_trace = other.first_trace;
    partner = other.partner;
  }
};

struct SampleCount {
  std::int64_t samples = 0;
  std::int64_t traces = 0;
  std::int64_t first_trace = none;  // of `a`, from 0
  std::int64_t partner = none;      // of `b`
  std::int64_t first_sample = 0;
  double value_a = 0.0;
  double value_b = 0.0;
  double largest = 0.0;
  bool by_value = false;  // samples with different bytes were decoded

  void merge(const SampleCount& other) {
    by_value = by_value || other.by_value;
    samples += other.samples;
    traces += other.traces;
    largest = std::max(largest, other.largest);
    if (other.first_trace < first_trace) {
      first_trace = other.first_trace;
      partner = other.partner;
      first_sample = other.first_sample;
      value_a = other.value_a;
      value_b = other.value_b;
    }
  }
};

// Sums of squares, for the NRMS.
struct Energy {
  double a = 0.0;
  double b = 0.0;
  double difference = 0.0;
};

// Compares pairs of traces of two surveys, with buffers per thread.
class Pair {
 public:
  Pair(const SurveyReader& a, const SurveyReader& b, std::span<const HeaderField> fields, double tolerance)
      : a_(a), b_(b), fields_(fields), tolerance_(tolerance) {
    same_encoding_ =
        a.files()[0].sample_format == b.files()[0].sample_format && a.files()[0].byte_order == b.files()[0].byte_order;
  }

  struct Buffers {
    std::vector<std::int64_t> traces_a;  // the traces of a task, and their partners
    std::vector<std::int64_t> traces_b;
    std::vector<std::byte> a;
    std::vector<std::byte> b;
    std::vector<double> values_a;
    std::vector<double> values_b;
    std::vector<double> rests_a;  // for 64-bit samples, the remainder that the values do not hold
    std::vector<double> rests_b;
    std::vector<FieldCount> fields;
    FieldCount other_samples;  // traces with a different number of samples
    FieldCount other_headers;
    SampleCount samples;
  };

  // Reads `traces_a` and `traces_b`.
  void load(Buffers& buffers) const {
    buffers.a.resize(static_cast<std::size_t>(a_.bytes_of(buffers.traces_a)));
    buffers.b.resize(static_cast<std::size_t>(b_.bytes_of(buffers.traces_b)));
    a_.read_own(buffers.traces_a, buffers.a);
    b_.read_own(buffers.traces_b, buffers.b);
  }

  void count_differences(Buffers& buffers) const {
    buffers.fields.resize(fields_.size());
    for_each_pair(buffers, [&](const Cursor& a, const Cursor& b) {
      if (a.shape() == b.shape() && same_encoding_ && std::memcmp(a.trace(), b.trace(), a.bytes()) == 0) return;
      count_words(a, b, buffers);
      if (a.shape().headers != b.shape().headers) buffers.other_headers.add(a, b);
      if (a.shape().samples != b.shape().samples) return buffers.other_samples.add(a, b);
      count_samples(a, b, buffers);
    });
  }

  [[nodiscard]] Energy energy_of(Buffers& buffers) const {
    Energy energy;
    for_each_pair(buffers, [&](const Cursor& a, const Cursor& b) {
      if (a.shape().samples != b.shape().samples) return;
      decode(a, b, buffers);
      for (std::size_t s = 0; s < buffers.values_a.size(); ++s) {
        const double x = buffers.values_a[s];
        const double y = buffers.values_b[s];
        if (!std::isfinite(x) || !std::isfinite(y)) continue;
        energy.a += x * x;
        energy.b += y * y;
        energy.difference += (x - y) * (x - y);
      }
    });
    return energy;
  }

 private:
  template <class Work>
  void for_each_pair(const Buffers& buffers, Work&& work) const {
    if (buffers.traces_a.empty()) return;
    Cursor a(a_, buffers.a, buffers.traces_a);
    Cursor b(b_, buffers.b, buffers.traces_b);
    for (std::size_t i = 0; i < buffers.traces_a.size(); ++i, a.next(), b.next()) work(a, b);
  }

  // Counts differing words in the headers that both traces have.
  void count_words(const Cursor& a, const Cursor& b, Buffers& buffers) const {
    const auto header_bytes = static_cast<int>(std::min(a.header_bytes(), b.header_bytes()));
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      if (fields_[f].byte > header_bytes) break;
      if (differs(fields_[f], a.trace(), a.file().byte_order, b.trace(), b.file().byte_order))
        buffers.fields[f].add(a, b);
    }
  }

  // Decodes the samples of two traces with the same number of samples.
  static void decode(const Cursor& a, const Cursor& b, Buffers& buffers) {
    const auto one = [](const Cursor& of, std::vector<double>& values, std::vector<double>& rests) {
      const segy::FileDescription& file = of.file();
      values.resize(static_cast<std::size_t>(of.shape().samples));
      rests.resize(values.size());
      segy::decode(of.samples(), file.sample_format, file.byte_order, values);
      // For other formats the remainders are zeros, with which the buffers were filled.
      if (file.sample_format == segy::SampleFormat::int64 || file.sample_format == segy::SampleFormat::uint64)
        segy::decode_rest(of.samples(), file.sample_format, file.byte_order, rests);
    };
    one(a, buffers.values_a, buffers.rests_a);
    one(b, buffers.values_b, buffers.rests_b);
  }

  void count_samples(const Cursor& a, const Cursor& b, Buffers& buffers) const {
    if (same_encoding_ && std::ranges::equal(a.samples(), b.samples())) return;
    buffers.samples.by_value = true;
    decode(a, b, buffers);
    SampleCount of_trace;
    for (std::size_t s = 0; s < buffers.values_a.size(); ++s) {
      const double x = buffers.values_a[s];
      const double y = buffers.values_b[s];
      // 64-bit integers may differ even if their doubles are equal.
      const double rest = buffers.rests_a[s] - buffers.rests_b[s];
      if ((x == y && rest == 0.0) || (std::isnan(x) && std::isnan(y))) continue;
      const bool meets_nan = std::isnan(x) || std::isnan(y);
      // Infinities of one sign are equal, but their difference is not a number.
      const double apart =
          meets_nan ? std::numeric_limits<double>::infinity() : std::abs((x == y ? 0.0 : x - y) + rest);
      of_trace.largest = std::max(of_trace.largest, apart);
      if (apart <= tolerance_) continue;
      if (of_trace.samples++ == 0) {
        of_trace.traces = 1;
        of_trace.first_trace = a.number();
        of_trace.partner = b.number();
        of_trace.first_sample = static_cast<std::int64_t>(s);
        of_trace.value_a = x;
        of_trace.value_b = y;
      }
    }
    buffers.samples.merge(of_trace);
  }

  const SurveyReader& a_;
  const SurveyReader& b_;
  std::span<const HeaderField> fields_;
  double tolerance_;
  bool same_encoding_ = true;
};

// Compares the data before and after the traces of two SEG-Y files.
void compare_file_headers(const SurveyReader& a, const SurveyReader& b, const HeaderFields& left,
                          CompareResult& result) {
  const std::vector<std::byte> bytes_a = a.file_header(0);
  const std::vector<std::byte> bytes_b = b.file_header(0);
  const auto label_a = static_cast<std::size_t>(a.files()[0].label_bytes);
  const auto label_b = static_cast<std::size_t>(b.files()[0].label_bytes);
  const auto header_a = std::span(bytes_a).subspan(label_a);
  const auto header_b = std::span(bytes_b).subspan(label_b);
  const auto same = [](std::span<const std::byte> x, std::span<const std::byte> y) { return std::ranges::equal(x, y); };
  if (left.text) {
    result.label_differs = !same(std::span(bytes_a).first(label_a), std::span(bytes_b).first(label_b));
    result.text_differs = !same(header_a.first(segy::text_header_bytes), header_b.first(segy::text_header_bytes)) ||
                          !same(header_a.subspan(segy::file_header_bytes), header_b.subspan(segy::file_header_bytes));
    result.trailers_differ = a.file_trailer(0) != b.file_trailer(0);
  }
  const std::byte* const binary_a = header_a.data() + binary_header_at;
  const std::byte* const binary_b = header_b.data() + binary_header_at;
  const ByteOrder order_a = a.files()[0].byte_order;
  const ByteOrder order_b = b.files()[0].byte_order;
  for (const HeaderField& field : left.binary) {
    if (!differs(field, binary_a, order_a, binary_b, order_b)) continue;
    result.words.push_back({field.name, 0, 0, 0, shown(field, binary_a, order_a), shown(field, binary_b, order_b)});
  }
}

// Returns the value of a differing word in the first trace where it differs; works on any rank.
WordDifference named(const HeaderField& field, const FieldCount& count, const SurveyReader& a, const SurveyReader& b) {
  const auto value = [&](const SurveyReader& reader, std::int64_t number) {
    const ItemRange one{number, 1};
    std::vector<std::byte> trace(static_cast<std::size_t>(reader.bytes_of(one)));
    reader.read_own(one, trace);
    return shown(field, trace.data(), reader.files()[0].byte_order);
  };
  return {field.name,
          count.traces,
          count.first_trace + 1,
          count.partner + 1,
          value(a, count.first_trace),
          value(b, count.partner)};
}

template <class Number>
NumberDifference number_of(const FieldCount& count, const SurveyReader& a, const SurveyReader& b,
                           Number segy::TraceShape::*what) {
  if (count.traces == 0) return {};
  return {count.traces, count.first_trace + 1, count.partner + 1, std::int64_t{a.shape_of(count.first_trace).*what},
          std::int64_t{b.shape_of(count.partner).*what}};
}

ComparedHeaders compared_headers(const SurveyReader& a, const SurveyReader& b) {
  const segy::FileDescription& of_a = a.files()[0];
  const segy::FileDescription& of_b = b.files()[0];
  return {static_cast<int>(std::min(of_a.header_bytes(), of_b.header_bytes())),
          of_a.kind == segy::FileKind::seismic_unix && of_b.kind == of_a.kind,
          // Files of revision 0 also have the words of revision 1.
          std::max(segy::Revision::rev1, std::min(segy::revision_of(of_a), segy::revision_of(of_b))),
          of_a.kind != of_b.kind};
}

// Tasks do not depend on the number of ranks, so that sums over tasks do not either.
std::int64_t traces_per_task(const SurveyReader& a, const SurveyReader& b) {
  std::int64_t mean = 1;
  std::int64_t longest = 1;
  for (const SurveyReader* reader : {&a, &b}) {
    if (reader->traces() == 0) continue;
    mean = std::max(mean, reader->bytes_of({0, reader->traces()}) / reader->traces());
    longest = std::max(longest, reader->longest_trace_bytes());
  }
  return std::max<std::int64_t>(1, std::min(bytes_per_task / mean, max_bytes_per_task / longest));
}

}  // namespace

CompareResult compare(const Resources& resources, const CompareOptions& options) {
  Communicator& comm = resources.comm;
  run_and_agree(comm, [&] {
    if (!(options.tolerance >= 0.0)) {
      throw Error(
          {.code = ErrorCode::usage,
           .problem = fmt::format("the tolerance {} is not a number of 0 or more", options.tolerance),
           .action = "give the largest difference between samples that are treated as equal, such as 0 or 1e-6"});
    }
  });
  const SurveyReader a(resources, {options.a}, options.map, options.rules);
  const SurveyReader b(resources, {options.b}, options.map, options.rules);
  const ComparedHeaders headers = compared_headers(a, b);
  const HeaderFields left = run_and_agree(comm, [&] { return fields_without(options.ignored, headers, a.words()); });
  if (options.opened) {
    options.opened(a.files());
    options.opened(b.files());
  }
  CompareResult result;
  result.traces_a = a.traces();
  result.traces_b = b.traces();
  result.samples_a = a.is_uniform() ? a.files()[0].samples : -1;
  result.samples_b = b.is_uniform() ? b.files()[0].samples : -1;
  result.format_a = a.files()[0].sample_format;
  result.format_b = b.files()[0].sample_format;
  result.kinds_differ = headers.mixed;
  run_and_agree(comm, [&] {
    if (!headers.mixed && !headers.su) compare_file_headers(a, b, left, result);
  });

  const Pair pair(a, b, left.trace, options.tolerance);
  // Number of traces of `a`: by number the traces that both files have, by keys all traces.
  const bool by_keys = !options.match.empty();
  const std::int64_t traces = by_keys ? a.traces() : std::min(a.traces(), b.traces());
  const std::int64_t task_traces = traces_per_task(a, b);
  const auto tasks_of = [&](int rank) { return block_of((traces + task_traces - 1) / task_traces, comm.size(), rank); };
  const auto traces_of = [&](int rank) {
    const std::int64_t first = std::min(tasks_of(rank).first * task_traces, traces);
    return ItemRange{first, std::min(tasks_of(rank).end() * task_traces, traces) - first};
  };
  const ItemRange tasks = tasks_of(comm.rank());
  const ItemRange own_traces = traces_of(comm.rank());
  MatchedTraces matched;
  result.compared_traces = traces;
  if (by_keys) {
    std::vector<ItemRange> ranges;
    for (int rank = 0; rank < comm.size(); ++rank) ranges.push_back(traces_of(rank));
    matched = match_traces(resources, a, b, options.match, ranges);
    result.compared_traces = matched.pairs;
    result.only_a = matched.only_a;
    result.only_b = matched.only_b;
  }
  std::vector<Pair::Buffers> buffers(static_cast<std::size_t>(resources.threads()));
  const auto for_all_traces = [&](const auto& work) {
    run_and_agree(comm, [&] {
      parallel_for(resources.threads(), tasks.count, [&](std::int64_t task, int thread) {
        const std::int64_t first = (tasks.first + task) * task_traces;
        Pair::Buffers& own = buffers[static_cast<std::size_t>(thread)];
        own.traces_a.clear();
        own.traces_b.clear();
        for (std::int64_t trace = first; trace < std::min(first + task_traces, traces); ++trace) {
          const std::int64_t partner =
              by_keys ? matched.partners[static_cast<std::size_t>(trace - own_traces.first)] : trace;
          if (partner < 0) continue;
          own.traces_a.push_back(trace);
          own.traces_b.push_back(partner);
        }
        pair.load(own);
        work(task, own);
        count_done(resources.progress, std::ssize(own.a));
      });
    });
  };
  const std::int64_t own_bytes = a.bytes_of(own_traces);
  resources.begin_stage("comparing traces", own_bytes);
  for_all_traces([&](std::int64_t /*task*/, Pair::Buffers& own) { pair.count_differences(own); });

  // The last two entries count traces that differ in the number of samples and of headers.
  std::vector<FieldCount> fields(left.trace.size() + 2);
  SampleCount samples;
  for (const Pair::Buffers& own : buffers) {
    for (std::size_t f = 0; f < own.fields.size(); ++f) fields[f].merge(own.fields[f]);
    fields[left.trace.size()].merge(own.other_samples);
    fields[left.trace.size() + 1].merge(own.other_headers);
    samples.merge(own.samples);
  }
  const std::vector<FieldCount> fields_of_all = all_gather_all(comm, std::span<const FieldCount>(fields));
  std::ranges::fill(fields, FieldCount{});
  for (std::size_t i = 0; i < fields_of_all.size(); ++i) fields[i % fields.size()].merge(fields_of_all[i]);
  for (std::size_t f = 0; f < left.trace.size(); ++f) {
    if (fields[f].traces == 0) continue;
    result.words.push_back(run_and_agree(comm, [&] { return named(left.trace[f], fields[f], a, b); }));
  }
  result.trace_samples = number_of(fields[left.trace.size()], a, b, &segy::TraceShape::samples);
  result.trace_headers = number_of(fields[left.trace.size() + 1], a, b, &segy::TraceShape::headers);
  SampleCount samples_of_all;
  for (const SampleCount& of_rank : all_gather(comm, samples)) samples_of_all.merge(of_rank);
  result.samples = {.samples = samples_of_all.samples,
                    .traces = samples_of_all.traces,
                    .value_a = samples_of_all.value_a,
                    .value_b = samples_of_all.value_b,
                    .largest = samples_of_all.largest};
  // Equal bytes are equal in any format; different bytes may be equal in a wrong format.
  if (samples_of_all.by_value) {
    a.require_sample_format();
    b.require_sample_format();
  }
  if (samples_of_all.samples == 0) return result;
  result.samples.first_trace = samples_of_all.first_trace + 1;
  result.samples.partner = samples_of_all.partner + 1;
  result.samples.first_sample = samples_of_all.first_sample + 1;

  resources.begin_stage("measuring the difference", own_bytes);
  std::vector<Energy> of_tasks(static_cast<std::size_t>(tasks.count));
  for_all_traces(
      [&](std::int64_t task, Pair::Buffers& own) { of_tasks[static_cast<std::size_t>(task)] = pair.energy_of(own); });
  Energy energy;
  for (const Energy& of_task : all_gather_all(comm, std::span<const Energy>(of_tasks))) {
    energy.a += of_task.a;
    energy.b += of_task.b;
    energy.difference += of_task.difference;
  }
  const double rms_sum = std::sqrt(energy.a) + std::sqrt(energy.b);
  if (rms_sum > 0.0) result.samples.nrms_percent = 200.0 * std::sqrt(energy.difference) / rms_sum;
  return result;
}

}  // namespace sill
