// After: every rank states once which points it has, and passes its arrays unchanged.
#include <cstdlib>
#include <iostream>

#include "heat.hpp"
#include "sill/comm/mpi_communicator.hpp"
#include "sill/io/session/io_session.hpp"
#include "sill/io/simulation/surface_writer.hpp"

// An error is the same on all ranks: here all of them end the run, in order, so that no message is lost.
template <class Work>
static void or_end(const Work& work) {
  try {
    work();
  } catch (const sill::Error& error) {
    std::cerr << error.what() << '\n';
    MPI_Finalize();
    std::exit(1);
  }
}

class SillOutput : public Output {
 public:
  SillOutput(const Slab& slab, const std::string& prefix)
      : comm_(sill::make_mpi_communicator(slab.comm)),
        session_(*comm_),
        writer_(session_.resources("surfaces"), grid_of(slab), {.prefix = prefix, .xy_at_z = slab.shape[2] / 2}) {}

  void write(int step, const Flux& q) override {
    or_end([&] { writer_.write_phase(step, {q[0], q[1], q[2]}); });
  }
  void close() override {
    or_end([&] {
      writer_.close();
      session_.finish();
    });
  }

 private:
  static sill::DistributedGrid grid_of(const Slab& slab) {
    const auto [nx, ny, nz] = slab.shape;
    return {.shape = {nx, ny, nz},
            .mine = {{slab.first, 0, 0}, {slab.count, ny, nz}},
            .stored = {{slab.first - 1, 0, 0}, {slab.count + 2, ny, nz}}};
  }

  std::unique_ptr<sill::Communicator> comm_;
  sill::IoSession session_;
  sill::SurfaceWriter writer_;
};

std::unique_ptr<Output> open_output(const Slab& slab, const std::string& prefix) {
  std::unique_ptr<Output> output;
  or_end([&] { output = std::make_unique<SillOutput>(slab, prefix); });
  return output;
}
