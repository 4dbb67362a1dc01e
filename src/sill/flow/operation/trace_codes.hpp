// The number of traces per trace identification code.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sill/comm/communicator.hpp"

namespace sill::flow {

/// Counts of codes in bytes 29-30 of the trace headers. Used by one thread.
class TraceCodes {
 public:
  void count(double code, std::int64_t traces = 1) { traces_[code] += traces; }
  void add(const TraceCodes& other);
  [[nodiscard]] bool empty() const { return traces_.empty(); }

  /// Collective. Returns the sums of the counts over all ranks.
  [[nodiscard]] TraceCodes of_all(Communicator& comm) const;
  [[nodiscard]] const std::map<double, std::int64_t>& by_code() const { return traces_; }
  /// Local. Returns the counts as text, at most five codes: "5 (24 traces), 6 (1 trace)".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::int64_t traces() const;

 private:
  std::map<double, std::int64_t> traces_;
};

}  // namespace sill::flow
