// Converts the samples of a SEG-Y file to IEEE floats of the same values; all else is kept: convert IN OUT
#include <algorithm>
#include <iostream>

#include "sill/comm/agree.hpp"
#include "sill/comm/launch.hpp"
#include "sill/io/reader.hpp"
#include "sill/io/writer.hpp"
#include "sill/layout/decomposition.hpp"

int main(int count, char** values) try {
  if (count != 3) return std::cerr << "usage: convert IN OUT\n", 2;
  sill::Launch launch;  // alone, or one of the ranks that mpiexec started
  sill::Communicator& comm = launch.comm();
  const sill::Resources resources{.comm = comm};
  const sill::Reader reader(resources, {values[1]});
  const sill::segy::FileDescription& file = reader.files().front();
  const auto in_bytes = static_cast<std::size_t>(reader.trace_bytes());
  const auto samples = static_cast<std::size_t>(file.samples), out_bytes = 240 + 4 * samples;
  const auto traces = reader.traces();
  sill::Writer writer(resources, values[2], {file.first_trace_byte, static_cast<std::int64_t>(out_bytes), traces});
  // What only one rank does or notices goes through `together`, so that all ranks end alike and none waits for ever.
  std::vector<std::byte> header = sill::together(comm, [&] { return reader.file_header(0); });
  sill::store(&header[3225 - 1], std::int16_t{5}, file.byte_order);
  writer.write_header(header);

  std::vector<std::byte> in, out;
  std::vector<double> numbers(samples);
  for (sill::ItemRange next{0, 0}; next.first < traces; next.first = next.end()) {  // so that any file fits in memory
    next.count = std::min<std::int64_t>(1000 * comm.size(), traces - next.first);
    const sill::ItemRange mine = sill::block_of(next, comm.size(), comm.rank());
    in.resize(static_cast<std::size_t>(mine.count) * in_bytes);
    reader.read(mine, in);
    out.resize(static_cast<std::size_t>(mine.count) * out_bytes);
    sill::together(comm, [&] {
      for (std::size_t i = 0; i < static_cast<std::size_t>(mine.count); ++i) {
        const auto from = std::span(in).subspan(i * in_bytes, in_bytes);
        const auto to = std::span(out).subspan(i * out_bytes, out_bytes);
        std::copy_n(from.begin(), 240, to.begin());
        sill::segy::decode(from.subspan(240), file.sample_format, file.byte_order, numbers);
        const std::vector<float> floats(numbers.begin(), numbers.end());
        if (!std::equal(floats.begin(), floats.end(), numbers.begin())) {  // rather no file than a wrong one
          throw sill::Error({.code = sill::ErrorCode::input, .problem = "a sample is no number that a float holds"});
        }
        sill::segy::encode(floats, sill::segy::SampleFormat::ieee_float, file.byte_order, to.subspan(240));
      }
    });
    writer.write(mine, out);
  }
  writer.finish();                    // only now the file has its name
} catch (const sill::Error& error) {  // the same on every rank
  std::cerr << error.what() << '\n';
  return static_cast<int>(error.code());
}
