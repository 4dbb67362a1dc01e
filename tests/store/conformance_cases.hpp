// What every store must do: one suite, to be run over each of them.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sill/store/store.hpp"
#include "store/conformance.hpp"
#include "store/random_extents.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"

namespace sill::test {

inline Bytes read_all(Store& store) {
  Bytes bytes(static_cast<std::size_t>(store.size_bytes()));
  read_at(store, 0, bytes);
  return bytes;
}

// `bytes` as pieces of memory of the lengths that `length_of_piece` gives, in order.
inline std::vector<iovec> pieces_of(Bytes& bytes, const std::function<std::size_t(std::size_t)>& length_of_piece) {
  std::vector<iovec> pieces;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = std::min(length_of_piece(pieces.size()), bytes.size() - at);
    pieces.push_back({bytes.data() + at, length});
    at += length;
  }
  return pieces;
}

TEST_P(EveryStore, OpeningWhatIsMissingFailsAndNamesIt) {
  for (const OpenMode mode : {OpenMode::read, OpenMode::write}) {
    const auto error = thrown([&] { (void)shelf->open(path, mode); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::io);
    EXPECT_EQ(error->parts().where.file, path);
    EXPECT_EQ(error->parts().system_error_number, ENOENT);
    EXPECT_NE(error->parts().problem.find("No such file"), std::string::npos) << error->what();
  }
}

TEST_P(EveryStore, CreatingMakesAnEmptyFile) {
  const auto store = shelf->open(path, OpenMode::create);
  EXPECT_EQ(store->name(), path);
  EXPECT_EQ(store->size_bytes(), 0);
  write_at(*store, 0, pattern(10));
  EXPECT_EQ(read_all(*store), pattern(10));
  EXPECT_EQ(shelf->bytes(path), pattern(10));
}

TEST_P(EveryStore, CreatingWhatExistsFailsAndLeavesIt) {
  shelf->put(path, pattern(10));
  const auto error = thrown([&] { (void)shelf->open(path, OpenMode::create); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_EQ(error->parts().where.file, path);
  EXPECT_EQ(shelf->bytes(path), pattern(10));
}

TEST_P(EveryStore, WritingOrCreatingTakesWhatIsThere) {
  const auto first = shelf->open(path, OpenMode::write_or_create);
  EXPECT_EQ(first->size_bytes(), 0);
  write_at(*first, 0, pattern(10));
  const auto second = shelf->open(path, OpenMode::write_or_create);
  EXPECT_EQ(read_all(*second), pattern(10));
  write_at(*second, 10, pattern(5, 2));
  EXPECT_EQ(first->size_bytes(), 15);
}

TEST_P(EveryStore, OpeningForWritingKeepsWhatIsThere) {
  const auto store = file_of(pattern(100), OpenMode::write);
  EXPECT_EQ(store->size_bytes(), 100);
  write_at(*store, 40, pattern(20, 2));
  Bytes expected = pattern(100);
  std::ranges::copy(pattern(20, 2), expected.begin() + 40);
  EXPECT_EQ(read_all(*store), expected);
  EXPECT_EQ(shelf->bytes(path), expected);
}

TEST_P(EveryStore, ReadOnlyHandleRefusesToWrite) {
  const auto store = file_of(pattern(100), OpenMode::read);
  const auto writing = thrown([&] { write_at(*store, 7, pattern(3, 2)); });
  ASSERT_TRUE(writing);
  EXPECT_EQ(writing->code(), ErrorCode::io);
  EXPECT_EQ(writing->parts().where.file, path);
  EXPECT_EQ(writing->parts().where.byte, 7);
  EXPECT_TRUE(thrown([&] { store->allocate(1000); }));
  EXPECT_EQ(shelf->bytes(path), pattern(100));
}

TEST_P(EveryStore, MovesMorePiecesThanTheSystemTakesAtOnce) {
  Bytes bytes = pattern(30000);
  const auto store = shelf->open(path, OpenMode::create);
  const std::vector<iovec> out = pieces_of(bytes, [](std::size_t i) { return i % 8; });  // every eighth is empty
  ASSERT_GT(out.size(), 5 * 1024U);
  const Request write{Operation::write, 11, out};
  EXPECT_EQ(length_of(write), 30000);
  store->submit({&write, 1});

  Bytes back(bytes.size());
  const std::vector<iovec> in = pieces_of(back, [](std::size_t i) { return (i * 7) % 5; });
  const Request read{Operation::read, 11, in};
  store->submit({&read, 1});
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(store->size_bytes(), 30011);
}

TEST_P(EveryStore, EmptyRequestsMoveNothing) {
  const auto store = file_of(pattern(10), OpenMode::write);
  store->submit({});
  std::byte byte{};
  const std::vector<iovec> nothing(3000, iovec{&byte, 0});
  const std::vector<Request> requests{{Operation::read, 3, {}},
                                      {Operation::write, 3, {}},
                                      {Operation::read, 10, nothing},
                                      {Operation::write, 10, nothing}};
  store->submit(requests);
  store->submit_strided({3, 4, 5, 0, nullptr});
  store->submit_strided({0, 0, 4, 2, &byte});
  store->submit_strided({0, 0, 4096, 1, &byte});
  EXPECT_EQ(shelf->bytes(path), pattern(10));
  EXPECT_EQ(byte, std::byte{});
}

TEST_P(EveryStore, PerformsAllRequestsOfASubmit) {
  Bytes bytes = pattern(1000);
  const auto store = shelf->open(path, OpenMode::create);
  std::vector<iovec> pieces;
  std::vector<Request> requests;
  for (std::size_t i = 0; i < 10; ++i) pieces.push_back({bytes.data() + 100 * i, 100});
  for (std::size_t i = 10; i-- > 0;) {  // from the end
    requests.push_back({Operation::write, static_cast<std::int64_t>(100 * i), std::span(pieces).subspan(i, 1)});
  }
  store->submit(requests);
  EXPECT_EQ(shelf->bytes(path), bytes);

  const Bytes expected = bytes;
  std::ranges::fill(bytes, std::byte{});
  for (Request& request : requests) request.operation = Operation::read;
  store->submit(requests);
  EXPECT_EQ(bytes, expected);
}

TEST_P(EveryStore, ReadingPastTheEndNamesFileAndByte) {
  const auto store = file_of(pattern(100), OpenMode::read);
  Bytes into(50);
  const auto across = thrown([&] { read_at(*store, 80, into); });
  ASSERT_TRUE(across);
  EXPECT_EQ(across->code(), ErrorCode::io);
  EXPECT_EQ(across->parts().where.file, path);
  EXPECT_EQ(across->parts().where.byte, 100);
  const auto behind = thrown([&] { read_at(*store, 200, into); });
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->parts().where.file, path);
  EXPECT_TRUE(behind->parts().where.byte);
}

TEST_P(EveryStore, StridedReadingPastTheEndNamesFileAndByte) {
  const auto store = file_of(pattern(300000), OpenMode::read);
  Bytes into(4000);
  for (const std::int64_t stride : {100, 4096, 70000}) {
    const std::int64_t fitting = (300000 - 8) / stride + 1;
    store->submit_strided({0, 8, stride, std::min<std::int64_t>(fitting, 400), into.data()});
    const std::int64_t count = 3;
    const auto error = thrown([&] { store->submit_strided({300000 - 2 * stride - 7, 8, stride, count, into.data()}); });
    ASSERT_TRUE(error) << stride;
    EXPECT_EQ(error->code(), ErrorCode::io);
    EXPECT_EQ(error->parts().where.file, path);
    EXPECT_EQ(error->parts().where.byte, 300000) << stride;
  }
}

TEST_P(EveryStore, WritingPastTheEndLeavesZerosBetween) {
  const auto store = file_of(pattern(10), OpenMode::write);
  write_at(*store, 20, pattern(10, 2));
  Bytes expected(30);
  std::ranges::copy(pattern(10), expected.begin());
  std::ranges::copy(pattern(10, 2), expected.begin() + 20);
  EXPECT_EQ(read_all(*store), expected);
}

TEST_P(EveryStore, AllocatingSetsTheSizeAndReadsAsZeros) {
  const auto store = shelf->open(path, OpenMode::create);
  store->allocate(0);
  EXPECT_EQ(store->size_bytes(), 0);
  store->allocate(100000);
  EXPECT_EQ(store->size_bytes(), 100000);
  EXPECT_EQ(read_all(*store), Bytes(100000));
  write_at(*store, 10, pattern(20));
  store->allocate(150000);
  Bytes expected(150000);
  std::ranges::copy(pattern(20), expected.begin() + 10);
  EXPECT_EQ(read_all(*store), expected);
  store->allocate(15);
  expected.resize(15);
  EXPECT_EQ(shelf->bytes(path), expected);
}

TEST_P(EveryStore, DiscardingTouchesNothingBeside) {
  const Bytes bytes = pattern(100000);
  const auto store = file_of(bytes, OpenMode::write);
  for (const ByteRange range : {ByteRange{10, 20}, ByteRange{5000, 20000}, ByteRange{40960, 4096},
                                ByteRange{99000, 1000}, ByteRange{60000, 0}}) {
    store->punch_hole(range);
  }
  EXPECT_EQ(store->size_bytes(), 100000);
  const Bytes after = shelf->bytes(path);
  std::int64_t at = 0;
  for (const ByteRange kept :
       {ByteRange{0, 10}, ByteRange{30, 4970}, ByteRange{25000, 15960}, ByteRange{45056, 53944}}) {
    EXPECT_TRUE(std::equal(after.begin() + kept.offset, after.begin() + kept.end(), bytes.begin() + kept.offset)) << at;
    at = kept.end();
  }
  write_at(*store, 5000, pattern(20000, 2));
  Bytes again(20000);
  read_at(*store, 5000, again);
  EXPECT_EQ(again, pattern(20000, 2));
}

TEST_P(EveryStore, WhatIsForgottenIsStillThere) {
  const Bytes bytes = pattern(100000);
  const auto store = file_of(bytes, OpenMode::write);
  write_at(*store, 20000, pattern(30000, 2));
  for (const ByteRange range : {ByteRange{0, 100000}, ByteRange{10, 20}, ByteRange{0, 0}, ByteRange{99999, 50000}}) {
    store->drop_cache(range);
  }
  Bytes expected = bytes;
  std::ranges::copy(pattern(30000, 2), expected.begin() + 20000);
  EXPECT_EQ(shelf->bytes(path), expected);
  shelf->open(path, OpenMode::read)->drop_cache({0, 100000});
  EXPECT_EQ(shelf->bytes(path), expected);
}

TEST_P(EveryStore, WhatIsSaidToBeNeededIsWhatItWas) {
  const Bytes bytes = pattern(400000);
  const auto store = file_of(bytes, OpenMode::write);
  write_at(*store, 20000, pattern(30000, 2));
  for (const ByteRange range :
       {ByteRange{0, 400000}, ByteRange{10, 20}, ByteRange{0, 0}, ByteRange{399999, 500000}, ByteRange{900000, 10}}) {
    store->will_need({&range, 1});
    store->will_need(std::vector<ByteRange>(100, range));
  }
  EXPECT_EQ(store->size_bytes(), 400000);
  Bytes expected = bytes;
  std::ranges::copy(pattern(30000, 2), expected.begin() + 20000);
  Bytes read(bytes.size());
  read_at(*store, 0, read);
  EXPECT_EQ(read, expected);
  EXPECT_EQ(shelf->bytes(path), expected);
}

TEST_P(EveryStore, WhatIsClosedAndSyncedIsThere) {
  const auto store = shelf->open(path, OpenMode::create);
  write_at(*store, 0, pattern(5000));
  store->sync();
  store->close();
  EXPECT_EQ(shelf->bytes(path), pattern(5000));
}

// The plain way to do a strided read.
inline Bytes strided_copy(const Bytes& bytes, const StridedRead& read) {
  Bytes result(static_cast<std::size_t>(read.count * read.length_bytes));
  for (std::int64_t i = 0; i < read.count; ++i) {
    std::memcpy(result.data() + i * read.length_bytes, bytes.data() + read.offset_bytes + i * read.stride_bytes,
                static_cast<std::size_t>(read.length_bytes));
  }
  return result;
}

TEST_P(EveryStore, StridedReadsEqualPlainCopies) {
  const Bytes bytes = pattern(400000);
  const auto size = static_cast<std::int64_t>(bytes.size());
  const auto store = file_of(bytes, OpenMode::read);
  EXPECT_TRUE(rc::check([&] {
    const auto stride =
        *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 600), rc::gen::inRange<std::int64_t>(4090, 4102),
                        rc::gen::inRange<std::int64_t>(65533, 65540), rc::gen::inRange<std::int64_t>(600, 150000));
    StridedRead read;
    read.stride_bytes = stride;
    read.length_bytes = *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(stride, 5000) + 1);
    read.offset_bytes = *rc::gen::inRange<std::int64_t>(0, size - read.length_bytes + 1);
    const std::int64_t max = (size - read.length_bytes - read.offset_bytes) / stride + 1;
    read.count = *rc::gen::oneOf(rc::gen::just(max), rc::gen::inRange<std::int64_t>(1, max + 1));
    Bytes into(static_cast<std::size_t>(read.count * read.length_bytes));
    read.memory = into.data();
    store->submit_strided(read);
    RC_ASSERT(into == strided_copy(bytes, read));
  }));
}

