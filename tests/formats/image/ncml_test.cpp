// Datasets in NcML: any description comes back as it was; what XML cannot hold, and what is no description, is refused.
#include "sill/formats/image/ncml.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <string>
#include <vector>

#include "formats/image/any_description.hpp"
#include "sill/base/error.hpp"
#include "sill/layout/box.hpp"
#include "store/thrown.hpp"

namespace sill::ncml_test {
namespace {

using image::description_in;
using image::ncml_of;
using image_test::any_description;
using image_test::is_refused;
using test::thrown;

DatasetDescription read(const std::string& xml) { return description_in(xml); }

std::vector<ElementType> all_types() {
  std::vector<ElementType> types = image_test::number_types;
  types.push_back(ElementType::text);
  return types;
}

TEST(Ncml, IsWhatTheSpecificationSays) {
  const DatasetDescription description{
      .dimensions = {{"time", unlimited}, {"x", 5}},
      .variables = {{"u", ElementType::f4, {"time", "x"}, {{"units", "m s-1"}, {"range", std::int16_t{-7}}}},
                    {"n", ElementType::u8}},
      .attributes = {{"title", "a \"b\" & <c>\n"}}};
  const std::string expected =
      "<netcdf xmlns=\"http://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2\">"
      "<dimension name=\"time\" length=\"0\" isUnlimited=\"true\"/><dimension name=\"x\" length=\"5\"/>"
      "<attribute name=\"title\" type=\"char\" value=\"a &quot;b&quot; &amp; &lt;c&gt;&#10;\"/>"
      "<variable name=\"u\" type=\"float\" shape=\"time x\">"
      "<attribute name=\"units\" type=\"char\" value=\"m s-1\"/><attribute name=\"range\" type=\"short\" value=\"-7\"/>"
      "</variable><variable name=\"n\" type=\"ulong\" shape=\"\"></variable></netcdf>";
  EXPECT_EQ(ncml_of(description), expected);
  EXPECT_EQ(read(expected), description);
}

TEST(Ncml, AnyDescriptionComesBack) {
  EXPECT_TRUE(rc::check([] {
    const DatasetDescription description = any_description(all_types());
    RC_ASSERT(read(ncml_of(description)) == description);
  }));
}

TEST(Ncml, TheLongestDimensionAndAnEmptyDatasetComeBack) {
  const DatasetDescription longest{.dimensions = {{"x", farthest_index}}};
  EXPECT_EQ(read(ncml_of(longest)), longest);
  EXPECT_EQ(read(ncml_of({})), DatasetDescription());
}

TEST(Ncml, TextThatXmlCannotHoldIsRefused) {
  std::string said;
  for (const std::string& text :
       {std::string("a\x01"), std::string("a\0b", 3), std::string("\x1B[2J"), std::string("a\x7F"), std::string("\xFF"),
        std::string("\xC3"), std::string("\xC3("), std::string("\xE6\xB0"), std::string("\xF5\x80\x80\x80")}) {
    const auto of_dataset = [&] { (void)ncml_of({.attributes = {{"title", text}}}); };
    EXPECT_TRUE(is_refused(ErrorCode::usage, "title", of_dataset, said)) << said;
    const auto of_variable = [&] { (void)ncml_of({.variables = {{"u", ElementType::f4, {}, {{"units", text}}}}}); };
    EXPECT_TRUE(is_refused(ErrorCode::usage, "units", of_variable, said)) << said;
  }
}

TEST(Ncml, NamesWithSpacesAndWhatIsNoTextAreRefused) {
  std::string said;
  for (const std::string& name : {std::string("a b"), std::string("\xFF"), std::string("a\x01")}) {
    for (const DatasetDescription& description :
         {DatasetDescription{.dimensions = {{name, 3}}}, DatasetDescription{.variables = {{name, ElementType::f4}}},
          DatasetDescription{.attributes = {{name, "text"}}},
          DatasetDescription{.variables = {{"u", ElementType::f4, {}, {{name, 1.0}}}}}}) {
      EXPECT_TRUE(is_refused(
          ErrorCode::usage, "the name", [&] { (void)ncml_of(description); }, said))
          << said;
    }
  }
}

TEST(Ncml, WhatIsNoDescriptionIsRefused) {
  const auto expect_refused = [](const std::string& inside, const std::string& words) {
    std::string said;
    const auto work = [&] { (void)read("<netcdf>" + inside + "</netcdf>"); };
    EXPECT_TRUE(is_refused(ErrorCode::input, words, work, said)) << inside << ": " << said;
  };
  for (const char* length : {"", "x", "+3", " 3", "3 ", "3.0", "99999999999999999999", "0x3"}) {
    expect_refused("<dimension name=\"x\" length=\"" + std::string(length) + "\"/>", "the length of dimension");
  }
  for (const char* length : {"0", "-2", "1152921504606846977", "9223372036854775807"}) {
    expect_refused("<dimension name=\"x\" length=\"" + std::string(length) + "\"/>", "has length");
  }
  expect_refused("<dimension length=\"3\"/>", "name");
  expect_refused("<dimension name=\"x\" length=\"3\"/><dimension name=\"x\" length=\"3\"/>", "given twice");
  expect_refused(
      "<dimension name=\"x\" isUnlimited=\"true\" length=\"0\"/>"
      "<dimension name=\"y\" isUnlimited=\"true\" length=\"0\"/>",
      "unlimited");
  expect_refused("<variable name=\"u\"/>", "type");
  expect_refused("<variable name=\"u\" type=\"string\"/>", "string");
  expect_refused("<variable name=\"u\" type=\"int\" shape=\"x\"/>", "no dimension x");
  expect_refused("<variable name=\"u\" type=\"int\"/><variable name=\"u\" type=\"int\"/>", "given twice");
  expect_refused("<dimension name=\"x\" length=\"1073741824\"/><variable name=\"u\" type=\"int\" shape=\"x x x\"/>",
                 "64-bit");
  expect_refused("<attribute name=\"a\"/>", "type");
  expect_refused("<attribute name=\"a\" type=\"char\" value=\"\"/><attribute name=\"a\" type=\"char\" value=\"\"/>",
                 "given twice");
  expect_refused("<attribute name=\"a\" type=\"byte\" value=\"128\"/>", "128");
  expect_refused("<attribute name=\"a\" type=\"ubyte\" value=\"-1\"/>", "-1");
  expect_refused("<attribute name=\"a\" type=\"int\" value=\"1,2\"/>", "1,2");
  expect_refused("<attribute name=\"a\" type=\"int\" value=\"1, x\"/>", "x");
  expect_refused("<attribute name=\"a\" type=\"double\" value=\"1e999\"/>", "1e999");
}

TEST(Ncml, DamagedTextIsReadOrRefused) {
  EXPECT_TRUE(rc::check([] {
    const std::string xml = image_test::damaged(ncml_of(any_description(all_types())));
    RC_ASSERT(image_test::is_done_or_refused([&] { (void)read(xml); }));
  }));
}

}  // namespace
}  // namespace sill::ncml_test
