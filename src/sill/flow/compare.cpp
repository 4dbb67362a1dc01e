#include "sill/flow/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/flow/header_fields.hpp"
#include "sill/formats/segy/sample_codec.hpp"
#include "sill/formats/segy/words.hpp"
#include "sill/io/reader.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t bytes_a_task = 1 << 20;
struct FieldCount {
  std::int64_t traces = 0;
  std::int64_t first_trace = none;  // from 0
};

struct SampleCount {
  std::int64_t samples = 0;
  std::int64_t traces = 0;
  std::int64_t first_trace = none;  // from 0
  std::int64_t first_sample = 0;
  double value_a = 0.0;
  double value_b = 0.0;
  double largest = 0.0;

  void merge(const SampleCount& other) {
    samples += other.samples;
    traces += other.traces;
    largest = std::max(largest, other.largest);
    if (other.first_trace < first_trace) {
      first_trace = other.first_trace;
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

// Two surveys side by side, and one thread's buffers.
class Pair {
 public:
  Pair(const Reader& a, const Reader& b, std::span<const HeaderField> fields, double tolerance)
      : a_(a), b_(b), fields_(fields), tolerance_(tolerance) {
    same_samples_ = a.files()[0].samples == b.files()[0].samples;
    same_encoding_ =
        a.files()[0].sample_format == b.files()[0].sample_format && a.files()[0].byte_order == b.files()[0].byte_order;
  }

  struct Buffers {
    std::vector<std::byte> a;
    std::vector<std::byte> b;
    std::vector<double> values_a;
    std::vector<double> values_b;
    std::vector<double> rests_a;  // what the values do not hold of samples of 64 bits
    std::vector<double> rests_b;
    std::vector<FieldCount> fields;
    SampleCount samples;
  };

  void load(ItemRange traces, Buffers& buffers) const {
    buffers.a.resize(static_cast<std::size_t>(traces.count * a_.trace_bytes()));
    buffers.b.resize(static_cast<std::size_t>(traces.count * b_.trace_bytes()));
    a_.read_own(traces, buffers.a);
    b_.read_own(traces, buffers.b);
    buffers.values_a.resize(static_cast<std::size_t>(a_.files()[0].samples));
    buffers.values_b.resize(static_cast<std::size_t>(b_.files()[0].samples));
    buffers.rests_a.resize(buffers.values_a.size());
    buffers.rests_b.resize(buffers.values_b.size());
  }

  void count_differences(ItemRange traces, Buffers& buffers) const {
    buffers.fields.resize(fields_.size());
    for (std::int64_t i = 0; i < traces.count; ++i) {
      const std::byte* const a = buffers.a.data() + i * a_.trace_bytes();
      const std::byte* const b = buffers.b.data() + i * b_.trace_bytes();
      const auto trace_bytes = static_cast<std::size_t>(a_.trace_bytes());
      if (same_samples_ && same_encoding_ && std::memcmp(a, b, trace_bytes) == 0) continue;
      count_words(traces.first + i, a, b, buffers);
      if (same_samples_) count_samples(traces.first + i, a, b, buffers);
    }
  }

  [[nodiscard]] Energy energy_of(ItemRange traces, Buffers& buffers) const {
    Energy energy;
    for (std::int64_t i = 0; i < traces.count; ++i) {
      decode(buffers.a.data() + i * a_.trace_bytes(), buffers.b.data() + i * b_.trace_bytes(), buffers);
      for (std::size_t s = 0; s < buffers.values_a.size(); ++s) {
        const double x = buffers.values_a[s];
        const double y = buffers.values_b[s];
        if (!std::isfinite(x) || !std::isfinite(y)) continue;
        energy.a += x * x;
        energy.b += y * y;
        energy.difference += (x - y) * (x - y);
      }
    }
    return energy;
  }

 private:
  void count_words(std::int64_t trace, const std::byte* a, const std::byte* b, Buffers& buffers) const {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      if (!differs(fields_[f], a, a_.files()[0].byte_order, b, b_.files()[0].byte_order)) continue;
      ++buffers.fields[f].traces;
      buffers.fields[f].first_trace = std::min(buffers.fields[f].first_trace, trace);
    }
  }

  void decode(const std::byte* a, const std::byte* b, Buffers& buffers) const {
    const auto one = [](const Reader& reader, const std::byte* trace, std::span<double> values,
                        std::span<double> rests) {
      const segy::FileDescription& file = reader.files()[0];
      const auto bytes = static_cast<std::size_t>(file.trace_bytes - segy::trace_header_bytes);
      const std::span samples(trace + segy::trace_header_bytes, bytes);
      segy::decode(samples, file.sample_format, file.byte_order, values);
      // For other formats they are zeros, which the buffers were filled with.
      if (file.sample_format == segy::SampleFormat::int64 || file.sample_format == segy::SampleFormat::uint64)
        segy::decode_rest(samples, file.sample_format, file.byte_order, rests);
    };
    one(a_, a, buffers.values_a, buffers.rests_a);
    one(b_, b, buffers.values_b, buffers.rests_b);
  }

  void count_samples(std::int64_t trace, const std::byte* a, const std::byte* b, Buffers& buffers) const {
    decode(a, b, buffers);
    SampleCount of_trace;
    for (std::size_t s = 0; s < buffers.values_a.size(); ++s) {
      const double x = buffers.values_a[s];
      const double y = buffers.values_b[s];
      // Integers of 64 bits may differ though their doubles do not.
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
        of_trace.first_trace = trace;
        of_trace.first_sample = static_cast<std::int64_t>(s);
        of_trace.value_a = x;
        of_trace.value_b = y;
      }
    }
    buffers.samples.merge(of_trace);
  }

  const Reader& a_;
  const Reader& b_;
  std::span<const HeaderField> fields_;
  double tolerance_;
  bool same_samples_ = true;
  bool same_encoding_ = true;
};

void compare_file_headers(const Reader& a, const Reader& b, const HeaderFields& left, CompareResult& result) {
  const std::vector<std::byte> header_a = a.file_header(0);
  const std::vector<std::byte> header_b = b.file_header(0);
  constexpr auto text_bytes = static_cast<std::ptrdiff_t>(segy::text_header_bytes);
  constexpr auto fixed_bytes = static_cast<std::ptrdiff_t>(segy::file_header_bytes);
  if (left.text) {
    result.text_differs =
        !std::equal(header_a.begin(), header_a.begin() + text_bytes, header_b.begin()) ||
        !std::equal(header_a.begin() + fixed_bytes, header_a.end(), header_b.begin() + fixed_bytes, header_b.end());
  }
  const std::byte* const binary_a = header_a.data() + binary_header_at;
  const std::byte* const binary_b = header_b.data() + binary_header_at;
  const ByteOrder order_a = a.files()[0].byte_order;
  const ByteOrder order_b = b.files()[0].byte_order;
  for (const HeaderField& field : left.binary) {
    if (!differs(field, binary_a, order_a, binary_b, order_b)) continue;
    result.words.push_back({field.name, 0, 0, shown(field, binary_a, order_a), shown(field, binary_b, order_b)});
  }
}

// The value of a differing word in the first trace where it differs; any rank can tell.
WordDifference named(const HeaderField& field, const FieldCount& count, const Reader& a, const Reader& b) {
  const auto value = [&](const Reader& reader) {
    std::vector<std::byte> trace(static_cast<std::size_t>(reader.trace_bytes()));
    reader.read_own({count.first_trace, 1}, trace);
    return shown(field, trace.data(), reader.files()[0].byte_order);
  };
  return {field.name, count.traces, count.first_trace + 1, value(a), value(b)};
}

}  // namespace