TEST_P(EveryStore, StridedReadsSpanSeveralWindows) {
  const Bytes bytes = pattern(20 << 20);
  const auto store = file_of(bytes, OpenMode::read);
  for (const std::int64_t stride : {6240, 65536}) {
    StridedRead read{3601, 239, stride, (static_cast<std::int64_t>(bytes.size()) - 3601 - 239) / stride + 1, nullptr};
    Bytes into(static_cast<std::size_t>(read.count * read.length_bytes));
    read.memory = into.data();
    store->submit_strided(read);
    EXPECT_TRUE(into == strided_copy(bytes, read)) << stride;
  }
}

// The first byte of an item states how long it is, in steps that reach from within a page to beyond what is mapped.
inline std::int64_t stated_length(const void* steps, const std::byte* item) noexcept {
  return 5 + static_cast<const std::int64_t*>(steps)[std::to_integer<std::size_t>(item[0]) % 4];
}

TEST_P(EveryStore, LinkedReadsFollowItemsOfUnequalLengths) {
  const Bytes bytes = pattern(20 << 20);
  const auto size = std::ssize(bytes);
  const auto store = file_of(bytes, OpenMode::read);
  const std::vector<std::array<std::int64_t, 4>> all_steps{
      {0, 1, 2, 3}, {300, 1200, 4091, 0}, {100000, 200, 65531, 65532}, {300000, 70000, 500000, 9 << 20}};
  for (const auto& steps : all_steps) {
    for (const std::int64_t end : {size, size - 4097, std::int64_t{5003}, std::int64_t{3}, std::int64_t{0}}) {
      for (const std::int64_t max : {std::int64_t{0}, std::int64_t{1}, std::int64_t{100}, std::int64_t{20000}}) {
        Bytes expected;
        std::int64_t at = 1;
        std::int64_t count = 0;
        for (; count < max && at + 5 <= end; ++count) {
          expected.insert(expected.end(), bytes.begin() + at, bytes.begin() + at + 5);
          at += stated_length(steps.data(), bytes.data() + at);
        }
        Bytes into(expected.size() + 5, std::byte{1});
        if (count == 0) expected.clear();
        LinkedRead read{1, end, 5, std::min(max, count + 1), into.data(), stated_length, steps.data()};
        store->submit_linked({&read, 1});
        EXPECT_EQ(read.items, count);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), into.begin()));
      }
    }
  }
}

