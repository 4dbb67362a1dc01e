#include "sill/store/forwarding_store.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "sill/store/meter_store.hpp"
#include "sill/store/mpiio/mpiio_own.hpp"

namespace sill::test {
namespace {

using Calls = std::vector<std::string>;

// Records the calls that reach it.
class RecordingStore final : public Store {
 public:
  RecordingStore(Calls& calls, bool has_all) : calls_(calls), has_all_(has_all) {}
  [[nodiscard]] const std::string& name() const override { return name_; }
  void submit(std::span<const Request> /*requests*/) override { calls_.emplace_back("submit"); }
  void submit_strided(const StridedRead& /*read*/) override { calls_.emplace_back("submit_strided"); }
  void submit_linked(std::span<LinkedRead> /*reads*/) override { calls_.emplace_back("submit_linked"); }
  [[nodiscard]] bool follows_links() const override { return has_all_; }
  void submit_extents(Operation /*operation*/, std::span<const Extent> /*extents*/) override {
    calls_.emplace_back("submit_extents");
  }
  [[nodiscard]] bool takes_extents() const override { return has_all_; }
  [[nodiscard]] bool is_collective() const override { return has_all_; }
  void submit_collective(Operation /*operation*/, std::span<const Extent> /*extents*/) override {
    calls_.emplace_back("submit_collective");
  }
  [[nodiscard]] std::int64_t size_bytes() override { return 77; }
  void allocate(std::int64_t size_bytes) override { calls_.push_back("allocate " + std::to_string(size_bytes)); }
  void punch_hole(ByteRange bytes) override { add("punch_hole", bytes); }
  void drop_cache(ByteRange bytes) override { add("drop_cache", bytes); }
  void will_need(std::span<const ByteRange> ranges) override { add("will_need", ranges.front()); }
  void sync() override { calls_.emplace_back("sync"); }
  void close() override { calls_.emplace_back("close"); }

 private:
  void add(const std::string& call, ByteRange bytes) {
    calls_.push_back(call + " " + std::to_string(bytes.offset) + " " + std::to_string(bytes.length));
  }

  Calls& calls_;
  bool has_all_;
  std::string name_ = "file";
};

std::int64_t next_item(const void* /*context*/, const std::byte* /*item*/) noexcept { return 4; }

// Calls everything that a store has, but those that ask something.
void call_all(Store& store) {
  std::byte memory[4];
  const iovec piece{memory, sizeof memory};
  const Request request{Operation::read, 0, {&piece, 1}};
  store.submit({&request, 1});
  store.submit_strided({0, 1, 1, 4, memory});
  LinkedRead linked{
      .offset_bytes = 0, .end_byte = 4, .length_bytes = 4, .max_items = 1, .memory = memory, .distance = next_item};
  store.submit_linked({&linked, 1});
  const Extent extent = contiguous(0, {0, 4}, memory);
  store.submit_extents(Operation::write, {&extent, 1});
  if (store.is_collective()) store.submit_collective(Operation::write, {&extent, 1});
  store.allocate(5);
  store.punch_hole({1, 2});
  store.drop_cache({3, 4});
  const ByteRange needed{5, 6};
  store.will_need({&needed, 1});
  store.sync();
  store.close();
}

TEST(ForwardingStoreTest, ForwardsEveryCall) {
  Calls calls;
  ForwardingStore store(std::make_unique<RecordingStore>(calls, true));
  EXPECT_EQ(store.name(), "file");
  EXPECT_EQ(store.size_bytes(), 77);
  EXPECT_TRUE(store.follows_links());
  EXPECT_TRUE(store.takes_extents());
  EXPECT_TRUE(store.is_collective());
  call_all(store);
  EXPECT_EQ(calls, (Calls{"submit", "submit_strided", "submit_linked", "submit_extents", "submit_collective",
                          "allocate 5", "punch_hole 1 2", "drop_cache 3 4", "will_need 5 6", "sync", "close"}));
}

TEST(ForwardingStoreTest, LinksAndExtentsBecomeRequestsWhereTheWrappedStoreHasNone) {
  Calls calls;
  ForwardingStore store(std::make_unique<RecordingStore>(calls, false));
  EXPECT_FALSE(store.follows_links());
  EXPECT_FALSE(store.takes_extents());
  EXPECT_FALSE(store.is_collective());
  call_all(store);
  EXPECT_EQ(calls, (Calls{"submit", "submit_strided", "submit", "submit", "allocate 5", "punch_hole 1 2",
                          "drop_cache 3 4", "will_need 5 6", "sync", "close"}));
}

TEST(ForwardingStoreTest, AnOverriddenSubmitReceivesTheRequestsOfLinksAndExtents) {
  class CountingStore final : public ForwardingStore {
   public:
    using ForwardingStore::ForwardingStore;
    void submit(std::span<const Request> requests) override {
      seen += requests.size();
      ForwardingStore::submit(requests);
    }
    std::size_t seen = 0;
  };
  Calls calls;
  CountingStore store(std::make_unique<RecordingStore>(calls, false));
  call_all(store);
  EXPECT_EQ(store.seen, 3U);
}

// No byte is moved, so MPI need not run.
TEST(MpiioStoreTest, HandsWhatItsPosixStoreDoesToThat) {
  Calls calls;
  MpiioStore store(std::make_unique<RecordingStore>(calls, false), "file", true, {}, nullptr);
  EXPECT_EQ(store.name(), "file");
  EXPECT_EQ(store.size_bytes(), 77);
  EXPECT_TRUE(store.takes_extents());
  EXPECT_FALSE(store.is_collective());
  store.allocate(5);
  store.punch_hole({1, 2});
  store.drop_cache({3, 4});
  const ByteRange needed{5, 6};
  store.will_need({&needed, 1});
  store.sync();
  store.close();
  EXPECT_EQ(calls, (Calls{"allocate 5", "punch_hole 1 2", "drop_cache 3 4", "will_need 5 6", "sync", "close"}));
}

TEST(MpiioStoreTest, MeteredStillDropsItsCache) {
  Calls calls;
  Meter meter;
  const auto store = metered(std::make_unique<MpiioStore>(std::make_unique<RecordingStore>(calls, false), "file", false,
                                                          MpiioHints(), nullptr),
                             meter);
  store->drop_cache({3, 4});
  EXPECT_EQ(calls, Calls{"drop_cache 3 4"});
}

}  // namespace
}  // namespace sill::test
