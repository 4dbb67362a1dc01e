// Before: rank 0 gathers the plane of all ranks, and writes it value by value.
#include <bit>
#include <fstream>
#include <stdexcept>

#include "heat.hpp"

class OwnOutput : public Output {
 public:
  OwnOutput(const Slab& slab, const std::string& prefix) : of_(slab), prefix_(prefix) {}

  void write(int step, const Flux& q) override {
    const auto [nx, ny, nz] = of_.shape;
    int rank = 0, ranks = 0;
    MPI_Comm_rank(of_.comm, &rank);
    MPI_Comm_size(of_.comm, &ranks);
    std::vector<float> mine, all(rank == 0 ? nx * ny * 3 : 0);
    for (std::int64_t x = 1; x <= of_.count; ++x)
      for (std::int64_t y = 0; y < ny; ++y)
        for (const auto& component : q) mine.push_back(component[(x * ny + y) * nz + nz / 2]);
    std::vector<int> counts(ranks), places(ranks + 1);
    const int count = static_cast<int>(mine.size());
    MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, of_.comm);
    for (int r = 0; r < ranks; ++r) places[r + 1] = places[r] + counts[r];
    MPI_Gatherv(mine.data(), count, MPI_FLOAT, all.data(), counts.data(), places.data(), MPI_FLOAT, 0, of_.comm);
    if (rank != 0) return;
    const std::string number = std::to_string(step);
    std::ofstream file(prefix_ + "surfacexyvel" + std::string(4 - number.size(), '0') + number + "00.vtk",
                       std::ios::binary);
    file << "# vtk DataFile Version 3.0\nV\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS " << nx << ' ' << ny
         << " 1\nORIGIN 0.000000 0.000000 " << std::to_string(1.0 * (nz / 2))
         << "\nSPACING 1.000000 1.000000 1.000000\nPOINT_DATA " << nx * ny
         << "\nSCALARS V float 3\nLOOKUP_TABLE default\n";
    for (std::int64_t y = 0; y < ny; ++y)
      for (std::int64_t x = 0; x < nx; ++x)
        for (int c = 0; c < 3; ++c) {
          const auto bits = std::bit_cast<std::uint32_t>(all[(x * ny + y) * 3 + c]);
          for (int shift = 24; shift >= 0; shift -= 8) file.put(static_cast<char>(bits >> shift));
        }
    if (!file.flush()) throw std::runtime_error("the plane could not be written");
  }
  void close() override {}

 private:
  Slab of_;
  std::string prefix_;
};

std::unique_ptr<Output> open_output(const Slab& slab, const std::string& prefix) {
  return std::make_unique<OwnOutput>(slab, prefix);
}
