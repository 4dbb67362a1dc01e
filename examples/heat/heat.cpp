// Heat in a box, distributed to the ranks in slabs. Every 10th step writes the heat flux in the middle plane: heat
// PREFIX
#include "heat.hpp"

#include <exception>
#include <iostream>
#include <utility>

constexpr std::int64_t nx = 48, ny = 40, nz = 32, plane = ny * nz;
constexpr int steps = 40, every = 10;

void exchange_ghosts(const Slab& slab, std::vector<float>& t, int rank, int ranks) {
  const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, after = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  const auto swap = [&](std::int64_t from, int to_rank, std::int64_t into, int from_rank) {
    MPI_Sendrecv(&t[from * plane], plane, MPI_FLOAT, to_rank, 0, &t[into * plane], plane, MPI_FLOAT, from_rank, 0,
                 slab.comm, MPI_STATUS_IGNORE);
  };
  swap(1, before, slab.count + 1, after);
  swap(slab.count, after, 0, before);
}

int main(int count, char** values) {
  int level = 0, rank = 0, ranks = 0;
  MPI_Init_thread(&count, &values, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Slab slab{MPI_COMM_WORLD, {nx, ny, nz}, nx * rank / ranks, 0};
  slab.count = nx * (rank + 1) / ranks - slab.first;
  std::vector<float> t((slab.count + 2) * plane), next = t;
  Flux q{t, t, t};
  const std::int64_t hot = nx / 3 - slab.first;
  if (hot >= 0 && hot < slab.count) t[(hot + 1) * plane + ny / 2 * nz + nz / 2] = 1000;
  try {
    const std::unique_ptr<Output> output = open_output(slab, count > 1 ? values[1] : "");
    for (int step = 1; step <= steps; ++step) {
      exchange_ghosts(slab, t, rank, ranks);
      for (std::int64_t x = 1; x <= slab.count; ++x)
        for (std::int64_t y = 1; y < ny - 1; ++y)
          for (std::int64_t i = x * plane + y * nz + 1; i < x * plane + y * nz + nz - 1; ++i) {
            const float along_x = t[i + plane] + t[i - plane], along_y = t[i + nz] + t[i - nz];
            next[i] = t[i] + 0.125f * (along_x + along_y + t[i + 1] + t[i - 1] - 6 * t[i]);
            q[0][i] = t[i - plane] - t[i + plane];
            q[1][i] = t[i - nz] - t[i + nz];
            q[2][i] = t[i - 1] - t[i + 1];
          }
      std::swap(t, next);
      if (step % every == 0) output->write(step, q);
    }
    output->close();
  } catch (const std::exception& error) {  // of one rank, for which the others would wait
    std::cerr << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return MPI_Finalize();
}
