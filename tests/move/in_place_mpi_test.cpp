// Bytes that are read to where they go, and the order in which bytes are made that lie interleaved in memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "move/mover_files.hpp"
#include "sill/move/mover.hpp"
#include "sill/move/own_runs.hpp"
#include "sill/store/meter_store.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::world;

constexpr std::byte mask{0x5A};

// Takes bytes into memory of its own, changed; says where they go unless it `hides` that.
class Taker final : public Decoder {
 public:
  Taker(std::int64_t bytes, bool hides) : memory(static_cast<std::size_t>(bytes)), hides_(hides) {}
  void take(ByteRange range, std::span<const std::byte> bytes) override {
    std::byte* const to = memory.data() + range.offset;
    in_place += bytes.data() == to ? range.length : 0;
    std::ranges::transform(bytes, to, [](std::byte each) { return each ^ mask; });
  }
  [[nodiscard]] std::byte* place_of(ByteRange range) const override {
    return hides_ ? nullptr : const_cast<std::byte*>(memory.data()) + range.offset;
  }

  test::Bytes memory;
  std::int64_t in_place = 0;

 private:
  bool hides_;
};

// Rows that ranks hold in turns.
Extent rows_of(int rank, int ranks, std::int64_t row_bytes, std::int64_t rows) {
  return {.offset_bytes = rank * row_bytes,
          .run_bytes = row_bytes,
          .steps = {{rows, ranks * row_bytes, row_bytes}},
          .memory = nullptr};
}

class InPlaceMpi : public ::testing::Test {
 protected:
  // Reads; what was counted on this rank.
  void read(const std::vector<Extent>& extents, const std::string& policy) {
    Meter meter;
    const Policy parsed = Policy::parse(policy);
    MoverFiles files = test::files_in(folder, 1, OpenMode::read, parsed.call);
    files.open = metered(files.open, meter);
    Mover mover(comm, files, parsed, {64 << 20, std::max(1, parsed.threads)});
    mover.read(AccessPlan::for_reading(extents));
    copied = mover.counts().copied_bytes;
    mover.close();
    requests = meter.read_requests;
    bytes_read = meter.read_bytes;
  }

  Communicator& comm = world();
  test::SharedFolder folder{comm, test::in_memory()};
  std::int64_t copied = 0;
  std::int64_t requests = 0;
  std::int64_t bytes_read = 0;
};

TEST_F(InPlaceMpi, LongRunsAreReadToTheirPlacesWithoutTheGaps) {
  constexpr std::int64_t rows = 40;
  for (const std::int64_t row_bytes : {std::int64_t{1024}, std::int64_t{8192}}) {
    const auto files = test::make_files(folder, comm, 1, comm.size() * row_bytes * rows);
    for (const char* const policy : {"direct", "auto", "stage=64K", "direct,threads=3"}) {
      for (const bool hides : {false, true}) {
        SCOPED_TRACE(std::string(policy) + " " + std::to_string(row_bytes) + (hides ? " hidden" : ""));
        Taker taker(rows * row_bytes, hides);
        Extent extent = rows_of(comm.rank(), comm.size(), row_bytes, rows);
        extent.decoder = &taker;
        read({extent}, policy);
        bool is_right = true;
        for (std::int64_t i = 0; i < rows * row_bytes; ++i) {
          const std::int64_t at = (i / row_bytes * comm.size() + comm.rank()) * row_bytes + i % row_bytes;
          is_right =
              is_right && (taker.memory[static_cast<std::size_t>(i)] ^ mask) == files[0][static_cast<std::size_t>(at)];
        }
        EXPECT_TRUE(is_right);
        if (std::string(policy) == "auto") continue;                              // which may gather
        const bool in_place = (row_bytes >= 4096 || comm.size() == 1) && !hides;  // rows of one rank touch
        EXPECT_EQ(taker.in_place, in_place ? rows * row_bytes : 0);
        EXPECT_EQ(copied, in_place ? 0 : rows * row_bytes);
        if (!in_place) continue;
        EXPECT_EQ(bytes_read, rows * row_bytes) << "gaps are left out";
        EXPECT_LE(requests, rows + 10) << "one for each row, and where windows part them";
      }
    }
  }
}

TEST_F(InPlaceMpi, BytesThatGoToSeveralPlacesAreReadOnce) {
  constexpr std::int64_t bytes = 50'000;
  const auto files = test::make_files(folder, comm, 1, bytes);
  for (const char* const policy : {"direct", "stage=16K", "auto"}) {
    SCOPED_TRACE(policy);
    Taker first(bytes, false);
    Taker second(bytes, false);
    Extent a = contiguous(0, {0, bytes}, static_cast<std::byte*>(nullptr));
    Extent b = a;
    a.decoder = &first;
    b.decoder = &second;
    read({a, b}, policy);
    EXPECT_EQ(first.memory, second.memory);
    EXPECT_EQ(first.in_place, 0);
    EXPECT_EQ(first.memory.back() ^ mask, files[0].back());
  }
}

