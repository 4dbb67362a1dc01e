// Selected traces of a survey, stored in a few bytes per run of consecutive traces.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/samples/time_window.hpp"

namespace sill {

/// A trace, and the range of its samples that is selected.
struct SelectedTrace {
  std::int64_t trace = 0;  ///< from 0, counted through all files
  segy::SampleRange samples;
};

/// Traces in the order in which they were added. Uses two numbers of 1 to 9 bytes for each run of consecutive traces,
/// and 24 bytes wherever the selected samples differ from those of the previous trace.
class TraceList {
 public:
  /// Local. Adds a trace; a trace may be added several times.
  void add(const SelectedTrace& trace);

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Local. Returns the memory used, in bytes.
  [[nodiscard]] std::int64_t bytes() const;

  /// Iterates over the traces of a list, which must outlive the cursor and must not change.
  class Cursor {
   public:
    explicit Cursor(const TraceList& list) : list_(&list) {}
    /// Local. Returns the next trace. Precondition: the list has more traces.
    [[nodiscard]] SelectedTrace next();

   private:
    const TraceList* list_;
    std::size_t code_ = 0;
    std::size_t samples_ = 0;
    std::int64_t position_ = 0;
    std::int64_t trace_ = 0;
    std::int64_t left_of_run_ = 0;
  };

  /// Local. Append the list to a message; remove a list from the beginning of the rest of a message, and return it.
  void append_to(std::vector<char>& message) const;
  [[nodiscard]] static TraceList take_from(std::span<const char>& message);

 private:
  struct SamplesFrom {
    std::int64_t position = 0;  ///< position of the first trace with these samples
    segy::SampleRange samples;
  };

  std::string codes_;  // of each run except the last: its distance from the end of the previous run, and its length
  std::vector<SamplesFrom> samples_;
  std::int64_t count_ = 0;
  std::int64_t codes_end_ = 0;  // trace after the last run in `codes_`
  std::int64_t run_first_ = 0;  // first trace of the last run
  std::int64_t run_count_ = 0;
};

}  // namespace sill
