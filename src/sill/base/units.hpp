// Sizes, rates, durations and counts as people write and read them.
//
// Read: K, M, G and T are powers of 1024, as for memory. Written: kB, MB, GB, TB are powers of 1000, as disks and
// rates are given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sill {

/// Local. Bytes from "123", "256K", "64M", "1.5G", "2TiB": a decimal number of at most six decimals, then nothing or
/// one of K, M, G, T (powers of 1024, any case), then nothing, "B" or "iB". A part of a byte is dropped behind a unit;
/// "0.5" and what is less than a byte are refused. `what` names the value in messages ("--memory"). Errors: usage.
[[nodiscard]] std::int64_t parse_bytes(std::string_view text, std::string_view what = "size");

/// Local. "999 B", "1.5 kB", "1.0 GB": powers of 1000, one decimal from kB on.
[[nodiscard]] std::string format_bytes(std::int64_t bytes);

/// Local. Bytes as `parse_bytes` reads them, exactly and as short as can be: "0", "1000", "256K", "1G".
[[nodiscard]] std::string exact_bytes(std::int64_t bytes);

/// Local. "612.0 MB/s"; "-" when no time has passed.
[[nodiscard]] std::string format_rate(std::int64_t bytes, double seconds_s);

/// Local. "35 ms", "12.3 s", "2 min 05 s", "1 h 02 min". Negative durations count as 0.
[[nodiscard]] std::string format_duration(double seconds_s);

/// Local. With three digits: "170 ns", "2.6 us", "1.02 ms", "12.3 s"; from a minute on as `format_duration`.
[[nodiscard]] std::string format_short_time(double seconds_s);

/// Local. "1,234,567".
[[nodiscard]] std::string format_count(std::int64_t count);

}  // namespace sill
