#include "sill/store/posix/system_writes.hpp"

#include <fstream>
#include <map>
#include <string>

namespace sill {

std::optional<SystemWrites> system_writes() {
  std::ifstream in("/proc/self/io");
  std::string key;
  std::int64_t value = 0;
  std::map<std::string, std::int64_t> counts;
  while (in >> key >> value) counts[key] = value;
  if (!counts.contains("syscw:") || !counts.contains("wchar:")) return std::nullopt;
  return SystemWrites{counts["syscw:"], counts["wchar:"]};
}

}  // namespace sill
