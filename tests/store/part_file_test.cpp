// Whole or nothing: part files.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sill/store/part/part_file.hpp"
#include "sill/store/part/part_name.hpp"
#include "sill/store/posix/folder.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "sill/store/posix/unnamed_file.hpp"
#include "store/part_file_case.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"
#include "store/unprivileged.hpp"

namespace sill {
namespace {

namespace fs = std::filesystem;
using test::bytes_of_file;
using test::is_locked;
using test::make_file;
using test::names_in;
using test::pattern;
using test::thrown;

class PartFileTest : public test::PartFileCase {
 protected:
  static mode_t mode_of(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
  }
};

TEST_F(PartFileTest, LiesBesideItsTargetEmptyAndLocked) {
  const PartFile part(target);
  const fs::path path(part.path());
  EXPECT_EQ(path.parent_path().string(), folder.path());
  EXPECT_TRUE(path.filename().string().starts_with(".out.sgy.sill-")) << path;
  EXPECT_TRUE(path.filename().string().ends_with(".part")) << path;
  EXPECT_EQ(fs::file_size(path), 0U);
  EXPECT_TRUE(is_locked(part.path()));
  EXPECT_FALSE(fs::exists(target));
}

TEST_F(PartFileTest, OneThatStaysIsFoundAgain) {
  const KeptAs kept{"flow.part"};
  const std::string path = folder / ".out.sgy.sill-flow.part";
  make_file(target, pattern(10, 1));
  ASSERT_EQ(::chmod(target.c_str(), 0640), 0);
  {
    const PartFile part(target, {}, kept);
    EXPECT_EQ(part.path(), path);
    EXPECT_FALSE(part.was_there());
    EXPECT_EQ(mode_of(path), 0640U);
    EXPECT_TRUE(is_locked(path));
    const std::optional<Error> held = thrown([&] { const PartFile other(target, {}, kept); });
    ASSERT_TRUE(held);
    EXPECT_NE(held->parts().problem.find("another run"), std::string::npos);
    (void)remove_part_files_of_process();
  }
  EXPECT_FALSE(is_locked(path));
  EXPECT_EQ(target_of_part(path), target);
  make_file(path, pattern(100, 2));
  { const PartFile other(target); }  // takes it for no leftover
  PartFile part(target, {}, kept);
  EXPECT_TRUE(part.was_there());
  EXPECT_EQ(bytes_of_file(path), pattern(100, 2));
  part.commit(false);
  EXPECT_EQ(names(), (std::vector<std::string>{"out.sgy"}));
  EXPECT_EQ(bytes_of_file(target), pattern(100, 2));
}

TEST_F(PartFileTest, WhatOthersPutInThePlaceOfOneThatStaysIsNotTaken) {
  const std::string path = folder / ".out.sgy.sill-flow.part";
  const auto refused = [&] {
    return thrown([&] { const PartFile part(target, {}, KeptAs{"flow.part"}); }).has_value();
  };
  make_file(folder / "other", pattern(10, 1));
  fs::create_symlink(folder / "other", path);
  EXPECT_TRUE(refused());
  fs::remove(path);
  fs::create_hard_link(folder / "other", path);
  EXPECT_TRUE(refused());
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(refused());
  EXPECT_EQ(bytes_of_file(folder / "other"), pattern(10, 1));
}

TEST_F(PartFileTest, GivenUpItKeepsNoSpaceAlsoWhereItIsOpen) {
  const std::vector<std::string> targets{folder / "a", folder / "b", folder / "c"};  // the last guards the others
  const test::Bytes bytes = pattern(100'000, 1);
  std::vector<int> descriptors;
  const std::string other = folder / "other";
  {
    const std::deque<PartFile> parts = part_files_of(targets);
    for (const PartFile& part : parts) {
      descriptors.push_back(::open(part.path().c_str(), O_RDWR | O_CLOEXEC));
      ASSERT_EQ(::pwrite(descriptors.back(), bytes.data(), bytes.size(), 0), std::ssize(bytes));
    }
    ASSERT_EQ(::link(parts.front().path().c_str(), other.c_str()), 0);
  }
  for (const std::size_t i : {1U, 2U}) {
    struct stat status {};
    EXPECT_EQ(::fstat(descriptors[i], &status), 0);
    EXPECT_EQ(status.st_size, 0);
    EXPECT_EQ(status.st_nlink, 0U);
  }
  EXPECT_EQ(bytes_of_file(other), bytes) << "who gave it another name keeps it";
  for (const int descriptor : descriptors) ::close(descriptor);
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"other"});
}

TEST_F(PartFileTest, ItsStripesAreAskedForAndTold) {
  EXPECT_FALSE(PartFile(target).striping());
  {
    PartFile part(target, {4, 65536});
    ASSERT_TRUE(part.striping());
    EXPECT_EQ(part.striping()->asked, (Striping{4, 65536}));
    EXPECT_TRUE(is_locked(part.path()));
    make_file(part.path(), pattern(20));
    part.commit(false);
  }
  EXPECT_EQ(names(), std::vector<std::string>{"out.sgy"});
  EXPECT_EQ(bytes_of_file(target), pattern(20));
  const std::string missing = folder / "none/out.sgy";
  const auto error = thrown([&] { const PartFile part(missing, {4, 65536}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_EQ(error->parts().where.file, missing);
  EXPECT_FALSE(remove_part_files_of_process()) << "nothing is held any more";
}

TEST_F(PartFileTest, IsRemovedUnlessCommitted) {
  make_file(target, pattern(10));
  {
    const PartFile part(target);
    make_file(part.path(), pattern(10, 2));
  }
  EXPECT_EQ(names(), std::vector<std::string>{"out.sgy"});
  EXPECT_EQ(bytes_of_file(target), pattern(10));
}

TEST_F(PartFileTest, CommitReplacesTheTargetAtOnce) {
  for (const bool durable : {false, true}) {
    make_file(target, pattern(10));
    const int old = ::open(target.c_str(), O_RDONLY | O_CLOEXEC);
    {
      PartFile part(target);
      make_file(part.path(), pattern(20, 2));
      part.commit(durable);
      EXPECT_EQ(bytes_of_file(target), pattern(20, 2));
    }
    EXPECT_EQ(names(), std::vector<std::string>{"out.sgy"});
    EXPECT_EQ(bytes_of_file(target), pattern(20, 2));
    EXPECT_FALSE(is_locked(target));
    test::Bytes seen(30);  // who had it open still reads the old bytes, whole
    EXPECT_EQ(::read(old, seen.data(), seen.size()), 10);
    ::close(old);
  }
}

TEST_F(PartFileTest, TwoAtOnceForOneTargetDoNotMeet) {
  PartFile one(target);
  PartFile two(target);
  EXPECT_NE(one.path(), two.path());
  EXPECT_TRUE(fs::exists(one.path())) << "the first is locked and so no leftover";
  make_file(one.path(), pattern(10, 1));
  make_file(two.path(), pattern(10, 2));
  one.commit(false);
  EXPECT_EQ(bytes_of_file(target), pattern(10, 1));
  two.commit(false);
  EXPECT_EQ(bytes_of_file(target), pattern(10, 2));
}

class OpenFilesLimit {
 public:
  // So many more than are open now.
  explicit OpenFilesLimit(rlim_t more) {
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(next);
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit less{.rlim_cur = static_cast<rlim_t>(next) + more, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &less);
  }
  OpenFilesLimit(const OpenFilesLimit&) = delete;
  OpenFilesLimit& operator=(const OpenFilesLimit&) = delete;
  ~OpenFilesLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(PartFileTest, AThousandAtOnceTakeAsManyOpenFilesAsTheyHaveFolders) {
  fs::create_directory(folder / "other");
  std::vector<std::string> targets;
  for (int i = 0; i < 1000; ++i) targets.push_back(folder / fmt::format("{}{:04}", i % 2 == 0 ? "" : "other/", i));
  const OpenFilesLimit limit(4);
  {
    std::deque<PartFile> parts = part_files_of(targets);
    ASSERT_EQ(parts.size(), 1000U);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(target_of_part(parts[i].path()), targets[i]);
      make_file(parts[i].path(), pattern(static_cast<std::int64_t>(i % 7)));
    }
    for (PartFile& part : parts) part.commit(false);
    for (std::size_t i = 0; i < targets.size(); ++i)
      EXPECT_EQ(bytes_of_file(targets[i]), pattern(static_cast<std::int64_t>(i % 7)));
  }
  const std::vector<std::string> before = names();
  { const std::deque<PartFile> parts = part_files_of(targets); }
  EXPECT_EQ(names(), before);
  const std::deque<PartFile> parts = part_files_of(targets);
  EXPECT_NE(names(), before);
  EXPECT_TRUE(remove_part_files_of_process());
  EXPECT_EQ(names(), before) << "a signal handler removes all of them";
  EXPECT_EQ(names_in(folder / "other").size(), 500U);
}

TEST_F(PartFileTest, OneThatCannotBeLeavesNoneOfMany) {
  fs::create_directory(folder / "b");
  const std::vector<std::string> targets{folder / "a", folder / "b", folder / "c"};
  const auto error = thrown([&] { (void)part_files_of(targets); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().where.file, folder / "b");
  EXPECT_EQ(names(), std::vector<std::string>{"b"});
}

TEST_F(PartFileTest, LongNamesThatBeginAlikeAreToldApartInAGroup) {
  std::vector<std::string> targets;
  for (char end = 'a'; end <= 'z'; ++end) targets.push_back(folder / (std::string(240, 'n') + end));
  std::deque<PartFile> parts = part_files_of(targets);
  for (PartFile& part : parts) part.commit(false);
  EXPECT_EQ(names().size(), targets.size());
}

TEST_F(PartFileTest, LongNamesThatBeginAlikeHaveOtherPrefixes) {
  const std::string longest(227, 'n');
  EXPECT_EQ(part_prefix_of(longest), "." + longest + ".sill-");
  std::set<std::string> prefixes;
  for (const char* const end : {"", "a", "b", "ab"}) prefixes.insert(part_prefix_of(longest + end));
  EXPECT_EQ(prefixes.size(), 4U);
  for (const std::string& each : prefixes) {
    const std::string part = part_name(each, "01234567", "89abcdef");
    EXPECT_EQ(part.size(), 255U);
    EXPECT_EQ(parse_part_name(part)->prefix, each);
  }
}

TEST_F(PartFileTest, ALinkStaysAndWhatItPointsToIsReplaced) {
  fs::create_directory(folder / "data");
  const std::string real = folder / "data/real.sgy";
  make_file(real, pattern(10));
  fs::create_symlink("data/middle", target);
  fs::create_symlink(real, folder / "data/middle");
  {
    PartFile part(target);
    EXPECT_EQ(fs::path(part.path()).parent_path().string(), folder / "data");
    make_file(part.path(), pattern(10, 2));
    part.commit(true);
  }
  EXPECT_TRUE(fs::is_symlink(target));
  EXPECT_TRUE(fs::is_symlink(folder / "data/middle"));
  EXPECT_FALSE(fs::is_symlink(real));
  EXPECT_EQ(bytes_of_file(real), pattern(10, 2));
}

TEST_F(PartFileTest, ALinkToNothingGetsItsFile) {
  fs::create_symlink("new.sgy", target);
  PartFile part(target);
  make_file(part.path(), pattern(10, 2));
  part.commit(false);
  EXPECT_TRUE(fs::is_symlink(target));
  EXPECT_EQ(bytes_of_file(folder / "new.sgy"), pattern(10, 2));
}

TEST_F(PartFileTest, ACircleOfLinksIsRefused) {
  fs::create_symlink("circle", target);
  fs::create_symlink("out.sgy", folder / "circle");
  const auto error = thrown([&] { const PartFile part(target); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_EQ(error->parts().where.file, target);
}

TEST_F(PartFileTest, KeepsThePermissionsOfTheTarget) {
  make_file(target, pattern(10));
  for (const mode_t mode : {mode_t{0640}, mode_t{0777}}) {
    ASSERT_EQ(::chmod(target.c_str(), mode), 0);
    PartFile part(target);
    EXPECT_EQ(mode_of(part.path()), mode);
    part.commit(false);
    EXPECT_EQ(mode_of(target), mode);
  }
}

TEST_F(PartFileTest, AllowsNobodyMoreThanTheFileItBelongsTo) {
  make_file(target, pattern(5));
  const std::string data = folder / "data.sgy";
  make_file(data, pattern(5));
  const mode_t usual = ::umask(0);  // with which a file would be everybody's
  for (const mode_t mode : {0600U, 0640U, 0604U, 0664U}) {
    ASSERT_EQ(::chmod(target.c_str(), mode), 0);
    ASSERT_EQ(::chmod(data.c_str(), mode | 0100U), 0);
    EXPECT_EQ(mode_of(PartFile(target).path()), mode);
    EXPECT_EQ(mode_of(PartFile(target, {4, 65536}).path()), mode);
    EXPECT_EQ(mode_of(PartFile(folder / "data.sgy.kept", {}, StoredBeside{data}).path()), mode);
  }
  (void)::umask(usual);
}

TEST_F(PartFileTest, AGroupThatIsAnotherIsAllowedWhatAllOthersAre) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of other groups";
  make_file(target, pattern(5));
  ASSERT_EQ(::chown(target.c_str(), 65534, 65533), 0);
  ASSERT_EQ(::chmod(target.c_str(), 0664), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  struct stat status {};
  {
    const PartFile part(target);  // root sets the group
    ASSERT_EQ(::stat(part.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_gid, 65533U);
    EXPECT_EQ(status.st_mode & 07777U, 0664U);
  }
  const std::string failed = test::as_unprivileged_user([&] {
    const PartFile part(target);
    return mode_of(part.path()) == 0644;
  });
  EXPECT_EQ(failed, "");
}

TEST_F(PartFileTest, WhatIsStoredBesideAFileFollowsNoLink) {
  const std::string data = folder / "data.sgy";
  make_file(data, pattern(5));
  fs::create_symlink(folder / "elsewhere", folder / "data.sgy.kept");
  const auto error = thrown([&] { const PartFile part(folder / "data.sgy.kept", {}, StoredBeside{data}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_EQ(names(), (std::vector<std::string>{"data.sgy", "data.sgy.kept"}));
}

TEST_F(PartFileTest, OfAnUnnamedFileIsUnnamedAndTakesItsPlace) {
  const UnnamedFile spool(folder.path());
  make_file(spool.path(), pattern(3));
  EXPECT_EQ(existing_folder(spool.path()), fs::canonical(folder.path()));
  {
    const PartFile given_up(spool.path());
    make_file(given_up.path(), pattern(7));
  }
  EXPECT_EQ(bytes_of_file(spool.path()), pattern(3));
  PartFile part(spool.path());
  const PartFile runs(spool.path());
  const auto store = open_posix(part.path(), OpenMode::write);
  write_at(*store, 0, pattern(20));
  store->close();
  make_file(runs.path(), pattern(9));
  part.commit(true);
  EXPECT_EQ(bytes_of_file(spool.path()), pattern(20));
  EXPECT_EQ(names(), std::vector<std::string>{});
}

TEST_F(PartFileTest, OneThatARankDoesNotFindIsTold) {
  std::string gone;
  {
    const PartFile part(target);
    gone = part.path();
  }
  const auto error = thrown([&] { (void)open_posix(gone, OpenMode::write); });
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("does not find the unfinished file"), std::string::npos) << error->what();
  EXPECT_EQ(error->parts().where.file, target);
}

TEST_F(PartFileTest, ANewFileGetsTheUsualPermissions) {
  const mode_t before = ::umask(027);
  PartFile part(target);
  ::umask(before);
  part.commit(false);
  EXPECT_EQ(mode_of(target), mode_t{0640});
}

TEST_F(PartFileTest, WorksInTheCurrentFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  {
    PartFile part("plain");
    make_file(part.path(), pattern(10));
    part.commit(true);
  }
  fs::current_path(before);
  EXPECT_EQ(names(), std::vector<std::string>{"plain"});
}

TEST_F(PartFileTest, RefusesWhatIsNoRegularFile) {
  fs::create_directory(folder / "folder");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const std::vector<std::string> before = names();
  for (const std::string& name : {folder / "folder", folder / "folder/", folder / "new/", folder / "pipe",
                                  std::string("/dev/null"), folder / "missing/out.sgy", folder / "pipe/out.sgy"}) {
    const auto error = thrown([&] { const PartFile part(name); });
    ASSERT_TRUE(error) << name;
    EXPECT_EQ(error->code(), ErrorCode::io) << name;
    EXPECT_EQ(error->parts().where.file, name);
  }
  EXPECT_EQ(names(), before);
}

TEST_F(PartFileTest, RefusesAWriteProtectedTarget) {
  make_file(target, pattern(10));
  ASSERT_EQ(::chmod(target.c_str(), 0444), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  EXPECT_EQ(test::as_unprivileged_user([&] {
              const auto error = thrown([&] { const PartFile part(target); });
              return error && error->code() == ErrorCode::io && error->parts().where.file == target;
            }),
            "");
  EXPECT_EQ(names(), std::vector<std::string>{"out.sgy"});
}

TEST_F(PartFileTest, RefusesAWriteProtectedFolder) {
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  EXPECT_EQ(test::as_unprivileged_user([&] {
              const auto error = thrown([&] { const PartFile part(target); });
              return error && error->code() == ErrorCode::io && error->parts().where.file == target;
            }),
            "");
  ::chmod(folder.path().c_str(), 0755);
}

TEST_F(PartFileTest, LongNamesWork) {
  for (const std::size_t length : {220U, 230U, 254U, 255U}) {
    const std::string name(length, 'n');
    PartFile part(folder / name);
    make_file(part.path(), pattern(10));
    part.commit(false);
    EXPECT_EQ(names(), std::vector<std::string>{name});
    fs::remove(folder / name);
  }
  EXPECT_TRUE(thrown([&] { const PartFile part(folder / std::string(256, 'n')); }));
  EXPECT_TRUE(names().empty());
}

TEST_F(PartFileTest, ASignalHandlerCanRemoveThemAll) {
  std::optional<PartFile> committed(folder / "committed");
  committed->commit(false);
  const PartFile one(target);
  const PartFile two(folder / "two");
  remove_part_files_of_process();
  EXPECT_EQ(names(), std::vector<std::string>{"committed"});
  remove_part_files_of_process();
  make_file(folder / "two", pattern(1));
  EXPECT_EQ(names(), (std::vector<std::string>{"committed", "two"}));
}

TEST_F(PartFileTest, CommitWithoutItsFileIsAnError) {
  make_file(target, pattern(10));
  PartFile part(target);
  fs::remove(part.path());
  const auto error = thrown([&] { part.commit(false); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_EQ(bytes_of_file(target), pattern(10));
}

}  // namespace
}  // namespace sill