TEST_P(EveryStore, LinkedReadsTakeTurnsAndEndEachOnItsOwn) {
  const Bytes bytes = pattern(20 << 20);
  const auto store = file_of(bytes, OpenMode::read);
  const std::vector<std::array<std::int64_t, 4>> all_steps{
      {0, 1, 2, 3}, {300, 1200, 4091, 0}, {100000, 200, 900, 65532}};
  for (const std::size_t count : {0U, 1U, 2U, 7U, 8U, 9U, 20U}) {
    std::vector<Bytes> into(count, Bytes(5 * 4000));
    std::vector<LinkedRead> reads;
    for (std::size_t i = 0; i < count; ++i) {
      const auto n = static_cast<std::int64_t>(i);
      reads.push_back({n * 1000003, std::min<std::int64_t>(std::ssize(bytes), n * 1000003 + n % 3 * 2000000), 5,
                       n % 4 * 1300, into[i].data(), stated_length, all_steps[i % 3].data()});
    }
    store->submit_linked(reads);
    for (std::size_t i = 0; i < count; ++i) {
      const LinkedRead& read = reads[i];
      std::int64_t at = read.offset_bytes;
      std::int64_t items = 0;
      for (; items < read.max_items && at + 5 <= read.end_byte; ++items) {
        ASSERT_EQ(std::memcmp(read.memory + 5 * items, bytes.data() + at, 5), 0) << count << " " << i << " " << items;
        at += stated_length(read.context, bytes.data() + at);
      }
      EXPECT_EQ(read.items, items) << count << " " << i;
    }
  }
}

