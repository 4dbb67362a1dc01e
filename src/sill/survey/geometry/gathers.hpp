// Iterates over the traces of a survey gather by gather, in any trace order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "sill/formats/segy/words/key.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// Traces that have the same values of some keys.
class Gather {
 public:
  /// Local. Returns the numbers of the gather's traces, counted through all files from 0, in the requested order.
  [[nodiscard]] std::span<const std::int64_t> traces() const { return traces_; }
  [[nodiscard]] std::int64_t size() const { return std::ssize(traces_); }

  /// Local. Returns the value of each key, which all traces of the gather share. Errors: io.
  [[nodiscard]] std::vector<segy::WordValue> values() const;
  /// Local. Returns the first 240 bytes of each trace's headers, one after another. Errors: io.
  [[nodiscard]] std::vector<std::byte> headers() const;
  /// Local. Returns the total number of samples of the gather's traces.
  [[nodiscard]] std::int64_t samples_count() const;
  /// Local. Returns the samples of the gather's traces, one after another, as SurveyReader::read_samples. Precondition:
  /// SurveyReader::require_sample_format was called. Errors: io; input for a sample beyond the range of float.
  [[nodiscard]] std::vector<float> samples() const;

 private:
  friend class Gathers;
  Gather(const SurveyReader& reader, std::span<const segy::TraceKey> keys, std::span<const std::int64_t> traces)
      : reader_(&reader), keys_(keys), traces_(traces) {}

  const SurveyReader* reader_;
  std::span<const segy::TraceKey> keys_;
  std::span<const std::int64_t> traces_;
};

/// All gathers of a survey, in the order of their keys. Each gather is on one rank; every rank iterates over its own
/// gathers.
///
///     reader.require_sample_format();
///     const Gathers gathers(resources, reader, segy::TraceKey::parse_list("cdp", reader.words()));
///     for (const Gather gather : gathers) stack(gather.samples());
class Gathers {
 public:
  /// Collective. Determines the gathers of a survey: traces with equal `keys`. Within a gather, traces are ordered by
  /// `then`, and traces with equal keys are in file order. Reads the header bytes that the keys need, once, and sorts
  /// traces only if they are not already in this order. Afterwards uses 8 bytes per trace; before, 16 more and 8 for
  /// each 8 bytes of keys, twice while sorting. A gather is assigned to the rank on which it begins, so that the traces
  /// are distributed as evenly as the gathers allow. `resources` and `reader` must outlive this object. Errors: usage
  /// without keys, for more than 64 bytes of keys, and for keys that need more than the memory of a rank, as in `sort`;
  /// io; input if a trace does not have a key.
  Gathers(const Resources& resources, const SurveyReader& reader, std::vector<segy::TraceKey> keys,
          std::vector<segy::TraceKey> then = {});
  // Gathers refer to the keys and traces of this object.
  Gathers(const Gathers&) = delete;
  Gathers& operator=(const Gathers&) = delete;

  /// Local. Return the number of gathers of all ranks; the number of gathers of this rank; the number, from 0, of this
  /// rank's first gather.
  [[nodiscard]] std::int64_t all() const { return all_; }
  [[nodiscard]] std::int64_t size() const { return std::ssize(begins_) - 1; }
  [[nodiscard]] std::int64_t first() const { return first_; }
  /// Local. Returns true if the traces were in order in the files.
  [[nodiscard]] bool were_in_order() const { return were_in_order_; }

  /// Local. Returns gather `i` of this rank, from 0.
  [[nodiscard]] Gather operator[](std::int64_t i) const;

  class Iterator {
   public:
    Iterator(const Gathers& gathers, std::int64_t i) : gathers_(&gathers), i_(i) {}
    [[nodiscard]] Gather operator*() const { return (*gathers_)[i_]; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const Gathers* gathers_;
    std::int64_t i_;
  };
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size()}; }

 private:
  template <std::size_t Words>
  void gather(const Resources& resources, std::span<const segy::TraceKey> all_keys);

  const SurveyReader& reader_;
  std::vector<segy::TraceKey> keys_;
  std::vector<std::int64_t> traces_;
  std::vector<std::size_t> begins_{0};  // of each gather in `traces_`, followed by the end
  std::int64_t all_ = 0;
  std::int64_t first_ = 0;
  bool were_in_order_ = true;
};

}  // namespace sill
