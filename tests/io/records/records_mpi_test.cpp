// Records by several ranks: the same files for every policy, owner and order; frames, index, faults, damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sill/io/records/records_reader.hpp"
#include "sill/io/records/records_writer.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/memory.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::thrown;
using test::world;

constexpr std::int64_t record_count = 200;

// Of no bytes, short, and longer than a frame or than all buffers.
std::string record_text(std::int64_t id) {
  if (id % 17 == 3) return {};
  const std::int64_t bytes = id == 90 ? 200'000 : id % 30 == 7 ? 5000 : 20 + id % 50;
  std::string text;
  while (std::ssize(text) < bytes) text += "<hit n=\"" + std::to_string(id * 7919 + std::ssize(text)) + "\"/>";
  return text;
}

class RecordsMpi : public testing::Test {
 protected:
  Communicator& comm = world();
  test::SharedFolder folder{comm, test::in_memory()};
  std::string path = folder / "hits.xml.zst";

  [[nodiscard]] Resources resources(const std::string& policy) const {
    const Policy of_run = Policy::parse(policy);
    return {.comm = comm, .open = opener_for(of_run.call), .policy = of_run, .memory_bytes = 64 << 10};
  }
  // Record `id` is some rank's, and comes in some call, both by `seed`.
  void write(const Resources& with, const RecordsOptions& options, unsigned seed, std::int64_t left_out = -1) {
    RecordsWriter writer(with, path, options);
    constexpr std::int64_t calls = 4;
    for (std::int64_t call = 0; call < calls; ++call) {
      std::mt19937 random(seed);
      for (std::int64_t id = record_count; id-- > 0;) {
        const auto rank = static_cast<int>(random() % static_cast<unsigned>(comm.size()));
        const auto in_call = static_cast<std::int64_t>(random() % calls);
        if (rank != comm.rank() || in_call != call || id == left_out) continue;
        const std::string text = record_text(id);
        writer.put(id, std::as_bytes(std::span(text)));
      }
      writer.write();
    }
    writer.close();
  }
  std::map<std::string, test::Bytes> files() {
    comm.barrier();
    std::map<std::string, test::Bytes> all;
    for (const auto& each : std::filesystem::directory_iterator(folder.path()))
      all[each.path().filename()] = test::bytes_of_file(each.path());
    comm.barrier();
    return all;
  }
  // On each rank. Reads all records.
  void expect_all(std::vector<std::string> paths, std::int64_t left_out = -1) {
    std::vector<std::byte> bytes;
    std::int64_t next = 0;
    for (const std::string& each : paths) {
      RecordsFile file(resources("direct"), each);
      EXPECT_FALSE(file.incomplete());
      for (const records::RecordPlace& record : file.records()) {
        if (next == left_out) ++next;
        EXPECT_EQ(record.id, next);
        EXPECT_EQ(file.read(record, bytes), std::nullopt);
        const std::string text = record_text(next++);
        EXPECT_TRUE(bytes.size() == text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0)
            << record.id;
      }
    }
    EXPECT_EQ(next, record_count);
  }
};

TEST_F(RecordsMpi, FilesAreTheSameForEveryPolicyOwnerAndOrder) {
  for (const records::Codec codec : records::codecs) {
    for (const std::int64_t count : {1, 3}) {
      const RecordsOptions options{
          .form = {.codec = codec, .frame_bytes = 4096}, .files = count, .ids = record_count, .replaces = true};
      std::optional<std::map<std::string, test::Bytes>> first;
      unsigned seed = 0;
      for (const char* policy : {"direct", "direct,async=2", "staged", "gathered", "elected,async=1", "aggregated",
                                 "collective", "writers=first,stage=600", "staged,sync=close"}) {
        SCOPED_TRACE(policy);
        write(resources(policy), options, ++seed);
        const auto found = files();
        if (!first) first = found;
        EXPECT_TRUE(*first == found);
        EXPECT_EQ(std::ssize(found), 2 * count);
      }
      expect_all(records_paths(path, count));
      comm.barrier();
      if (comm.rank() == 0) {
        for (const auto& [name, bytes] : *first) std::filesystem::remove(folder / name);
      }
      comm.barrier();
    }
  }
}

TEST_F(RecordsMpi, AGapWaitsForTheEnd) {
  write(resources("staged"), {.form = {.frame_bytes = 4096}}, 5, 40);
  comm.barrier();
  expect_all({path}, 40);
}

TEST_F(RecordsMpi, NoRecordsMakeFilesToo) {
  for (const records::Codec codec : records::codecs) {
    RecordsWriter writer(resources("staged"), path, {.form = {.codec = codec}, .replaces = true});
    writer.write();
    writer.close();
    comm.barrier();
    RecordsFile file(resources("direct"), path);
    EXPECT_TRUE(file.records().empty() && !file.incomplete());
    EXPECT_TRUE(file.verify().damaged.empty());
    comm.barrier();
  }
}

// Frames of a call are one request of a rank, however many there are; the index is one of rank 0.
TEST_F(RecordsMpi, ACallIsARequestOfARank) {
  Meter meter;
  const Resources with{
      .comm = comm, .open = metered(open_posix, meter), .policy = Policy::parse("direct"), .memory_bytes = 16 << 20};
  write(with, {.form = {.frame_bytes = 4096}}, 1);
  const std::int64_t all = all_reduce(comm, meter.write_requests, Reduction::sum);
  constexpr std::int64_t calls = 5;                 // closing is one
  EXPECT_LE(all, calls * comm.size() + calls + 3);  // the first line of the index, the last one, the table of frames
  comm.barrier();
}

