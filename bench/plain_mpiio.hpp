// A reference: MPI-IO called as programs call it, a collective write for each extent, without any of Sill's care.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/store/mpiio/mpiio_types.hpp"

namespace sill::bench {

/// Files, each opened by all ranks that write it in some phase, kept open until `close`.
class PlainMpiio {
 public:
  /// Local. Both outlive it.
  PlainMpiio(Communicator& comm, const std::vector<std::string>& paths) : comm_(comm), paths_(paths) {}

  /// Collective. `plans` of all ranks; the extents of this rank's have an address and are contiguous in memory.
  /// Errors: io.
  void write(const std::vector<AccessPlan>& plans);
  /// Collective.
  void close();

 private:
  MPI_File opened(int file, MPI_Comm owners);

  Communicator& comm_;
  const std::vector<std::string>& paths_;
  std::map<int, MPI_File> files_;
};

}  // namespace sill::bench
