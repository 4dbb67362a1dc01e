// Floats as samples of a format.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sill/formats/segy/samples/conversion.hpp"

namespace sill::segy::test {

inline std::vector<std::byte> encoded(const std::vector<float>& values, SampleFormat format, ByteOrder order) {
  std::vector<std::byte> samples(values.size() * static_cast<std::size_t>(bytes_of(format)));
  ConversionAccount account;
  SampleConversion(SampleFormat::ieee_float, native_order, format, order, {})
      .convert(std::as_bytes(std::span(values)), samples, account);
  return samples;
}

}  // namespace sill::segy::test
