// Values as messages, and which types are not sent as bytes.
#include "sill/comm/packer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sill {
namespace {

struct Pair {
  std::int64_t a = 0;
  double b = 0.0;
};

static_assert(Packable<int> && Packable<Pair>);
static_assert(!Packable<const char*> && !Packable<Pair*>);
static_assert(!Packable<std::string_view> && !Packable<std::span<const int>> && !Packable<std::optional<int>>);

TEST(Packer, IsUnpackedByTheSameCalls) {
  const std::vector<std::string> texts{"a", "", "long"};
  Packer to;
  to(std::int64_t{5}, texts, std::optional<Pair>(Pair{1, 2.5}), std::string_view("viewed"));
  const std::vector<std::byte> message = to.take();
  Unpacker from(message);
  std::int64_t number = 0;
  std::vector<std::string> found;
  std::optional<Pair> pair;
  std::string viewed;
  from(number, found, pair, viewed);
  EXPECT_EQ(number, 5);
  EXPECT_EQ(found, texts);
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->a, 1);
  EXPECT_EQ(pair->b, 2.5);
  EXPECT_EQ(viewed, "viewed");
}

}  // namespace
}  // namespace sill
