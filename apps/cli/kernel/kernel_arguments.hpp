// The options that all commands of `sill kernel` have.
#pragma once

#include <string>
#include <vector>

#include "kernels/kernel.hpp"

namespace sill::cli {

/// Options of every kernel, as the user wrote them.
struct KernelArguments {
  kernels::KernelSetting setting;
  bool is_original = false;
  bool verify = false;
  bool is_paper = false;
  std::vector<std::string> against;  ///< ways, as cli/kernel/kernel_comparison.hpp reads them
  bool sweeps_hints = false;
  int repeat = 9;
};

}  // namespace sill::cli
