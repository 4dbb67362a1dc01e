#include "sill/formats/station/sac_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"

namespace sill::station {
namespace {

// Four-byte words, counted from 0, followed by names of eight bytes.
constexpr std::size_t word_bytes = 4;
constexpr std::size_t words = 110;
constexpr std::size_t float_words = 70;
constexpr std::size_t name_bytes = 8;
constexpr std::size_t names = 24;
constexpr std::int64_t sac_header_bytes = words * word_bytes + names * name_bytes;
static_assert(sac_header_bytes == 632);
enum SacWord : std::size_t {
  delta = 0,
  begin = 5,
  end = 6,
  user0 = 40,
  nvhdr = 76,
  npts = 79,
  iftype = 85,
  idep = 86,
  iztype = 87,
  leven = 105,
  lpspol = 106,
  lovrok = 107,
  lcalda = 108
};
enum SacName : std::size_t { kstnm = 0, kcmpnm = 20 };
constexpr std::int32_t undefined = -12345;
constexpr std::int32_t time_series = 1;  // ITIME
constexpr std::int32_t unknown = 5;      // IUNKN
constexpr std::int32_t begin_time = 9;   // IB

template <class T>
void put(std::string& header, std::size_t word, T value) {
  static_assert(sizeof(T) == word_bytes);
  store(reinterpret_cast<std::byte*>(header.data()) + word * word_bytes, value, ByteOrder::little);
}
void put_float(std::string& header, std::size_t word, double value) { put(header, word, static_cast<float>(value)); }

void put_name(std::string& header, const Station& station, std::size_t name, const std::string& text) {
  if (text.empty() || text.size() > name_bytes)
    refuse_station(station,
                   fmt::format("'{}' is not a name of 1 to {} characters, as SAC files need", text, name_bytes));
  header.replace(words * word_bytes + name * name_bytes, name_bytes, fmt::format("{:<8}", text));
}

}  // namespace

std::string sac_file_name(std::int64_t number, const std::string& component) {
  return fmt::format("obs{}.{}.sac", number, component);
}

SacFile::SacFile(const Station& station, const std::string& component, double interval_s, std::int64_t final_steps)
    : header_(sac_header_bytes, ' '), interval_s_(interval_s), final_steps_(final_steps) {
  if (final_steps < 1 || final_steps > std::numeric_limits<std::int32_t>::max())
    refuse_station(station, fmt::format("{} time steps cannot be recorded in SAC files", final_steps));
  if (!(static_cast<float>(interval_s) > 0.0F) || !std::isfinite(static_cast<float>(interval_s)))
    refuse_station(station, fmt::format("an interval of {} s cannot be stated in SAC files", interval_s));
  for (std::size_t word = 0; word < words; ++word) {
    if (word < float_words)
      put_float(header_, word, undefined);
    else
      put(header_, word, undefined);
  }
  for (std::size_t name = 0; name < names; ++name)
    if (name != 2) put_name(header_, station, name, "-12345");  // KEVNM occupies two names
  put_float(header_, delta, interval_s);
  put_float(header_, begin, 0.0);
  for (std::size_t i = 0; i < station.position_m.size(); ++i) {
    if (!std::isfinite(static_cast<float>(station.position_m[i])))
      refuse_station(station, "a coordinate exceeds the range of a float");
    put_float(header_, user0 + i, station.position_m[i]);
  }
  put(header_, nvhdr, std::int32_t{6});
  put(header_, iftype, time_series);
  put(header_, idep, unknown);
  put(header_, iztype, begin_time);
  put(header_, leven, std::int32_t{1});
  put(header_, lpspol, std::int32_t{0});
  put(header_, lovrok, std::int32_t{1});
  put(header_, lcalda, std::int32_t{0});
  put_name(header_, station, kstnm, fmt::format("{}", station.number));
  put_name(header_, station, kcmpnm, component);
}

std::string SacFile::header(std::int64_t steps) const {
  std::string header = header_;
  put(header, npts, static_cast<std::int32_t>(steps));
  put_float(header, end, static_cast<double>(std::max<std::int64_t>(0, steps - 1)) * interval_s_);
  return header;
}

ItemList SacFile::records(std::int64_t /*first_phase_steps*/) const {
  return {sac_header_bytes, value_bytes(), final_steps_};
}

std::int64_t SacFile::contents_bytes() const { return sac_header_bytes; }

std::optional<ReceiverContents> SacFile::contents_of(std::string_view first_bytes) const {
  if (std::ssize(first_bytes) < sac_header_bytes) return std::nullopt;
  const auto steps =
      load<std::int32_t>(reinterpret_cast<const std::byte*>(first_bytes.data()) + npts * word_bytes, ByteOrder::little);
  if (steps < 1 || steps > final_steps_ || !first_bytes.starts_with(header(steps))) return std::nullopt;
  return ReceiverContents{steps, records(steps)};
}

void SacFile::write(const Values& values, ByteRange range, std::span<std::byte> bytes) const {
  for (std::int64_t at = range.offset; at < range.end();) {
    const std::int64_t skipped = at % value_bytes();
    const std::int64_t length = std::min(value_bytes() - skipped, range.end() - at);
    std::array<std::byte, sizeof(float)> value{};
    store(value.data(), values.floats[at / value_bytes() * values.step_stride], ByteOrder::little);
    std::memcpy(bytes.data() + (at - range.offset), value.data() + skipped, static_cast<std::size_t>(length));
    at += length;
  }
}

}  // namespace sill::station
