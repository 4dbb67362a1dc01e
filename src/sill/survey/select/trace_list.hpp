// Chosen traces of a survey, in a few bytes a run of consecutive ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/samples/time_window.hpp"

namespace sill {

/// A trace, and which of its samples are taken.
struct SelectedTrace {
  std::int64_t trace = 0;  ///< from 0, counted through all files
  segy::SampleRange samples;
};

/// Traces in the order they were added. Holds two numbers of 1 to 9 bytes for each run of consecutive traces, and 24
/// bytes wherever other samples are taken than of the trace before.
class TraceList {
 public:
  /// Local. Adds a trace, which may be there already.
  void add(const SelectedTrace& trace);

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Local. The memory it takes, in bytes.
  [[nodiscard]] std::int64_t bytes() const;

  /// Goes through the traces of a list, which outlives it and does not change.
  class Cursor {
   public:
    explicit Cursor(const TraceList& list) : list_(&list) {}
    /// Local. The next trace. Precondition: not all were taken.
    [[nodiscard]] SelectedTrace next();

   private:
    const TraceList* list_;
    std::size_t code_ = 0;
    std::size_t samples_ = 0;
    std::int64_t position_ = 0;
    std::int64_t trace_ = 0;
    std::int64_t left_of_run_ = 0;
  };

  /// Local. Appends the list to a message; takes one from the beginning of what is left of a message.
  void append_to(std::vector<char>& message) const;
  [[nodiscard]] static TraceList take_from(std::span<const char>& message);

 private:
  struct SamplesFrom {
    std::int64_t position = 0;  ///< of the first trace they are taken of
    segy::SampleRange samples;
  };

  std::string codes_;  // of each run but the last: how far it is from the end of the one before, and its length
  std::vector<SamplesFrom> samples_;
  std::int64_t count_ = 0;
  std::int64_t codes_end_ = 0;  // the trace after those in `codes_`
  std::int64_t run_first_ = 0;  // the last run
  std::int64_t run_count_ = 0;
};

}  // namespace sill
