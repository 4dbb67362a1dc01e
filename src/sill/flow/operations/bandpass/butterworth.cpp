#include "sill/flow/operations/bandpass/butterworth.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace sill::flow {
namespace {

using Complex = std::complex<double>;

// Poles in the plane of s = (z - 1) / (z + 1): one of each conjugate pair, or the two real poles of a section; a
// first-order section has one pole.
struct PolePair {
  Complex first;
  Complex second;
  bool is_single = false;
};

// Returns the poles of the low-pass with its corner at 1: those above the real axis and the one on it.
std::vector<Complex> prototype_poles(int order) {
  std::vector<Complex> poles;
  for (int k = 0; k < order / 2; ++k)
    poles.push_back(std::polar(1.0, std::numbers::pi * (0.5 + (2.0 * k + 1.0) / (2.0 * order))));
  if (order % 2 == 1) poles.emplace_back(-1.0, 0.0);
  return poles;
}

std::vector<PolePair> pole_pairs(const ButterworthDesign& design) {
  std::vector<PolePair> pairs;
  for (const Complex p : prototype_poles(design.order)) {
    const bool is_real = p.imag() == 0.0;
    if (design.band == Band::low || design.band == Band::high) {
      const Complex s = design.band == Band::low ? design.w1 * p : design.w1 / p;
      pairs.push_back({s, std::conj(s), is_real});
      continue;
    }
    const double bandwidth = design.w2 - design.w1;
    const Complex half = 0.5 * (design.band == Band::pass ? bandwidth * p : bandwidth / p);
    const Complex root = std::sqrt(half * half - design.w1 * design.w2);
    // Computes the smaller of two roots of equal sign from their product, to avoid cancellation.
    const Complex larger = std::abs(half + root) >= std::abs(half - root) ? half + root : half - root;
    const Complex smaller = design.w1 * design.w2 / larger;
    if (is_real) {
      pairs.push_back({larger, smaller});
    } else {
      pairs.push_back({larger, std::conj(larger)});
      pairs.push_back({smaller, std::conj(smaller)});
    }
  }
  return pairs;
}

Complex to_z(Complex s) { return (1.0 + s) / (1.0 - s); }

// Returns |z(s) - z(t)|, without the cancellation of the difference if both are near 1.
double distance(Complex s, Complex t) { return std::abs(2.0 * (s - t) / ((1.0 - s) * (1.0 - t))); }

struct SectionZeros {
  double b1;
  double b2;
  double distance;  // product of the distances of the zeros from the frequency of unit gain
};

SectionZeros zeros_of(const ButterworthDesign& design, bool is_single) {
  const double product = design.w1 * design.w2;
  switch (design.band) {
    case Band::low: return is_single ? SectionZeros{1.0, 0.0, 2.0} : SectionZeros{2.0, 1.0, 4.0};
    case Band::high: return is_single ? SectionZeros{-1.0, 0.0, 2.0} : SectionZeros{-2.0, 1.0, 4.0};
    case Band::pass: return {0.0, -1.0, 4.0 * std::sqrt(product) / (1.0 + product)};
    case Band::stop: return {-2.0 * (1.0 - product) / (1.0 + product), 1.0, 4.0 * product / (1.0 + product)};
  }
  return {};
}

// Returns |z(s) - z| at the frequency of unit gain: zero, the middle of the band, or Nyquist.
double distance_from_reference(const ButterworthDesign& design, Complex s) {
  if (design.band == Band::high) return std::abs(2.0 / (1.0 - s));
  return distance(s, design.band == Band::pass ? Complex(0.0, std::sqrt(design.w1 * design.w2)) : Complex(0.0, 0.0));
}

void set_steady_states(Cascade& cascade) {
  double input = cascade.gain;
  for (Section& section : cascade.sections) {
    const double output = input * (1.0 + section.b1 + section.b2) / (1.0 + section.a1 + section.a2);
    section.z1 = section.b2 * input - section.a2 * output;
    section.z0 = output - input;
    input = output;
  }
}

// Balances the corners of a band-stop of the lowest order, so that both stop corners have equal attenuation. Moves the
// pass corner that is too far out inwards; the attenuation at the stated corner is then smaller. Source: buttord of
// SciPy, which searches for this corner.
ButterworthCorners balanced(ButterworthCorners corners) {
  if (corners.band != Band::stop) return corners;
  const double product = corners.stop1 * corners.stop2;
  if (corners.pass1 * corners.pass2 < product)
    corners.pass1 = product / corners.pass2;
  else
    corners.pass2 = product / corners.pass1;
  return corners;
}

}  // namespace

