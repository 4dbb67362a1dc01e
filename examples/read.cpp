// Reads all samples of a SEG-Y or Seismic Unix file, each rank its part, and prints the largest amplitude: read FILE
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/launch.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/layout/decomposition.hpp"

int main(int count, char** values) try {
  if (count != 2) return std::cerr << "usage: read FILE\n", 2;
  sill::Launch launch;  // alone, or one of the ranks that mpiexec started
  sill::Communicator& comm = launch.comm();
  const sill::Resources resources{.comm = comm};
  const sill::SurveyReader reader(resources, {values[1]});
  // A thousand traces per rank at a time, so that a file of any size fits into memory. Reading is collective: every
  // rank calls it equally often, if need be for no traces.
  std::vector<float> samples;
  double largest = 0;
  for (sill::ItemRange next{0, 0}; next.first < reader.traces(); next.first = next.end()) {
    next.count = std::min<std::int64_t>(1000 * comm.size(), reader.traces() - next.first);
    const sill::ItemRange mine = sill::block_of(next, comm.size(), comm.rank());
    sill::run_and_agree(comm, [&] { samples.resize(static_cast<std::size_t>(reader.samples_of(mine))); });
    reader.read_samples(mine, samples);
    for (const float sample : samples) largest = std::max(largest, std::abs(double{sample}));
  }
  for (const double other : sill::all_gather(comm, largest)) largest = std::max(largest, other);
  if (comm.rank() == 0) std::cout << reader.traces() << " traces, largest amplitude " << largest << '\n';
} catch (const sill::Error& error) {  // the same on every rank
  std::cerr << error.what() << '\n';
  return static_cast<int>(error.code());
}
