// Station files of Ondes3D (docs/simulation-output.md): the record of a receiver in a simulation, as text, one line per
// time step.
//
//     12 51200.000000 33000.000000 0.000000      the station's number; x, y and z in m
//     1000 0.008000                              time steps written so far; time step in s
//       -1.234560e-05   4.200000e-07 ...         the components of a step, each "%15e", blanks between them
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sill/base/exponent_text.hpp"
#include "sill/layout/item_list.hpp"

namespace sill::station {

/// Components of a wave field that Ondes3D records.
inline constexpr int ondes3d_components = 9;
inline constexpr std::array<const char*, ondes3d_components> ondes3d_component_names{"vx",  "vy",  "vz",  "txx", "tyy",
                                                                                     "tzz", "txy", "txz", "tyz"};
inline constexpr ExponentForm value_form{.width = 15, .precision = 6};
/// Bytes of a value and of the blank or newline after it; enough for every double.
inline constexpr std::int64_t value_bytes = 16;

struct Station {
  int number = 0;  ///< as stated in the header; the number in the file name may differ
  std::array<double, 3> position_m = {};
  std::string code = {};  ///< ASDF only: NET.STA or NET.STA.LOC
};

/// Local. Throws Error(usage) because a value of `station` cannot be recorded.
[[noreturn]] void refuse_station(const Station& station, const std::string& problem);

/// The effect on the header when its number of steps gains a digit.
enum class StepCount {
  reserved,  ///< right-aligned in the width of the final number: the header keeps its size
  grows,     ///< as in Ondes3D: the header grows in place and overwrites the first bytes of the first record, which are
             ///< blanks unless the header grows by more than their number
};

/// Local. Returns "obs<n>.dat"; files are numbered from 1.
[[nodiscard]] std::string file_name(std::int64_t number);

/// Adjacent components of a station in memory, for consecutive steps.
struct Values {
  const double* first = nullptr;  ///< values for text
  const float* floats = nullptr;  ///< values for SAC, used instead of `first`
  std::int64_t step_stride = 0;   ///< distance between the same component in consecutive steps, in values
  std::int64_t components = 0;    ///< consecutive in memory
  bool end_record = false;        ///< true if the last component ends the record, so that a newline follows
};

/// The contents of an existing file of a receiver.
struct ReceiverContents {
  std::int64_t steps = 0;  ///< as stated in its header
  ItemList records;        ///< records of all steps
};

/// A file with the records of a receiver: a header that states the number of steps, and one record per step, all of
/// equal size, with the same number of bytes for each component.
class ReceiverFile {
 public:
  ReceiverFile() = default;
  ReceiverFile(const ReceiverFile&) = default;
  ReceiverFile(ReceiverFile&&) = default;
  ReceiverFile& operator=(const ReceiverFile&) = default;
  ReceiverFile& operator=(ReceiverFile&&) = default;
  virtual ~ReceiverFile() = default;

  /// Local. Returns the header of a file with `steps` steps. Precondition: 0 <= steps <= final_steps.
  [[nodiscard]] virtual std::string header(std::int64_t steps) const = 0;
  /// Local. Returns the positions of the records of all steps if the first output phase writes `first_phase_steps`.
  [[nodiscard]] virtual ItemList records(std::int64_t first_phase_steps) const = 0;
  /// Local. Returns the number of bytes that `contents_of` needs; a shorter file must be passed completely.
  [[nodiscard]] virtual std::int64_t contents_bytes() const = 0;
  /// Local. Returns the contents of a file with these first bytes; nullopt if the file does not match this description,
  /// or has no complete record.
  [[nodiscard]] virtual std::optional<ReceiverContents> contents_of(std::string_view first_bytes) const = 0;
  /// Local. Returns the number of bytes that one component has in a record.
  [[nodiscard]] virtual std::int64_t value_bytes() const = 0;
  /// Local. Writes bytes `range` of `values` as in the file, step after step. Precondition: bytes.size() ==
  /// range.length; `range` is within the available steps.
  virtual void write(const Values& values, ByteRange range, std::span<std::byte> bytes) const = 0;
};

/// The layout of the file of one station.
class StationFile final : public ReceiverFile {
 public:
  /// Local. Determines the layout. `final_steps`: the maximum number of steps. Errors: usage if the number of
  /// components or of steps is not positive, if the interval or the position is not a number, or if the file would
  /// exceed 2^63 - 1 bytes.
  StationFile(const Station& station, double interval_s, int components, std::int64_t final_steps, StepCount count);

  [[nodiscard]] std::string header(std::int64_t steps) const override;
  /// Local. Returns the positions of the records of all steps. The first record begins at the end of the header that
  /// the first phase writes.
  [[nodiscard]] ItemList records(std::int64_t first_phase_steps) const override;
  [[nodiscard]] std::int64_t contents_bytes() const override;
  [[nodiscard]] std::optional<ReceiverContents> contents_of(std::string_view first_bytes) const override;
  [[nodiscard]] std::int64_t value_bytes() const override { return station::value_bytes; }
  void write(const Values& values, ByteRange range, std::span<std::byte> bytes) const override;

  [[nodiscard]] std::int64_t record_bytes() const { return components_ * station::value_bytes; }

 private:
  std::string line_1_;
  std::string end_of_line_2_;
  std::int64_t components_;
  std::int64_t final_steps_;
  std::size_t count_width_;  // minimum number of characters
};

}  // namespace sill::station
