// The Radon transform of one gather, frequency by frequency: sums along lines or parabolas, and the model whose sums
// are the data.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace sill::flow {

/// d(f, x) = sum over j of exp(-2 pi i f q_j phi(x)) m_j, with q_j = from + j step, for the curves phi of the traces.
/// The model of data solves (L^H L + lambda N I) m = L^H d, N being the number of traces. Const functions may be called
/// by several threads. Sources: D. Hampson, "Inverse velocity stacking for multiple elimination", CSEG Journal 22
/// (1986); M. D. Sacchi and T. J. Ulrych, "High-resolution velocity gathers and offset space reconstruction",
/// Geophysics 60 (1995); N. Levinson's recursion for Hermitian Toeplitz systems.
class RadonTransform {
 public:
  using Complex = std::complex<double>;

  /// Moveouts, in seconds at phi = 1.
  struct Moveouts {
    double from_s = 0.0;
    double step_s = 0.0;
    std::int64_t count = 0;
    [[nodiscard]] double at(std::int64_t j) const { return from_s + static_cast<double>(j) * step_s; }
  };

  /// Local. Creates a transform. `curves`: phi of each trace, at least one. `reweightings`: 0, or the number of times
  /// that the damping of each model element is recomputed, with less damping for large elements: lambda N mean(w) /
  /// w, w = 1 + |m|^2 / sigma^2, sigma a tenth of the largest |m| of the first model of the frequency.
  RadonTransform(std::vector<double> curves, const Moveouts& moveouts, double lambda, int reweightings);

  /// Memory per thread.
  struct Scratch {
    std::vector<Complex> turns;  // L at one frequency, trace by trace
    std::vector<Complex> right;  // right-hand side of the equations
    std::vector<Complex> matrix;
    std::vector<Complex> vectors;
    std::vector<double> weights;
  };

  /// Local. Computes the model, of all moveouts, from `data`, of all traces, at one frequency.
  void model(double frequency_hz, std::span<const Complex> data, std::span<Complex> model, Scratch& scratch) const;

  /// Local. Computes the data of all traces at one frequency from the elements of `model` whose numbers are >= `first`.
  void data(double frequency_hz, std::span<const Complex> model, std::int64_t first, std::span<Complex> data,
            Scratch& scratch) const;

 private:
  void turn(double frequency_hz, Scratch& scratch) const;
  void solve_damped(double frequency_hz, std::span<Complex> model, Scratch& scratch) const;
  void solve_weighted(std::span<const Complex> data, std::span<Complex> model, Scratch& scratch) const;

  std::vector<double> curves_;
  Moveouts moveouts_;
  double lambda_;
  int reweightings_;
};

}  // namespace sill::flow
