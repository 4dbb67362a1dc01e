#include "sill/store/posix/counted_calls.hpp"

#include <fstream>
#include <map>
#include <string>

#include "sill/base/error.hpp"

namespace sill {

std::optional<CountedCalls> counted_calls() {
  std::ifstream in("/proc/self/io");
  std::string key;
  std::int64_t value = 0;
  std::map<std::string, std::int64_t> counts;
  while (in >> key >> value) counts[key] = value;
  for (const char* const needed : {"syscr:", "syscw:", "wchar:"}) {
    if (!counts.contains(needed)) return std::nullopt;
  }
  return CountedCalls{counts["syscr:"], counts["syscw:"], counts["wchar:"]};
}

CountedCalls required_counted_calls() {
  if (const std::optional<CountedCalls> calls = counted_calls()) return *calls;
  throw Error({.code = ErrorCode::io,
               .problem = "the system does not count the calls of this process",
               .where = {.file = "/proc/self/io"}});
}

}  // namespace sill
