#include "sill/survey/geometry/geometry_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sill/formats/segy/words/trace_code.hpp"

namespace sill {
namespace {

// Returns the value, if it is a 32-bit integer.
std::optional<std::int32_t> whole_number(const segy::WordValue& value) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (const auto* const number = std::get_if<std::int64_t>(&value.number)) {
    if (*number < Limits::min() || *number > Limits::max()) return std::nullopt;
    return static_cast<std::int32_t>(*number);
  }
  if (const auto* const number = std::get_if<std::uint64_t>(&value.number)) {
    if (*number > static_cast<std::uint64_t>(Limits::max())) return std::nullopt;
    return static_cast<std::int32_t>(*number);
  }
  if (const auto* const number = std::get_if<double>(&value.number)) {
    if (!(*number >= Limits::min() && *number <= Limits::max()) || std::trunc(*number) != *number) return std::nullopt;
    return static_cast<std::int32_t>(*number);
  }
  return std::nullopt;
}

// Rounds a value of extension 1, which may have a fraction; returns 0 if it exceeds 32 bits.
std::int32_t nearest_whole(double value) {
  using Limits = std::numeric_limits<std::int32_t>;
  const double rounded = std::rint(value);
  return rounded >= Limits::min() && rounded <= Limits::max() ? static_cast<std::int32_t>(rounded) : 0;
}

// A coordinate that is not finite is treated as 0.
double finite(double value) { return std::isfinite(value) ? value : 0.0; }

bool is_coordinate(GeometryWord word) {
  using enum GeometryWord;
  return (word >= sx && word <= gy) || word == cdpx || word == cdpy;
}

}  // namespace

TruePoint TruePoints::position(PositionSource source_of_position) const {
  switch (source_of_position) {
    case PositionSource::none: break;
    case PositionSource::ensemble: return ensemble;
    case PositionSource::source: return source;
    case PositionSource::midpoint: {
      // A midpoint computed from one point would be at a false position.
      if (source == TruePoint{} || receiver == TruePoint{}) return {};
      return {source.x / 2.0 + receiver.x / 2.0, source.y / 2.0 + receiver.y / 2.0};
    }
  }
  return {};
}

RowReader::RowReader(const segy::HeaderMap& map) : is_seismic_unix_(map.kind() == segy::HeaderKind::su) {
  const int header_bytes = segy::trace_header_bytes * (1 + map.additional_headers());
  std::int64_t first = header_bytes;
  std::int64_t end = 0;
  for (std::size_t w = 0; w < geometry_words; ++w) {
    const auto word = static_cast<GeometryWord>(w);
    const segy::MapWord* const found = map.find(name_of(word));
    if (found == nullptr || found->byte + found->type.bytes - 1 > header_bytes) continue;
    const segy::WordRef ref = map.word(name_of(word));
    first = std::min<std::int64_t>(first, ref.byte - 1);
    end = std::max<std::int64_t>(end, ref.byte - 1 + ref.type.bytes);
    if ((is_coordinate(word) || ref.twin_byte != 0) && ref.type.kind != segy::WordKind::text) {
      const segy::TrueBytes bytes = segy::bytes_of_true_value(ref);
      first = std::min<std::int64_t>(first, bytes.first);
      end = std::max<std::int64_t>(end, bytes.end);
    }
    refs_[w] = ref;
  }
  const segy::MapWord* const code = map.find("trid");
  if (code != nullptr && code->byte + code->type.bytes - 1 <= header_bytes) {
    identification_ = map.word("trid");
    first = std::min<std::int64_t>(first, code->byte - 1);
    end = std::max<std::int64_t>(end, code->byte - 1 + code->type.bytes);
  }
  if (end > first) needed_ = {first, end - first};
}

bool RowReader::is_auxiliary(const std::byte* header, ByteOrder order) const {
  return identification_ &&
         !segy::is_seismic_code(
             segy::read_word(header, identification_->byte, identification_->type, order).as_double(),
             is_seismic_unix_);
}

bool RowReader::is_dead(const std::byte* header, ByteOrder order) const {
  return identification_ && segy::read_word(header, identification_->byte, identification_->type, order).as_double() ==
                                segy::dead_trace_code;
}

GeometryRow RowReader::words(const std::byte* header, ByteOrder order) const {
  constexpr segy::WordType i4{segy::WordKind::signed_integer, 4};
  constexpr segy::WordType i2{segy::WordKind::signed_integer, 2};
  GeometryRow row;
  for (std::size_t w = 0; w < geometry_words; ++w) {
    if (!refs_[w]) continue;
    const segy::WordRef& ref = *refs_[w];
    if (ref.type == i4) {
      row.words[w] = load<std::int32_t>(header + (ref.byte - 1), order);
    } else if (ref.type == i2) {
      row.words[w] = load<std::int16_t>(header + (ref.byte - 1), order);
    } else if (const auto whole = whole_number(segy::read_word(header, ref.byte, ref.type, order))) {
      row.words[w] = *whole;
    } else {
      row.unfit |= 1U << w;
    }
    // Only extension 1 may contain the value.
    if (row.words[w] == 0 && ref.twin_byte != 0) row.words[w] = nearest_whole(segy::true_value(ref, header, order));
  }
  return row;
}

TruePoint RowReader::point(const std::byte* header, ByteOrder order, GeometryWord x, GeometryWord y) const {
  const std::optional<segy::WordRef>& x_word = ref(x);
  const std::optional<segy::WordRef>& y_word = ref(y);
  const auto has_value = [](const std::optional<segy::WordRef>& word) {
    return word && word->type.kind != segy::WordKind::text && word->scaling.kind != segy::Scaling::Kind::missing;
  };
  return {has_value(x_word) ? finite(segy::true_value(*x_word, header, order)) : 0.0,
          has_value(y_word) ? finite(segy::true_value(*y_word, header, order)) : 0.0};
}

TruePoints RowReader::points(const std::byte* header, ByteOrder order) const {
  using enum GeometryWord;
  return {point(header, order, cdpx, cdpy), point(header, order, sx, sy), point(header, order, gx, gy)};
}

TruePoint RowReader::position(const std::byte* header, ByteOrder order, PositionSource source) const {
  using enum GeometryWord;
  TruePoints points;
  if (source == PositionSource::ensemble) points.ensemble = point(header, order, cdpx, cdpy);
  if (source == PositionSource::source || source == PositionSource::midpoint)
    points.source = point(header, order, sx, sy);
  if (source == PositionSource::midpoint) points.receiver = point(header, order, gx, gy);
  return points.position(source);
}

}  // namespace sill
