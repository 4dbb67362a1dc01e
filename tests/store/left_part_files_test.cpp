// What dead processes left of part files, and what merely looks like it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <deque>
#include <string>
#include <vector>

#include "sill/store/part/part_file.hpp"
#include "sill/store/part/part_name.hpp"
#include "store/part_file_case.hpp"
#include "store/temporary_folder.hpp"

namespace sill {
namespace {

using test::is_locked;
using test::make_file;
using test::pattern;

class LeftPartFiles : public test::PartFileCase {};

// A process that holds a part file until it is killed.
class OtherProcess {
 public:
  explicit OtherProcess(const std::string& target) : OtherProcess(std::vector{target}) {}
  explicit OtherProcess(const std::vector<std::string>& targets) {
    std::array<int, 2> ready{};
    if (::pipe(ready.data()) != 0) return;
    child_ = ::fork();
    if (child_ == 0) {
      const std::deque<PartFile> parts = part_files_of(targets);
      const char stated = 1;
      if (::write(ready[1], &stated, 1) != 1) ::_exit(1);
      while (true) ::pause();
    }
    char stated = 0;
    holds_ = child_ > 0 && ::read(ready[0], &stated, 1) == 1;
    ::close(ready[0]);
    ::close(ready[1]);
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;
  ~OtherProcess() { kill(); }

  [[nodiscard]] bool holds() const { return holds_; }
  void kill() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }

 private:
  pid_t child_ = -1;
  bool holds_ = false;
};

TEST_F(LeftPartFiles, LeftoversAreRemovedOnlyWhenTheirOwnerIsGone) {
  OtherProcess other(target);
  ASSERT_TRUE(other.holds());
  const std::vector<std::string> held = names();
  ASSERT_EQ(held.size(), 1U);
  { const PartFile part(target); }
  EXPECT_EQ(names(), held) << "its owner lives";
  other.kill();
  EXPECT_EQ(names(), held) << "a killed process leaves it";
  { const PartFile part(folder / "other.sgy"); }
  EXPECT_EQ(names(), held) << "it belongs to another target";
  { const PartFile part(target); }
  EXPECT_EQ(names(), std::vector<std::string>{});
}

TEST_F(LeftPartFiles, OfManyOneIsLockedAndGuardsTheOthers) {
  const std::vector<std::string> targets{folder / "a", folder / "b", folder / "c"};
  OtherProcess other(targets);
  ASSERT_TRUE(other.holds());
  const std::vector<std::string> held = names();
  ASSERT_EQ(held.size(), 3U);
  int locked = 0;
  for (const std::string& name : held) locked += is_locked(folder / name) ? 1 : 0;
  EXPECT_EQ(locked, 1);
  for (const std::string& one : targets) {
    { const PartFile part(one); }
    { const std::deque<PartFile> parts = part_files_of(targets); }
    EXPECT_EQ(names(), held) << "their owner lives";
  }
  other.kill();
  { const PartFile part(folder / "b"); }
  EXPECT_EQ(names(), (std::vector<std::string>{held[0], held[2]})) << "the others belong to other targets";
  const int reader = ::open((folder / held[2]).c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(reader, LOCK_SH), 0);
  { const std::deque<PartFile> parts = part_files_of(targets); }
  EXPECT_EQ(names(), (std::vector<std::string>{held[0], held[2]})) << "someone reads one of them";
  ::close(reader);
  { const std::deque<PartFile> parts = part_files_of(targets); }
  EXPECT_EQ(names(), std::vector<std::string>{});
}

TEST_F(LeftPartFiles, WhatMerelyLooksSimilarStays) {
  for (const char* name :
       {".out.sgy.sill-", ".out.sgy.sill-12.par", "out.sgy.sill-12.part", ".out.sgy2.sill-12.part"}) {
    make_file(folder / name, pattern(1));
  }
  const std::vector<std::string> before = names();
  { const PartFile part(target); }
  EXPECT_EQ(names(), before);
}

TEST(TargetOfPart, KnowsPartFilesByTheir16Digits) {
  EXPECT_EQ(target_of_part("/d/.out.sgy.sill-0123456789abcdef.part"), "/d/out.sgy");
  EXPECT_EQ(target_of_part(".o.sill-ffffffffffffffff.part"), "o");
  EXPECT_EQ(target_of_part("/d/.a.zarr.sill-new/x/c/0"), "/d/a.zarr/x/c/0");
  EXPECT_EQ(target_of_part("/d/.a.zarr.sill-new/x/.0.sill-0123456789abcdef.part"), "/d/a.zarr/x/0");
  EXPECT_EQ(target_of_part(".a.zarr.sill-new/zarr.json"), "a.zarr/zarr.json");
  EXPECT_EQ(target_of_part("d/.a.zarr.sill-new"), "d/a.zarr");
  EXPECT_EQ(target_of_part("/d/a.zarr.sill-new/x"), "/d/a.zarr.sill-new/x");
  EXPECT_EQ(target_of_part("d/.a.sill-b.sill-0000000000000000.part"), "d/a.sill-b");
  for (const std::string other :
       {"", "out.sgy", "/d/.out.sgy.sill-notes.part", ".o.sill-0123456789abcde.part", ".o.sill-0123456789abcdef0.part",
        ".o.sill-0123456789ABCDEF.part", ".o.sill-0123456789abcdef", ".sill-0123456789abcdef.part",
        ".o.sill-0123456789abcdef.part.bak", "/.o.sill-0123456789abcdef.part/file"}) {
    EXPECT_EQ(target_of_part(other), other);
  }
}

TEST_F(LeftPartFiles, OnlyNamesWith16DigitsAreLeftovers) {
  const std::vector<std::string> kept{".out.sgy.sill-0123456789ABCDEF.part", ".out.sgy.sill-0123456789abcde.part",
                                      ".out.sgy.sill-0123456789abcdef0.part", ".out.sgy.sill-notes.part"};
  for (const std::string& name : kept) make_file(folder / name, pattern(10));
  make_file(folder / ".out.sgy.sill-0123456789abcdef.part", pattern(10));
  { const PartFile part(target); }
  EXPECT_EQ(names(), kept);
}

}  // namespace
}  // namespace sill
