// Which items of a chunk can be read by one request.
#include "sill/permute/item_runs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "sill/store/meter_store.hpp"
#include "store/temporary_folder.hpp"
#include "support/memory_store.hpp"

namespace sill {
namespace {

std::vector<InputItems> inputs_of(const std::vector<std::int64_t>& counts, std::int64_t item_bytes) {
  std::vector<InputItems> inputs;
  std::int64_t first = 0;
  for (const std::int64_t count : counts) {
    inputs.push_back({nullptr, {100, item_bytes, count}, first});
    first += count;
  }
  return inputs;
}

TEST(RunsInFileOrder, JoinsConsecutiveItemsOfAFile) {
  const std::vector<InputItems> inputs = inputs_of({10, 0, 10}, 8);
  const std::vector<std::int64_t> sources{12, 3, 9, 4, 10, 5, 11};
  std::vector<std::size_t> order;
  EXPECT_EQ(runs_in_file_order(sources, inputs, order),
            (std::vector<ItemRun>{{0, 3, 0, 3}, {0, 9, 3, 1}, {2, 10, 4, 3}}));
  EXPECT_EQ(order, (std::vector<std::size_t>{1, 3, 5, 2, 4, 6, 0}));
}

TEST(RunsInFileOrder, NothingHasNoRuns) {
  std::vector<std::size_t> order{7, 7};
  EXPECT_TRUE(runs_in_file_order({}, inputs_of({3}, 8), order).empty());
  EXPECT_TRUE(order.empty());
}

TEST(RunsInFileOrder, RunsAreWholeAndAsLongAsCanBe) {
  EXPECT_TRUE(rc::check([] {
    const auto counts = *rc::gen::container<std::vector<std::int64_t>>(3, rc::gen::inRange<std::int64_t>(0, 12));
    const std::vector<InputItems> inputs = inputs_of(counts, 8);
    std::vector<std::int64_t> all(
        static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    std::shuffle(all.begin(), all.end(), std::mt19937_64(*rc::gen::arbitrary<std::uint64_t>()));
    all.resize(*rc::gen::inRange<std::size_t>(0, all.size() + 1));
    std::vector<std::size_t> order;
    const std::vector<ItemRun> runs = runs_in_file_order(all, inputs, order);

    std::vector<std::int64_t> expected = all;
    std::sort(expected.begin(), expected.end());
    RC_ASSERT(order.size() == all.size());
    std::size_t at = 0;
    for (const ItemRun& run : runs) {
      RC_ASSERT(run.begin == at && run.count > 0);
      const InputItems& input = inputs[run.input];
      RC_ASSERT(run.first_item >= input.first_item);
      RC_ASSERT(run.first_item + static_cast<std::int64_t>(run.count) <= input.first_item + input.items.count);
      for (std::size_t i = 0; i < run.count; ++i, ++at) {
        RC_ASSERT(all[order[at]] == expected[at]);
        RC_ASSERT(all[order[at]] == run.first_item + static_cast<std::int64_t>(i));
      }
    }
    RC_ASSERT(at == all.size());
    for (std::size_t i = 1; i < runs.size(); ++i) {
      const bool joinable = runs[i - 1].input == runs[i].input &&
                            runs[i - 1].first_item + static_cast<std::int64_t>(runs[i - 1].count) == runs[i].first_item;
      RC_ASSERT(!joinable);
    }
  }));
}

TEST(ReadItems, ReadsAcrossFiles) {
  constexpr std::int64_t item_bytes = 24;
  MemoryFiles files;
  std::vector<InputItems> inputs = inputs_of({4, 0, 5, 1}, item_bytes);
  test::Bytes all;
  Meter meter;
  std::vector<std::unique_ptr<Store>> stores;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = std::to_string(i);
    const test::Bytes bytes = test::pattern(100 + inputs[i].items.total_bytes(), i);
    all.insert(all.end(), bytes.begin() + 100, bytes.end());
    files.put(name, bytes);
    stores.push_back(metered(files.open(name, OpenMode::read), meter));
    inputs[i].store = stores.back().get();
  }
  for (std::int64_t first = 0; first <= 10; ++first) {
    for (std::int64_t count = 0; first + count <= 10; ++count) {
      test::Bytes into(static_cast<std::size_t>(count * item_bytes));
      read_items(inputs, {first, count}, into);
      EXPECT_TRUE(std::equal(into.begin(), into.end(), all.begin() + first * item_bytes)) << first << ' ' << count;
    }
  }
  meter.read_requests = 0;
  test::Bytes into(10 * item_bytes);
  read_items(inputs, {0, 10}, into);
  EXPECT_EQ(meter.read_requests, 3);
}

TEST(ChunkReaderTest, ReadsItemsInTheOrderAskedForWithOneRequestARun) {
  constexpr std::int64_t item_bytes = 24;
  MemoryFiles files;
  files.put("a", test::pattern(100 + 10 * item_bytes, 1));
  files.put("b", test::pattern(100 + 10 * item_bytes, 2));
  Meter meter;
  const auto a = metered(files.open("a", OpenMode::read), meter);
  const auto b = metered(files.open("b", OpenMode::read), meter);
  std::vector<InputItems> inputs = inputs_of({10, 10}, item_bytes);
  inputs[0].store = a.get();
  inputs[1].store = b.get();
  ChunkReader reader(inputs);
  for (const std::vector<std::int64_t>& sources :
       {std::vector<std::int64_t>{12, 3, 9, 4, 10, 5, 11}, std::vector<std::int64_t>{3, 4, 5, 6},
        std::vector<std::int64_t>{19}}) {
    std::vector<std::size_t> order;
    const std::size_t runs = runs_in_file_order(sources, inputs, order).size();
    const std::int64_t before = meter.read_requests;
    test::Bytes buffer(sources.size() * item_bytes);
    reader.read(sources, buffer.data());
    EXPECT_EQ(meter.read_requests - before, static_cast<std::int64_t>(runs));
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const test::Bytes file = files.bytes(sources[i] < 10 ? "a" : "b");
      const auto from = file.begin() + 100 + sources[i] % 10 * item_bytes;
      EXPECT_TRUE(std::equal(from, from + item_bytes, buffer.begin() + static_cast<std::ptrdiff_t>(i) * item_bytes))
          << i;
    }
  }
}

// Two files of items, 4 and 6, and where each of the ten is wanted.
class PlacedReaderTest : public testing::Test {
 protected:
  static constexpr std::int64_t item_bytes = 24;

