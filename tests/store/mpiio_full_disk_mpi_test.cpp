// What MPI-IO does when the disk is full, or a file may not grow: an error on the ranks whose bytes are lost, an equal
// one on all after they agreed, and no rank that waits for ever.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/store/mpiio/mpiio_store.hpp"
#include "store/file_size_limit.hpp"
#include "store/random_extents.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/world.hpp"

namespace sill::test {
namespace {

constexpr std::int64_t room_bytes = 4 << 20;
constexpr std::int64_t wanted_bytes = 6 << 20;

// A file system in memory with room for `room_bytes`, mounted on a folder of rank 0's making.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& path) : path_(path) {
    int mounted = 0;
    if (world().rank() == 0 &&
        ::mount("none", path.c_str(), "tmpfs", 0, ("size=" + std::to_string(room_bytes)).c_str()) != 0) {
      mounted = errno;
    }
    is_there_ = all_reduce(world(), mounted, Reduction::max) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    world().barrier();
    if (world().rank() == 0 && is_there_) ::umount2(path_.c_str(), MNT_DETACH);
  }

  [[nodiscard]] bool is_there() const { return is_there_; }

 private:
  std::string path_;
  bool is_there_ = false;
};

struct Way {
  std::string name;
  bool together = false;
  bool interleaved = true;
  int aggregators = 0;
};

std::vector<Way> ways() {
  std::vector<Way> all{{"alone, a block a rank", false, false, 0},
                       {"alone, interleaved", false, true, 0},
                       {"together, a block a rank", true, false, 0}};
  for (int n = 0; n <= world().size(); ++n) {
    all.push_back({"together, interleaved, aggregators: " + std::to_string(n), true, true, n});
  }
  return all;
}

// This rank's part of a file of `wanted_bytes`.
struct DiskPart {
  explicit DiskPart(const Way& way)
      : memory(pattern(wanted_bytes / world().size() / width * width, static_cast<std::uint64_t>(world().rank()))) {
    const auto bytes = static_cast<std::int64_t>(memory.size());
    extent = contiguous(0, {world().rank() * bytes, bytes}, memory.data());
    if (!way.interleaved) return;
    extent.offset_bytes = world().rank() * width;
    extent.run_bytes = width;
    extent.steps = {{bytes / width, width * world().size(), width}};
  }

  static constexpr std::int64_t width = 1000;
  Bytes memory;
  Extent extent;
};

std::unique_ptr<Store> open_by(const Way& way, const std::string& path) {
  constexpr std::int64_t buffer_bytes = 300000;  // so that it takes many calls
  std::vector<int> ranks(static_cast<std::size_t>(world().size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::unique_ptr<Store> store;
  agree(world(), attempt([&] {
          store = way.together
                      ? open_mpiio_together(world(), ranks, path, OpenMode::write, {way.aggregators, buffer_bytes})
                      : open_mpiio(path, OpenMode::write);
        }));
  return store;
}

void write_by(const Way& way, Store& store, const DiskPart& part) {
  if (way.together) {
    store.submit_collective(Operation::write, {&part.extent, 1});
  } else {
    store.submit_extents(Operation::write, {&part.extent, 1});
  }
}

bool is_in_file(const DiskPart& part, const std::string& path) {
  const Bytes file = bytes_of_file(path);
  bool same = true;
  for_each_run(part.extent, [&](std::int64_t offset, const std::byte* bytes) {
    const auto length = static_cast<std::size_t>(part.extent.run_bytes);
    same = same && static_cast<std::size_t>(offset) + length <= file.size() &&
           std::equal(bytes, bytes + length, file.begin() + offset);
  });
  return same;
}

TEST(MpiioFullDiskTest, IsAnErrorOfTheRanksWhoseBytesAreLost) {
  const SharedFolder folder(world());
  const SmallDisk disk(folder.path());
  if (!disk.is_there()) GTEST_SKIP() << "no file system can be mounted here";
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name);
    folder.put("file", {});
    const std::string path = folder / "file";
    const auto store = open_by(way, path);
    const DiskPart part(way);
    const auto mine = thrown([&] { write_by(way, *store, part); });
    world().barrier();
    EXPECT_EQ(mine.has_value(), !is_in_file(part, path));
    if (mine) {
      EXPECT_EQ(mine->parts().system_error_number, ENOSPC);
      EXPECT_NE(mine->parts().problem.find("No space left on device"), std::string::npos) << mine->what();
      EXPECT_EQ(mine->parts().where.file, path);
      EXPECT_TRUE(mine->parts().where.byte);
    }
    const auto agreed = thrown([&] { agree(world(), mine); });
    ASSERT_TRUE(agreed);
    EXPECT_TRUE(same_everywhere(world(), agreed->what()));
    store->close();
    world().barrier();
  }
}

TEST(MpiioFullDiskTest, LimitOnEveryRankIsAnError) {
  const SharedFolder folder(world());
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name);
    folder.put("file", {});
    const auto store = open_by(way, folder / "file");
    const DiskPart part(way);
    std::optional<Error> mine;
    {
      const FileSizeLimit limit(room_bytes);
      mine = thrown([&] { write_by(way, *store, part); });
    }
    EXPECT_EQ(mine.has_value(), part.extent.bounding_range().end() > room_bytes);
    if (mine) {
      EXPECT_EQ(mine->parts().system_error_number, EFBIG);
      EXPECT_NE(mine->parts().problem.find("File too large"), std::string::npos) << mine->what();
      EXPECT_EQ(mine->parts().where.file, folder / "file");
    }
    EXPECT_TRUE(thrown([&] { agree(world(), mine); }));
    // It can be done when the cause is gone.
    write_by(way, *store, part);
    store->close();
    world().barrier();
    EXPECT_TRUE(is_in_file(part, folder / "file"));
    world().barrier();
  }
}

TEST(MpiioFullDiskTest, LimitOnOneRankIsAnErrorOfThatRank) {
  const SharedFolder folder(world());
  for (int culprit = 0; culprit < world().size(); ++culprit) {
    for (const Way& way : ways()) {
      SCOPED_TRACE(way.name + ", limit on rank " + std::to_string(culprit));
      folder.put("file", {});
      const auto store = open_by(way, folder / "file");
      const DiskPart part(way);
      std::optional<Error> mine;
      {
        const FileSizeLimit limit(world().rank() == culprit ? room_bytes : std::int64_t{1} << 40U);
        mine = thrown([&] { write_by(way, *store, part); });
      }
      const bool is_limited = world().rank() == culprit && part.extent.bounding_range().end() > room_bytes;
      if (way.together && way.interleaved) {
        EXPECT_TRUE(is_limited || !mine);  // another rank may write for the culprit
      } else {
        EXPECT_EQ(mine.has_value(), is_limited);
      }
      store->close();
      world().barrier();
      EXPECT_EQ(mine.has_value(), !is_in_file(part, folder / "file"));
      world().barrier();
    }
  }
}

}  // namespace
}  // namespace sill::test