// One of several variables of a record in memory: byte i of variable v lies at i * variables + v.
class OfRecord final : public Encoder {
 public:
  OfRecord(const test::Bytes& records, std::size_t variables, std::size_t variable,
           std::vector<std::pair<std::size_t, std::int64_t>>& asked, bool is_for_threads = false)
      : records_(records), variables_(variables), variable_(variable), asked_(asked), is_for_threads_(is_for_threads) {}
  [[nodiscard]] bool is_for_threads() const override { return is_for_threads_; }
  void fill(ByteRange range, std::span<std::byte> bytes) const override {
    asked_.emplace_back(variable_, range.offset);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = records_[(static_cast<std::size_t>(range.offset) + i) * variables_ + variable_];
    }
  }
  [[nodiscard]] const std::byte* source_of(std::int64_t packed) const override {
    return records_.data() + static_cast<std::size_t>(packed) * variables_ + variable_;
  }

 private:
  const test::Bytes& records_;
  std::size_t variables_;
  std::size_t variable_;
  std::vector<std::pair<std::size_t, std::int64_t>>& asked_;
  bool is_for_threads_;
};

TEST_F(InPlaceMpi, VariablesOfRecordsAreMadeSideBySide) {
  constexpr std::size_t variables = 3;
  constexpr std::int64_t stage = 4096;
  constexpr std::int64_t each = 4 * stage;
  constexpr int writes = 3;  // the same further on: from the second on what was planned is performed again
  for (const char* const policy :
       {"stage=4K", "stage=4K,async=2", "stage=4K,async=2 lent", "elected,stage=4K", "staged"}) {
    SCOPED_TRACE(policy);
    const std::string text(policy);
    const bool is_lent = text.ends_with(" lent");
    test::Bytes records = test::pattern(each * std::int64_t{variables}, 5 + static_cast<std::uint64_t>(comm.rank()));
    std::vector<std::pair<std::size_t, std::int64_t>> asked;
    std::vector<OfRecord> encoders;
    for (std::size_t v = 0; v < variables; ++v) encoders.emplace_back(records, variables, v, asked, is_lent);
    test::make_files(folder, comm, 1, 0);
    const Policy parsed = Policy::parse(text.substr(0, text.find(' ')));
    Mover mover(comm, test::files_in(folder, 1, OpenMode::write_or_create, parsed.call), parsed, {1 << 20, 1});
    const std::int64_t bytes_of_write = each * std::int64_t{variables} * comm.size();
    test::Bytes expected;
    for (int write = 0; write < writes; ++write) {
      for (std::byte& byte : records) byte ^= mask;
      asked.clear();
      std::vector<Extent> extents;
      for (std::size_t v = 0; v < variables; ++v) {
        const std::int64_t at = (static_cast<std::int64_t>(v) * comm.size() + comm.rank()) * each;
        extents.push_back(contiguous(0, {write * bytes_of_write + at, each}, static_cast<std::byte*>(nullptr)));
        extents.back().encoder = &encoders[v];
      }
      mover.write(AccessPlan::for_writing(extents), {}, is_lent ? Memory::lent : Memory::copied);
      mover.wait();
      if (parsed.writers == Policy::Writers::all) {
        ASSERT_EQ(asked.size(), 4 * variables);
        for (std::size_t i = 0; i < asked.size(); ++i) {
          EXPECT_EQ(asked[i], std::pair(i % variables, static_cast<std::int64_t>(i / variables) * stage));
        }
      }
      for (const OfRecord& encoder : encoders) {
        expected.resize(expected.size() + static_cast<std::size_t>(each));
        encoder.fill({0, each}, std::span(expected).last(static_cast<std::size_t>(each)));
      }
    }
    mover.close();
    const test::Bytes written = test::bytes_of_file(test::path_of(folder, 0));
    ASSERT_EQ(std::ssize(written), writes * bytes_of_write);
    for (std::int64_t i = 0; i < writes * std::int64_t{variables}; ++i) {
      EXPECT_TRUE(std::equal(expected.begin() + i * each, expected.begin() + (i + 1) * each,
                             written.begin() + (i * comm.size() + comm.rank()) * each))
          << i;
    }
    comm.barrier();
  }
}

// What a decoder says of bytes that were read to their place is the error of all ranks.
TEST_F(InPlaceMpi, ADecoderThatThrowsAtItsPlaceIsAnErrorOnAllRanks) {
  constexpr std::int64_t bytes = 20'000;
  test::make_files(folder, comm, 1, bytes * comm.size());
  class Refusing final : public Decoder {
   public:
    void take(ByteRange range, std::span<const std::byte> bytes_there) override {
      is_in_place = bytes_there.data() == memory.data() + range.offset;
      if (refuses) throw Error({.code = ErrorCode::input, .problem = fmt::format("refused at {}", range.offset)});
    }
    [[nodiscard]] std::byte* place_of(ByteRange range) const override {
      return const_cast<std::byte*>(memory.data()) + range.offset;
    }
    test::Bytes memory = test::Bytes(bytes);
    bool refuses = false;
    bool is_in_place = false;
  };
  Refusing decoder;
  decoder.refuses = comm.rank() == comm.size() - 1;
  Extent extent = contiguous(0, {comm.rank() * bytes, bytes}, static_cast<std::byte*>(nullptr));
  extent.decoder = &decoder;
  const std::optional<Error> error = test::thrown([&] { read({extent}, "direct"); });
  ASSERT_TRUE(error);
  EXPECT_TRUE(decoder.is_in_place);
  EXPECT_EQ(error->parts().problem, "refused at 0");
  EXPECT_EQ(error->parts().rank, comm.size() - 1);
}

