#include "sill/formats/segy/description/trace_likeness.hpp"

#include <algorithm>

#include "sill/formats/segy/description/trace_shape.hpp"

namespace sill::segy {
namespace {

bool states_samples(const std::byte* header) {
  return header[samples_at] != std::byte{0} || header[samples_at + 1] != std::byte{0};
}

}  // namespace

void TraceLikeness::learn(std::span<const std::byte, trace_header_bytes> header) {
  states_samples_ = states_samples_ && states_samples(header.data());
  if (!learned_) {
    learned_ = true;
    std::ranges::copy(header, first_.begin());
    for (std::size_t i = 0; i < header.size(); ++i) {
      const bool is_zero = header[i] == std::byte{0};
      (is_zero ? zero_[static_cast<std::size_t>(zeros_++)] : constant_[static_cast<std::size_t>(constants_++)]) =
          static_cast<std::uint8_t>(i);
    }
    return;
  }
  const auto keep_same = [&](std::array<std::uint8_t, trace_header_bytes>& places, int& count) {
    const auto end = std::remove_if(places.begin(), places.begin() + count,
                                    [&](std::uint8_t place) { return header[place] != first_[place]; });
    count = static_cast<int>(end - places.begin());
  };
  keep_same(constant_, constants_);
  keep_same(zero_, zeros_);
}

bool TraceLikeness::is_like(const std::byte* header) const {
  if (constants_ == 0 || (states_samples_ && !states_samples(header))) return false;
  // Most bytes that are tested are samples, which differ early.
  int may_differ = constants_ / 2;
  for (int i = 0; i < constants_; ++i) {
    const std::size_t place = constant_[static_cast<std::size_t>(i)];
    if (header[place] != first_[place] && may_differ-- == 0) return false;
  }
  may_differ = zeros_ / 4;
  for (int i = 0; i < zeros_; ++i) {
    if (header[zero_[static_cast<std::size_t>(i)]] != std::byte{0} && may_differ-- == 0) return false;
  }
  return true;
}

}  // namespace sill::segy
