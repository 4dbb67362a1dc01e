#include "sill/flow/operations/bandpass/trace_filter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <utility>

namespace sill::flow {
namespace {

constexpr double decayed = 1e-3;
constexpr std::int64_t max_padding = std::int64_t{1} << 40;  // more than any trace has samples

std::int64_t samples_to_decay(double pole) {
  if (pole <= 0.0) return 0;
  const double samples = std::ceil(std::log(decayed) / std::log(pole));
  return samples < static_cast<double>(max_padding) ? static_cast<std::int64_t>(samples) : max_padding;
}

constexpr std::size_t slack = filter_alignment / sizeof(double);

}  // namespace

TraceFilter::TraceFilter(Cascade cascade, bool is_zero_phase, Padding padding)
    : cascade_(std::move(cascade)),
      is_zero_phase_(is_zero_phase),
      padding_(padding),
      // A pass in the steady state of a constant stays in it until the trace begins.
      full_padding_(is_zero_phase || padding != Padding::edge ? samples_to_decay(cascade_.slowest_pole) : 0),
      kernels_(runnable_filter_kernels().back()) {}

std::int64_t TraceFilter::padding_of(std::int64_t samples) const {
  return std::max<std::int64_t>(0, std::min(full_padding_, samples - 1));
}

std::int64_t TraceFilter::memory_bytes(std::int64_t samples) const {
  const std::int64_t rows = samples + 2 * padding_of(samples);
  return rows * filter_lanes * std::int64_t{sizeof(double)} + std::int64_t{filter_alignment} +
         (samples + 1) * std::int64_t{sizeof(float)};
}

void TraceFilter::extend(double* end, std::int64_t padding, std::int64_t step) const {
  const auto fill = [&](std::int64_t mirror, auto&& value) {
    for (std::int64_t i = 1; i <= padding; ++i) {
      double* const to = end + i * step;
      const double* const mirrored = end + (mirror - i) * step;
      for (std::int64_t lane = 0; lane < filter_lanes; ++lane) to[lane] = value(end[lane], mirrored[lane]);
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
  // What lies behind the trace matters to the way back only, and what lies before it no longer does.
  const std::int64_t rows = padding + samples + (is_zero_phase_ ? padding : 0);
  // A series that is not there is a copy of the first, whose result goes to where nobody looks.
  const std::size_t spare = (static_cast<std::size_t>(samples) + 1) / 2;
  memory.resize(static_cast<std::size_t>(rows * filter_lanes) + slack + spare);
  void* aligned = memory.data();
  std::size_t space = memory.size() * sizeof(double);
  double* const lanes = static_cast<double*>(std::align(filter_alignment, sizeof(double), aligned, space));
  std::array<const float*, filter_lanes> in{};
  std::array<float*, filter_lanes> out{};
  for (std::size_t k = 0; k < in.size(); ++k) {
    in[k] = series[k < series.size() ? k : 0];
    out[k] = k < series.size() ? series[k] : reinterpret_cast<float*>(lanes + rows * filter_lanes);
  }
  double* const begin = lanes + padding * filter_lanes;
  kernels_->interleave(in.data(), samples, begin);
  extend(begin, padding, -filter_lanes);
  if (is_zero_phase_) extend(begin + (samples - 1) * filter_lanes, padding, filter_lanes);
  kernels_->filter(cascade_, false, lanes, rows);
  if (is_zero_phase_) kernels_->filter(cascade_, true, begin, samples + padding);
  kernels_->separate(begin, samples, out.data());
}

}  // namespace sill::flow