TEST_F(InPlaceMpi, ArraysThatLieApartKeepTheOrderOfTheFile) {
  constexpr std::int64_t each = 3 * 4096;
  const test::Bytes arrays = test::pattern(2 * each);
  const test::Bytes first(arrays.begin() + each, arrays.end());
  std::vector<std::pair<std::size_t, std::int64_t>> asked;
  const std::array<test::Bytes, 2> memory{first, test::Bytes(arrays.begin(), arrays.begin() + each)};
  std::array<std::size_t, 2> order{0, 1};  // the higher address comes first in the file
  if (memory[0].data() < memory[1].data()) std::swap(order[0], order[1]);
  std::vector<OfRecord> encoders;
  for (const std::size_t array : order) encoders.emplace_back(memory[array], 1, 0, asked);
  std::vector<Extent> extents;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t at = (2 * comm.rank() + static_cast<std::int64_t>(i)) * each;
    extents.push_back(contiguous(0, {at, each}, static_cast<std::byte*>(nullptr)));
    extents.back().encoder = &encoders[i];
  }
  test::make_files(folder, comm, 1, 0);
  const Policy policy = Policy::parse("stage=4K");
  Mover mover(comm, test::files_in(folder, 1, OpenMode::write_or_create, policy.call), policy, {1 << 20, 1});
  mover.write(AccessPlan::for_writing(extents));
  mover.close();
  ASSERT_EQ(asked.size(), 6U);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(asked[i].second, static_cast<std::int64_t>(i % 3) * 4096);
  }
  comm.barrier();
}

TEST(OwnRuns, AreReadInPlaceOnlyWhereAllCanBe) {
  test::Bytes memory(100'000);
  Taker open(20'000, false);
  Taker hidden(20'000, true);
  const Extent plain = contiguous(0, {0, 10'000}, memory.data());
  const Extent overlapping = contiguous(0, {9'999, 10'000}, memory.data() + 20'000);
  const Extent small = contiguous(0, {50'000, 100}, memory.data() + 40'000);
  Extent taken = contiguous(1, {300, 20'000}, static_cast<std::byte*>(nullptr));
  taken.decoder = &open;
  Extent kept = taken;
  kept.decoder = &hidden;
  const auto runs_of = [](std::initializer_list<const Extent*> extents) {
    Round round;
    for (const Extent* const each : extents) round.own.push_back({{each, {0, each->total_bytes()}}, 0});
    return runs_read_in_place(round);
  };
  const std::vector<OwnRun> runs = runs_of({&taken, &plain});
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].memory, memory.data());
  EXPECT_EQ(runs[1].memory, open.memory.data());
  EXPECT_EQ(runs[1].bytes, (ByteRange{300, 20'000}));
  EXPECT_TRUE(runs_of({&plain, &overlapping}).empty());
  EXPECT_TRUE(runs_of({&plain, &small}).empty());
  const Extent same_memory = contiguous(0, {30'000, 10'000}, memory.data() + 9'999);
  EXPECT_TRUE(runs_of({&plain, &same_memory}).empty());
  EXPECT_TRUE(runs_of({&plain, &kept}).empty());
  Round for_others;
  for_others.own.push_back({{&plain, {0, 10'000}}, 0});
  for_others.inwards.push_back({1, {}, 10});
  EXPECT_TRUE(runs_read_in_place(for_others).empty());
}

TEST(OwnRuns, RequestsLeaveGapsOfMoreThanAPageOut) {
  const std::vector<Segment> requests{{0, {1000, 100'000}, 50}, {1, {0, 9000}, 200'000}};
  const std::vector<OwnRun> runs{{0, {1000, 5000}, nullptr},
                                 {0, {10'096, 5000}, nullptr},
                                 {0, {19'193, 81'807}, nullptr},
                                 {1, {0, 9000}, nullptr}};
  const std::vector<Segment> found = requests_without_gaps(requests, runs);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].bytes, (ByteRange{1000, 14'096})) << "a page between them";
  EXPECT_EQ(found[0].stage_offset_bytes, 50);
  EXPECT_EQ(found[1].bytes, (ByteRange{19'193, 81'807}));
  EXPECT_EQ(found[1].stage_offset_bytes, 50 + 18'193);
  EXPECT_EQ(found[2].file, 1);
  EXPECT_EQ(found[2].stage_offset_bytes, 200'000);
}

}  // namespace
}  // namespace sill
