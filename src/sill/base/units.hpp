// Sizes, rates, durations and counts as text for users.
//
// Input: K, M, G and T are powers of 1024, as for memory. Output: kB, MB, GB and TB are powers of 1000, as usual for
// disks and rates.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sill {

/// Local. Parses bytes from "123", "256K", "64M", "1.5G", "2TiB": a decimal number with at most six decimals, then
/// optional blanks, then nothing or one of K, M, G, T (powers of 1024, any case), then nothing, "B" or "iB". With a
/// unit, fractions of a byte are truncated. A fraction without a unit ("0.5") and a fraction of less than one byte are
/// refused. `what` names the value in messages ("--memory"). Errors: usage.
[[nodiscard]] std::int64_t parse_bytes(std::string_view text, std::string_view what = "size");

/// Local. Returns "999 B", "1.5 kB", "1.0 GB": powers of 1000, with one decimal for kB and larger units.
[[nodiscard]] std::string format_bytes(std::int64_t bytes);

/// Local. Returns the exact number of bytes as the shortest text that `parse_bytes` reads: "0", "1000", "256K", "1G".
[[nodiscard]] std::string exact_bytes(std::int64_t bytes);

/// Local. Returns a rate as "612.0 MB/s"; "-" if no time has passed.
[[nodiscard]] std::string format_rate(std::int64_t bytes, double seconds_s);

/// Local. Returns a duration as "35 ms", "12.3 s", "2 min 05 s", "1 h 02 min". Negative durations are treated as 0.
[[nodiscard]] std::string format_duration(double seconds_s);

/// Local. Returns a time with three digits: "170 ns", "2.6 us", "1.02 ms", "12.3 s"; one minute and longer as
/// `format_duration`.
[[nodiscard]] std::string format_short_time(double seconds_s);

/// Local. Returns a count with separators of thousands: "1,234,567".
[[nodiscard]] std::string format_count(std::int64_t count);
/// Local. Returns a count with its noun: "1 phase", "1,200 phases".
[[nodiscard]] std::string format_count(std::int64_t count, std::string_view noun);

}  // namespace sill
