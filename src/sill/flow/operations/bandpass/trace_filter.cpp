#include "sill/flow/operations/bandpass/trace_filter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sill/flow/operation/lanes/lane_rows.hpp"

namespace sill::flow {
namespace {

constexpr double decayed = 1e-3;
constexpr std::int64_t max_padding = std::int64_t{1} << 40;  // longer than any trace

std::int64_t samples_to_decay(double pole) {
  if (pole <= 0.0) return 0;
  const double samples = std::ceil(std::log(decayed) / std::log(pole));
  return samples < static_cast<double>(max_padding) ? static_cast<std::int64_t>(samples) : max_padding;
}

}  // namespace

TraceFilter::TraceFilter(Cascade cascade, bool is_zero_phase, Padding padding)
    : cascade_(std::move(cascade)),
      is_zero_phase_(is_zero_phase),
      padding_(padding),
      // Forward filtering in the steady state of a constant stays in it until the trace begins.
      full_padding_(is_zero_phase || padding != Padding::edge ? samples_to_decay(cascade_.slowest_pole) : 0),
      kernels_(&lane_kernels()) {}

std::int64_t TraceFilter::padding_of(std::int64_t samples) const {
  return std::max<std::int64_t>(0, std::min(full_padding_, samples - 1));
}

std::int64_t TraceFilter::memory_bytes(std::int64_t samples) const {
  return bytes_of_lane_rows(samples + 2 * padding_of(samples));
}

void TraceFilter::extend(double* end, std::int64_t padding, std::int64_t step) const {
  const auto fill = [&](std::int64_t mirror, auto&& value) {
    for (std::int64_t i = 1; i <= padding; ++i) {
      double* const to = end + i * step;
      const double* const mirrored = end + (mirror - i) * step;
      for (std::int64_t lane = 0; lane < lane_count; ++lane) to[lane] = value(end[lane], mirrored[lane]);
    }
  };
  switch (padding_) {
    case Padding::odd: return fill(0, [](double last, double x) { return 2.0 * last - x; });
    case Padding::zero: return fill(0, [](double, double) { return 0.0; });
    case Padding::edge: return fill(0, [](double last, double) { return last; });
    case Padding::reflect: return fill(0, [](double, double x) { return x; });
    case Padding::symmetric: return fill(1, [](double, double x) { return x; });
  }
}

void TraceFilter::filter(std::span<float* const> series, std::int64_t samples, std::vector<double>& memory) const {
  const std::int64_t padding = padding_of(samples);
  // Samples after the trace affect only the backward pass, and samples before it no longer affect that pass.
  const std::int64_t rows = padding + samples + (is_zero_phase_ ? padding : 0);
  double* const lanes = lane_rows(memory, rows);
  double* const begin = lanes + padding * lane_count;
  interleave(*kernels_, series, samples, begin);
  extend(begin, padding, -lane_count);
  if (is_zero_phase_) extend(begin + (samples - 1) * lane_count, padding, lane_count);
  kernels_->filter(cascade_.sections, cascade_.gain, false, lanes, rows);
  if (is_zero_phase_) kernels_->filter(cascade_.sections, cascade_.gain, true, begin, samples + padding);
  separate(*kernels_, begin, samples, series);
}

}  // namespace sill::flow
