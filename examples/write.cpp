// Writes a SEG-Y file of 100 traces of IEEE floats, each rank its part: write FILE
#include <iostream>

#include "sill/base/byte_order.hpp"
#include "sill/comm/launch.hpp"
#include "sill/io/writer.hpp"
#include "sill/layout/decomposition.hpp"

int main(int count, char** values) try {
  if (count != 2) return std::cerr << "usage: write FILE\n", 2;
  constexpr std::size_t samples = 500, trace_bytes = 240 + 4 * samples;
  sill::Launch launch;  // alone, or one of the ranks that mpiexec started
  const sill::Resources resources{.comm = launch.comm()};
  sill::Writer writer(resources, values[1], {3600, trace_bytes, 100});
  const auto put = [](std::span<std::byte> to, std::size_t byte, std::size_t value) {  // bytes count from 1
    sill::store(&to[byte - 1], static_cast<std::uint16_t>(value), sill::ByteOrder::big);
  };
  std::vector<std::byte> header(3600, std::byte{0x40});  // blanks in EBCDIC: a text header without text
  std::fill(header.begin() + 3200, header.end(), std::byte{0});
  put(header, 3217, 4000);  // interval, in microseconds
  put(header, 3221, samples);
  put(header, 3225, 5);  // IEEE floats
  writer.write_header(header);
  const sill::ItemRange mine = sill::block_of(100, launch.comm().size(), launch.comm().rank());
  std::vector<std::byte> traces(static_cast<std::size_t>(mine.count) * trace_bytes);
  for (std::size_t i = 0; i < static_cast<std::size_t>(mine.count); ++i) {
    const auto trace = std::span(traces).subspan(i * trace_bytes, trace_bytes);
    const std::size_t number = static_cast<std::size_t>(mine.first) + i + 1;
    put(trace, 3, number);  // bytes 1-4
    put(trace, 115, samples);
    for (std::size_t s = 0; s < samples; ++s) {  // a ramp that ends at the number of the trace
      sill::store(&trace[240 + 4 * s], static_cast<float>(number * (s + 1)) / samples, sill::ByteOrder::big);
    }
  }
  writer.write(mine, traces);
  writer.finish();                    // only now the file has its name
} catch (const sill::Error& error) {  // the same on every rank
  std::cerr << error.what() << '\n';
  return static_cast<int>(error.code());
}
