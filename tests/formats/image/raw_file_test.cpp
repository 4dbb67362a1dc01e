// Bytes and the texts that describe them, XDMF and MetaImage: what is written is read back; texts of others; damaged
// ones.
#include "sill/formats/image/raw_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/image/any_description.hpp"
#include "sill/base/error.hpp"
#include "store/thrown.hpp"

namespace sill::raw_file_test {
namespace {

using image::ImageFile;
using image::mhd_text;
using image::parse_mhd;
using image::parse_xdmf;
using image::raw_file_of;
using image::RawContents;
using image::RawFiles;
using image::StepFile;
using image::xdmf_text;
using image_test::any_description;
using image_test::is_done_or_refused;
using image_test::is_refused;
using image_test::replaced;

// Without u8, which readers of XDMF take for u4.
std::vector<ElementType> raw_types() {
  std::vector<ElementType> types = image_test::number_types;
  std::erase(types, ElementType::u8);
  types.push_back(ElementType::text);
  return types;
}

DatasetDescription description() {
  return {.dimensions = {{"time", unlimited}, {"z", 2}, {"y", 3}, {"x", 4}, {"part", 3}},
          .variables = {{"u", ElementType::f4, {"time", "z", "y", "x"}},
                        {"v", ElementType::i2, {"time", "z", "y", "x", "part"}},
                        {"depth", ElementType::f8, {"z"}}},
          .attributes = {{"origin", std::span<const double>(std::vector{10.0, 20.0, 30.0})},
                         {"spacing", std::span<const double>(std::vector{0.5, 2.0, 3.0})}}};
}

// A place as text: "u.raw+8", or "-".
std::string place_of(const RawContents& contents, std::size_t step, std::size_t variable) {
  const auto& place = contents.places.at(step).at(variable);
  return place ? contents.files.at(place->file) + "+" + std::to_string(place->begin) : "-";
}

TEST(RawFile, ArraysLieOneBehindTheOtherAtMultiplesOf8) {
  EXPECT_TRUE(rc::check([] {
    const DatasetDescription all = any_description(raw_types());
    const bool of_steps = *rc::gen::arbitrary<bool>();
    const ImageFile file = raw_file_of(all, of_steps);
    RC_ASSERT(file.texts.empty());
    RC_ASSERT(file.begins.size() == all.variables.size());
    std::int64_t end = 0;
    for (std::size_t v = 0; v < all.variables.size(); ++v) {
      RC_ASSERT(file.begins[v].has_value() == (all.has_steps(all.variables[v]) == of_steps));
      if (!file.begins[v]) continue;
      RC_ASSERT(*file.begins[v] % 8 == 0 && *file.begins[v] >= end && *file.begins[v] < end + 8);
      end = *file.begins[v] + all.element_bytes(all.variables[v]);
    }
  }));
}

TEST(RawFile, WhatReadersOfXdmfTakeForAnotherTypeIsRefused) {
  std::string said;
  const DatasetDescription wide{.dimensions = {{"x", 4}}, .variables = {{"count", ElementType::u8, {"x"}}}};
  for (const bool of_steps : {false, true}) {
    EXPECT_TRUE(is_refused(
        ErrorCode::usage, "count", [&] { (void)raw_file_of(wide, of_steps); }, said))
        << said;
  }
  const auto text = [&] { (void)xdmf_text(wide, {.constant = "a.raw"}); };
  EXPECT_TRUE(is_refused(ErrorCode::usage, "u8", text, said)) << said;
  const std::int64_t length = std::int64_t{1} << 59U;
  const DatasetDescription large{.dimensions = {{"x", length}},
                                 .variables = {{"a", ElementType::f8, {"x"}}, {"b", ElementType::f8, {"x"}}}};
  EXPECT_TRUE(is_refused(
      ErrorCode::usage, "2^63", [&] { (void)raw_file_of(large, false); }, said))
      << said;
}

TEST(XdmfText, AnyDescriptionComesBackWithThePlacesOfItsArrays) {
  EXPECT_TRUE(rc::check([] {
    const DatasetDescription all = any_description(raw_types());
    std::vector<StepFile> steps(*rc::gen::inRange<std::size_t>(0, 4));
    const bool is_one_file = *rc::gen::arbitrary<bool>();
    for (std::size_t s = 0; s < steps.size(); ++s) {
      steps[s] = {"a<" + std::to_string(is_one_file ? 0 : s) + ">&b.raw", 0.5 * static_cast<double>(s),
                  1000 * static_cast<std::int64_t>(s)};
    }
    const bool has_constant = *rc::gen::arbitrary<bool>();
    const RawFiles files{.constant = has_constant ? "sub folder/c\xC3\xA4.raw" : "",
                         .constant_begin = *rc::gen::inRange<std::int64_t>(0, 100),
                         .steps = steps,
                         .order = *rc::gen::element(ByteOrder::little, ByteOrder::big)};
    const RawContents found = parse_xdmf(xdmf_text(all, files), "a.xdmf");
    RC_ASSERT(found.description == all);
    const std::size_t count = all.has_steps() ? steps.size() : 0;
    RC_ASSERT(found.steps == static_cast<std::int64_t>(count));
    RC_ASSERT(found.places.size() == count + 1);
    const bool shows_constant = has_constant;
    bool has_any = false;
    for (std::size_t s = 0; s <= count; ++s) {
      RC_ASSERT(found.places[s].size() == all.variables.size());
      for (std::size_t v = 0; v < all.variables.size(); ++v) {
        const bool of_steps = all.has_steps(all.variables[v]);
        std::string expected = "-";
        if (of_steps && s > 0) {
          const std::int64_t begin = steps[s - 1].begin + raw_file_of(all, true).begins[v].value();
          expected = steps[s - 1].path + "+" + std::to_string(begin);
        } else if (!of_steps && s == 0 && shows_constant) {
          const std::int64_t begin = files.constant_begin + raw_file_of(all, false).begins[v].value();
          expected = files.constant + "+" + std::to_string(begin);
        }
        has_any = has_any || expected != "-";
        RC_ASSERT(place_of(found, s, v) == expected);
      }
    }
    if (has_any) RC_ASSERT(found.order == files.order);
  }));
}

TEST(XdmfText, HasAGridForEachStepWithAllVariables) {
  const std::vector<StepFile> steps{{"a.000000.raw", 0}, {"a.000001.raw", 0.25}};
  const std::string text = xdmf_text(description(), {.constant = "a.raw", .steps = steps});
  const auto expect_times = [&](const std::string& words, std::size_t times) {
    const std::string without = replaced(text, words, "");
    EXPECT_EQ((text.size() - without.size()) / words.size(), times) << words << " in " << text;
  };
  expect_times("GridType=\"Uniform\"", 2);
  expect_times("CollectionType=\"Temporal\"", 1);
  expect_times("<Time Value=\"0.25\"/>", 1);
  expect_times("<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"2 3 4\"/>", 2);
  expect_times(">10 20 30</DataItem>", 2);
  expect_times(">0.5 2 3</DataItem>", 2);
  expect_times(
      "<Attribute Name=\"u\" AttributeType=\"Scalar\" Center=\"Node\"><DataItem Dimensions=\"2 3 4\" "
      "NumberType=\"Float\" Precision=\"4\" Format=\"Binary\" Endian=\"Little\" Seek=\"0\">a.000001.raw</DataItem>",
      1);
  expect_times(
      "<Attribute Name=\"v\" AttributeType=\"Vector\" Center=\"Node\"><DataItem Dimensions=\"2 3 4 3\" "
      "NumberType=\"Short\" Precision=\"2\" Format=\"Binary\" Endian=\"Little\" Seek=\"96\">",
      2);
  expect_times(
      "<Attribute Name=\"depth\" AttributeType=\"Scalar\" Center=\"Grid\"><DataItem Dimensions=\"2\" "
      "NumberType=\"Float\" Precision=\"8\" Format=\"Binary\" Endian=\"Little\" Seek=\"0\">a.raw</DataItem>",
      2);
}

// A text as another program writes it.
const std::string foreign = R"(<?xml version="1.0"?>
<!DOCTYPE Xdmf SYSTEM "Xdmf.dtd" []>
<Xdmf Version="2.0">
<Domain>
<Grid Name="g" GridType="Uniform">
<Topology TopologyType="3DCoRectMesh" Dimensions="2 3 4"/>
<Attribute Name="p" Center="Node">
<DataItem Dimensions="2 3 4" NumberType="Float" Precision="8" Format="Binary" Endian="Big" Seek="16">p.bin</DataItem>
</Attribute>
<Attribute Name="v"><DataItem Dimensions="2 3 4 3" Format="Binary" Endian="Big">
  v.bin
</DataItem></Attribute>
<Attribute Name="c">
<DataItem Dimensions="1 2 3 " NumberType="UChar" Format="Binary" Endian="Big">p.bin</DataItem></Attribute>
</Grid>
</Domain>
</Xdmf>)";

TEST(XdmfText, OfAnotherProgramHasTheNamesOfItsAxes) {
  const RawContents found = parse_xdmf(foreign, "a.xdmf");
  const DatasetDescription expected{
      .dimensions = {{"z", 2}, {"y", 3}, {"x", 4}, {"components", 3}, {"z_1", 1}, {"y_2", 2}, {"x_3", 3}},
      .variables = {{"p", ElementType::f8, {"z", "y", "x"}},
                    {"v", ElementType::f4, {"z", "y", "x", "components"}},
                    {"c", ElementType::u1, {"z_1", "y_2", "x_3"}}}};
  EXPECT_EQ(text_of(found.description), text_of(expected));
  EXPECT_EQ(found.description, expected);
  EXPECT_EQ(found.steps, 0);
  EXPECT_EQ(found.order, ByteOrder::big);
  EXPECT_EQ(found.files, (std::vector<std::string>{"p.bin", "v.bin"}));
  ASSERT_EQ(found.places.size(), 1U);
  EXPECT_EQ(place_of(found, 0, 0), "p.bin+16");
  EXPECT_EQ(place_of(found, 0, 1), "v.bin+0");
  EXPECT_EQ(place_of(found, 0, 2), "p.bin+0");
}

// Two steps of one variable.
std::string collection() {
  const std::string step =
      "<Grid><Attribute Name=\"p\"><DataItem Dimensions=\"4\" NumberType=\"Int\" Precision=\"8\" Format=\"Binary\" "
      "Seek=\"SEEK\">p.bin</DataItem></Attribute></Grid>";
  return "<Xdmf><Domain><Grid GridType=\"Collection\" CollectionType=\"Temporal\">" + replaced(step, "SEEK", "0") +
         replaced(step, "SEEK", "32") + "</Grid></Domain></Xdmf>";
}

TEST(XdmfText, OfGridsInTimeHasSteps) {
  const RawContents found = parse_xdmf(collection(), "a.xdmf");
  const DatasetDescription expected{.dimensions = {{"time", unlimited}, {"x", 4}},
                                    .variables = {{"p", ElementType::i8, {"time", "x"}}}};
  EXPECT_EQ(text_of(found.description), text_of(expected));
  EXPECT_EQ(found.steps, 2);
  EXPECT_EQ(found.order, ByteOrder::little);
  ASSERT_EQ(found.places.size(), 3U);
  EXPECT_EQ(place_of(found, 0, 0), "-");
  EXPECT_EQ(place_of(found, 1, 0), "p.bin+0");
  EXPECT_EQ(place_of(found, 2, 0), "p.bin+32");
}

TEST(XdmfText, WhatIsNotReadIsRefusedWithItsName) {
  const auto expect_refused = [](const std::string& whole, std::string_view from, std::string_view to,
                                 std::string_view words) {
    std::string said;
    const std::string text = replaced(whole, from, to);
    ASSERT_NE(text, whole) << from;
    EXPECT_TRUE(is_refused(
        ErrorCode::input, words, [&] { (void)parse_xdmf(text, "a.xdmf"); }, said))
        << to << said;
    EXPECT_NE(said.find("a.xdmf"), std::string::npos) << said;
  };
  expect_refused(foreign, "</Xdmf>", "", "not XDMF text");
  expect_refused(foreign, "Grid", "Net", "not XDMF text");
  expect_refused(foreign, "Format=\"Binary\" Endian=\"Big\" Seek", "Format=\"HDF\" Seek", "\"p\"");
  expect_refused(foreign, "Format=\"Binary\" Endian=\"Big\" Seek", "Seek", "\"p\"");
  expect_refused(foreign, "p.bin</DataItem></Attribute>",
                 "p.bin</DataItem><DataItem Format=\"Binary\">q.bin</DataItem></Attribute>", "\"c\"");
  expect_refused(foreign, "Precision=\"8\"", "Precision=\"2\"", "Precision 2");
  expect_refused(foreign, "Precision=\"8\"", "Precision=\"99999999999999999999\"", "Precision");
  expect_refused(foreign, "UChar", "Bool", "Bool");
  for (const char* dimensions : {"2,3,4", "2 x 4", "2x3x4", "2.0 3 4", "-", "+2 3 4", "2 3 99999999999999999999"}) {
    expect_refused(foreign, "\"2 3 4\" NumberType", "\"" + std::string(dimensions) + "\" NumberType", "Dimensions");
  }
  expect_refused(foreign, "\"2 3 4\" NumberType", "\"0 3 4\" NumberType", "length 0");
  expect_refused(foreign, "\"2 3 4\" NumberType", "\"2 3 -4\" NumberType", "length -4");
  expect_refused(foreign, "\"2 3 4\" NumberType", "\"1073741824 1073741824 1073741824\" NumberType", "64-bit");
  expect_refused(foreign, "\"2 3 4\" NumberType", "\"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\" NumberType", "17");
  expect_refused(foreign, "Endian=\"Big\" Seek", "Endian=\"Little\" Seek", "byte orders");
  expect_refused(foreign, "Seek=\"16\"", "Seek=\"-16\"", "\"p\"");
  expect_refused(foreign, ">p.bin<", "> <", "\"p\"");
  expect_refused(foreign, "Name=\"c\"", "Name=\"p\"", "\"p\"");
  expect_refused(foreign, "Name=\"c\"", "", "name");
  const std::string second = "Seek=\"32\">p.bin</DataItem></Attribute>";
  expect_refused(collection(), second,
                 second + "<Attribute Name=\"q\"><DataItem Dimensions=\"4\" Format=\"Binary\">q</DataItem></Attribute>",
                 "\"q\"");
  expect_refused(collection(), "Precision=\"8\" Format=\"Binary\" Seek=\"32\"", "Precision=\"4\" Format=\"Binary\"",
                 "differs from the described type");
  const std::string own = xdmf_text(description(), {.constant = "a.raw"});
  expect_refused(own, "length=\"2\"", "length=\"-2\"", "length -2");
  const RawContents before_steps = parse_xdmf(own, "a.xdmf");
  EXPECT_EQ(before_steps.steps, 0);
  EXPECT_EQ(before_steps.files, (std::vector<std::string>{"a.raw"}));
}

TEST(XdmfText, DamagedTextIsReadOrRefused) {
  EXPECT_TRUE(rc::check([] {
    const int which = *rc::gen::inRange(0, 3);
    const std::vector<StepFile> steps{{"a.0.raw", 0}, {"a.1.raw", 1}};
    const std::string text = image_test::damaged(
        which == 0   ? foreign
        : which == 1 ? collection()
                     : xdmf_text(any_description(raw_types()), {.constant = "a.raw", .steps = steps}));
    RC_ASSERT(is_done_or_refused([&] {
      const RawContents found = parse_xdmf(text, "a.xdmf");
      RC_ASSERT(found.places.size() == static_cast<std::size_t>(found.steps) + 1);
      for (const auto& of_step : found.places) {
        RC_ASSERT(of_step.size() == found.description.variables.size());
        for (const auto& place : of_step) {
          if (place) RC_ASSERT(place->file < found.files.size() && place->begin >= 0);
        }
      }
    }));
  }));
}

TEST(MhdText, DescribesAVariableFastestDimensionFirst) {
  const DatasetDescription all = description();
  EXPECT_EQ(mhd_text(all, all.variables[0], "a.000001.raw", 64),
            "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = False\n"
            "Offset = 30 20 10\nElementSpacing = 3 2 0.5\nDimSize = 4 3 2\nHeaderSize = 64\nElementType = MET_FLOAT\n"
            "ElementDataFile = a.000001.raw\n");
  EXPECT_NE(mhd_text(all, all.variables[1], "a.raw", 0).find("\nElementNumberOfChannels = 3\n"), std::string::npos);
  std::string said;
  const auto of_depth = [&] { (void)mhd_text(all, all.variables[2], "a.raw", 0); };
  EXPECT_TRUE(is_refused(ErrorCode::usage, "depth", of_depth, said)) << said;
}

TEST(MhdText, AnyVariableAtPointsComesBack) {
  EXPECT_TRUE(rc::check([] {
    const auto count = *rc::gen::inRange<std::size_t>(1, 4);
    DatasetDescription expected;
    Variable variable{.name = "u", .type = *rc::gen::elementOf(image_test::number_types)};
    for (std::size_t d = 3 - count; d < 3; ++d) {
      expected.dimensions.push_back({std::string(1, "zyx"[d]), *rc::gen::inRange<std::int64_t>(1, 1000)});
    }
    const bool has_components = count == 3 && *rc::gen::arbitrary<bool>();
    if (has_components) expected.dimensions.push_back({"components", *rc::gen::inRange<std::int64_t>(2, 9)});
    for (const Dimension& each : expected.dimensions) variable.dimensions.push_back(each.name);
    expected.variables.push_back(variable);
    const auto begin = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 62U);
    const std::string text = mhd_text(expected, expected.variables.front(), "a b.raw", begin);
    const RawContents found = parse_mhd(text, "folder.d/u.mhd");
    RC_ASSERT(found.description == expected);
    RC_ASSERT(found.steps == 0);
    RC_ASSERT(found.order == ByteOrder::little);
    RC_ASSERT(found.places.size() == 1U && found.places.front().size() == 1U);
    RC_ASSERT(place_of(found, 0, 0) == "a b.raw+" + std::to_string(begin));
  }));
}

