// The headers of the traces that a view shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/flow/operation/dead_traces.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::view {

/// All headers of some traces, each padded to the length of the longest.
class ShownHeaders {
 public:
  /// Local. Reads the headers. Precondition: `reader` and `numbers` outlive this object. Errors: io.
  ShownHeaders(const SurveyReader& reader, std::span<const std::int64_t> numbers);

  [[nodiscard]] segy::HeaderView view(std::size_t i) const {
    return reader_.view(numbers_[i], headers_.data() + i * static_cast<std::size_t>(bytes_));
  }
  /// Local. Returns true if trace `i` is marked as dead.
  [[nodiscard]] bool is_dead(std::size_t i) const { return kinds_.contains(view(i).header); }
  /// Local. Returns true if trace `i` is seismic data, or if none of the traces are: auxiliary traces, such as sweeps
  /// and time breaks, are shown, but are not counted among other traces.
  [[nodiscard]] bool is_counted(std::size_t i) const { return !any_seismic_ || kinds_.is_seismic(view(i).header); }
  /// Local. Returns a note about traces that state another sample interval than the survey; empty if there are none.
  [[nodiscard]] std::string interval_note() const;

 private:
  std::byte* of(std::size_t i) { return headers_.data() + i * static_cast<std::size_t>(bytes_); }

  const SurveyReader& reader_;
  std::span<const std::int64_t> numbers_;
  std::int64_t bytes_ = segy::trace_header_bytes;
  std::vector<std::byte> headers_;
  flow::DeadTraces kinds_;
  bool any_seismic_ = false;
};

}  // namespace sill::view
