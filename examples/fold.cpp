// Prints how many traces each CMP gather has, and the largest amplitude of its stack, for any order of traces: fold
// FILE
#include <algorithm>
#include <cmath>
#include <iostream>

#include "sill/comm/agree.hpp"
#include "sill/comm/launch.hpp"
#include "sill/survey/geometry/gathers.hpp"

int main(int count, char** values) try {
  if (count != 2) return std::cerr << "usage: fold FILE\n", 2;
  sill::Launch launch;  // alone, or one of the ranks that mpiexec started
  const sill::Resources resources{.comm = launch.comm()};
  const sill::SurveyReader reader(resources, {values[1]});
  reader.require_sample_format();  // before samples are read, by all ranks
  const sill::Gathers gathers(resources, reader, sill::segy::TraceKey::parse_list("cdp", reader.words()));
  // Every rank has gathers of its own: what one of them cannot read, the others do not wait for.
  sill::run_and_agree(launch.comm(), [&] {
    for (const sill::Gather gather : gathers) {
      const std::vector<float> samples = gather.samples();
      const auto fold = static_cast<std::size_t>(gather.size());
      std::vector<float> stack(samples.size() / fold);  // of traces of one length
      for (std::size_t i = 0; i < samples.size(); ++i) stack[i % stack.size()] += samples[i] / static_cast<float>(fold);
      float largest = 0;
      for (const float sample : stack) largest = std::max(largest, std::abs(sample));
      std::cout << "cdp " + gather.values()[0].text() + ": " + std::to_string(fold) + " traces, " +
                       std::to_string(largest) + '\n';
    }
  });
} catch (const sill::Error& error) {  // the same on every rank
  std::cerr << error.what() << '\n';
  return static_cast<int>(error.code());
}
