// The output of the simulation. output_own.cpp and output_sill.cpp implement these functions in two ways.
#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// A slab of a grid: `count` points along x from `first` on, all along y and z. Its arrays are array[x][y][z], with a
// ghost point before and after it along x.
struct Slab {
  MPI_Comm comm;
  std::array<std::int64_t, 3> shape;
  std::int64_t first, count;
};
using Flux = std::array<std::vector<float>, 3>;

class Output {
 public:
  virtual ~Output() = default;
  virtual void write(int step, const Flux& q) = 0;
  virtual void close() = 0;
};
std::unique_ptr<Output> open_output(const Slab& slab, const std::string& prefix);
