// Profiles of file systems: their text, what is no profile, and which of them count.
#include "sill/io/profile/file_system_profile.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <string>

#include "sill/base/error.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/io/profile/measure_file_system.hpp"
#include "sill/io/profile/profile_files.hpp"
#include "sill/store/posix/mount.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"

namespace sill {
namespace {

using std::chrono::day;
using std::chrono::month;
using std::chrono::sys_days;
using std::chrono::year;
using test::thrown;

FileSystemProfile any_profile() {
  FileSystemProfile profile;
  profile.mount = *rc::gen::arbitrary<std::string>();
  std::erase_if(profile.mount, [](char c) { return static_cast<unsigned char>(c) >= 0x7F; });  // no UTF-8
  profile.file_system = "ext4";
  profile.nodes = *rc::gen::inRange(1, 1000);
  profile.mpi = "Open MPI 4.1.4";
  profile.made = year(2026) / month(11) / day(25);
  profile.ranks = *rc::gen::inRange(1, 100'000);
  profile.costs.waits = *rc::gen::arbitrary<bool>();
  for (std::size_t i = 0; i < cost_names().size(); ++i) {
    const double seconds = *rc::gen::inRange(0, 10'000) * 1e-9;
    profile.costs.*cost_names()[i].cost_s = seconds;
    profile.spreads[i] = {seconds / 2, seconds * 2};
  }
  return profile;
}

TEST(FileSystemProfileTest, TextGivesTheSameProfile) {
  EXPECT_TRUE(rc::check([] {
    const FileSystemProfile profile = any_profile();
    const FileSystemProfile again = parse_profile(text_of(profile), "x");
    RC_ASSERT(again.mount == profile.mount);
    RC_ASSERT(again.file_system == profile.file_system);
    RC_ASSERT(again.nodes == profile.nodes);
    RC_ASSERT(again.mpi == profile.mpi);
    RC_ASSERT(again.made == profile.made);
    RC_ASSERT(again.ranks == profile.ranks);
    RC_ASSERT(again.costs.waits == profile.costs.waits);
    for (std::size_t i = 0; i < cost_names().size(); ++i) {
      const double cost_s = profile.costs.*cost_names()[i].cost_s;
      RC_ASSERT(std::abs(again.costs.*cost_names()[i].cost_s - cost_s) <= 1e-3 * cost_s);
      RC_ASSERT(std::abs(again.spreads[i].to_s - profile.spreads[i].to_s) <= 1e-3 * profile.spreads[i].to_s);
    }
    RC_ASSERT(text_of(again) == text_of(profile));
  }));
}

TEST(FileSystemProfileTest, WhatIsNoProfileIsRefusedWithItsLine) {
  FileSystemProfile profile;
  profile.made = year(2026) / month(11) / day(25);
  const std::string text = text_of(profile);
  const auto refused = [&](const std::string& was, const std::string& is) {
    std::string damaged = text;
    const std::size_t at = damaged.find(was);
    EXPECT_NE(at, std::string::npos) << was;
    damaged.replace(at, was.size(), is);
    const std::optional<Error> error = thrown([&] { (void)parse_profile(damaged, "the profile"); });
    if (!error) return std::string("not refused");
    EXPECT_EQ(error->code(), ErrorCode::input);
    EXPECT_EQ(error->parts().where.file, "the profile");
    return error->parts().problem;
  };
  EXPECT_NE(refused("[costs]", "[costs").find("this is not TOML"), std::string::npos);
  EXPECT_EQ(refused("[costs]", "[costs").find("line 14: "), 0U) << refused("[costs]", "[costs");
  EXPECT_NE(refused("version = 1", "version = 2").find("another version"), std::string::npos);
  EXPECT_NE(refused("nodes = 1", "").find("`nodes` is missing"), std::string::npos);
  EXPECT_NE(refused("nodes = 1", "nodes = \"one\"").find("`nodes` has a value of the wrong kind"), std::string::npos);
  EXPECT_NE(refused("\nopen =", "\nopens =").find("unknown cost `opens`"), std::string::npos);
  EXPECT_NE(refused("\nopen = { s = 0.000e+00", "\nopen = { s = -1.0").find("-1 is not a valid time"),
            std::string::npos);
  EXPECT_NE(refused("\nopen = { s = 0.000e+00", "\nopen = { s = nan").find("nan is not a valid time"),
            std::string::npos);
  EXPECT_NE(refused("waits = false", "waits = 2").find("the wrong kind"), std::string::npos);
}

TEST(FileSystemProfileTest, OneThatDoesNotFitHasAReason) {
  FileSystemProfile profile;
  profile.mpi = "Open MPI 4.1.4";
  profile.nodes = 2;
  profile.made = year(2026) / month(8) / day(1);
  const sys_days made(profile.made);
  EXPECT_EQ(reason_against(profile, 2, "Open MPI 4.1.4", made), "");
  EXPECT_EQ(reason_against(profile, 2, "Open MPI 4.1.4", made + max_profile_age), "");
  EXPECT_EQ(reason_against(profile, 2, "Open MPI 4.1.4", made + std::chrono::days(91)), "it is 91 days old");
  EXPECT_EQ(reason_against(profile, 2, "Open MPI 4.1.4", made - std::chrono::days(1)), "its date is in the future");
  EXPECT_EQ(reason_against(profile, 1, "Open MPI 4.1.4", made), "it was made on 2 nodes, but this run has 1");
  EXPECT_EQ(reason_against(profile, 2, "MPICH 4.0.2", made),
            "it was made with Open MPI 4.1.4, but this is MPICH 4.0.2");
}

TEST(FileSystemProfileTest, MeasuringLeavesNothingAndFillsEveryCost) {
  const test::TemporaryFolder folder;
  const auto alone = make_alone();
  const Resources resources{.comm = *alone};
  const FileSystemProfile profile =
      measure_file_system(resources, folder.path(), {.time_s = 0.2, .file_bytes = 64 << 20});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_EQ(profile.mount, mount_of(folder.path()).point);
  EXPECT_GT(profile.costs.open_s, 0);
  EXPECT_GT(profile.costs.request_s + profile.costs.byte_s, 0);
  EXPECT_GT(profile.costs.copy_byte_s, 0);
  EXPECT_EQ(profile.costs.message_s, FileSystemCosts{}.message_s) << "of one rank";
  const std::optional<Error> error =
      thrown([&] { (void)measure_file_system(resources, folder / "missing", {.time_s = 0.1}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
}

TEST(MountTest, TheLongestMountPointHoldsAPath) {
  const std::string lines =
      "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
      "23 22 0:20 / /scratch rw - lustre mds:/scratch rw\n"
      "24 22 0:21 / /with\\040blank rw master:1 propagate_from:2 - nfs4 server:/x rw\n"
      "25 23 0:22 / /scratch rw - beegfs x rw\n"
      "damaged\n";
  const auto mount = [&](const std::string& path) {
    const Mount found = mount_of(path, lines);
    return found.file_system + " " + found.point;
  };
  EXPECT_EQ(mount("/home/me"), "ext4 /");
  EXPECT_EQ(mount("/scratch"), "beegfs /scratch") << "the later one hides the other";
  EXPECT_EQ(mount("/scratch/a/b"), "beegfs /scratch");
  EXPECT_EQ(mount("/scratchy"), "ext4 /");
  EXPECT_EQ(mount("/with blank/x"), "nfs4 /with blank");
  EXPECT_EQ(mount_of("/x", "").file_system, "unknown");
  EXPECT_NE(mount_of("/proc/self").device, 0U);
  EXPECT_EQ(mount_of("/proc/self").file_system, "proc");
}

}  // namespace
}  // namespace sill
