// Elements as elements of another type: what NumPy and C say of values that fit, and where conversion stops else.
#include "sill/formats/array/element_conversion.hpp"

#include <gtest/gtest.h>  // before RapidCheck's header for it
#include <rapidcheck.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "sill/formats/array/array_code.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/formats/array/listed_elements.hpp"
#include "sill/plan/rows.hpp"
#include "store/thrown.hpp"

namespace sill {
namespace {

template <class To, class From>
std::optional<To> converted(From value) {
  To result{};
  const ElementRow from{0, {element_type_of<From>()}};
  const ElementRow to{0, {element_type_of<To>()}};
  if (convert_elements(reinterpret_cast<const std::byte*>(&value), from, reinterpret_cast<std::byte*>(&result), to,
                       1) == 0)
    return std::nullopt;
  return result;
}

TEST(ElementConversion, ValuesThatFitAreThoseOfC) {
  EXPECT_EQ((converted<std::int16_t, double>(-1.75)), -1);
  EXPECT_EQ((converted<std::uint8_t, double>(-0.5)), 0);
  EXPECT_EQ((converted<std::uint8_t, double>(255.9)), 255);
  EXPECT_EQ((converted<float, double>(0.1)), 0.1F);
  EXPECT_EQ((converted<float, std::int32_t>(16777217)), 16777216.0F);
  EXPECT_EQ((converted<double, std::uint64_t>(std::numeric_limits<std::uint64_t>::max())), 0x1p64);
  EXPECT_EQ((converted<std::int64_t, float>(-0x1p63F)), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ((converted<std::int8_t, std::uint64_t>(127)), 127);
  EXPECT_TRUE(std::isnan(*converted<float, double>(std::nan(""))));
  EXPECT_TRUE(std::isinf(*converted<float, double>(-HUGE_VAL)));
}

TEST(ElementConversion, StopsAtValuesThatDoNotFit) {
  EXPECT_FALSE((converted<std::uint8_t, double>(-1.0)));
  EXPECT_FALSE((converted<std::uint8_t, double>(256.0)));
  EXPECT_FALSE((converted<std::int32_t, double>(std::nan(""))));
  EXPECT_FALSE((converted<std::int32_t, float>(HUGE_VALF)));
  EXPECT_FALSE((converted<std::int64_t, float>(0x1p63F)));
  EXPECT_FALSE((converted<std::uint64_t, double>(0x1p64)));
  EXPECT_FALSE((converted<float, double>(1e39)));
  EXPECT_FALSE((converted<std::uint16_t, std::int8_t>(-1)));
  EXPECT_FALSE((converted<std::int64_t, std::uint64_t>(std::uint64_t{1} << 63U)));
  const std::array<double, 4> values{1, 2, -1, 3};
  std::array<std::uint16_t, 4> results{};
  EXPECT_EQ(convert_elements(reinterpret_cast<const std::byte*>(values.data()), {8, {ElementType::f8}},
                             reinterpret_cast<std::byte*>(results.data()), {2, {ElementType::u2}}, 4),
            2);
}

// A box with any strides, margins and order of dimensions, its bytes taken in any pieces.
TEST(ArrayCode, AnyPiecesOfAnyBoxAreThoseOfTheWholeAndComeBack) {
  EXPECT_TRUE(rc::check([] {
    const Index count = *rc::gen::container<Index>(3, rc::gen::inRange<std::int64_t>(1, 5));
    const bool transposed = *rc::gen::arbitrary<bool>();
    const bool backwards = *rc::gen::arbitrary<bool>();
    const auto margin = *rc::gen::inRange<std::int64_t>(0, 3);
    Index stored = count;
    for (std::int64_t& each : stored) each += margin;
    Index strides =
        transposed ? Index{1, stored[0], stored[0] * stored[1]} : Index{stored[1] * stored[2], stored[2], 1};
    std::vector<double> memory(static_cast<std::size_t>(stored[0] * stored[1] * stored[2]));
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<double>(i) + 0.5;
    std::int64_t first = 0;
    if (backwards) {
      first = (count[1] - 1) * strides[1];
      strides[1] = -strides[1];
    }
    ArrayBox box{reinterpret_cast<std::byte*>(memory.data() + first), ElementType::f8, count, strides};
    for (std::int64_t& each : box.strides_bytes) each *= 8;
    const ElementForm file{*rc::gen::element(ElementType::f4, ElementType::f8, ElementType::i2), ByteOrder::big};
    const ArrayEncoder encoder(box, file, "v");
    const auto total = count[0] * count[1] * count[2] * bytes_of(file.type);
    std::vector<std::byte> whole(static_cast<std::size_t>(total));
    std::vector<std::byte> pieces(whole.size());
    encoder.fill({0, total}, whole);

    std::vector<double> back(memory.size(), -1.0);
    box.first = reinterpret_cast<std::byte*>(back.data() + first);
    ArrayDecoder decoder(box, file, "v");
    for (std::int64_t at = 0; at < total;) {
      const std::int64_t length = std::min(total - at, *rc::gen::inRange<std::int64_t>(1, 30));
      const auto piece = std::span(pieces).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(length));
      encoder.fill({at, length}, piece);
      decoder.take({at, length}, piece);
      at += length;
    }
    RC_ASSERT(pieces == whole);
    std::size_t element = 0;
    for (std::int64_t z = 0; z < count[0]; ++z) {
      for (std::int64_t y = 0; y < count[1]; ++y) {
        for (std::int64_t x = 0; x < count[2]; ++x, ++element) {
          const auto place = static_cast<std::size_t>(first + z * strides[0] + y * strides[1] + x * strides[2]);
          const std::byte* const at = whole.data() + element * static_cast<std::size_t>(bytes_of(file.type));
          const double value = memory[place];
          const double expected = file.type == ElementType::i2 ? std::trunc(value) : value;
          const double found = file.type == ElementType::i2   ? load<std::int16_t>(at, ByteOrder::big)
                               : file.type == ElementType::f4 ? load<float>(at, ByteOrder::big)
                                                              : load<double>(at, ByteOrder::big);
          RC_ASSERT(found == expected);
          RC_ASSERT(back[place] == expected);
        }
      }
    }
  }));
}

// A window may end within an element: such bytes go through a stage, which puts the element together.
TEST(ArrayCode, OnlyWholeElementsOfARowHaveAPlace) {
  std::vector<double> memory(12);
  auto* const first = reinterpret_cast<std::byte*>(memory.data());
  const ArrayBox box{first, ElementType::f8, {3, 3}, {32, 8}};
  const ArrayDecoder swapped(box, {ElementType::f8, ByteOrder::big}, "v");
  EXPECT_EQ(swapped.place_of({0, 24}), first);
  EXPECT_EQ(swapped.place_of({8, 16}), first + 8);
  EXPECT_EQ(swapped.place_of({24, 24}), first + 32);
  EXPECT_EQ(swapped.place_of({16, 16}), nullptr) << "of two rows";
  EXPECT_EQ(swapped.place_of({0, 20}), nullptr);
  EXPECT_EQ(swapped.place_of({4, 8}), nullptr);
  EXPECT_EQ(ArrayDecoder(box, {ElementType::f4, ByteOrder::big}, "v").place_of({0, 12}), nullptr);
}

// Lists of fewer and more elements than are converted at once, in order and not. Numbers come in pairs that follow one
// another: 0, 1, 4, 5, 8, 9 ...
TEST(ListedElements, ConvertInTheirOrderAndBack) {
  constexpr std::size_t prime = 7919;
  for (const std::size_t count :
       {std::size_t{2}, std::size_t{510}, std::size_t{512}, std::size_t{514}, std::size_t{2000}}) {
    for (const bool ascends : {true, false}) {
      std::vector<std::int64_t> numbers(count);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = ascends ? i : i * prime % count;
        numbers[i] = static_cast<std::int64_t>(place / 2 * 4 + place % 2);
      }
      std::vector<double> values;
      for (const std::int64_t number : numbers) values.push_back(static_cast<double>(number) + 0.75);
      ListedElements list(std::make_shared<ListOrder>(numbers), {ElementType::i4, ByteOrder::big}, "v");
      list.take(reinterpret_cast<const std::byte*>(values.data()), ElementType::f8);
      std::vector<std::int64_t> found;
      for (const Extent& extent : list.extents({0, 100, 4, {}})) {
        EXPECT_EQ(extent.run_bytes, 8);
        for_each_run(extent, {0, extent.total_bytes()}, [&](const ExtentRun& run) {
          for (std::int64_t at = 0; at < run.in_file.length; at += 4) {
            found.push_back((run.in_file.offset + at - 100) / 4);
            EXPECT_EQ(load<std::int32_t>(run.memory + at, ByteOrder::big), found.back());
          }
        });
      }
      std::vector<std::int64_t> ascending = numbers;
      std::ranges::sort(ascending);
      EXPECT_EQ(found, ascending);
      std::vector<std::int64_t> back(count);
      list.put(reinterpret_cast<std::byte*>(back.data()), ElementType::i8);
      EXPECT_EQ(back, numbers);
    }
  }
}

TEST(ListedElements, SayWhichValueDoesNotFit) {
  constexpr std::size_t count = 1500;
  std::vector<std::int64_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::int64_t>(count - 1 - i);
  std::vector<double> values(count, 1.0);
  const auto order = std::make_shared<ListOrder>(numbers);
  for (const std::size_t wrong : {std::size_t{0}, std::size_t{700}, count - 1}) {
    values[wrong] = 1e10;
    const auto expect_refused = [&](auto&& work) {
      const auto error = test::thrown(work);
      ASSERT_TRUE(error);
      EXPECT_NE(std::string(error->what()).find("variable v: the value 10000000000"), std::string::npos)
          << error->what();
    };
    auto* const first = reinterpret_cast<std::byte*>(values.data());
    expect_refused([&] { ListedElements(order, {ElementType::i4, ByteOrder::big}, "v").take(first, ElementType::f8); });
    ListedElements list(order, {ElementType::f8, ByteOrder::big}, "v");
    list.take(first, ElementType::f8);
    std::vector<std::int32_t> back(count);
    expect_refused([&] { list.put(reinterpret_cast<std::byte*>(back.data()), ElementType::i4); });
    values[wrong] = 1.0;
  }
}

TEST(ListedElements, ShareAnOrderWhereTheyAreTheSameList) {
  const std::vector<std::int64_t> first{3, 1, 2};
  const std::vector<std::int64_t> second{2, 1, 3};
  ListOrders orders;
  const auto order = orders.of(first);
  EXPECT_EQ(order, orders.of(first));
  EXPECT_NE(order, orders.of(second));
  EXPECT_NE(order, orders.of(std::span(first).first(2)));
}

TEST(ArrayCode, AValueOutOfRangeIsAnErrorWithVariableAndValue) {
  const std::array<float, 2> values{1, std::nanf("")};
  const ArrayBox box{reinterpret_cast<std::byte*>(const_cast<float*>(values.data())), ElementType::f4, {2}, {4}};
  const ArrayEncoder encoder(box, {ElementType::i4, ByteOrder::big}, "salt");
  std::array<std::byte, 8> bytes{};
  const auto error = test::thrown([&] { encoder.fill({0, 8}, bytes); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_NE(std::string(error->what()).find("variable salt: the value nan of type f4"), std::string::npos)
      << error->what();
}

TEST(FillEncoder, IsTheAttributeOrTheValueOfTheType) {
  std::array<std::byte, 5> bytes{};
  FillEncoder({"v", ElementType::i2}, {ElementType::i2, ByteOrder::big}).fill({1, 5}, bytes);
  EXPECT_EQ(bytes, (std::array{std::byte{0x01}, std::byte{0x80}, std::byte{0x01}, std::byte{0x80}, std::byte{0x01}}));
  const Variable variable{"v", ElementType::f4, {}, {{"_FillValue", -1.0F}}};
  std::array<std::byte, 4> element{};
  FillEncoder(variable, {ElementType::f4, ByteOrder::big}).fill({4, 4}, element);
  EXPECT_EQ(load<float>(element.data(), ByteOrder::big), -1.0F);
}

}  // namespace
}  // namespace sill