const std::string header =
    "ObjectType = Image\r\nNDims = 2\r\n BinaryDataByteOrderMSB=True\r\nElementSpacing = 1 1\r\nDimSize = 4 3\r\n"
    "ElementType = MET_SHORT\r\nElementDataFile = LOCAL\r\n";

TEST(MhdText, ElementsMayLieBehindIt) {
  const RawContents found = parse_mhd(header + "DimSize = 9 9\n", "folder/image.mha");
  EXPECT_EQ(found.order, ByteOrder::big);
  EXPECT_EQ(found.description.dimensions, (std::vector<Dimension>{{"y", 3}, {"x", 4}}));
  EXPECT_EQ(found.description.variables.front().name, "image");
  EXPECT_EQ(place_of(found, 0, 0), "image.mha+" + std::to_string(header.size()));
}

TEST(MhdText, WhatIsNotReadIsRefused) {
  const auto expect_refused = [](std::string_view from, std::string_view to, std::string_view words) {
    std::string said;
    const std::string text = replaced(header, from, to);
    ASSERT_NE(text, header) << from;
    EXPECT_TRUE(is_refused(
        ErrorCode::input, words, [&] { (void)parse_mhd(text, "a.mhd"); }, said))
        << to << ": " << said;
    EXPECT_NE(said.find("a.mhd"), std::string::npos) << said;
  };
  expect_refused(header, "", "MetaImage");
  expect_refused("DimSize = 4 3", "", "MetaImage");
  expect_refused("ElementDataFile = LOCAL", "ElementDataFile =", "MetaImage");
  expect_refused("ElementDataFile", "CompressedData = True\nElementDataFile", "compressed");
  expect_refused("LOCAL", "LIST", "list of files");
  expect_refused("LOCAL", "a%03d.raw 1 9 1", "list of files");
  expect_refused("MET_SHORT", "MET_LONG", "MET_LONG");
  expect_refused("ElementType = MET_SHORT", "", "ElementType");
  for (const char* sizes : {"4 x", "4,3", "4.5 3", "4 -", "+4 3", "4 99999999999999999999"}) {
    expect_refused("4 3", sizes, "DimSize");
  }
  expect_refused("4 3", "4 3 2 1", "4 numbers");
  expect_refused("4 3", "4 0", "length 0");
  expect_refused("4 3", "-4 3", "length -4");
  expect_refused("4 3", "4294967296 4294967296", "64-bit");
  expect_refused("ElementDataFile", "ElementNumberOfChannels = many\nElementDataFile", "ElementNumberOfChannels");
  expect_refused("ElementDataFile", "HeaderSize = -1\nElementDataFile", "HeaderSize");
  expect_refused("ElementDataFile", "HeaderSize = x\nElementDataFile", "HeaderSize");
}

TEST(MhdText, DamagedTextIsReadOrRefused) {
  EXPECT_TRUE(rc::check([] {
    const DatasetDescription all = description();
    const bool is_foreign = *rc::gen::arbitrary<bool>();
    const std::string text = image_test::damaged(is_foreign ? header : mhd_text(all, all.variables[1], "a.raw", 8));
    RC_ASSERT(is_done_or_refused([&] {
      const RawContents found = parse_mhd(text, "a.mhd");
      RC_ASSERT(found.files.size() == 1U && found.places.size() == 1U && found.places.front().size() == 1U);
      RC_ASSERT(found.places.front().front() && found.places.front().front()->begin >= 0);
    }));
  }));
}

}  // namespace
}  // namespace sill::raw_file_test
