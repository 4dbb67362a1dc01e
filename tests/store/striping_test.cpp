// Stripes of files: what is asked for, what is read back, and what is reported of it.
#include "sill/store/striping.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cerrno>
#include <string>
#include <vector>

#include "sill/base/threads.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "store/fake_file_systems.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"
#include "support/sizes.hpp"

namespace sill {
namespace {

using test::Bytes;
using test::FakeBeegfs;
using test::FakeCephfs;
using test::FakeFileSystem;
using test::FakeLustre;
using test::mib;
using test::thrown;

std::string text_of(FakeFileSystem& system, const Striping& asked, const std::string& path = "folder/file") {
  const auto outcome = create_striped(path, asked, 0666, system);
  EXPECT_TRUE(system.names.contains(path)) << "whatever becomes of its stripes, the file is there";
  return outcome ? outcome->text() : "it was there";
}

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(StripingOnLustre, ALayoutIsSetAndReadBack) {
  FakeLustre system;
  EXPECT_EQ(text_of(system, {4, mib}), "Lustre: 4 stripes of 1M, as requested");
  EXPECT_EQ(system.was_set, bytes_of({0xD0, 0x0B, 0xD1, 0x0B, 1, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0,    0,
                                      0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0x10, 0, 4, 0, 0xFF, 0xFF}));
  EXPECT_EQ(striping_of("folder/file", system).striping, (Striping{4, mib}));
  EXPECT_EQ(stripe_bytes_of("folder/file", system), mib);
}

TEST(StripingOnLustre, FewerServersMeanFewerStripes) {
  FakeLustre system;
  EXPECT_EQ(text_of(system, {16, mib}), "Lustre: 4 stripes of 1M; the request was 16 stripes of 1M");
}

TEST(StripingOnLustre, WhatIsTakenWithoutEffectIsTold) {
  FakeLustre system;
  system.ignores = true;
  EXPECT_EQ(text_of(system, {4, mib}), "Lustre: No data available; the request was 4 stripes of 1M");
}

TEST(StripingOnLustre, WhatIsRefusedIsTold) {
  FakeLustre system;
  system.set_error = EPERM;
  system.layouts["folder/file"] = bytes_of(
      {0xD0, 0x0B, 0xD1, 0x0B, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 1, 0, 0, 0});
  EXPECT_EQ(text_of(system, {4, mib}),
            "Lustre: 1 stripe of 4M; the request was 4 stripes of 1M (refused: Operation not permitted)");
}

TEST(StripingOnLustre, LayoutsOfOtherFormsAreRead) {
  FakeLustre system;
  const Bytes plain = bytes_of(
      {0xD0, 0x0B, 0xD1, 0x0B, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 3, 0, 0, 0});
  Bytes of_pool = plain;
  of_pool[2] = std::byte{0xD3};
  of_pool.resize(48 + 24 * 3);
  system.layouts["pool"] = of_pool;
  EXPECT_EQ(striping_of("pool", system).striping, (Striping{3, 2 * mib}));

  Bytes all = plain;
  all[28] = all[29] = std::byte{0xFF};
  system.layouts["all"] = all;
  EXPECT_EQ((StripingOutcome{{4, mib}, striping_of("all", system), ""}.text()),
            "Lustre: stripes of 2M over all servers; the request was 4 stripes of 1M");

  // Two parts, each an entry of 48 bytes and a layout behind both.
  Bytes composite(32 + 2 * 48);
  std::ranges::copy(bytes_of({0xD0, 0x0B, 0xD6, 0x0B}), composite.begin());
  composite[14] = std::byte{2};
  composite[32 + 24] = std::byte{128};
  composite[32 + 48 + 24] = std::byte{160};
  Bytes first = plain;
  first[28] = std::byte{1};
  composite.insert(composite.end(), first.begin(), first.end());
  composite.insert(composite.end(), plain.begin(), plain.end());
  system.layouts["progressive"] = composite;
  EXPECT_EQ(striping_of("progressive", system).striping, (Striping{3, 2 * mib})) << "the last part";
}

TEST(StripingOnLustre, LayoutsThatAreNoneAreNotRead) {
  FakeLustre system;
  EXPECT_TRUE(rc::check([&] {
    auto bytes = *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>());
    const auto magic = *rc::gen::element(0xD0, 0xD1, 0xD3, 0xD5, 0xD6);
    const std::vector<std::uint8_t> head{0xD0, 0x0B, static_cast<std::uint8_t>(magic), 0x0B};
    std::copy_n(head.begin(), std::min<std::size_t>(4, bytes.size()), bytes.begin());
    Bytes layout;
    for (const auto byte : bytes) layout.push_back(std::byte{byte});
    system.layouts["odd"] = layout;
    const StripingFound found = striping_of("odd", system);
    RC_ASSERT(found.striping.has_value() == found.reason.empty());
    RC_ASSERT(stripe_bytes_of("odd", system) > 0);
  }));
  system.layouts["short"] = bytes_of({0xD0, 0x0B, 0xD1, 0x0B, 1, 0, 0, 0});
  EXPECT_EQ(striping_of("short", system).reason, "its layout is of an unknown kind");
  EXPECT_EQ(stripe_bytes_of("short", system), 8192) << "then the blocks of the file system";
}

TEST(StripingOnBeegfs, AFileIsMadeWithItsStripes) {
  FakeBeegfs system;
  EXPECT_EQ(text_of(system, {2, mib}), "BeeGFS: 2 stripes of 1M, as requested");
  EXPECT_EQ(stripe_bytes_of("folder/file", system), mib);
  EXPECT_EQ(create_striped("folder/file", {2, mib}, 0666, system), std::nullopt) << "it is there already";
}

TEST(StripingOnBeegfs, WhatItDoesNotTakeIsTold) {
  FakeBeegfs system;
  EXPECT_EQ(text_of(system, {2, 3 * 65536}),
            "BeeGFS: 4 stripes of 512K; the request was 2 stripes of 192K (refused: Invalid argument)");
  system.ignores = true;
  EXPECT_EQ(text_of(system, {2, mib}, "folder/other"), "BeeGFS: 4 stripes of 512K; the request was 2 stripes of 1M");
  system.set_error = EEXIST;
  EXPECT_EQ(create_striped("folder/third", {2, mib}, 0666, system), std::nullopt);
}

TEST(StripingOnCephfs, ALayoutIsSetAndReadBack) {
  FakeCephfs system;
  EXPECT_EQ(text_of(system, {8, mib}), "CephFS: 8 stripes of 1M, as requested");
  EXPECT_EQ(system.sets, 2) << "objects of 4M hold units of 1M";
  EXPECT_EQ(stripe_bytes_of("folder/file", system), mib);
}

TEST(StripingOnCephfs, EveryUnitCanBeReachedFromEveryLayout) {
  EXPECT_TRUE(rc::check([] {
    const auto grain = std::int64_t{65536};
    FakeCephfs system;
    auto& before = system.layouts["folder/file"];
    before.unit = grain * *rc::gen::inRange(1, 200);
    before.object = before.unit * *rc::gen::inRange(1, 20);
    const Striping asked{*rc::gen::inRange(1, 100), grain * *rc::gen::inRange(1, 200)};
    const auto outcome = create_striped("folder/file", asked, 0666, system);
    RC_ASSERT(outcome.has_value());
    RC_ASSERT(outcome->found.striping == asked);
    RC_ASSERT(outcome->reason.empty());
    RC_ASSERT(system.layouts["folder/file"].object % asked.unit_bytes == 0);
  }));
}

TEST(StripingOnCephfs, WhatIsRefusedOrIgnoredIsTold) {
  FakeCephfs system;
  system.set_error = EACCES;  // a client without the flag `p`
  EXPECT_EQ(text_of(system, {8, mib}),
            "CephFS: 1 stripe of 4M; the request was 8 stripes of 1M (refused: Permission denied)");
  system.set_error = 0;
  system.ignores = true;
  EXPECT_EQ(text_of(system, {8, mib}, "folder/other"), "CephFS: 1 stripe of 4M; the request was 8 stripes of 1M");
}

TEST(StripingOnCephfs, AMountInUserSpaceIsOneToo) {
  FakeCephfs system(0x65735546);
  EXPECT_EQ(text_of(system, {8, mib}), "CephFS: 8 stripes of 1M, as requested");
  FakeFileSystem other(0x65735546);
  EXPECT_EQ(
      text_of(other, {8, mib}),
      "a file system in user space (FUSE): stripes cannot be requested on this file system; the request was 8 stripes "
      "of 1M");
}

TEST(StripingElsewhere, IsToldToBeNone) {
  FakeFileSystem ext4(0xEF53);
  EXPECT_EQ(text_of(ext4, {8, mib}),
            "ext4: stripes cannot be requested on this file system; the request was 8 stripes of 1M");
  EXPECT_EQ(stripe_bytes_of("folder/file", ext4), 8192);
  FakeFileSystem unknown(0xABCDEF);
  EXPECT_EQ(text_of(unknown, {1, mib}),
            "file system 0xabcdef: stripes cannot be requested on this file system; the request was 1 stripe of 1M");
}

TEST(StripingElsewhere, OnThisMachineAFileIsMadeAllTheSame) {
  const test::TemporaryFolder folder;
  const auto outcome = create_striped(folder / "file", {4, mib});
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->found.file_system.empty());
  EXPECT_NE(outcome->text().find("4 stripes of 1M"), std::string::npos) << outcome->text();
  EXPECT_EQ(test::bytes_of_file(folder / "file"), Bytes{});
  EXPECT_EQ(create_striped(folder / "file", {4, mib}), std::nullopt);
  EXPECT_GE(stripe_bytes_of(folder / "file"), 512);
  EXPECT_EQ(stripe_bytes_of("/no/such/file"), 4096);
  const auto error = thrown([&] { (void)create_striped(folder / "missing/file", {4, mib}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_EQ(error->parts().where.file, folder / "missing/file");
}

TEST(StripedOpener, MakesFilesWithStripesAndReports) {
  FakeLustre system;
  StripingReport report;
  const Opener inner = [&](const std::string& path, OpenMode mode) { return system.files.open(path, mode); };
  const Opener open = striped(inner, {8, mib}, report, system);
  for (const char* path : {"d/c", "d/a", "d/b"}) write_at(*open(path, OpenMode::create), 0, test::pattern(5));
  for (const char* path : {"d/a", "d/e"}) write_at(*open(path, OpenMode::write_or_create), 5, test::pattern(5));
  (void)open("d/a", OpenMode::read);
  (void)open("d/a", OpenMode::write);
  EXPECT_EQ(system.files.bytes("d/a").size(), 10U);
  const auto lines = report.lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].text, "Lustre: 4 stripes of 1M; the request was 8 stripes of 1M");
  EXPECT_EQ(lines[0].files, 4);
  EXPECT_EQ(lines[0].first, "d/c");
  EXPECT_EQ(lines[1].text, "Lustre: 4 stripes of 1M; the request was 8 stripes of 1M (it already existed)");
  EXPECT_EQ(lines[1].files, 1);

  const auto error = thrown([&] { (void)open("d/a", OpenMode::create); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().where.file, "d/a");
  EXPECT_NE(error->parts().problem.find("File exists"), std::string::npos);
  system.create_error = ENOSPC;
  EXPECT_TRUE(thrown([&] { (void)open("d/z", OpenMode::write_or_create); }));
}

TEST(StripedOpener, IsSharedByThreads) {
  StripingReport report;
  const test::TemporaryFolder folder;
  const Opener open = striped(open_posix, {8, mib}, report);
  run_on_threads(4, [&](int thread) {
    for (int i = 0; i < 25; ++i) {
      write_at(*open(folder / std::to_string(i), OpenMode::write_or_create), thread, test::pattern(1));
    }
  });
  std::int64_t stated = 0;
  for (const auto& line : report.lines()) stated += line.files;
  EXPECT_EQ(stated, 100);
  for (int i = 0; i < 25; ++i) EXPECT_EQ(test::bytes_of_file(folder / std::to_string(i)).size(), 4U);
}

}  // namespace
}  // namespace sill
