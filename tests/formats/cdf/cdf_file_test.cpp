// Headers of netCDF files: against bytes written by hand from the specification, and read back; damage is found.
#include "sill/formats/cdf/cdf_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "store/thrown.hpp"

namespace sill {
namespace {

using Bytes = std::vector<std::byte>;

// Numbers of 4 bytes, big-endian, and text, padded to 4.
struct Words {
  Bytes bytes;
  Words& operator<<(std::uint32_t word) {
    bytes.resize(bytes.size() + 4);
    store(bytes.data() + bytes.size() - 4, word, ByteOrder::big);
    return *this;
  }
  Words& operator<<(const char* text) {
    for (const char* c = text; *c != '\0'; ++c) bytes.push_back(static_cast<std::byte>(*c));
    while (bytes.size() % 4 != 0) bytes.push_back(std::byte{0});
    return *this;
  }
};

DatasetDescription description() {
  return {.dimensions = {{"time", unlimited}, {"x", 5}},
          .variables = {{"x", ElementType::i2, {"x"}, {{"units", "m"}}},
                        {"a", ElementType::f4, {"time", "x"}},
                        {"b", ElementType::i1, {"time", "x"}}},
          .attributes = {{"title", "seiche"}, {"level", std::int32_t{7}}}};
}

TEST(CdfFile, AHeaderIsThatOfTheSpecification) {
  const cdf::FileLayout layout = cdf::layout_of(description(), {.version = 1});
  Words expected;
  expected << "CDF\x01" << 3U;
  expected << 0x0AU << 2U << 4U << "time" << 0U << 1U << "x" << 5U;
  expected << 0x0CU << 2U << 5U << "title" << 2U << 6U << "seiche" << 5U << "level" << 4U << 1U << 7U;
  expected << 0x0BU << 3U;
  expected << 1U << "x" << 1U << 1U << 0x0CU << 1U << 5U << "units" << 2U << 1U << "m" << 3U << 12U << 512U;
  expected << 1U << "a" << 2U << 0U << 1U << 0U << 0U << 5U << 20U << 524U;
  expected << 1U << "b" << 2U << 0U << 1U << 0U << 0U << 1U << 8U << 544U;
  EXPECT_EQ(cdf::header_of(description(), layout, 3), expected.bytes);
  EXPECT_EQ(layout.header_bytes, static_cast<std::int64_t>(expected.bytes.size()));
  EXPECT_EQ(layout.records_begin, 524);
  EXPECT_EQ(layout.record_bytes, 28);
  const Bytes beginning = cdf::beginning_of(layout, 3);
  EXPECT_EQ(beginning, Bytes(expected.bytes.begin(), expected.bytes.begin() + 8));
}

TEST(CdfFile, ARecordOfOneVariableIsNotPadded) {
  DatasetDescription one = description();
  one.variables.erase(one.variables.begin() + 1);
  EXPECT_EQ(cdf::layout_of(one, {}).record_bytes, 5);
}

TEST(CdfFile, TheVersionIsTheOneThatHoldsTypesAndSizes) {
  EXPECT_EQ(cdf::layout_of(description(), {}).version, 2);
  DatasetDescription wide = description();
  wide.variables[1].type = ElementType::u8;
  EXPECT_EQ(cdf::layout_of(wide, {}).version, 5);
  const auto error = test::thrown([&] { (void)cdf::layout_of(wide, {.version = 2}); });
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("variable a has type u8, which CDF-2 lacks"), std::string::npos);
  DatasetDescription large = description();
  large.dimensions[1].length = std::int64_t{1} << 30U;
  EXPECT_EQ(cdf::layout_of(large, {}).version, 5);
  EXPECT_TRUE(test::thrown([&] { (void)cdf::layout_of(large, {.version = 1}); }));
}

TEST(CdfFile, AHeaderIsReadBack) {
  for (const int version : {1, 2, 5}) {
    const cdf::FileForm form{.version = version, .align = 4096, .variable_align = 64, .record_align = 1024};
    const cdf::FileLayout layout = cdf::layout_of(description(), form);
    const Bytes header = cdf::header_of(description(), layout, 3);
    const std::int64_t size = layout.begins[2] + 2 * layout.record_bytes + 5;
    const auto contents = cdf::parse_header(header, size, "x.nc");
    ASSERT_TRUE(contents);
    EXPECT_EQ(contents->description, description());
    EXPECT_EQ(contents->layout, layout);
    EXPECT_EQ(contents->records, 3);
    for (std::size_t bytes = 0; bytes < header.size(); ++bytes) {
      EXPECT_FALSE(cdf::parse_header(std::span(header).first(bytes), size, "x.nc")) << bytes;
      EXPECT_TRUE(test::thrown([&] {
        (void)cdf::parse_header(std::span(header).first(bytes), static_cast<std::int64_t>(bytes), "x.nc");
      })) << bytes;
    }
    EXPECT_TRUE(contents->missing.empty());
    const auto cut = cdf::parse_header(header, size - 1, "x.nc");
    EXPECT_EQ(cut->records, 3);
    ASSERT_EQ(cut->missing.size(), 1U);
    EXPECT_NE(cut->missing[0].find("states 3 records, of which 2 are complete"), std::string::npos);
  }
}

TEST(CdfFile, NamesMayEndInZeroBytes) {  // as in nctest/ref_nctest_classic.nc of netCDF-C
  const DatasetDescription plain{.dimensions = {{"x", 3}}, .variables = {{"u", ElementType::f4, {"x"}}}};
  const cdf::FileLayout layout = cdf::layout_of(plain, {});
  Bytes header = cdf::header_of(plain, layout, 0);
  header[19] = std::byte{4};  // the length of the name
  EXPECT_EQ(cdf::parse_header(header, layout.records_begin, "x.nc")->description, plain);
}

TEST(CdfFile, AnUnknownNumberOfRecordsIsThatOfTheFile) {
  const cdf::FileLayout layout = cdf::layout_of(description(), {});
  Bytes header = cdf::header_of(description(), layout, 0);
  std::fill_n(header.begin() + 4, 4, std::byte{0xFF});
  EXPECT_EQ(cdf::parse_header(header, layout.records_begin + 3 * layout.record_bytes, "x.nc")->records, 3);
}

TEST(CdfFile, ACountOfFarMoreRecordsThanTheFileHasBytesForIsDamage) {
  const cdf::FileLayout layout = cdf::layout_of(description(), {});
  const std::int64_t size = layout.records_begin + layout.record_bytes;
  EXPECT_EQ(cdf::parse_header(cdf::header_of(description(), layout, 100), size, "x.nc")->missing.size(), 1U);
  const auto error = test::thrown(
      [&] { (void)cdf::parse_header(cdf::header_of(description(), layout, std::int64_t{1} << 24U), size, "x.nc"); });
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("states 16777216 records"), std::string::npos) << error->what();
}