CompareResult compare(const Resources& resources, const CompareOptions& options) {
  Communicator& comm = resources.comm;
  together(comm, [&] {
    if (!(options.tolerance >= 0.0)) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("the tolerance {} is no number from 0 up", options.tolerance)});
    }
  });
  const Reader a(resources, {options.a}, options.map);
  const Reader b(resources, {options.b}, options.map);
  const HeaderFields left = together(comm, [&] { return fields_without(options.ignored, a.words()); });
  if (options.opened) {
    options.opened(a.files());
    options.opened(b.files());
  }
  CompareResult result{a.traces(), b.traces(), a.files()[0].samples, b.files()[0].samples, false, {}, {}};
  together(comm, [&] { compare_file_headers(a, b, left, result); });

  const Pair pair(a, b, left.trace, options.tolerance);
  // Tasks are the same for any number of ranks, so that sums over tasks are.
  const std::int64_t traces = std::min(a.traces(), b.traces());
  const std::int64_t traces_a_task =
      std::max<std::int64_t>(1, bytes_a_task / std::max(a.trace_bytes(), b.trace_bytes()));
  const ItemRange tasks = block_of((traces + traces_a_task - 1) / traces_a_task, comm.size(), comm.rank());
  std::vector<Pair::Buffers> buffers(static_cast<std::size_t>(resources.threads()));
  const auto for_all_traces = [&](const auto& work) {
    together(comm, [&] {
      hand_out(resources.threads(), tasks.count, [&](std::int64_t task, int thread) {
        const std::int64_t first = (tasks.first + task) * traces_a_task;
        const ItemRange of_task{first, std::min(traces_a_task, traces - first)};
        Pair::Buffers& own = buffers[static_cast<std::size_t>(thread)];
        pair.load(of_task, own);
        work(task, of_task, own);
        if (resources.progress != nullptr) resources.progress->done_bytes += of_task.count * a.trace_bytes();
      });
    });
  };
  const std::int64_t own_bytes = tasks.count * traces_a_task * a.trace_bytes();
  resources.begin_stage("comparing traces", own_bytes);
  for_all_traces(
      [&](std::int64_t /*task*/, ItemRange of_task, Pair::Buffers& own) { pair.count_differences(of_task, own); });

  std::vector<FieldCount> fields(left.trace.size());
  SampleCount samples;
  for (const Pair::Buffers& own : buffers) {
    for (std::size_t f = 0; f < own.fields.size(); ++f) {
      fields[f].traces += own.fields[f].traces;
      fields[f].first_trace = std::min(fields[f].first_trace, own.fields[f].first_trace);
    }
    samples.merge(own.samples);
  }
  const std::vector<FieldCount> fields_of_all = all_gather_all(comm, std::span<const FieldCount>(fields));
  for (std::size_t f = 0; f < fields.size(); ++f) {
    FieldCount total;
    for (std::size_t r = 0; r < static_cast<std::size_t>(comm.size()); ++r) {
      const FieldCount& of_rank = fields_of_all[r * fields.size() + f];
      total.traces += of_rank.traces;
      total.first_trace = std::min(total.first_trace, of_rank.first_trace);
    }
    if (total.traces == 0) continue;
    result.words.push_back(together(comm, [&] { return named(left.trace[f], total, a, b); }));
  }
  SampleCount samples_of_all;
  for (const SampleCount& of_rank : all_gather(comm, samples)) samples_of_all.merge(of_rank);
  result.samples = {samples_of_all.samples, samples_of_all.traces,  0,  0, samples_of_all.value_a,
                    samples_of_all.value_b, samples_of_all.largest, 0.0};
  if (samples_of_all.samples == 0) return result;
  result.samples.first_trace = samples_of_all.first_trace + 1;
  result.samples.first_sample = samples_of_all.first_sample + 1;

  resources.begin_stage("measuring the difference", own_bytes);
  std::vector<Energy> of_tasks(static_cast<std::size_t>(tasks.count));
  for_all_traces([&](std::int64_t task, ItemRange of_task, Pair::Buffers& own) {
    of_tasks[static_cast<std::size_t>(task)] = pair.energy_of(of_task, own);
  });
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
