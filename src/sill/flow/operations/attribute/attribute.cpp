#include "sill/flow/operations/attribute/attribute.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include "sill/flow/operation/lanes/spectral_filter.hpp"
#include "sill/flow/operation/trace_times.hpp"

namespace sill::flow {
namespace {

using Complex = std::complex<double>;

enum class AttributeKind : std::uint8_t { envelope, phase, frequency };
constexpr std::array<std::string_view, 3> attribute_kinds{"envelope", "phase", "frequency"};
constexpr double degrees = 180.0 / std::numbers::pi;

// Returns the filter for the imaginary part of the analytic signal: -i at all frequencies except 0 and Nyquist.
SpectralFilter hilbert_transform(std::int64_t samples) {
  return {samples, samples, [](double) { return Complex(0.0, -1.0); }};
}

class Attribute final : public Operation {
 public:
  Attribute(const Arguments& arguments, AttributeKind kind) : operation_(arguments.step().operation), kind_(kind) {}

  void bind(SurveyState& state) override {
    interval_s_ = TraceTimes(state, operation_.c_str()).interval_s();
    hilbert_.emplace(hilbert_transform(state.samples));
  }

  [[nodiscard]] Access access() const override {
    return {.reads_samples = true, .writes_samples = true, .changes_amplitudes = kind_ != AttributeKind::envelope};
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    const auto samples = static_cast<std::size_t>(block.samples());
    std::vector<Complex> signal(samples);
    change_live_traces(block, [&](std::span<float* const> series) {
      const double* const quadrature = hilbert_->filter(series, workspace);
      for (std::size_t lane = 0; lane < series.size(); ++lane) {
        for (std::size_t i = 0; i < samples; ++i) signal[i] = {series[lane][i], quadrature[i * lane_count + lane]};
        write(signal, series[lane]);
      }
    });
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t /*traces*/) const override { return hilbert_->memory_bytes(); }

 private:
  void write(std::span<const Complex> signal, float* out) const {
    // Squares of floats, and sums of them, never exceed the range of doubles.
    if (kind_ == AttributeKind::envelope)
      std::ranges::transform(signal, out, [](Complex z) { return static_cast<float>(std::sqrt(std::norm(z))); });
    if (kind_ == AttributeKind::phase)
      std::ranges::transform(signal, out, [](Complex z) { return static_cast<float>(degrees * std::arg(z)); });
    if (kind_ == AttributeKind::frequency) write_frequency(signal, out);
  }

  void write_frequency(std::span<const Complex> signal, float* out) const {
    const double hz_per_turn = 1.0 / (2.0 * std::numbers::pi * interval_s_);
    std::optional<double> before;
    for (std::size_t i = 0; i < signal.size(); ++i) {
      std::optional<double> after;
      if (i + 1 < signal.size()) after = std::arg(signal[i + 1] * std::conj(signal[i]));
      const double turn = before && after ? 0.5 * (*before + *after) : before.value_or(after.value_or(0.0));
      out[i] = static_cast<float>(turn * hz_per_turn);
      before = after;
    }
  }

  std::string operation_;
  AttributeKind kind_;
  double interval_s_ = 0.0;
  std::optional<SpectralFilter> hilbert_;
};

class PhaseRotation final : public Operation {
 public:
  explicit PhaseRotation(const Arguments& arguments)
      : angle_(arguments.required("angle", Dimension::angle) / degrees) {}

  void bind(SurveyState& state) override {
    const Complex turn = std::polar(1.0, angle_);
    filter_.emplace(state.samples, state.samples, [&](double) { return turn; });
  }

  [[nodiscard]] Access access() const override { return {.reads_samples = true, .writes_samples = true}; }

  void run(TraceBlock& block, Workspace& workspace) const override {
    change_live_traces(block, [&](std::span<float* const> series) { filter_->filter_in_place(series, workspace); });
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t /*traces*/) const override { return filter_->memory_bytes(); }

 private:
  double angle_;
  std::optional<SpectralFilter> filter_;
};

}  // namespace

const OperationType& attribute() {
  static const OperationType type{
      .name = "attribute",
      .summary = "Replaces traces by an attribute of their analytic signal",
      .formula =
          "z = x + i H(x), H the Hilbert transform, by FFT after appending as many zeros as the trace has samples; "
          "|z|; arg z in degrees; or in Hz the mean of arg(z(i+1) z*(i)) and arg(z(i) z*(i-1)) over 2 pi dt",
      .example = "attribute frequency",
      .positionals = {"kind"},
      .parameters = {{"kind", "envelope | phase | frequency", "envelope", "The attribute"}},
      .make = [](const Arguments& arguments) {
        const auto kind = static_cast<AttributeKind>(arguments.choice("kind", attribute_kinds));
        return std::make_unique<Attribute>(arguments, kind);
      }};
  return type;
}

const OperationType& envelope() {
  static const OperationType type{.name = "envelope",
                                  .summary = "Replaces traces by their envelopes",
                                  .formula = "|x + i H(x)|, as attribute envelope",
                                  .example = "envelope",
                                  .make = [](const Arguments& arguments) {
                                    return std::make_unique<Attribute>(arguments, AttributeKind::envelope);
                                  }};
  return type;
}

const OperationType& phase() {
  static const OperationType type{
      .name = "phase",
      .summary = "Rotates the phase of traces by an angle",
      .formula =
          "the spectrum times exp(i angle), by FFT after appending as many zeros as the trace has samples: x "
          "cos(angle) - H(x) sin(angle), H the Hilbert transform",
      .example = "phase 90deg",
      .positionals = {"angle"},
      .parameters = {{"angle", "ANGLE", "", "Angle of the rotation, in degrees"}},
      .make = [](const Arguments& arguments) { return std::make_unique<PhaseRotation>(arguments); }};
  return type;
}

}  // namespace sill::flow
