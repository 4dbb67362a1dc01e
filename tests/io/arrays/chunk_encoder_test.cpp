// The memory of chunks.
#include "sill/io/arrays/output/chunk_encoder.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "sill/comm/communicator.hpp"

namespace sill::arrays_test {
namespace {

TEST(SpareMemory, IsUsedAgainForSimilarSizes) {
  SpareMemory spare(1 << 20);
  for (const std::size_t size : {100'000U, 1'000U}) spare.give(spare.take(size));
  auto large = spare.take(60'000);
  auto small = spare.take(900);
  EXPECT_EQ(large->size(), 100'000);
  EXPECT_EQ(small->size(), 1'000);
  const auto* const at = small->data();
  spare.give(std::move(large));
  EXPECT_EQ(spare.take(1'000)->size(), 1'000);  // the only one is in use, and the large one is too large
  spare.give(std::move(small));
  EXPECT_EQ(spare.take(501)->data(), at);
}

TEST(SpareMemory, IsBounded) {
  SpareMemory spare(10'000);
  const auto take = [&](int number, std::size_t size) {
    std::vector<std::unique_ptr<std::vector<std::byte>>> taken;
    for (int i = 0; i < number; ++i) taken.push_back(spare.take(size));
    return taken;
  };
  const auto kept_of = [&](std::size_t size, std::size_t new_size) {
    int kept = 0;
    for (const auto& each : take(100, new_size)) kept += each->size() == size ? 1 : 0;
    return kept;
  };
  for (auto& each : take(100, 1'000)) spare.give(std::move(each));
  EXPECT_EQ(kept_of(1'000, 900), 10);
  // Other chunks take the place of those that are no longer needed.
  for (auto& each : take(100, 1'000)) spare.give(std::move(each));
  for (auto& each : take(30, 100)) spare.give(std::move(each));
  EXPECT_EQ(kept_of(100, 90), 30);
  EXPECT_EQ(kept_of(1'000, 900), 7);
  spare.give(spare.take(20'000));
  EXPECT_EQ(kept_of(20'000, 19'999), 0);
}

TEST(ChunkEncoder, KeepsNoMoreMemoryThanTheChunksNeed) {
  const std::unique_ptr<Communicator> comm = make_alone();
  const Resources resources{.comm = *comm, .policy = Policy::parse("direct"), .memory_bytes = 4 << 20};
  const DatasetDescription description{
      .dimensions = {{"x", 100'000}, {"y", 100}},
      .variables = {{"u", ElementType::f8, {"x"}}, {"v", ElementType::f8, {"y"}}, {"w", ElementType::f8, {"x"}}}};
  const Filter zstd{.kind = Filter::Kind::zstd};
  std::vector<ChunkedVariable> variables;
  for (const std::int64_t length : {100'000, 100, 100'000})
    variables.push_back({.grid = ChunkGrid({length}, {length}, 8), .form = {ElementType::f8}, .level = 1});
  variables[2].filters = {zstd};
  ChunkEncoder encoder(resources, "u", variables);
  const std::vector<double> zeros(100'000);
  for (int step = 0; step < 3; ++step) {
    for (const std::size_t v : {0U, 1U, 2U}) {
      const std::vector<ArrayPart> parts{
          {description.variables[v].name, {{0}, {v == 1 ? 100 : 100'000}}, zeros.data()}};
      const std::vector<ChunkOfVariable> chunks{{v, 0}};
      const EncodedChunks encoded = encoder.encode(description, chunks, parts, 0, {});
      ASSERT_EQ(encoded.own.size(), 1);
      EXPECT_LE(encoded.own[0].memory->size(), 2 * encoded.own[0].size + 1);
    }
  }
}

}  // namespace
}  // namespace sill::arrays_test
