// Converts a SEG-Y or Seismic Unix file to SEG-Y with IEEE floats, and prints what it changed: convert IN OUT
#include <iostream>

#include "sill/comm/launch.hpp"
#include "sill/survey/convert/convert.hpp"

int main(int count, char** values) try {
  if (count != 3) return std::cerr << "usage: convert IN OUT\n", 2;
  sill::Launch launch;  // alone, or one of the ranks that mpiexec started
  const sill::Resources resources{.comm = launch.comm()};
  const sill::SurveyReader reader(resources, {values[1]});
  sill::ConvertOptions options;
  options.output = values[2];
  options.kind = sill::segy::FileKind::segy;
  options.sample_format = sill::segy::SampleFormat::ieee_float;
  const sill::ConvertResult result = sill::convert(resources, reader, options);  // the same on every rank
  if (launch.comm().rank() != 0) return 0;
  std::cout << result.samples.samples << " samples, " << result.samples.rounded << " rounded\n";
  for (const std::string& note : result.notes) std::cout << note << '\n';
} catch (const sill::Error& error) {  // the same on every rank
  std::cerr << error.what() << '\n';
  return static_cast<int>(error.code());
}