TEST_F(RecordsMpi, WrongUseIsRefused) {
  const auto refused = [&](const std::string& text, const std::function<void()>& work) {
    const auto error = thrown(work);
    ASSERT_TRUE(error) << text;
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_NE(std::string(error->what()).find(text), std::string::npos) << error->what();
  };
  const auto open = [&](const RecordsOptions& options) { RecordsWriter(resources("staged"), path, options); };
  refused("zstd has no level 30", [&] { open({.form = {.level = 30}}); });
  refused("frames of 10 bytes", [&] { open({.form = {.frame_bytes = 10}}); });
  refused("3 files for 0 ids", [&] { open({.files = 3}); });
  if (comm.size() > 1) refused("different names or options", [&] { open({.form = {.level = 1 + comm.rank()}}); });
  {
    RecordsWriter writer(resources("staged"), path, {.ids = 10});
    refused("a record has the id 10", [&] { writer.put(10, {}); });
    refused("a record has the id -1", [&] { writer.put(-1, {}); });
    writer.put(comm.rank(), {});
    refused("was passed twice", [&] { writer.put(comm.rank(), {}); });
    EXPECT_TRUE(thrown([&] { RecordsWriter(resources("staged"), path, {.replaces = true}); }));  // two at once
    writer.write();
    writer.put(9, {});
    if (comm.size() > 1) {
      refused("record 9 was passed twice", [&] { writer.write(); });
      refused("record 9 was passed twice", [&] { writer.close(); });
    }
  }
  comm.barrier();
  refused("exists already", [&] { open({}); });
}

// Each rank has a frame, and one of them no room to pack it.
TEST_F(RecordsMpi, ARankThatCannotPackIsAnErrorOfAll) {
  constexpr std::size_t frame_bytes = 1 << 20;
  const std::vector<std::byte> frame(frame_bytes);
  for (int poor = 0; poor < comm.size(); ++poor) {
    const auto error = thrown([&] {
      RecordsWriter writer(resources("direct"), path, {.replaces = true});
      writer.put(comm.rank(), frame);
      std::optional<test::LimitedMemory> limit;
      if (comm.rank() == poor) limit.emplace(frame_bytes + 1000);
      writer.write();
    });
    ASSERT_TRUE(error);
    EXPECT_TRUE(error->agreed());
    EXPECT_EQ(error->code(), ErrorCode::io);
    EXPECT_EQ(error->parts().rank, poor);
    comm.barrier();
  }
}

TEST_F(RecordsMpi, FaultsOfEachRankAreErrorsOfAll) {
  for (const char* policy : {"direct", "staged,async=1"}) {
    SCOPED_TRACE(policy);
    test::for_each_fault(comm, {.numbers = {1, 2, 3, 5, 9}}, [&](test::RankFault& fault) {
      const Resources with{
          .comm = comm, .open = fault.in(open_posix), .policy = Policy::parse(policy), .memory_bytes = 64 << 10};
      const RecordsOptions options{.form = {.frame_bytes = 4096}, .replaces = true};
      const bool struck = fault.is_stated_by(thrown([&] { write(with, options, 3); }));
      write(resources("staged"), options, 4);
      comm.barrier();
      expect_all({path});
      comm.barrier();
      return struck;
    });
  }
}

// Any byte that is changed, and any cut, costs the records in its frame, or those from there on; no other is wrong.
TEST_F(RecordsMpi, DamageCostsRecordsAndNeverChangesThem) {
  if (comm.size() > 1) return;
  for (const records::Codec codec : records::codecs) {
    write(resources("direct"), {.form = {.codec = codec, .frame_bytes = 4096}, .replaces = true}, 1);
    const test::Bytes whole = test::bytes_of_file(path);
    const auto put = [&](const test::Bytes& bytes) {
      std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    };
    const auto left = [&] {
      RecordsFile file(resources("direct"), path);
      const RecordsFile::Verified found = file.verify();
      std::vector<std::byte> bytes;
      for (const records::RecordPlace& each : file.records()) {
        if (file.read(each, bytes)) continue;
        const std::string text = record_text(each.id);
        EXPECT_TRUE(bytes.size() == text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0);
      }
      return std::pair(record_count - std::ssize(found.damaged), file.incomplete().has_value());
    };
    std::mt19937 random(7);
    for (int turn = 0; turn < 60; ++turn) {
      test::Bytes changed = whole;
      const std::size_t at = random() % whole.size();
      changed[at] ^= std::byte{1} << (random() % 8);
      put(changed);
      // A header of gzip, and zstd's table, have bytes that mean nothing.
      EXPECT_TRUE(left() != std::pair(record_count, false) || codec != records::Codec::none) << at;
      changed = whole;
      changed.resize(at);
      put(changed);
      const auto [count, is_incomplete] = left();
      EXPECT_TRUE(count < record_count || is_incomplete || codec != records::Codec::none) << at;
      EXPECT_LE(count, record_count);
    }
  }
}

}  // namespace
}  // namespace sill