double warped(double frequency_hz, double interval_s) { return std::tan(std::numbers::pi * frequency_hz * interval_s); }

Cascade butterworth(const ButterworthDesign& design) {
  std::vector<PolePair> pairs = pole_pairs(design);
  const auto modulus = [](const PolePair& pair) {
    return std::max(std::abs(to_z(pair.first)), std::abs(to_z(pair.second)));
  };
  // The sections with the longest ringing come last: rounding errors of the others then pass through fewer sections
  // that amplify them.
  std::ranges::stable_sort(pairs, {}, modulus);
  Cascade cascade{.sections = {}};
  for (const PolePair& pair : pairs) {
    const SectionZeros zeros = zeros_of(design, pair.is_single);
    const Complex first = to_z(pair.first);
    const Complex second = to_z(pair.second);
    if (pair.is_single) {
      cascade.sections.push_back({.b1 = zeros.b1, .b2 = 0.0, .a1 = -first.real(), .a2 = 0.0});
      cascade.gain *= distance_from_reference(design, pair.first) / zeros.distance;
    } else {
      cascade.sections.push_back(
          {.b1 = zeros.b1, .b2 = zeros.b2, .a1 = -(first + second).real(), .a2 = (first * second).real()});
      cascade.gain *=
          distance_from_reference(design, pair.first) * distance_from_reference(design, pair.second) / zeros.distance;
    }
  }
  cascade.slowest_pole = modulus(pairs.back());
  set_steady_states(cascade);
  return cascade;
}

ButterworthDesign corrected_for_two_passes(ButterworthDesign design) {
  const double c = std::pow(std::numbers::sqrt2 - 1.0, -1.0 / (2.0 * design.order));
  if (design.band == Band::low) design.w1 *= c;
  if (design.band == Band::high) design.w1 /= c;
  if (design.band == Band::pass || design.band == Band::stop) {
    const double product = design.w1 * design.w2;
    const double bandwidth = (design.w2 - design.w1) * (design.band == Band::pass ? c : 1.0 / c);
    design.w2 = 0.5 * (bandwidth + std::sqrt(bandwidth * bandwidth + 4.0 * product));
    design.w1 = product / design.w2;
  }
  return design;
}

double order_of(const ButterworthCorners& stated) {
  const ButterworthCorners corners = balanced(stated);
  const double product = corners.pass1 * corners.pass2;
  const double bandwidth = corners.pass2 - corners.pass1;
  const auto of_band = [&](double stop) { return std::abs((stop * stop - product) / (stop * bandwidth)); };
  double ratio = 0.0;
  switch (corners.band) {
    case Band::low: ratio = corners.stop1 / corners.pass1; break;
    case Band::high: ratio = corners.pass1 / corners.stop1; break;
    case Band::pass: ratio = std::min(of_band(corners.stop1), of_band(corners.stop2)); break;
    case Band::stop: ratio = std::min(1.0 / of_band(corners.stop1), 1.0 / of_band(corners.stop2)); break;
  }
  const auto excess = [](double db) { return std::pow(10.0, db / 10.0) - 1.0; };
  return 0.5 * std::abs(std::log(excess(corners.stop_db) / excess(corners.pass_db)) / std::log(ratio));
}

ButterworthDesign design_of(const ButterworthCorners& stated, int order) {
  const ButterworthCorners corners = balanced(stated);
  ButterworthDesign design{.band = corners.band, .order = order, .w1 = corners.pass1, .w2 = corners.pass2};
  const double w = std::pow(std::pow(10.0, corners.pass_db / 10.0) - 1.0, -1.0 / (2.0 * order));
  if (corners.band == Band::low) design.w1 *= w;
  if (corners.band == Band::high) design.w1 /= w;
  if (corners.band == Band::pass || corners.band == Band::stop) {
    const double product = corners.pass1 * corners.pass2;
    const double bandwidth = (corners.pass2 - corners.pass1) * (corners.band == Band::pass ? w : 1.0 / w);
    design.w2 = 0.5 * (bandwidth + std::sqrt(bandwidth * bandwidth + 4.0 * product));
    design.w1 = product / design.w2;
  }
  return design;
}

}  // namespace sill::flow
