// How many threads this process has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iterator>

namespace sill::test {

inline std::int64_t threads_of_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

}  // namespace sill::test
