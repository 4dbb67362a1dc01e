// ASDF files as the HDF5 library lays them out and reads them, in memory.
#include "sill/formats/station/asdf_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "sill/formats/hdf5/hdf5_file.hpp"
#include "store/thrown.hpp"

namespace sill::station {
namespace {

using test::thrown;

constexpr std::int64_t of_2013_us = 1'356'998'400'000'000;

// Stations with the codes `codes`, and the components BXE and BXZ.
Channels channels_of(const std::vector<std::string>& codes) {
  Channels all{.interval_s = 0.5, .final_steps = 7201, .start_us = of_2013_us};
  for (int s = 0; s < static_cast<int>(codes.size()); ++s) {
    for (int c = 0; c < 2; ++c)
      all.list.push_back({{.number = s + 1, .code = codes[static_cast<std::size_t>(s)]}, c, c == 0 ? "BXE" : "BXZ"});
  }
  return all;
}

std::string refusal(const Channels& channels, const AsdfFile::Labels& labels = {}) {
  const auto error = thrown([&] { AsdfFile(channels, labels); });
  return error ? error->parts().problem : "";
}

// The first byte of each variable, after checking that the file is complete.
std::map<std::string, std::int64_t> begins_in(const AsdfFile& file, const hdf5::NewFile& layout, Channels of) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(layout.bytes()));
  const std::vector<std::byte> beginning = file.beginning(of.final_steps);
  std::ranges::copy(beginning, bytes.begin());
  for (const FilePiece& each : layout.header) std::ranges::copy(each.bytes, bytes.begin() + each.offset);
  const hdf5::FileContents found = hdf5::read_file(
      [&](std::int64_t offset, std::span<std::byte> part) {
        std::copy_n(bytes.begin() + offset, part.size(), part.begin());
      },
      layout.bytes(), "a.h5");
  std::map<std::string, std::int64_t> begins;
  for (std::size_t i = 0; i < found.description.variables.size(); ++i)
    begins[found.description.variables[i].name] = found.stored.variables[i].begin;
  return begins;
}

class AsdfFileTest : public testing::Test {
 protected:
  void SetUp() override {
    if (hdf5::build_version().empty()) GTEST_SKIP() << "built without HDF5";
  }
};

TEST_F(AsdfFileTest, HasADatasetForEachChannelAndArray) {
  const Channels channels = channels_of({"II.AAK.10", "", "II.AAK"});
  const AsdfFile file(channels, {.tag = "raw", .event_id = "smi:local/1"});
  const std::vector<hdf5::NewArray> arrays{{"AuxiliaryData/A/b.c/d", ElementType::f8, {2, 3}},
                                           {"QuakeML", ElementType::u1, {10}},
                                           {"Waveforms/II.AAK/StationXML", ElementType::u1, {20}}};
  const hdf5::NewFile layout = file.lay_out(arrays);
  const std::string end = "__2013-01-01T00:00:00__2013-01-01T01:00:00__raw";
  const std::vector<std::string> names{"Waveforms/II.AAK/II.AAK.10.BXE" + end,
                                       "Waveforms/II.AAK/II.AAK.10.BXZ" + end,
                                       "Waveforms/XX.2/XX.2..BXE" + end,
                                       "Waveforms/XX.2/XX.2..BXZ" + end,
                                       "Waveforms/II.AAK/II.AAK..BXE" + end,
                                       "Waveforms/II.AAK/II.AAK..BXZ" + end,
                                       arrays[0].path,
                                       arrays[1].path,
                                       arrays[2].path};
  std::map<std::string, std::int64_t> expected;
  for (std::size_t i = 0; i < names.size(); ++i) expected[names[i]] = layout.layout.begins[i];
  EXPECT_EQ(begins_in(file, layout, channels), expected);
  // No two arrays overlap, nor metadata and arrays.
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  for (std::size_t i = 0; i < names.size(); ++i)
    ranges.emplace_back(layout.layout.begins[i], i < 6 ? 4 * 7201 : i == 6 ? 48 : i == 7 ? 10 : 20);
  for (const FilePiece& each : layout.header) ranges.emplace_back(each.offset, std::ssize(each.bytes));
  std::ranges::sort(ranges);
  EXPECT_GE(ranges.front().first, 8);
  for (std::size_t i = 1; i < ranges.size(); ++i)
    EXPECT_LE(ranges[i - 1].first + ranges[i - 1].second, ranges[i].first);
  EXPECT_EQ(ranges.back().first + ranges.back().second, layout.bytes());
}

