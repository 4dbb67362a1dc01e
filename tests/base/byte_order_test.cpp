// Reading and writing numbers in each byte order, against bytes written out by hand.
#include "sill/base/byte_order.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sill {
namespace {

template <class T>
std::vector<int> stored(T value, ByteOrder order) {
  std::array<std::byte, sizeof(T)> bytes{};
  store(bytes.data(), value, order);
  std::vector<int> numbers;
  for (const std::byte b : bytes) numbers.push_back(std::to_integer<int>(b));
  return numbers;
}

TEST(ByteOrder, BytesOfEachOrder) {
  EXPECT_EQ(stored<std::uint32_t>(0x01020304U, ByteOrder::big), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(stored<std::uint32_t>(0x01020304U, ByteOrder::little), (std::vector<int>{4, 3, 2, 1}));
  EXPECT_EQ(stored<std::uint32_t>(0x01020304U, ByteOrder::pairwise), (std::vector<int>{2, 1, 4, 3}));
  EXPECT_EQ(stored<std::uint16_t>(0x0102U, ByteOrder::big), (std::vector<int>{1, 2}));
  EXPECT_EQ(stored<std::uint16_t>(0x0102U, ByteOrder::little), (std::vector<int>{2, 1}));
  EXPECT_EQ(stored<std::uint16_t>(0x0102U, ByteOrder::pairwise), (std::vector<int>{2, 1}));
  EXPECT_EQ(stored<std::uint64_t>(0x0102030405060708ULL, ByteOrder::big), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(stored<std::uint64_t>(0x0102030405060708ULL, ByteOrder::pairwise),
            (std::vector<int>{2, 1, 4, 3, 6, 5, 8, 7}));
  EXPECT_EQ(stored<std::uint8_t>(7, ByteOrder::pairwise), (std::vector<int>{7}));
  EXPECT_EQ(stored<std::int8_t>(-1, ByteOrder::little), (std::vector<int>{255}));
  EXPECT_EQ(stored<float>(1.0F, ByteOrder::big), (std::vector<int>{0x3F, 0x80, 0, 0}));
  EXPECT_EQ(stored<float>(1.0F, ByteOrder::pairwise), (std::vector<int>{0x80, 0x3F, 0, 0}));
  EXPECT_EQ(stored<double>(-2.0, ByteOrder::little), (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0xC0}));
}

TEST(ByteOrder, SignIsKeptAtOddAddresses) {
  std::array<std::byte, 9> bytes{};
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise}) {
    store<std::int32_t>(bytes.data() + 1, -2, order);
    EXPECT_EQ(load<std::int32_t>(bytes.data() + 1, order), -2) << name_of(order);
    store<std::int16_t>(bytes.data() + 3, -300, order);
    EXPECT_EQ(load<std::int16_t>(bytes.data() + 3, order), -300) << name_of(order);
    EXPECT_EQ(bytes[0], std::byte{0});
  }
}

TEST(ByteOrder, Names) {
  EXPECT_EQ(name_of(ByteOrder::big), "big");
  EXPECT_EQ(name_of(ByteOrder::little), "little");
  EXPECT_EQ(name_of(ByteOrder::pairwise), "pairwise");
}

RC_GTEST_PROP(ByteOrderProperty, WhatIsStoredIsLoaded, (std::uint64_t value)) {
  std::array<std::byte, 8> bytes{};
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise}) {
    store(bytes.data(), value, order);
    RC_ASSERT(load<std::uint64_t>(bytes.data(), order) == value);
    store(bytes.data(), static_cast<std::int32_t>(value), order);
    RC_ASSERT(load<std::int32_t>(bytes.data(), order) == static_cast<std::int32_t>(value));
    store(bytes.data(), static_cast<std::uint16_t>(value), order);
    RC_ASSERT(load<std::uint16_t>(bytes.data(), order) == static_cast<std::uint16_t>(value));
  }
}

}  // namespace
}  // namespace sill
