// What a program's user can set about its input and output without compiling it again.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sill/comm/communicator.hpp"
#include "sill/io/session/dataset_layouts.hpp"
#include "sill/move/policy/policy_set.hpp"

namespace sill {

/// Local. The names of the outputs that an IoSession knows: arrays, segy (files of traces), solutions, stations,
/// surfaces, volumes, and files for others.
[[nodiscard]] std::span<const std::string_view> io_outputs();

/// Settings of an IoSession. docs/options.md describes them.
struct IoOptions {
  PolicySet policies = {};
  std::int64_t memory_bytes = 0;  ///< of each rank for buffers, at least `min_mover_memory_bytes`; 0: a quarter of
                                  ///< what the process may use, shared by the ranks of the node
  DatasetLayouts layouts = {};    ///< of datasets, before what the code says of them
  int threads = 0;                ///< of each rank where the policy does not say, up to 1024; 0: the cores it has
  std::string report = {};        ///< the file that `IoSession::finish` writes: tables if it ends with .txt, else JSON;
                                  ///< empty: none
  std::string file = {};          ///< a TOML file whose settings count before these; empty: none
  bool environment = true;        ///< whether SILL_OPTIONS, SILL_POLICY and SILL_LAYOUT count before all others
};

/// Collective. Returns `given` with the settings of its file, and over those the settings of SILL_OPTIONS, SILL_POLICY
/// and SILL_LAYOUT: the environment and the files of rank 0, on all ranks. The result names neither a file nor an
/// environment. Errors: usage, the same on all ranks, naming file and line or the variable: for what cannot be read as
/// settings, unknown keys and outputs, and invalid values; for options that are not the same on all ranks; io for
/// files.
[[nodiscard]] IoOptions settled(Communicator& comm, const IoOptions& given);

}  // namespace sill