TEST_F(AsdfFileTest, ChannelsMayExceedFourGigabytes) {
  Channels channels = channels_of({"A.B"});
  channels.final_steps = 3'000'000'000;
  channels.interval_s = 1e-3;
  const hdf5::NewFile layout = AsdfFile(channels, {}).lay_out({});
  EXPECT_EQ(layout.layout.begins[1] - layout.layout.begins[0], 12'000'000'000);
  EXPECT_GT(layout.bytes(), 24'000'000'000);
}

TEST_F(AsdfFileTest, NamesStateNanosecondsWithinASecond) {
  Channels channels = channels_of({"A.B"});
  channels.final_steps = 2;
  channels.interval_s = 0.25;
  channels.start_us = -500'000;  // before 1970
  const AsdfFile file(channels, {});
  const auto begins = begins_in(file, file.lay_out({}), channels);
  EXPECT_EQ(begins.begin()->first,
            "Waveforms/A.B/A.B..BXE__1969-12-31T23:59:59.500000000__1969-12-31T23:59:59.750000000__synthetic");
}

TEST_F(AsdfFileTest, IsNoHdf5FileBeforeTheLastStep) {
  const AsdfFile file(channels_of({"A.B"}), {});
  for (const std::int64_t steps : {0, 1, 7200}) {
    EXPECT_FALSE(std::ranges::equal(file.beginning(steps), std::as_bytes(std::span(hdf5::signature))));
    EXPECT_EQ(file.steps_of(file.beginning(steps)), steps);
  }
  EXPECT_TRUE(std::ranges::equal(file.beginning(7201), std::as_bytes(std::span(hdf5::signature))));
  EXPECT_EQ(file.steps_of(file.beginning(7201)), 7201);
  EXPECT_EQ(file.steps_of(std::vector<std::byte>(8, std::byte{0x7f})), -1);
  EXPECT_EQ(file.steps_of(std::vector<std::byte>(8, std::byte{0xff})), -1);
}

TEST(AsdfFile, RefusesWrongMetadata) {
  EXPECT_EQ(refusal(channels_of({"AB.STA01.00", ""})), "");
  for (const char* const code : {"AB", ".STA", "AB.", "ABC.STA", "AB.STATION", "AB.STA.123", "AB.STA.00.BHZ", "ab.STA",
                                 "AB.S/A", "AB.S A", "AB/STA.00", "AB.\xc3\x84"})
    EXPECT_NE(refusal(channels_of({code})).find("has the code"), std::string::npos) << code;
  Channels channels = channels_of({""});
  channels.list[0].station.number = 123'456;
  EXPECT_NE(refusal(channels).find("has the code 'XX.123456'"), std::string::npos) << refusal(channels);
  EXPECT_NE(refusal(channels_of({"A.B", "A.C", "A.B"})).find("two stations have the code A.B."), std::string::npos);
  EXPECT_NE(refusal(channels_of({"A.B", "A.B."})).find("two stations"), std::string::npos);
  for (const char* const name : {"vx", "BX", "BXEE", "B/E", ""}) {
    channels = channels_of({"A.B"});
    channels.list[1].component_name = name;
    EXPECT_NE(refusal(channels).find("not a channel code"), std::string::npos) << name;
  }
  for (const std::string& tag : {std::string(), std::string("Raw"), std::string("a/b"), std::string(101, 'a')})
    EXPECT_NE(refusal(channels_of({"A.B"}), {.tag = tag}).find("not a tag"), std::string::npos) << tag;
  EXPECT_NE(refusal(channels_of({"A.B"}), {.event_id = "two words"}).find("event"), std::string::npos);
  channels = channels_of({"A.B"});
  channels.start_us = std::numeric_limits<std::int64_t>::max() / 1000 - 1;
  EXPECT_NE(refusal(channels).find("beyond the times"), std::string::npos);
  channels = channels_of({"A.B"});
  channels.start_us = -5'400'000'000'000'000;  // 1798
  EXPECT_NE(refusal(channels).find("beyond the times"), std::string::npos);
  channels = channels_of({"A.B"});
  channels.interval_s = 1e300;
  EXPECT_NE(refusal(channels).find("beyond the times"), std::string::npos);
}

TEST(AsdfFile, RefusesWrongArrays) {
  const AsdfFile file(channels_of({"II.AAK", "G.SSB.10"}), {});
  const auto refused = [&](const hdf5::NewArray& array) {
    return thrown([&] { file.require_attachable(array); }).has_value();
  };
  for (const char* const path : {"QuakeML", "Waveforms/II.AAK/StationXML", "Waveforms/G.SSB/StationXML",
                                 "Provenance/a_1", "AuxiliaryData/Files/Par_file", "AuxiliaryData/A/b/c.d-e"})
    EXPECT_FALSE(refused({path, ElementType::u1, {3}})) << path;
  for (const std::string& path :
       {std::string(), std::string("QuakeML/a"), std::string("Waveforms/II.AA/StationXML"),
        std::string("Waveforms/II.AAK.00/StationXML"), std::string("Waveforms/G/StationXML"),
        std::string("Waveforms/StationXML"), std::string("Waveforms//StationXML"),
        std::string("Waveforms/II.AAK/other"), std::string("Provenance/"), std::string("Provenance/a/b"),
        std::string("AuxiliaryData/a"), std::string("AuxiliaryData//b"), std::string("AuxiliaryData/./b"),
        std::string("AuxiliaryData/../b"), std::string("AuxiliaryData/a b/c"), std::string("AuxiliaryData/a/b/"),
        std::string("/QuakeML"), std::string("Other/a/b"), "AuxiliaryData/a/" + std::string(256, 'b')})
    EXPECT_TRUE(refused({path, ElementType::u1, {3}})) << path;
  EXPECT_FALSE(refused({"AuxiliaryData/A/b", ElementType::i4, {}}));
  EXPECT_TRUE(refused({"AuxiliaryData/A/b", ElementType::text, {3}}));
  EXPECT_TRUE(refused({"AuxiliaryData/A/b", ElementType::f8, {3, 0}}));
  EXPECT_TRUE(refused({"AuxiliaryData/A/b", ElementType::f8, {std::int64_t{1} << 40U, std::int64_t{1} << 40U}}));
  EXPECT_TRUE(refused({"AuxiliaryData/A/b", ElementType::f8, std::vector<std::int64_t>(33, 1)}));
  EXPECT_TRUE(refused({"QuakeML", ElementType::f8, {3}}));
  EXPECT_TRUE(refused({"QuakeML", ElementType::u1, {3, 1}}));
  EXPECT_TRUE(refused({"QuakeML", ElementType::u1, {0}}));
  EXPECT_FALSE(refused({"AuxiliaryData/A/b", ElementType::f8, {3}, {{"units", "m"}, {"gain", 2.0}}}));
  EXPECT_TRUE(refused({"AuxiliaryData/A/b", ElementType::f8, {3}, {{"units", ""}}}));
  EXPECT_TRUE(refused({"AuxiliaryData/A/b", ElementType::f8, {3}, {{"", "m"}}}));
  EXPECT_TRUE(refused({"QuakeML", ElementType::u1, {3}, {{"units", "m"}}}));
}

TEST_F(AsdfFileTest, ArraysThatExcludeEachOtherAreRefused) {
  const AsdfFile file(channels_of({"II.AAK"}), {});
  const auto problem = [&](const std::vector<hdf5::NewArray>& arrays) {
    const auto error = thrown([&] { (void)file.lay_out(arrays); });
    return error ? error->parts().problem : "";
  };
  EXPECT_NE(problem({{"QuakeML", ElementType::u1, {3}}, {"QuakeML", ElementType::u1, {3}}}).find("'QuakeML'"),
            std::string::npos);
  EXPECT_NE(problem({{"AuxiliaryData/A/b", ElementType::u1, {3}}, {"AuxiliaryData/A/b/c", ElementType::u1, {3}}}), "");
}

}  // namespace
}  // namespace sill::station
