// Coverage as GCC reports it (-fsanitize-coverage=trace-pc,trace-cmp), in the form that libFuzzer takes: a counter for
// each place. libFuzzer itself only refuses GCC's calls; these stand in for its own.
#include <array>
#include <cstddef>
#include <cstdint>

extern "C" {
void __sanitizer_cov_8bit_counters_init(std::uint8_t* begin, std::uint8_t* end);
void __sanitizer_cov_trace_pc();
void __sanitizer_cov_trace_cmpf(float, float);
void __sanitizer_cov_trace_cmpd(double, double);
}

namespace {

constexpr std::size_t places = 1 << 16;
std::array<std::uint8_t, places> counters;

[[gnu::constructor]] void announce_counters() {
  __sanitizer_cov_8bit_counters_init(counters.data(), counters.data() + counters.size());
}

}  // namespace

void __sanitizer_cov_trace_pc() {
  const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  // Fibonacci hashing: neighbouring places get counters far apart.
  ++counters.data()[static_cast<std::size_t>((place * 0x9E3779B97F4A7C15ULL) >> 48)];
}

// What GCC tells of comparisons of floats has no taker.
void __sanitizer_cov_trace_cmpf(float, float) {}
void __sanitizer_cov_trace_cmpd(double, double) {}
