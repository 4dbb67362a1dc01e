// Station files of Ondes3D (FORMATS.md §1): what a receiver records in a simulation, as text, a line a time step.
//
//     12 51200.000000 33000.000000 0.000000      the station's number; x, y and z in m
//     1000 0.008000                              time steps written so far; s from one to the next
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
/// A value and the blank or the newline after it. No double takes more.
inline constexpr std::int64_t value_bytes = 16;

struct Station {
  int number = 0;  ///< as the header states it; the file's name counts by itself
  std::array<double, 3> position_m = {};
};

/// Local. Throws Error(usage): what cannot be recorded of a station.
[[noreturn]] void refuse_station(const Station& station, const std::string& problem);

/// What becomes of the header when the number of steps in it gains a digit.
enum class StepCount {
  reserved,  ///< it is right-aligned in the width of the final one: the header keeps its size
  grows,     ///< as Ondes3D does: the header becomes longer in place, over the first bytes of the first record, which
             ///< are blanks unless it grows by more than the record has
};

/// Local. "obs<n>.dat"; files are numbered from 1.
[[nodiscard]] std::string file_name(std::int64_t number);

/// Neighbouring components of a station in memory, step after step.
struct Values {
  const double* first = nullptr;  ///< of text
  const float* floats = nullptr;  ///< of SAC, in its place
  std::int64_t step_stride = 0;   ///< values from one step to the same component of the next
  std::int64_t components = 0;    ///< consecutive in memory
  bool end_record = false;        ///< the last of them is the last of the record, which a newline follows
};

/// What a file of a receiver was found to hold.
struct ReceiverContents {
  std::int64_t steps = 0;  ///< as its header counts them
  ItemList records;        ///< where those of all steps lie
};

/// A file of what a receiver records: a header that counts the steps, and a record for each, all of one size, with as
/// many bytes for each component.
class ReceiverFile {
 public:
  ReceiverFile() = default;
  ReceiverFile(const ReceiverFile&) = default;
  ReceiverFile(ReceiverFile&&) = default;
  ReceiverFile& operator=(const ReceiverFile&) = default;
  ReceiverFile& operator=(ReceiverFile&&) = default;
  virtual ~ReceiverFile() = default;

  /// Local. The header when `steps` steps are in the file. Precondition: 0 <= steps <= final_steps.
  [[nodiscard]] virtual std::string header(std::int64_t steps) const = 0;
  /// Local. Where the records of all steps lie if the first output phase writes `first_phase_steps`.
  [[nodiscard]] virtual ItemList records(std::int64_t first_phase_steps) const = 0;
  /// Local. How many bytes `contents_of` needs, or the whole file if it has fewer.
  [[nodiscard]] virtual std::int64_t contents_bytes() const = 0;
  /// Local. What a file with these first bytes holds; nothing if it is none that this describes, or has no whole
  /// record.
  [[nodiscard]] virtual std::optional<ReceiverContents> contents_of(std::string_view first_bytes) const = 0;
  /// Local. Of a component in a record.
  [[nodiscard]] virtual std::int64_t value_bytes() const = 0;
  /// Local. Bytes `range` of `values` as the file has them, step after step. Precondition: bytes.size() ==
  /// range.length; all of it lies in the steps there are.
  virtual void write(const Values& values, ByteRange range, std::span<std::byte> bytes) const = 0;
};

/// Where bytes live in the file of one station.
class StationFile final : public ReceiverFile {
 public:
  /// Local. `final_steps`: how many there can be. Errors: usage if the number of components or of steps is not
  /// positive, if the interval or the position is no number, or if the file would exceed 2^63 - 1 bytes.
  StationFile(const Station& station, double interval_s, int components, std::int64_t final_steps, StepCount count);

  [[nodiscard]] std::string header(std::int64_t steps) const override;
  /// Local. Records begin where the header of the first phase ends.
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
  std::size_t count_width_;  // at least so many characters
};

}  // namespace sill::station