  PlacedReaderTest() {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::string name = std::to_string(i);
      const test::Bytes bytes = test::pattern(100 + inputs[i].items.total_bytes(), i);
      all.insert(all.end(), bytes.begin() + 100, bytes.end());
      files.put(name, bytes);
      stores.push_back(metered(files.open(name, OpenMode::read), meter));
      inputs[i].store = stores.back().get();
    }
  }

  // Reads the items `wanted` of `items`, the first of them to the end of memory, and returns whether they came.
  bool read(PlacedReader& reader, ItemRange items, const std::vector<std::int64_t>& wanted) {
    test::Bytes into(wanted.size() * item_bytes);
    std::vector<std::byte*> places(static_cast<std::size_t>(items.count), nullptr);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      places[static_cast<std::size_t>(wanted[i] - items.first)] = into.data() + (wanted.size() - 1 - i) * item_bytes;
    }
    reader.read(items, places);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto from = all.begin() + wanted[i] * item_bytes;
      const auto to = into.begin() + static_cast<std::ptrdiff_t>((wanted.size() - 1 - i) * item_bytes);
      if (!std::equal(from, from + item_bytes, to)) return false;
    }
    return true;
  }

  MemoryFiles files;
  Meter meter;
  std::vector<InputItems> inputs = inputs_of({4, 6}, item_bytes);
  std::vector<std::unique_ptr<Store>> stores;
  test::Bytes all;
};

TEST_F(PlacedReaderTest, SkipsWhatNobodyWants) {
  PlacedReader reader(inputs);
  EXPECT_TRUE(read(reader, {1, 9}, {2, 3, 4, 7, 9}));
  EXPECT_EQ(meter.read_requests, 4) << "2 and 3, then 4 in the other file, 7, 9";
  EXPECT_EQ(meter.read_bytes, 5 * item_bytes);
  EXPECT_TRUE(read(reader, {1, 9}, {}));
  EXPECT_TRUE(read(reader, {4, 0}, {}));
  EXPECT_EQ(meter.read_requests, 4);
}

TEST_F(PlacedReaderTest, ReadsOverShortGapsOnly) {
  PlacedReader reader(inputs, item_bytes);
  EXPECT_TRUE(read(reader, {0, 10}, {1, 4, 6, 9}));
  EXPECT_EQ(meter.read_requests, 3) << "1, then 4 to 6, then 9; no gap at an end is read";
  EXPECT_EQ(meter.read_bytes, 5 * item_bytes);
  PlacedReader wide(inputs, 3 * item_bytes - 1);
  EXPECT_TRUE(read(wide, {0, 10}, {4, 6, 9}));
  EXPECT_EQ(meter.read_requests, 3 + 1);
}

TEST_F(PlacedReaderTest, ReadsWhatLiesTogetherByOnePieceOfMemory) {
  test::Bytes into(3 * item_bytes);
  const std::vector<std::byte*> places{into.data(), into.data() + item_bytes, into.data() + 2 * item_bytes};
  PlacedReader(inputs).read({5, 3}, places);
  EXPECT_TRUE(std::equal(into.begin(), into.end(), all.begin() + 5 * item_bytes));
}

}  // namespace
}  // namespace sill
