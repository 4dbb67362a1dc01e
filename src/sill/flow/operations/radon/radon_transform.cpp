#include "sill/flow/operations/radon/radon_transform.hpp"

#include <algorithm>
#include <numbers>
#include <utility>

#include "sill/flow/operation/cholesky.hpp"
#include "sill/flow/operation/toeplitz.hpp"

namespace sill::flow {
namespace {

using Complex = RadonTransform::Complex;

// Calls `visit(j, exp(i angle(j)))` for angles that are `step` apart.
template <class Angle, class Visit>
void for_each_turn(std::size_t count, double step, const Angle& angle, const Visit& visit) {
  constexpr std::size_t exact_every = 64;  // products of many turns would drift
  const Complex one_step = std::polar(1.0, step);
  Complex turn;
  for (std::size_t j = 0; j < count; ++j) {
    turn = j % exact_every == 0 ? std::polar(1.0, angle(j)) : product(turn, one_step);
    visit(j, turn);
  }
}

}  // namespace

RadonTransform::RadonTransform(std::vector<double> curves, const Moveouts& moveouts, double lambda, int reweightings)
    : curves_(std::move(curves)), moveouts_(moveouts), lambda_(lambda), reweightings_(reweightings) {}

void RadonTransform::turn(double frequency_hz, Scratch& scratch) const {
  const auto count = static_cast<std::size_t>(moveouts_.count);
  scratch.turns.resize(curves_.size() * count);
  for (std::size_t n = 0; n < curves_.size(); ++n) {
    const double radians = -2.0 * std::numbers::pi * frequency_hz * curves_[n];
    for_each_turn(
        count, radians * moveouts_.step_s,
        [&](std::size_t j) { return radians * moveouts_.at(static_cast<std::int64_t>(j)); },
        [&](std::size_t j, Complex turn) { scratch.turns[n * count + j] = turn; });
  }
}

void RadonTransform::model(double frequency_hz, std::span<const Complex> data, std::span<Complex> model,
                           Scratch& scratch) const {
  turn(frequency_hz, scratch);
  std::ranges::fill(model, Complex{});
  for (std::size_t n = 0; n < curves_.size(); ++n)
    for (std::size_t j = 0; j < model.size(); ++j)
      model[j] += conjugate_product(scratch.turns[n * model.size() + j], data[n]);
  solve_damped(frequency_hz, model, scratch);
  if (reweightings_ == 0) return;
  constexpr double share_of_largest = 0.1;
  double largest = 0.0;
  for (const Complex value : model) largest = std::max(largest, std::norm(value));
  const double sigma_squared = share_of_largest * share_of_largest * largest;
  if (!(sigma_squared > 0.0)) return;
  scratch.weights.resize(model.size());
  for (int again = 0; again < reweightings_; ++again) {
    double sum = 0.0;
    for (std::size_t j = 0; j < model.size(); ++j)
      sum += scratch.weights[j] = 1.0 + std::norm(model[j]) / sigma_squared;
    // With a mean of 1: otherwise, damping would become negligible, and noise that no curve fits would become large
    // coefficients that cancel (docs/adr/0077).
    for (double& weight : scratch.weights) weight *= static_cast<double>(model.size()) / sum;
    solve_weighted(data, model, scratch);
  }
}

// L^H L depends only on differences of moveouts.
void RadonTransform::solve_damped(double frequency_hz, std::span<Complex> model, Scratch& scratch) const {
  scratch.matrix.assign(model.size(), {});
  for (const double curve : curves_) {
    const double radians = 2.0 * std::numbers::pi * frequency_hz * curve * moveouts_.step_s;
    for_each_turn(
        model.size(), radians, [&](std::size_t j) { return radians * static_cast<double>(j); },
        [&](std::size_t j, Complex turn) { scratch.matrix[j] += turn; });
  }
  scratch.matrix[0] += lambda_ * static_cast<double>(curves_.size());
  solve_toeplitz<Complex>(scratch.matrix, model, scratch.vectors);
}

// With W the inverse of the damping weights: m = W L^H (L W L^H + lambda N I)^-1 d, or, for fewer moveouts than traces,
// (L^H L + lambda N W^-1) m = L^H d.
void RadonTransform::solve_weighted(std::span<const Complex> data, std::span<Complex> model, Scratch& scratch) const {
  const std::size_t traces = curves_.size();
  const std::size_t count = model.size();
  const std::span<const Complex> turns = scratch.turns;
  const double damping = lambda_ * static_cast<double>(traces);
  const auto of_trace = [&](std::size_t n) { return turns.subspan(n * count, count); };
  if (count > traces) {
    scratch.matrix.assign(traces * traces, {});
    for (std::size_t n = 0; n < traces; ++n)
      for (std::size_t k = 0; k <= n; ++k) {
        Complex sum;
        for (std::size_t j = 0; j < count; ++j)
          sum += conjugate_product(of_trace(k)[j], of_trace(n)[j]) * scratch.weights[j];
        scratch.matrix[n * traces + k] = sum + (n == k ? damping : 0.0);
      }
    scratch.right.assign(data.begin(), data.end());
    solve_cholesky(scratch.matrix, scratch.right);
    std::ranges::fill(model, Complex{});
    for (std::size_t n = 0; n < traces; ++n)
      for (std::size_t j = 0; j < count; ++j)
        model[j] += conjugate_product(of_trace(n)[j], scratch.right[n]) * scratch.weights[j];
    return;
  }
  scratch.matrix.assign(count * count, {});
  std::ranges::fill(model, Complex{});
  for (std::size_t n = 0; n < traces; ++n)
    for (std::size_t j = 0; j < count; ++j) {
      model[j] += conjugate_product(of_trace(n)[j], data[n]);
      for (std::size_t k = 0; k <= j; ++k)
        scratch.matrix[j * count + k] += conjugate_product(of_trace(n)[j], of_trace(n)[k]);
    }
  for (std::size_t j = 0; j < count; ++j) scratch.matrix[j * count + j] += damping / scratch.weights[j];
  solve_cholesky(scratch.matrix, model);
}

void RadonTransform::data(double frequency_hz, std::span<const Complex> model, std::int64_t first,
                          std::span<Complex> data, Scratch& scratch) const {
  turn(frequency_hz, scratch);
  for (std::size_t n = 0; n < curves_.size(); ++n) {
    Complex sum;
    for (auto j = static_cast<std::size_t>(first); j < model.size(); ++j)
      sum += product(scratch.turns[n * model.size() + j], model[j]);
    data[n] = sum;
  }
}

}  // namespace sill::flow
