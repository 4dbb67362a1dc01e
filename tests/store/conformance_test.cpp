// The suite of all stores, over those that need no MPI.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "sill/base/threads.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "store/conformance.hpp"
#include "store/conformance_cases.hpp"

namespace sill::test {
namespace {

const std::vector<Kind> kinds{
    {"memory", [] { return std::make_unique<MemoryShelf>(); }},
    {"posix", [] { return folder_with([](FolderShelf&) { return open_posix; }); }},
    {"meter", [] { return folder_with([](FolderShelf& shelf) { return metered(open_posix, shelf.meter); }); }},
    {"fault", [] { return folder_with([](FolderShelf& shelf) { return faulty(open_posix, shelf.no_fault); }); }},
    {"check", [] { return folder_with([](FolderShelf& shelf) { return checked(open_posix, shelf.ledger); }); }},
};

INSTANTIATE_TEST_SUITE_P(Stores, EveryStore, testing::ValuesIn(kinds),
                         [](const auto& kind) { return kind.param.name; });

class ThreadedStore : public EveryStore {};

INSTANTIATE_TEST_SUITE_P(Stores, ThreadedStore, testing::ValuesIn(kinds),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(ThreadedStore, SeveralThreadsMaySubmitAtOnce) {
  constexpr int threads = 4;
  constexpr std::size_t slice = 700;
  constexpr int slices = 60;
  const Bytes bytes = pattern(slice * slices);
  const auto store = shelf->open(path, OpenMode::create);
  const auto part = [&](int i) { return std::span(bytes).subspan(slice * static_cast<std::size_t>(i), slice); };
  const auto offset = [&](int i) { return static_cast<std::int64_t>(slice) * i; };
  run_on_threads(threads, [&](int thread) {  // the file grows meanwhile
    for (int i = thread; i < slices; i += threads) write_at(*store, offset(i), part(i));
  });
  EXPECT_EQ(shelf->bytes(path), bytes);
  std::vector<char> right(slices, 0);
  run_on_threads(threads, [&](int thread) {
    for (int i = thread; i < slices; i += threads) {
      Bytes back(slice);
      read_at(*store, offset(i), back);
      std::byte every_seventh[100];
      store->submit_strided({offset(i), 1, 7, 100, every_seventh});
      bool same = std::ranges::equal(back, part(i));
      for (std::size_t k = 0; k < 100; ++k) same = same && every_seventh[k] == part(i)[7 * k];
      right[static_cast<std::size_t>(i)] = same ? 1 : 0;
    }
  });
  EXPECT_EQ(right, std::vector<char>(slices, 1));
}

}  // namespace
}  // namespace sill::test
