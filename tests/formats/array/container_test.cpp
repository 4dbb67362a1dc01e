// How a dataset is stored, by names: of containers, of files, and of those of a series.
#include "sill/formats/array/container.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

namespace sill::container_test {
namespace {

TEST(Container, HasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const Container each : containers) {
    EXPECT_EQ(container_named(name_of(each)), each) << name_of(each);
    EXPECT_TRUE(names.insert(name_of(each)).second) << name_of(each);
  }
  EXPECT_EQ(name_of(Container::netcdf), "netcdf");
  EXPECT_EQ(name_of(Container::vti), "vti");
  EXPECT_EQ(name_of(Container::raw), "raw");
  for (const char* other : {"", "VTI", "vti ", "pvd", "nc"}) EXPECT_FALSE(container_named(other)) << other;
}

TEST(Container, IsThatOfTheEndOfAFilesName) {
  for (const char* path : {"u.vti", "u.pvd", "folder/u.000001.vti", "a.nc.vti", "folder.raw/u.pvd"}) {
    EXPECT_EQ(container_of(path), Container::vti) << path;
  }
  for (const char* path : {"u.zarr", "u.zarr/", "m.mdio//"}) EXPECT_EQ(container_of(path), Container::zarr) << path;
  EXPECT_EQ(container_of("u.vtr"), Container::vtr);
  EXPECT_EQ(container_of("u.vts"), Container::vts);
  for (const char* path : {"u.raw", "u.xdmf", "u.mhd", "folder.vti/u.u.mhd"}) {
    EXPECT_EQ(container_of(path), Container::raw) << path;
  }
  for (const char* path : {"u.nc", "u.cdf", "u", "", "vti", "u.VTI", "u.vti.gz", "u.vtiu"}) {
    EXPECT_EQ(container_of(path), Container::netcdf) << path;
  }
}

TEST(SeriesNames, AreMadeOfTheNameWithoutTheEndOfAContainer) {
  const SeriesNames vti("folder/u.vti", Container::vti);
  EXPECT_EQ(vti.constant(), "folder/u.vti");
  EXPECT_EQ(vti.step(0), "folder/u.000000.vti");
  EXPECT_EQ(vti.step(12), "folder/u.000012.vti");
  EXPECT_EQ(vti.step(1'234'567), "folder/u.1234567.vti");
  EXPECT_EQ(vti.index(), "folder/u.pvd");
  const SeriesNames raw("u.mhd", Container::raw);
  EXPECT_EQ(raw.constant(), "u.raw");
  EXPECT_EQ(raw.step(3), "u.000003.raw");
  EXPECT_EQ(raw.index(), "u.xdmf");
  EXPECT_EQ(raw.header("pressure", 12), "u.pressure.000012.mhd");
  EXPECT_EQ(raw.header("depth", std::nullopt), "u.depth.mhd");
}

TEST(SeriesNames, AreTheSameForEveryEndThatStandsForAContainer) {
  for (const char* end : {".nc", ".cdf", ".vti", ".pvd", ".raw", ".xdmf", ".mhd"}) {
    EXPECT_EQ(SeriesNames(std::string("a.b") + end, Container::vti).index(), "a.b.pvd") << end;
    EXPECT_EQ(SeriesNames(std::string("a.b") + end, Container::raw).step(1), "a.b.000001.raw") << end;
  }
}

TEST(SeriesNames, OtherEndsAndNamesThatAreNothingElseStay) {
  EXPECT_EQ(SeriesNames("u.dat", Container::vti).constant(), "u.dat.vti");
  EXPECT_EQ(SeriesNames("u", Container::raw).step(7), "u.000007.raw");
  EXPECT_EQ(SeriesNames(".vti", Container::vti).stem(), "");
  EXPECT_EQ(SeriesNames("folder.nc/u", Container::raw).index(), "folder.nc/u.xdmf");
  EXPECT_EQ(SeriesNames("u.vti.nc", Container::vti).constant(), "u.vti.vti");  // one end goes
}

}  // namespace
}  // namespace sill::container_test
