// Velocities that an operation finds, as a table that `nmo` and others read.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"

namespace sill::flow {

/// Lines of a table of locations, times and velocities, of any order. Several threads may add to it.
class VelocityTable {
 public:
  struct Line {
    double location = 0.0;
    double time_s = 0.0;
    double velocity = 0.0;  ///< in m/s
  };

  /// Local.
  void add(const Line& line) {
    const std::scoped_lock lock(mutex_);
    lines_.push_back(line);
  }

  /// Collective. Writes the lines of all ranks, by location and time, under the names of their columns, `location`
  /// being that of the first. Returns how many there are. Errors: io.
  std::int64_t write(const Resources& resources, const std::string& location, const std::string& path) const;

 private:
  std::mutex mutex_;
  std::vector<Line> lines_;
};

}  // namespace sill::flow
