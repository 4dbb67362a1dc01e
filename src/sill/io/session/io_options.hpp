// Settings of a program's input and output that its user can change without recompiling it.
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

/// Local. Returns the names of the outputs that an IoSession knows: arrays, segy (files of traces), solutions,
/// stations, surfaces, volumes, and files for others.
[[nodiscard]] std::span<const std::string_view> io_outputs();

/// Settings of an IoSession. docs/options.md describes them.
struct IoOptions {
  PolicySet policies = {};
  std::int64_t memory_bytes = 0;  ///< buffer memory of each rank, at least `min_mover_memory_bytes`; 0: a quarter of
                                  ///< the memory limit of the node, divided by the number of its ranks
  DatasetLayouts layouts = {};    ///< layouts of datasets; they override the options in the code
  int threads = 0;                ///< threads per rank, if the policy does not set them, up to 1024; 0: the cores that
                                  ///< the rank has
  std::string report = {};        ///< the file that `IoSession::finish` writes: tables if it ends with .txt, a page if
                                  ///< with .html, otherwise JSON; empty: none
  std::string file = {};          ///< a TOML file whose settings override these; empty: none
  bool environment = true;        ///< SILL_OPTIONS, SILL_POLICY and SILL_LAYOUT override all other settings
};

/// Collective. Returns `given`, overridden by the settings of its file; SILL_OPTIONS, SILL_POLICY and SILL_LAYOUT
/// override both. All ranks use the environment and the files of rank 0. The result has an empty `file`, and
/// `environment` is false. Errors: usage, the same on all ranks, with the file and line or the variable: for text that
/// is not a valid list of settings, unknown keys and outputs, and invalid values; for options that are not the same on
/// all ranks; io for files.
[[nodiscard]] IoOptions settled(Communicator& comm, const IoOptions& given);

}  // namespace sill
