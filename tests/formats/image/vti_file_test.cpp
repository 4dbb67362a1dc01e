// Files of VTK: what is written is read back, and lies where the text says; files of others; damaged ones.
#include "sill/formats/image/vti_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/image/any_description.hpp"
#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "store/thrown.hpp"

namespace sill::vti_file_test {
namespace {

using image::ImageContents;
using image::ImageFile;
using image::parse_pvd;
using image::parse_vti;
using image::pvd_text;
using image::StepFile;
using image::vti_file_of;
using image_test::any_description;
using image_test::is_done_or_refused;
using image_test::is_refused;
using image_test::number_types;
using image_test::replaced;

using Begins = std::vector<std::optional<std::int64_t>>;

// A file as another program writes it, up to its arrays, which have 270 bytes. Sizes of arrays have 4 bytes each.
constexpr std::int64_t array_bytes = 270;
const std::string foreign = R"(<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="BigEndian" header_type="UInt32">
  <ImageData WholeExtent="-1 2 0 2 5 6" Origin="0 0 0" Spacing="1 1 1">
    <FieldData>
      <DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="appended" offset="0"/>
    </FieldData>
    <Piece Extent=" -1 2  0 2 5 6 ">
      <PointData Scalars="p">
        <DataArray type="Float32" Name="p" format="appended" RangeMin="0" offset="12"/>
        <DataArray type="Int16" Name="v" NumberOfComponents="3" format="appended" offset="112"/>
      </PointData>
      <CellData>
        <DataArray type="UInt8" Name="mask" format="appended" offset="260"/>
      </CellData>
    </Piece>
  </ImageData>
  <AppendedData encoding="raw">
   _)";

std::int64_t size_of(std::string_view text) { return static_cast<std::int64_t>(text.size()); }

std::optional<ImageContents> parsed(std::string_view text, std::int64_t file_bytes) {
  return parse_vti(std::as_bytes(std::span(text.data(), text.size())), file_bytes, "a.vti");
}

bool is_refused_as_input(std::string_view text, std::int64_t file_bytes) {
  const auto error = test::thrown([&] { (void)parsed(text, file_bytes); });
  return error && error->code() == ErrorCode::input && error->parts().where.file == "a.vti";
}

TEST(VtiFile, AnyDescriptionComesBackWithThePlacesOfItsArrays) {
  EXPECT_TRUE(rc::check([] {
    const DatasetDescription all = any_description(number_types);
    const bool of_steps = *rc::gen::arbitrary<bool>();
    const ImageFile file = vti_file_of(all, of_steps);
    const std::string& text = file.texts.front().bytes;
    const std::int64_t file_bytes = file.texts.back().offset_bytes + size_of(file.texts.back().bytes);
    const auto found = parsed(text, file_bytes);
    RC_ASSERT(found.has_value());
    RC_ASSERT(found->is_described);
    RC_ASSERT(found->order == ByteOrder::little);
    RC_ASSERT(found->description == all);
    RC_ASSERT(found->begins == file.begins);

    // One behind the other, each after its size, all behind the text and before its end.
    std::size_t size = 1;
    std::int64_t end = size_of(text);
    for (std::size_t v = 0; v < all.variables.size(); ++v) {
      RC_ASSERT(file.begins[v].has_value() == (all.has_steps(all.variables[v]) == of_steps));
      if (!file.begins[v]) continue;
      const std::int64_t bytes = all.element_bytes(all.variables[v]);
      const ImageFile::Text& word = file.texts.at(size++);
      RC_ASSERT(*file.begins[v] % 8 == 0);
      RC_ASSERT(word.offset_bytes == *file.begins[v] - 8 && word.bytes.size() == 8U);
      RC_ASSERT(load<std::uint64_t>(reinterpret_cast<const std::byte*>(word.bytes.data()), ByteOrder::little) ==
                static_cast<std::uint64_t>(bytes));
      RC_ASSERT(word.offset_bytes >= end);
      end = *file.begins[v] + bytes;
    }
    RC_ASSERT(size + 1 == file.texts.size());
    RC_ASSERT(file.texts.back().offset_bytes >= end);

    const auto fewer = *rc::gen::inRange<std::size_t>(0, text.size());
    RC_ASSERT(!parsed(std::string_view(text).substr(0, fewer), file_bytes));
    RC_ASSERT(is_refused_as_input(std::string_view(text).substr(0, fewer), static_cast<std::int64_t>(fewer)));
    RC_ASSERT(parsed(text, end).has_value());
    if (size > 1) RC_ASSERT(is_refused_as_input(text, end - 1));
  }));
}

TEST(VtiFile, PointsOfTheGridArePointDataAndAllElseIsFieldData) {
  const DatasetDescription description{
      .dimensions = {{"time", unlimited}, {"z", 2}, {"y", 3}, {"x", 4}, {"part", 3}},
      .variables = {{"u<1>", ElementType::f4, {"time", "z", "y", "x", "part"}},
                    {"time", ElementType::f8, {"time"}},
                    {"depth", ElementType::f4, {"z"}}},
      .attributes = {{"origin", std::span<const double>(std::vector{10.0, 20.0, 30.5})}}};
  const std::string of_steps = vti_file_of(description, true).texts.front().bytes;
  const auto has = [&](const char* words) { return of_steps.find(words) != std::string::npos; };
  EXPECT_TRUE(has("byte_order=\"LittleEndian\" header_type=\"UInt64\"")) << of_steps;
  EXPECT_TRUE(has("WholeExtent=\"0 3 0 2 0 1\" Origin=\"30.5 20 10\" Spacing=\"1 1 1\"")) << of_steps;
  EXPECT_TRUE(
      has("<Piece Extent=\"0 3 0 2 0 1\">\n<PointData>\n<DataArray type=\"Float32\" Name=\"u&lt;1&gt;\" "
          "NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>\n</PointData>"))
      << of_steps;
  EXPECT_TRUE(
      has("<FieldData>\n<DataArray type=\"Float64\" Name=\"time\" NumberOfTuples=\"1\" format=\"appended\" "
          "offset=\"296\"/>\n</FieldData>"))
      << of_steps;
  EXPECT_EQ(of_steps.size() % 8, 0U);
  EXPECT_EQ(of_steps.back(), '_');
  const std::string constant = vti_file_of(description, false).texts.front().bytes;
  EXPECT_NE(constant.find("Name=\"depth\" NumberOfTuples=\"2\""), std::string::npos) << constant;
  EXPECT_EQ(constant.find("Name=\"time\""), std::string::npos) << constant;
}

TEST(VtiFile, WhatVtkHasNoArraysOfIsRefused) {
  std::string said;
  const DatasetDescription text{.dimensions = {{"x", 4}}, .variables = {{"name", ElementType::text, {"x"}}}};
  EXPECT_TRUE(is_refused(
      ErrorCode::usage, "name", [&] { (void)vti_file_of(text, true); }, said))
      << said;
  const std::int64_t length = std::int64_t{1} << 59U;
  const DatasetDescription large{.dimensions = {{"x", length}},
                                 .variables = {{"a", ElementType::f8, {"x"}}, {"b", ElementType::f8, {"x"}}}};
  EXPECT_TRUE(is_refused(
      ErrorCode::usage, "2^63", [&] { (void)vti_file_of(large, false); }, said))
      << said;
}

TEST(VtiFile, AFileOfAnotherProgramHasTheNamesOfItsAxes) {
  const auto found = parsed(foreign, size_of(foreign) + array_bytes);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_described);
  EXPECT_EQ(found->order, ByteOrder::big);
  const DatasetDescription expected{.dimensions = {{"z", 2},
                                                   {"y", 3},
                                                   {"x", 4},
                                                   {"components", 3},
                                                   {"cells_z", 1},
                                                   {"cells_y", 2},
                                                   {"cells_x", 3},
                                                   {"TimeValue_tuples", 1}},
                                    .variables = {{"p", ElementType::f4, {"z", "y", "x"}},
                                                  {"v", ElementType::i2, {"z", "y", "x", "components"}},
                                                  {"mask", ElementType::u1, {"cells_z", "cells_y", "cells_x"}},
                                                  {"TimeValue", ElementType::f8, {"TimeValue_tuples"}}}};
  EXPECT_EQ(text_of(found->description), text_of(expected));
  EXPECT_EQ(found->description, expected);
  const std::int64_t first = size_of(foreign) + 4;
  EXPECT_EQ(found->begins, (Begins{first + 12, first + 112, first + 260, first}));
  EXPECT_TRUE(is_refused_as_input(foreign, size_of(foreign) + array_bytes - 1));
}

