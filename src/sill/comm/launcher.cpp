#include "sill/comm/launcher.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace sill {
namespace {

std::optional<int> number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  const std::string_view view(text);
  int value = 0;
  const auto result = std::from_chars(view.data(), view.data() + view.size(), value);
  if (result.ec != std::errc{} || result.ptr != view.data() + view.size()) return std::nullopt;
  return value;
}

struct LauncherVariables {
  const char* size;
  const char* rank;
  const char* launcher;
};
constexpr std::array<LauncherVariables, 3> known_launchers{{
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI"},
    {"PMI_SIZE", "PMI_RANK", "MPICH or Intel MPI"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "Slurm"},
}};

}  // namespace

std::optional<Announcement> launcher_announcement() {
  std::optional<Announcement> largest;
  for (const LauncherVariables& known : known_launchers) {
    const std::optional<int> ranks = number_in_environment(known.size);
    if (!ranks || *ranks < 1 || (largest && largest->ranks >= *ranks)) continue;
    largest = Announcement{fmt::format("{}={}", known.size, *ranks), known.launcher, *ranks,
                           number_in_environment(known.rank).value_or(0)};
  }
  if (const std::optional<int> rank = number_in_environment("PMIX_RANK"); rank && !largest) {
    largest = Announcement{fmt::format("PMIX_RANK={}", *rank), "a PMIx launcher", 0, *rank};
  }
  return largest;
}

}  // namespace sill
