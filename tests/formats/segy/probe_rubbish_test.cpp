// The probe on headers of random words: it ends, asks for no more than it may, and throws nothing but Error.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <span>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/segy/detect/probe.hpp"

namespace sill::segy {
namespace {

/// A file of any size: its first bytes, and after them the same block again and again.
struct EndlessFile {
  std::vector<std::byte> head;
  std::vector<std::byte> block;

  void read(ByteRange range, std::vector<std::byte>& into) const {
    into.resize(static_cast<std::size_t>(range.length));
    for (std::int64_t i = 0; i < range.length; ++i) {
      const std::int64_t at = range.offset + i;
      into[static_cast<std::size_t>(i)] = at < std::ssize(head)
                                              ? head[static_cast<std::size_t>(at)]
                                              : block[static_cast<std::size_t>(at % std::ssize(block))];
    }
  }
};

class Rubbish {
 public:
  explicit Rubbish(unsigned seed) : random_(seed) {}

  std::int64_t below(std::int64_t end) { return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random_); }

  std::byte byte() {
    // Small and extreme values lead further than any others.
    constexpr std::array<int, 8> often = {0, 1, 2, 0x7F, 0x80, 0xFF, 0x0A, 0x40};
    return static_cast<std::byte>(below(2) == 0 ? often[static_cast<std::size_t>(below(8))]
                                                : static_cast<int>(below(256)));
  }

  EndlessFile file() {
    EndlessFile made;
    made.head.assign(3600, std::byte{0x40});
    std::fill(made.head.begin() + 3200, made.head.end(), std::byte{0});
    made.head[3225] = static_cast<std::byte>(below(17));  // the sample format
    made.head[3221] = static_cast<std::byte>(below(256));
    made.head[3500] = static_cast<std::byte>(below(4));
    for (std::int64_t words = below(40); words > 0; --words) {
      constexpr std::array<int, 12> telling = {3220, 3224, 3268, 3272, 3296, 3500, 3502, 3504, 3506, 3512, 3520, 3528};
      const auto at = static_cast<std::size_t>(telling[static_cast<std::size_t>(below(12))] + below(8));
      made.head[at] = byte();
    }
    made.block.resize(static_cast<std::size_t>(1 + below(500)));
    const std::byte filling = byte();
    for (std::byte& b : made.block) b = below(3) == 0 ? byte() : filling;
    return made;
  }

  std::int64_t file_bytes() {
    constexpr std::array<std::int64_t, 6> sizes = {1, 3600, 3841, 20'000, 1'000'000, std::int64_t{1} << 62};
    return 1 + below(sizes[static_cast<std::size_t>(below(6))]);
  }

  Assumptions assume() {
    constexpr std::array<const char*, 10> all = {"kind=su",
                                                 "kind=segy",
                                                 "byte_order=little",
                                                 "revision=2",
                                                 "samples=70000",
                                                 "sample_format=5",
                                                 "lengths=vary",
                                                 "lengths=fixed",
                                                 "first_trace_byte=3700",
                                                 "extended_text_headers=3"};
    Assumptions assume;
    if (below(3) == 0) assume.add(all[static_cast<std::size_t>(below(10))]);
    return assume;
  }

 private:
  std::mt19937 random_;
};

TEST(ProbeRubbish, EndsWithinItsBounds) {
  int described = 0;
  int refused = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Rubbish rubbish(seed);
    const EndlessFile file = rubbish.file();
    const std::int64_t total_bytes = rubbish.file_bytes();
    std::int64_t requests = 0;
    std::int64_t bytes_read = 0;
    std::vector<std::byte> bytes;
    try {
      Probe probe("made.sgy", total_bytes, rubbish.assume());
      while (const auto range = probe.next()) {
        ASSERT_GT(range->length, 0);
        ASSERT_GE(range->offset, 0);
        ASSERT_LE(range->end(), total_bytes);
        ASSERT_LE(range->length, 1 << 20);
        ASSERT_LT(++requests, 2000);
        bytes_read += range->length;
        file.read(*range, bytes);
        probe.feed(bytes);
      }
      const FileDescription found = probe.result();
      ++described;
      EXPECT_GE(found.first_trace_byte, 0);
      EXPECT_GE(found.trace_bytes, 240);
      EXPECT_GE(found.traces, -1);
      EXPECT_GE(found.remainder_bytes, 0);
      if (found.traces > 0) {
        EXPECT_LE(found.trace_list().bytes_of({found.traces - 1, 1}).end(), total_bytes);
      }
      if (!found.lengths_vary && found.first_trace_byte <= found.traces_end_byte()) {
        EXPECT_EQ(found.first_trace_byte + found.traces * found.trace_bytes + found.remainder_bytes,
                  found.traces_end_byte());
      }
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ErrorCode::input || error.code() == ErrorCode::usage);
      ++refused;
    }
    EXPECT_LT(bytes_read, 24 << 20);
  }
  EXPECT_GT(described, 250);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace sill::segy
