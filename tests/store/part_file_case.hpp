// A folder in which tests put part files.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "store/temporary_folder.hpp"

namespace sill::test {

class PartFileCase : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> names() const { return names_in(folder.path()); }

  TemporaryFolder folder;
  std::string target = folder / "out.sgy";
};

/// Local. Whether another process could not lock the file now.
[[nodiscard]] inline bool is_locked(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool had = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  return !had;
}

}  // namespace sill::test
