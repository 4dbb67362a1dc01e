// Files of HDF5 as the library makes and reads them, in memory.
#include "sill/formats/hdf5/hdf5_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "store/thrown.hpp"

namespace sill::hdf5_test {
namespace {

using Bytes = std::vector<std::byte>;

DatasetDescription description() {
  return {.dimensions = {{"time", unlimited}, {"x", 3}, {"c", 2}},
          .variables = {{"u", ElementType::f4, {"time", "x"}, {{"_FillValue", 7.0F}, {"units", "m"}}},
                        {"time", ElementType::f8, {"time"}},
                        {"x", ElementType::f8, {"x", "c"}},
                        {"c", ElementType::i4, {"x"}},
                        {"name", ElementType::text, {"x"}}},
          .attributes = {{"title", "waves"}, {"long", std::string(100000, 'a')}}};
}

void put(Bytes& file, const std::vector<FilePiece>& pieces) {
  for (const FilePiece& each : pieces) {
    const auto begin = static_cast<std::size_t>(each.offset);
    file.resize(std::max(file.size(), begin + each.bytes.size()));
    std::ranges::copy(each.bytes, file.begin() + each.offset);
  }
}

hdf5::FileContents read(const Bytes& file) {
  return hdf5::read_file(
      [&](std::int64_t offset, std::span<std::byte> bytes) {
        std::copy_n(file.begin() + offset, bytes.size(), bytes.begin());
      },
      std::ssize(file), "a.h5");
}

class Hdf5File : public testing::Test {
 protected:
  void SetUp() override {
    if (hdf5::build_version().empty()) GTEST_SKIP() << "built without HDF5";
  }
};

TEST_F(Hdf5File, IsReadAsItIsDescribed) {
  for (const bool is_netcdf4 : {false, true}) {
    const hdf5::NewFile made = hdf5::new_file(description(), {.is_netcdf4 = is_netcdf4, .steps = 5});
    Bytes file;
    put(file, made.header);
    put(file, made.layout.beginning(description(), 2));
    const hdf5::FileContents found = read(file);
    EXPECT_EQ(text_of(found.description), text_of(description()));
    EXPECT_EQ(found.steps, 2);
    EXPECT_EQ(found.is_netcdf4, is_netcdf4);
    EXPECT_TRUE(found.stored.left_out.empty());
    ASSERT_TRUE(found.stored.layout);
    EXPECT_EQ(found.stored.layout->begins, made.layout.begins);
    EXPECT_EQ(found.stored.layout->count_begin, made.layout.count_begin);
    EXPECT_EQ(found.stored.layout->steps, 5);
    Bytes again;
    put(again, hdf5::new_file(description(), {.is_netcdf4 = is_netcdf4, .steps = 5}).header);
    put(again, made.layout.beginning(description(), 2));
    EXPECT_EQ(again, file);
  }
}

TEST_F(Hdf5File, HasRoomForMoreElementsThanMemory) {
  const DatasetDescription large{
      .dimensions = {{"time", unlimited}, {"z", 100000}, {"y", 100000}, {"x", 100}},
      .variables = {{"u", ElementType::f8, {"time", "z", "y", "x"}}, {"v", ElementType::f8, {"time", "z", "y", "x"}}}};
  const hdf5::NewFile made = hdf5::new_file(large, {.steps = 1000, .align = 1 << 20});
  const std::int64_t bytes = std::int64_t{8} * 1000 * 100000 * 100000 * 100;
  EXPECT_GE(made.layout.begins[1] - made.layout.begins[0], bytes);
  EXPECT_EQ(made.layout.begins[1] % (1 << 20), 0);
  EXPECT_EQ(made.layout.places(0, large, 0, 999).first_byte, made.layout.begins[0] + bytes / 1000 * 999);
  std::size_t metadata = 0;
  for (const FilePiece& each : made.header) metadata += each.bytes.size();
  EXPECT_LT(metadata, 100000U);
}

TEST_F(Hdf5File, OfManyVariablesIsSmall) {
  DatasetDescription many{.dimensions = {{"time", unlimited}, {"x", 3}}};
  for (int i = 0; i < 20000; ++i)
    many.variables.push_back({"v" + std::to_string(i), ElementType::f4, {"time", "x"}, {{"units", "m"}}});
  for (const bool is_netcdf4 : {false, true}) {
    std::size_t metadata = 0;
    for (const FilePiece& each : hdf5::new_file(many, {.is_netcdf4 = is_netcdf4, .steps = 4}).header)
      metadata += each.bytes.size();
    EXPECT_LT(metadata, 600U * many.variables.size());
  }
}

TEST_F(Hdf5File, RefusesWhatItCannotStore) {
  const auto refused = [](const DatasetDescription& given, const hdf5::FileForm& form) {
    const auto error = test::thrown([&] { hdf5::require_possible(given, form); });
    return error ? std::string(error->what()) : std::string();
  };
  EXPECT_NE(refused(description(), {}).find("SILL_LAYOUT"), std::string::npos);
  DatasetDescription given = description();
  given.variables[0].name = hdf5::count_name;
  EXPECT_NE(refused(given, {.steps = 1}).find("complete_steps"), std::string::npos);
  given = description();
  given.attributes[0].name = "CLASS";
  EXPECT_NE(refused(given, {.steps = 1}).find("reserved"), std::string::npos);
  given = description();
  given.variables[0].name = "g/u";
  EXPECT_EQ(refused(given, {.steps = 1}), "");
  EXPECT_NE(refused(given, {.is_netcdf4 = true, .steps = 1}).find("group"), std::string::npos);
  EXPECT_NE(refused(description(), {.steps = std::int64_t{1} << 61U}).find("fewer steps"), std::string::npos);
}

TEST_F(Hdf5File, RefusesFilesThatAreCut) {
  Bytes file;
  const hdf5::NewFile made = hdf5::new_file(description(), {.steps = 5});
  put(file, made.header);
  EXPECT_TRUE(test::thrown([&] { (void)read(file); }));  // no signature: nothing is complete
  put(file, made.layout.beginning(description(), 6));
  EXPECT_TRUE(test::thrown([&] { (void)read(file); }));  // more steps than it has room for
  put(file, made.layout.beginning(description(), 5));
  file.resize(file.size() / 2);
  const auto error = test::thrown([&] { (void)read(file); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::input);
}

}  // namespace
}  // namespace sill::hdf5_test