TEST_P(EveryStore, LinkedReadsPastTheEndAreErrors) {
  const auto store = file_of(pattern(10000), OpenMode::read);
  const std::int64_t steps[] = {700, 700, 700, 700};
  Bytes into(200);
  LinkedRead read{0, 20000, 5, 40, into.data(), stated_length, steps};
  const auto error = thrown([&] { store->submit_linked({&read, 1}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_EQ(error->parts().where.file, path);
}

TEST_P(EveryStore, ExtentsEqualPlainCopies) {
  const Bytes before = pattern(300000, 7);
  EXPECT_TRUE(rc::check([&] {
    std::vector<PlacedExtent> placed = *random_extents(300000);
    std::vector<Extent> extents;
    Bytes expected = before;
    for (PlacedExtent& one : placed) {
      extents.push_back(one.extent());
      copy_to_file(one.extent(), expected);
    }
    const AccessPlan plan = AccessPlan::for_writing(extents);
    const auto store = file_of(before, OpenMode::write);
    store->submit_extents(Operation::write, plan.extents());
    RC_ASSERT(shelf->bytes(path) == expected);

    const std::vector<Bytes> written = memory_of(placed);
    for (PlacedExtent& one : placed) std::ranges::fill(one.memory, std::byte{});
    const AccessPlan back = AccessPlan::for_reading(extents);
    store->submit_extents(Operation::read, back.extents());
    RC_ASSERT(memory_of(placed) == written);
  }));
}

TEST_P(EveryStore, ReadingExtentsPastTheEndNamesFileAndByte) {
  const auto store = file_of(pattern(10000), OpenMode::read);
  Bytes into(100);
  Extent extent = contiguous(0, {3, 10}, into.data());
  extent.steps = {{10, 1109, 10}};
  store->submit_extents(Operation::read, {&extent, 1});
  extent.offset_bytes = 15;
  const auto error = thrown([&] { store->submit_extents(Operation::read, {&extent, 1}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_EQ(error->parts().where.file, path);
  EXPECT_EQ(error->parts().where.byte, 10000);
}

TEST_P(EveryStore, OnlyCollectiveStoresTakeCollectiveCalls) {
  const auto store = file_of(pattern(100), OpenMode::write);
  Bytes bytes = pattern(10, 2);
  const Extent extent = contiguous(0, {20, 10}, bytes.data());
  const auto error = thrown([&] { store->submit_collective(Operation::write, {&extent, 1}); });
  if (store->is_collective()) {
    EXPECT_FALSE(error);
    store->close();
    Bytes expected = pattern(100);
    std::ranges::copy(bytes, expected.begin() + 20);
    EXPECT_EQ(shelf->bytes(path), expected);
  } else {
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_EQ(shelf->bytes(path), pattern(100));
  }
}

}  // namespace sill::test
