#include "sill/flow/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

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
    const bool may_differ = !a.is_uniform() || !b.is_uniform() ||
                            a.files()[0].additional_trace_headers != b.files()[0].additional_trace_headers;
    tells_shapes_ = may_differ;
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
    buffers.a.resize(static_cast<std::size_t>(a_.bytes_of(traces)));
    buffers.b.resize(static_cast<std::size_t>(b_.bytes_of(traces)));
    a_.read_own(traces, buffers.a);
    b_.read_own(traces, buffers.b);
  }

  void count_differences(ItemRange traces, Buffers& buffers) const {
    buffers.fields.resize(fields_.size() + 1);
    for_each(traces, buffers, [&](std::int64_t trace, const Side& a, const Side& b) {
      if (same_encoding_ && a.shape == b.shape && std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0)
        return;
      if (tells_shapes_ && a.shape != b.shape) count(trace, buffers.fields.back());
      count_words(trace, a, b, buffers);
      if (a.shape.samples == b.shape.samples) count_samples(trace, a, b, buffers);
    });
  }

  [[nodiscard]] Energy energy_of(ItemRange traces, Buffers& buffers) const {
    Energy energy;
    for_each(traces, buffers, [&](std::int64_t /*trace*/, const Side& a, const Side& b) {
      if (a.shape.samples != b.shape.samples) return;
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
  // A trace of one of the two surveys.
  struct Side {
    segy::TraceShape shape;
    std::span<const std::byte> bytes;

    [[nodiscard]] std::span<const std::byte> samples() const {
      return bytes.subspan(static_cast<std::size_t>(segy::trace_header_bytes * shape.headers));
    }
  };

  template <class Visit>
  void for_each(ItemRange traces, const Buffers& buffers, Visit&& visit) const {
    std::size_t at_a = 0;
    std::size_t at_b = 0;
    const auto next = [](const Reader& reader, std::int64_t trace, std::span<const std::byte> bytes, std::size_t& at) {
      const segy::TraceShape shape = reader.shape_of(trace);
      const auto length = static_cast<std::size_t>(segy::trace_header_bytes * shape.headers +
                                                   shape.samples * segy::bytes_of(reader.files()[0].sample_format));
      at += length;
      return Side{shape, bytes.subspan(at - length, length)};
    };
    for (std::int64_t trace = traces.first; trace < traces.end(); ++trace) {
      const Side a = next(a_, trace, buffers.a, at_a);
      const Side b = next(b_, trace, buffers.b, at_b);
      visit(trace, a, b);
    }
  }

  static void count(std::int64_t trace, FieldCount& field) {
    ++field.traces;
    field.first_trace = std::min(field.first_trace, trace);
  }

  void count_words(std::int64_t trace, const Side& a, const Side& b, Buffers& buffers) const {
    const int end = segy::trace_header_bytes * std::min(a.shape.headers, b.shape.headers);
    for (std::size_t f = 0; f < fields_.size() && fields_[f].byte <= end; ++f) {
      if (differs(fields_[f], a.bytes.data(), a_.files()[0].byte_order, b.bytes.data(), b_.files()[0].byte_order))
        count(trace, buffers.fields[f]);
    }
  }

  void decode(const Side& a, const Side& b, Buffers& buffers) const {
    const auto one = [](const Reader& reader, const Side& side, std::vector<double>& values,
                        std::vector<double>& rests) {
      const segy::FileDescription& file = reader.files()[0];
      values.resize(static_cast<std::size_t>(side.shape.samples));
      rests.resize(values.size());
      segy::decode(side.samples(), file.sample_format, file.byte_order, values);
      // For other formats they are zeros, which the buffers were filled with.
      if (file.sample_format == segy::SampleFormat::int64 || file.sample_format == segy::SampleFormat::uint64)
        segy::decode_rest(side.samples(), file.sample_format, file.byte_order, rests);
    };
    one(a_, a, buffers.values_a, buffers.rests_a);
    one(b_, b, buffers.values_b, buffers.rests_b);
  }

  void count_samples(std::int64_t trace, const Side& a, const Side& b, Buffers& buffers) const {
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
  bool tells_shapes_ = false;  // of traces; else the files' own number of samples tells it
  bool same_encoding_ = true;
};

void compare_file_headers(const Reader& a, const Reader& b, const HeaderFields& left, CompareResult& result) {
  if (a.files()[0].kind == segy::FileKind::seismic_unix) return;
  const auto of_file = [](const Reader& reader) {
    std::vector<std::byte> header = reader.file_header(0);
    const auto label = header.begin() + reader.files()[0].label_bytes;
    const std::vector<std::byte> binary(label + binary_header_at, label + binary_header_at + binary_header_bytes);
    header.erase(label + binary_header_at, label + binary_header_at + binary_header_bytes);
    const std::vector<std::byte> trailer = reader.file_trailer(0);
    return std::tuple(binary, header, trailer);
  };
  const auto [binary_a, text_a, trailer_a] = of_file(a);
  const auto [binary_b, text_b, trailer_b] = of_file(b);
  if (left.text) result.text_differs = text_a != text_b || trailer_a != trailer_b;
  const ByteOrder order_a = a.files()[0].byte_order;
  const ByteOrder order_b = b.files()[0].byte_order;
  for (const HeaderField& field : left.binary) {
    if (!differs(field, binary_a.data(), order_a, binary_b.data(), order_b)) continue;
    result.words.push_back(
        {field.name, 0, 0, shown(field, binary_a.data(), order_a), shown(field, binary_b.data(), order_b)});
  }
}

// The value of a differing word in the first trace where it differs; any rank can tell.
WordDifference named(const HeaderField& field, const FieldCount& count, const Reader& a, const Reader& b) {
  const auto value = [&](const Reader& reader) {
    std::vector<std::byte> trace(static_cast<std::size_t>(reader.bytes_of({count.first_trace, 1})));
    reader.read_own({count.first_trace, 1}, trace);
    return shown(field, trace.data(), reader.files()[0].byte_order);
  };
  return {field.name, count.traces, count.first_trace + 1, value(a), value(b)};
}

WordDifference shapes_named(const FieldCount& count, const Reader& a, const Reader& b) {
  const auto value = [&](const Reader& reader) {
    const segy::TraceShape shape = reader.shape_of(count.first_trace);
    return fmt::format("{} samples with {} header{}", shape.samples, shape.headers, shape.headers == 1 ? "" : "s");
  };
  return {"length of the trace", count.traces, count.first_trace + 1, value(a), value(b)};
}

void require_one_kind(const Reader& a, const Reader& b) {
  if (a.files()[0].kind == b.files()[0].kind) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("{} is {}, {} is {}: their headers are not alike", a.paths()[0],
                                      name_of(a.files()[0].kind), b.paths()[0], name_of(b.files()[0].kind)),
               .action = "convert one of them first: sill convert"});
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
  const HeaderFields left = together(comm, [&] {
    require_one_kind(a, b);
    const auto headers = [](const Reader& reader) { return 1 + reader.files()[0].additional_trace_headers; };
    return fields_without(options.ignored, a.words(), a.files()[0].kind, std::max(headers(a), headers(b)));
  });
  if (options.opened) {
    options.opened(a.files());
    options.opened(b.files());
  }
  CompareResult result{a.traces(), b.traces(), a.files()[0].samples, b.files()[0].samples, false, {}, {}};
  together(comm, [&] { compare_file_headers(a, b, left, result); });

  const Pair pair(a, b, left.trace, options.tolerance);
  // Tasks are the same for any number of ranks, so that sums over tasks are.
  const std::int64_t traces = std::min(a.traces(), b.traces());
  const std::int64_t bytes_a_trace =
      std::max(a.bytes_of({0, traces}), b.bytes_of({0, traces})) / std::max<std::int64_t>(1, traces);
  const std::int64_t traces_a_task = std::max<std::int64_t>(1, bytes_a_task / std::max<std::int64_t>(1, bytes_a_trace));
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
        if (resources.progress != nullptr) resources.progress->done_bytes += std::ssize(own.a);
      });
    });
  };
  const std::int64_t own_bytes = tasks.count * traces_a_task * bytes_a_trace;
  resources.begin_stage("comparing traces", own_bytes);
  for_all_traces(
      [&](std::int64_t /*task*/, ItemRange of_task, Pair::Buffers& own) { pair.count_differences(of_task, own); });

  std::vector<FieldCount> fields(left.trace.size() + 1);  // the last for the lengths of traces
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
    result.words.push_back(together(
        comm, [&] { return f < left.trace.size() ? named(left.trace[f], total, a, b) : shapes_named(total, a, b); }));
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
