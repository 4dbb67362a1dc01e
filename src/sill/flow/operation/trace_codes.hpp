// The number of traces of each trace identification.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sill/comm/communicator.hpp"

namespace sill::flow {

/// Counts of codes, by bytes 29-30 of the trace headers. One thread uses it.
class TraceCodes {
 public:
  void count(double code, std::int64_t traces = 1) { traces_[code] += traces; }
  void add(const TraceCodes& other);
  [[nodiscard]] bool empty() const { return traces_.empty(); }

  /// Collective. What all ranks have counted.
  [[nodiscard]] TraceCodes of_all(Communicator& comm) const;
  [[nodiscard]] const std::map<double, std::int64_t>& by_code() const { return traces_; }
  /// Local. "5 (24 traces), 6 (1 trace)", at most five.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::int64_t traces() const;

 private:
  std::map<double, std::int64_t> traces_;
};

}  // namespace sill::flow
