#include "sill/comm/node.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace sill {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

std::int64_t physical_bytes() {
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
}

// Reads a limit file: a number, or "max" for no limit.
std::int64_t number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::int64_t value = 0;
  return (in >> value) ? value : unlimited;
}

// A limit applies to the group and everything below it, so the lowest limit on the way up applies.
template <class LimitOf>
std::int64_t smallest_up_from(const std::filesystem::path& root, const std::string& group, const LimitOf& limit_of) {
  std::int64_t smallest = unlimited;
  std::filesystem::path at = root / std::filesystem::path(group).relative_path();
  while (true) {
    smallest = std::min(smallest, limit_of(at));
    if (at == root || !at.has_relative_path()) break;
    at = at.parent_path();
  }
  return smallest;
}

// Calls `visit(root, group, is_version_2)` for the control groups of this process that limit memory.
template <class Visit>
void for_memory_groups(const Visit& visit) {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      visit("/sys/fs/cgroup", group, true);
    } else if (controllers == "memory") {
      visit("/sys/fs/cgroup/memory", group, false);
    }
  }
}

std::int64_t control_group_limit() {
  std::int64_t min = unlimited;
  for_memory_groups([&](const std::filesystem::path& root, const std::string& group, bool is_version_2) {
    min = std::min(min, smallest_up_from(root, group, [&](const std::filesystem::path& at) {
                     return number_in(at / (is_version_2 ? "memory.max" : "memory.limit_in_bytes"));
                   }));
  });
  return min;
}

// Returns the bytes of file data in the memory of a control group that the system can drop: not those of tmpfs.
std::int64_t file_data_in(const std::filesystem::path& group, bool is_version_2) {
  const std::string prefix = is_version_2 ? "" : "total_";
  std::ifstream stat(group / "memory.stat");
  std::string name;
  std::int64_t bytes = 0;
  for (std::int64_t value = 0; stat >> name >> value;)
    if (name == prefix + "inactive_file" || name == prefix + "active_file") bytes += value;
  return bytes;
}

// Returns the lowest of the limits of control groups, minus the memory in use.
std::int64_t control_group_free() {
  std::int64_t min = unlimited;
  for_memory_groups([&](const std::filesystem::path& root, const std::string& group, bool is_version_2) {
    min = std::min(min, smallest_up_from(root, group, [&](const std::filesystem::path& at) {
                     const std::int64_t limit = number_in(at / (is_version_2 ? "memory.max" : "memory.limit_in_bytes"));
                     const std::int64_t used =
                         number_in(at / (is_version_2 ? "memory.current" : "memory.usage_in_bytes"));
                     if (limit == unlimited || used == unlimited) return limit;
                     return std::max<std::int64_t>(0, limit - used + file_data_in(at, is_version_2));
                   }));
  });
  return min;
}

std::int64_t available_bytes() {
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("MemAvailable:")) return std::stoll(line.substr(13)) * 1024;
  }
  return physical_bytes();
}

}  // namespace

double core_share(const Communicator& comm) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const int cores = sched_getaffinity(0, sizeof allowed, &allowed) == 0
                        ? CPU_COUNT(&allowed)
                        : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return static_cast<double>(cores) / comm.ranks_on_cores();
}

int node_count(const Communicator& comm) { return 1 + std::ranges::max(comm.node_of_ranks()); }

int usable_cores(const Communicator& comm) { return std::max(1, static_cast<int>(core_share(comm))); }

std::int64_t memory_limit_bytes() {
  static const std::int64_t limit = std::min(physical_bytes(), control_group_limit());  // reading it takes 0.1 ms
  return limit;
}

std::int64_t free_memory_bytes() { return std::min(available_bytes(), control_group_free()); }

std::int64_t cacheable_bytes() { return std::min(available_bytes(), control_group_limit()); }

}  // namespace sill