TEST(VtiFile, SizesOfArraysHave4BytesUnlessTheFileSaysOtherwise) {
  const auto begin_with = [](std::string_view header_type) {
    const std::string text = replaced(foreign, " header_type=\"UInt32\"", header_type);
    return parsed(text, size_of(text) + 1000)->begins.back().value() - size_of(text);
  };
  EXPECT_EQ(begin_with(""), 4);
  EXPECT_EQ(begin_with(" header_type=\"UInt32\""), 4);
  EXPECT_EQ(begin_with(" header_type=\"UInt64\""), 8);
  const std::string little = replaced(foreign, "BigEndian", "LittleEndian");
  EXPECT_EQ(parsed(little, size_of(little) + 1000)->order, ByteOrder::little);
}

TEST(VtiFile, OtherFilesOfVtkAreRefusedWithWhatTheyAre) {
  const auto expect_refused = [](std::string_view from, std::string_view to, std::string_view words) {
    std::string said;
    const std::string text = replaced(foreign, from, to);
    ASSERT_NE(text, foreign) << from;
    const auto work = [&] { (void)parsed(text, size_of(text) + 100'000); };
    EXPECT_TRUE(is_refused(ErrorCode::input, words, work, said)) << to << ": " << said;
    EXPECT_NE(said.find("a.vti"), std::string::npos) << said;
  };
  expect_refused("type=\"ImageData\"", "type=\"RectilinearGrid\"", "RectilinearGrid");
  expect_refused("type=\"ImageData\"", "", "of type");
  expect_refused(" header_type", " compressor=\"vtkZLibDataCompressor\" header_type", "compressed");
  expect_refused("UInt32", "UInt16", "header_type");
  expect_refused("encoding=\"raw\"", "encoding=\"base64\"", "raw encoding");
  expect_refused("</Piece>", "</Piece><Piece Extent=\"-1 2 0 2 5 6\"></Piece>", "one piece");
  expect_refused("Piece", "Part", "one piece");
  expect_refused("Piece Extent=\" -1 2", "Piece Extent=\" -1 1", "part of the grid");
  expect_refused("5 6", "6 5", "no points");
  expect_refused("5 6", "5", "six numbers");
  expect_refused("5 6", "5 x", "six numbers");
  expect_refused("5 6", "5 1152921504606846977", "no points");
  expect_refused("5 6", "5 99999999999999999999", "six numbers");
  expect_refused("WholeExtent", "Extent", "WholeExtent");
  expect_refused("Float32", "String", "String");
  expect_refused("type=\"Float32\"", "", "\"p\"");
  expect_refused("format=\"appended\" RangeMin", "format=\"ascii\" RangeMin", "ascii");
  expect_refused("format=\"appended\" RangeMin", "format=\"binary\" RangeMin", "binary");
  expect_refused("format=\"appended\" RangeMin", "RangeMin", "\"p\"");
  expect_refused("offset=\"12\"", "", "\"p\"");
  expect_refused("offset=\"12\"", "offset=\"-12\"", "\"p\"");
  expect_refused("offset=\"12\"", "offset=\"100000\"", "ends within array \"p\"");
  expect_refused("offset=\"12\"", "offset=\"9223372036854775807\"", "ends within array \"p\"");
  expect_refused("offset=\"12\"", "offset=\"99999999999999999999\"", "\"p\"");
  expect_refused("Name=\"v\"", "Name=\"p\"", "\"p\"");
  expect_refused("Int16\" Name=\"v\"", "Float32\" Name=\"p\"", "occurs twice");
  expect_refused("Name=\"p\"", "", "name");
  expect_refused("NumberOfTuples=\"1\"", "NumberOfTuples=\"0\"", "NumberOfTuples");
  expect_refused("</Piece>", "</Part>", "damaged");
  std::string said;
  const std::string without = foreign.substr(0, foreign.find("<AppendedData"));
  EXPECT_TRUE(is_refused(
      ErrorCode::input, "no appended data", [&] { (void)parsed(without, size_of(without)); }, said))
      << said;
}

TEST(VtiFile, ADescribedFileHoldsNoOtherArraysThanDescribed) {
  const DatasetDescription description{.dimensions = {{"x", 4}},
                                       .variables = {{"a", ElementType::f4, {"x"}}, {"b", ElementType::i2, {"x"}}}};
  const std::string text = vti_file_of(description, false).texts.front().bytes;
  const auto expect_refused = [&](std::string_view from, std::string_view to, std::string_view words) {
    std::string said;
    const std::string changed = replaced(text, from, to);
    ASSERT_NE(changed, text) << from;
    EXPECT_TRUE(is_refused(
        ErrorCode::input, words, [&] { (void)parsed(changed, 100'000); }, said))
        << to << ": " << said;
  };
  expect_refused("type=\"Float32\" Name=\"a\"", "type=\"Float32\" Name=\"c\"", "not described");
  expect_refused("type=\"Float32\" Name=\"a\"", "type=\"Int32\" Name=\"a\"", "differs from the described type");
  expect_refused("length=\"4\"", "length=\"x\"", "the length of dimension");
  expect_refused("length=\"4\"", "length=\"576460752303423488\"", "ends within");
}

TEST(VtiFile, DamagedTextIsReadOrRefused) {
  EXPECT_TRUE(rc::check([] {
    const bool is_foreign = *rc::gen::arbitrary<bool>();
    const std::string text = image_test::damaged(
        is_foreign ? foreign : vti_file_of(any_description(number_types), true).texts.front().bytes);
    const auto more = *rc::gen::inRange<std::int64_t>(0, 1000);
    RC_ASSERT(is_done_or_refused([&] {
      const auto found = parsed(text, size_of(text) + more);
      if (!found) return;
      RC_ASSERT(found->begins.size() == found->description.variables.size());
      for (std::size_t v = 0; v < found->begins.size(); ++v) {
        if (!found->begins[v]) continue;
        const std::int64_t bytes = found->description.element_bytes(found->description.variables[v]);
        RC_ASSERT(*found->begins[v] > 0 && *found->begins[v] + bytes <= size_of(text) + more);
      }
    }));
  }));
}

TEST(PvdFile, AnyStepsComeBackInTheirOrder) {
  EXPECT_TRUE(rc::check([] {
    std::vector<StepFile> steps(*rc::gen::inRange<std::size_t>(0, 6));
    for (StepFile& each : steps) {
      const auto time = image_test::any_number<double>();
      each = {"a" + image_test::any_text(), std::isfinite(time) ? time : -0.1};
    }
    const std::string text = pvd_text(steps);
    const std::vector<StepFile> found = parse_pvd(text, "a.pvd");
    RC_ASSERT(found.size() == steps.size());
    for (std::size_t s = 0; s < steps.size(); ++s) {
      RC_ASSERT(found[s].path == steps[s].path);
      RC_ASSERT(found[s].time == steps[s].time);
      RC_ASSERT(found[s].begin == 0);
    }
    const std::string wrong = image_test::damaged(text);
    RC_ASSERT(is_done_or_refused([&] { (void)parse_pvd(wrong, "a.pvd"); }));
  }));
}

TEST(PvdFile, WhatIsNoListIsRefused) {
  std::string said;
  for (const char* text : {"", "a", "<VTKFile/>", "<Collection/>", "<VTKFile><Collection>",
                           "<VTKFile><Collection><DataSet timestep=\"1\"/></Collection></VTKFile>",
                           "<VTKFile><Collection><DataSet file=\"\"/></Collection></VTKFile>"}) {
    EXPECT_TRUE(is_refused(
        ErrorCode::input, "a.pvd", [&] { (void)parse_pvd(text, "a.pvd"); }, said))
        << text << said;
  }
  EXPECT_TRUE(parse_pvd("<VTKFile><Collection/></VTKFile>", "a.pvd").empty());
}

}  // namespace
}  // namespace sill::vti_file_test
