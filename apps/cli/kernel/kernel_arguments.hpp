// The common options of all commands of `sill kernel`.
#pragma once

#include <string>
#include <vector>

#include "kernels/kernel.hpp"

namespace sill::cli {

/// The options of every kernel, as written by the user.
struct KernelArguments {
  kernels::KernelSetting setting;
  bool is_original = false;
  bool verify = false;
  bool is_paper = false;
  std::vector<std::string> against;  ///< ways to write, in the form that cli/kernel/kernel_comparison.hpp reads
  bool sweeps_hints = false;
  int repeat = 9;
};

}  // namespace sill::cli
