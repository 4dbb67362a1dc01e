// Times the formatting of numbers in turns with printf, on the same random numbers. Prints one line of JSON. Run by
// script/bench.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "sill/base/exponent_text.hpp"

namespace sill::bench {
namespace {

std::vector<double> numbers_of(const std::string& kind, std::size_t count) {
  std::mt19937_64 generator(1);
  std::vector<double> numbers;
  while (numbers.size() < count) {
    const auto number = kind == "any" ? std::bit_cast<double>(generator())
                                      : std::ldexp(static_cast<double>(generator() >> 11U) - 0x1p52, -92);
    if (std::isfinite(number)) numbers.push_back(number);
  }
  return numbers;
}

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int run(int argc, char** argv) {
  std::string kind = "any";
  int width = 15;
  int precision = 6;
  int repeat = 9;
  CLI::App parser("Times the formatting of numbers beside printf");
  parser.add_option("--kind", kind, "any: any bits; near: of sizes near each other")->capture_default_str();
  parser.add_option("--width", width)->capture_default_str()->check(CLI::Range(0, 40));
  parser.add_option("--precision", precision)->capture_default_str()->check(CLI::Range(0, 17));
  parser.add_option("--repeat", repeat)->capture_default_str();
  CLI11_PARSE(parser, argc, argv);
  const std::vector<double> numbers = numbers_of(kind, 1'000'000);
  const ExponentForm form{width, precision};
  std::array<char, 64> ours{};
  std::array<char, 64> theirs{};
  for (const double number : numbers) {
    const std::size_t length = write_exponent_text(number, form, ours);
    const int printed = std::snprintf(theirs.data(), theirs.size(), "%*.*e", width, precision, number);
    if (static_cast<int>(length) == printed && std::memcmp(ours.data(), theirs.data(), length) == 0) continue;
    fmt::print(stderr, "{:a} is not written as printf does\n", number);
    return 1;
  }
  std::size_t sum = 0;  // so that nothing is left out
  const auto mine = [&] {
    for (const double number : numbers) sum += write_exponent_text(number, form, ours);
  };
  const auto printf_does = [&] {
    for (const double number : numbers) {
      sum += static_cast<std::size_t>(std::snprintf(theirs.data(), theirs.size(), "%*.*e", width, precision, number));
    }
  };
  std::vector<double> ours_s;
  std::vector<double> theirs_s;
  for (int i = 0; i < repeat; ++i) {
    if (i % 2 == 0) ours_s.push_back(seconds_of(mine));
    theirs_s.push_back(seconds_of(printf_does));
    if (i % 2 == 1) ours_s.push_back(seconds_of(mine));
  }
  const nlohmann::json result{{"values", numbers.size()}, {"bytes", sum}, {"ours_s", ours_s}, {"theirs_s", theirs_s}};
  fmt::print("{}\n", result.dump());
  return 0;
}

}  // namespace
}  // namespace sill::bench

int main(int argc, char** argv) { return sill::bench::run(argc, argv); }
