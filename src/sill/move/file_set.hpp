// A set of files that ranks write and read together: the file handles and their state.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sill/move/collective_files.hpp"
#include "sill/move/mover_terms.hpp"
#include "sill/store/burst/burst_files.hpp"
#include "sill/store/handle_cache.hpp"

namespace sill {

/// Extents refer to a file by its index in `paths`. A rank opens a file when it first needs it.
struct FileSet {
  /// Local. Opens nothing yet. `terms` are the terms of the mover that uses the set.
  FileSet(Communicator& comm, const MoverTerms& terms, std::vector<std::string> file_paths, OpenMode open_mode,
          bool durable, bool of_rank = false)
      : paths(std::move(file_paths)),
        mode(open_mode),
        is_of_rank(of_rank),
        handles(terms.files.open, paths, mode, static_cast<std::size_t>(terms.max_open)),
        together(comm, terms.files.open_together, paths, mode, terms.max_open_together, terms.stage_bytes, durable) {
    if (terms.burst) burst.emplace(terms.burst, handles, paths, terms.drain_threads, terms.drain_bytes);
  }

  std::vector<std::string> paths;
  OpenMode mode;
  bool is_of_rank;                       ///< each rank has its own files, which no other rank uses
  HandleCache handles;                   ///< for files that a rank reads or writes independently
  CollectiveFiles together;              ///< files whose data several ranks hold, with Call::mpiio_collective
  std::optional<BurstFiles> burst = {};  ///< log through which `handles` are written, if the policy sets Policy::burst
};

}  // namespace sill
