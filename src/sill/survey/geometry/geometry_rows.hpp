// Reads, from the bytes of trace headers, the words and positions from which geometry is inferred.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/layout/range.hpp"
#include "sill/survey/geometry/header_evidence.hpp"

namespace sill {

/// A point with scalars applied.
struct TruePoint {
  double x = 0.0;
  double y = 0.0;

  friend bool operator==(const TruePoint&, const TruePoint&) = default;
};

/// The three points that a trace header states.
struct TruePoints {
  TruePoint ensemble;
  TruePoint source;
  TruePoint receiver;

  [[nodiscard]] TruePoint position(PositionSource source_of_position) const;
};

/// Reads rows. Const functions may be called by several threads.
class RowReader {
 public:
  /// Local. Reads the words that `map` defines in headers that every trace has.
  explicit RowReader(const segy::HeaderMap& map);

  /// Local. Ignores a word, as if the traces did not have it.
  void leave_out(GeometryWord word) { refs_[static_cast<std::size_t>(word)].reset(); }

  /// Local. Returns the bytes of a trace, from 0, that rows are read from.
  [[nodiscard]] ByteRange needed_bytes() const { return needed_; }
  /// Local. Returns true if the trace is not seismic data (segy::is_seismic_code).
  [[nodiscard]] bool is_auxiliary(const std::byte* header, ByteOrder order) const;
  /// Local. Returns true if the trace is marked as dead.
  [[nodiscard]] bool is_dead(const std::byte* header, ByteOrder order) const;
  /// Local. Returns the words, without a position. `header` is the address that byte 1 of the header has or would have.
  [[nodiscard]] GeometryRow words(const std::byte* header, ByteOrder order) const;
  /// Local. Returns all points; coordinates that the map does not have are 0.
  [[nodiscard]] TruePoints points(const std::byte* header, ByteOrder order) const;
  /// Local. Returns the position from one source. Reads only the words that it needs.
  [[nodiscard]] TruePoint position(const std::byte* header, ByteOrder order, PositionSource source) const;
  /// Local. Returns the position of a word in the header, or nullopt if the traces do not have the word.
  [[nodiscard]] const std::optional<segy::WordRef>& ref(GeometryWord word) const {
    return refs_[static_cast<std::size_t>(word)];
  }

 private:
  [[nodiscard]] TruePoint point(const std::byte* header, ByteOrder order, GeometryWord x, GeometryWord y) const;

  std::array<std::optional<segy::WordRef>, geometry_words> refs_;
  std::optional<segy::WordRef> identification_;
  bool is_seismic_unix_ = false;
  ByteRange needed_;
};

}  // namespace sill
