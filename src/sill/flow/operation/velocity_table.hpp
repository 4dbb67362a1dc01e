// Velocities that an operation determines, as a table that `nmo` and other operations read.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"

namespace sill::flow {

/// Lines of a table of locations, times and velocities, in any order. Several threads may add lines.
class VelocityTable {
 public:
  struct Line {
    double location = 0.0;
    double time_s = 0.0;
    double velocity = 0.0;  ///< in m/s
  };

  /// Local. Adds a line.
  void add(const Line& line) {
    const std::scoped_lock lock(mutex_);
    lines_.push_back(line);
  }

  /// Collective. Writes the lines of all ranks, sorted by location and time, after a line of column names; the first
  /// name is `location`. Returns the number of lines. Errors: io.
  std::int64_t write(const Resources& resources, const std::string& location, const std::string& path) const;

 private:
  std::mutex mutex_;
  std::vector<Line> lines_;
};

}  // namespace sill::flow
