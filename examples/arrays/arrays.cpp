// Writes a wave on a distributed grid as a netCDF file, step by step, and reads the last step back: arrays FILE
#include <cmath>
#include <iostream>
#include <vector>

#include "sill/comm/launch.hpp"
#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/arrays/dataset_writer.hpp"
#include "sill/layout/decomposition.hpp"

int main(int count, char** values) try {
  if (count != 2) return std::cerr << "usage: arrays FILE\n", 2;
  sill::Launch launch;  // alone, or one of the ranks that mpiexec started
  sill::Communicator& comm = launch.comm();
  const sill::Resources resources{.comm = comm};

  const sill::Index shape{60, 40};  // y, x
  const sill::ItemRange columns = sill::block_of(shape[1], comm.size(), comm.rank());
  const sill::Box mine{{0, columns.first}, {shape[0], columns.count}};
  const sill::Box stored = sill::with_margin(mine, {1, 1}, {1, 1}, shape);  // with ghost points
  std::vector<double> height(static_cast<std::size_t>(stored.items()));

  sill::DatasetWriter writer(resources, values[1],
                             {.dimensions = {{"time", sill::unlimited}, {"y", shape[0]}, {"x", shape[1]}},
                              .variables = {{"height", sill::ElementType::f4, {"time", "y", "x"}, {{"units", "m"}}}},
                              .attributes = {{"title", "a standing wave"}}},
                             {.existing = sill::DatasetOptions::Existing::replace});
  for (int step = 0; step < 10; ++step) {
    std::size_t at = 0;
    for (std::int64_t y = stored.first[0]; y < stored.first[0] + stored.count[0]; ++y) {
      for (std::int64_t x = stored.first[1]; x < stored.first[1] + stored.count[1]; ++x) {
        height[at++] =
            std::cos(0.1 * step) * std::cos(0.2 * static_cast<double>(x)) * std::cos(0.1 * static_cast<double>(y));
      }
    }
    writer.write_step({{{"height", mine, stored, height.data()}}});  // its steps are complete one by one
  }
  writer.close();

  sill::DatasetReader reader(resources, values[1]);
  std::vector<float> row(static_cast<std::size_t>(shape[1]));  // each rank reads the same row
  reader.read_step(reader.steps() - 1, {{{"height", {{0, 0}, {1, shape[1]}}, row.data()}}});
  if (comm.rank() == 0) std::cout << reader.steps() << " steps, the last begins with " << row[0] << '\n';
} catch (const sill::Error& error) {  // the same on every rank
  std::cerr << error.what() << '\n';
  return static_cast<int>(error.code());
}
