// More bytes than 32 bits count between two ranks.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "move/large_memory.hpp"
#include "sill/move/mover.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::FoldedMemory;
using test::Sink;
using test::world;

constexpr std::int64_t beyond_int = (std::int64_t{1} << 31) + (std::int64_t{1} << 26) + 5;

bool holds_fold(const FoldedMemory& memory) {
  FoldedMemory expected(1);
  expected.fill();
  return std::memcmp(memory.data(), expected.data(), static_cast<std::size_t>(FoldedMemory::fold_bytes)) == 0;
}

SILL_TEST_RANKS(LargeMpi, AMessageOfMoreThan32BitsCountIsCut, 2, 2);
TEST(LargeMpi, AMessageOfMoreThan32BitsCountIsCut) {
  Communicator& comm = world();
  const FoldedMemory memory(beyond_int);
  if (comm.rank() == 0) {
    memory.fill();
    const Outgoing message{1, {memory.data(), static_cast<std::size_t>(beyond_int)}};
    comm.exchange({&message, 1}, {});
  } else {
    const Incoming message{0, {memory.data(), static_cast<std::size_t>(beyond_int)}};
    comm.exchange({}, {&message, 1});
    EXPECT_TRUE(holds_fold(memory));
  }
}

// All bytes are of rank 1, all requests of rank 0.
SILL_TEST_RANKS(LargeMpi, AMoverExchangesMoreThan32BitsCount, 2, 2);
TEST(LargeMpi, AMoverExchangesMoreThan32BitsCount) {
  Communicator& comm = world();
  constexpr std::int64_t first = std::int64_t{1} << 41;
  const bool holder = comm.rank() == 1;
  const FoldedMemory memory(holder ? beyond_int : 1);
  memory.fill();
  Sink sink;
  Mover mover(comm, {.paths = {"sink"}, .open = sinks(sink, first, memory)}, Policy::parse("gathered,stage=16M"),
              {64 << 20, 1});
  const auto piece = [&](const FoldedMemory& of) {
    return std::vector<Extent>(holder ? 1U : 0U, contiguous(0, {first, beyond_int}, of.data()));
  };
  mover.write(AccessPlan::for_writing(piece(memory)));
  EXPECT_EQ(sink.bytes, holder ? 0 : beyond_int);
  EXPECT_EQ(sink.wrong_bytes, 0);
  // Every round is one message, straight from the memory of rank 1 into the stage of rank 0.
  const MoveCounts counts = mover.counts();
  EXPECT_EQ(counts.messages, holder ? (beyond_int >> 24U) + 1 : 0);
  EXPECT_EQ(counts.message_bytes, holder ? beyond_int : 0);
  EXPECT_EQ(counts.copied_bytes, 0);
  const FoldedMemory back(holder ? beyond_int : 1);
  mover.read(AccessPlan::for_reading(piece(back)));
  mover.close();
  if (holder) {
    EXPECT_TRUE(holds_fold(back));
  }
}

}  // namespace
}  // namespace sill