TEST(CdfFile, PositionsThatOverlapOrHaveAnotherOrderAreDamage) {
  const auto problem = [](auto&& change) {
    const DatasetDescription all{.dimensions = {{"time", unlimited}, {"x", 5}},
                                 .variables = {{"x", ElementType::i2, {"x"}},
                                               {"y", ElementType::f4, {"x"}},
                                               {"a", ElementType::f4, {"time", "x"}},
                                               {"b", ElementType::i1, {"time", "x"}}}};
    cdf::FileLayout layout = cdf::layout_of(all, {});
    change(layout.begins);
    const auto error = test::thrown([&] { (void)cdf::parse_header(cdf::header_of(all, layout, 1), 10000, "x.nc"); });
    return error ? std::string(error->what()) : "";
  };
  const auto begins_before = [&](auto&& change, const std::string& text) {
    const std::string found = problem(change);
    return found.find(text) != std::string::npos ? "" : "found: " + found;
  };
  EXPECT_EQ(problem([](auto&) {}), "");
  EXPECT_EQ(problem([](auto& begins) { begins[0] -= 4; }), "");  // a gap
  EXPECT_EQ(begins_before([](auto& begins) { begins[1] -= 4; }, "before the end of variable x"), "");
  EXPECT_EQ(begins_before([](auto& begins) { begins[0] += 1000; }, "before the end of variable x"), "");
  EXPECT_EQ(begins_before([](auto& begins) { begins[2] -= 4; }, "before the end of variable y"), "");
  EXPECT_EQ(begins_before([](auto& begins) { begins[2] += 4; }, "before the end of variable a"), "");
  EXPECT_EQ(begins_before([](auto& begins) { begins[3] += 4; }, "after the begin of the next one"), "");
  EXPECT_NE(problem([](auto& begins) { begins[0] = 8; }), "");
  EXPECT_NE(problem([](auto& begins) { begins[3] = std::numeric_limits<std::int64_t>::max() - 5; }), "");
}

TEST(CdfFile, AFileOfWhichNoStepWasCompletedIsSaidToBeOne) {
  const Bytes zeros(1000);
  const auto error = test::thrown([&] { (void)cdf::parse_header(zeros, 1000, "x.nc"); });
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("completed no step"), std::string::npos);
}

TEST(CdfFile, OtherFilesAreSaidToBeOthers) {
  const Bytes other{std::byte{'C'}, std::byte{'D'}, std::byte{'F'}, std::byte{7}};
  const auto error = test::thrown([&] { (void)cdf::parse_header(other, 1000, "x.nc"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::input);
}

TEST(CdfFile, DescriptionsThatMakeNoFileAreRefused) {
  const auto is_refused = [](auto&& change) {
    DatasetDescription wrong = description();
    change(wrong);
    const auto error = test::thrown([&] { (void)cdf::layout_of(wrong, {}); });
    return error && error->code() == ErrorCode::usage;
  };
  EXPECT_FALSE(is_refused([](auto&) {}));
  EXPECT_TRUE(is_refused([](auto& d) { d.dimensions[1].length = 0; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.dimensions[1].length = unlimited; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.dimensions[1].name = "time"; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.variables[0].name = "a//b"; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.variables[0].name = "a"; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.variables[1].dimensions = {"x", "time"}; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.variables[1].dimensions = {"time", "y"}; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.attributes[1].name = "title"; }));
  EXPECT_TRUE(is_refused([](auto& d) {
    d.dimensions[1].length = std::int64_t{1} << 60U;
    d.variables[1].type = ElementType::f8;
    d.variables[1].dimensions = {"x", "x"};
  }));
}

}  // namespace
}  // namespace sill
