// The suite of all stores, over MPI-IO: each rank on its own.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "sill/store/mpiio/mpiio_store.hpp"
#include "store/conformance.hpp"
#include "store/conformance_cases.hpp"
#include "support/world.hpp"

namespace sill::test {
namespace {

// Opened "together" by a group of this rank alone.
std::unique_ptr<Store> open_together_alone(const std::string& path, OpenMode mode) {
  const int rank = world().rank();
  return open_mpiio_together(world(), {&rank, 1}, path, mode);
}

const std::vector<Kind> kinds{
    {"mpiio", [] { return folder_with([](FolderShelf&) { return open_mpiio; }); }},
    {"mpiio_together", [] { return folder_with([](FolderShelf&) { return open_together_alone; }); }},
    {"meter", [] { return folder_with([](FolderShelf& shelf) { return metered(open_mpiio, shelf.meter); }); }},
    {"fault", [] { return folder_with([](FolderShelf& shelf) { return faulty(open_mpiio, shelf.no_fault); }); }},
};

INSTANTIATE_TEST_SUITE_P(MpiStores, EveryStore, testing::ValuesIn(kinds),
                         [](const auto& kind) { return kind.param.name; });

TEST(MpiioStoreTest, RefusesAnotherThread) {
  const TemporaryFolder folder;
  const auto store = open_mpiio(folder / "file", OpenMode::create);
  std::optional<Error> error;
  std::thread([&] { error = thrown([&] { write_at(*store, 0, pattern(10)); }); }).join();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_EQ(store->size_bytes(), 0);
}

}  // namespace
}  // namespace sill::test
