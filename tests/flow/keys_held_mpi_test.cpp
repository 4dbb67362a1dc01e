// No rank of a sort holds the keys of all: what a rank allocates is counted.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "comm/world.hpp"
#include "sill/flow/make_survey.hpp"
#include "sill/flow/sort.hpp"
#include "store/shared_folder.hpp"

namespace {

std::atomic<std::int64_t> held_bytes{0};
std::atomic<std::int64_t> most_held_bytes{0};

void count(void* memory, std::int64_t sign) {
  const std::int64_t now = held_bytes += sign * static_cast<std::int64_t>(malloc_usable_size(memory));
  std::int64_t most = most_held_bytes;
  while (now > most && !most_held_bytes.compare_exchange_weak(most, now)) {
  }
}

}  // namespace

// Everything that this program asks for by `new`; the messages of MPI are not among it.
void* operator new(std::size_t size) {
  void* const memory = std::malloc(std::max<std::size_t>(1, size));
  if (memory == nullptr) throw std::bad_alloc();
  count(memory, 1);
  return memory;
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* memory) noexcept {
  if (memory != nullptr) count(memory, -1);
  std::free(memory);
}
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { operator delete(memory); }

namespace sill {
namespace {

TEST(KeysHeldMpi, AreAShareOnEveryRank) {
  Communicator& comm = test::world();
  if (comm.size() < 4) GTEST_SKIP() << "a share is too near to all";
  const test::SharedFolder folder(comm);
  segy::SurveyOptions survey;
  survey.traces = 100'000;
  survey.samples = 1;
  survey.channels = 50;
  make_survey({comm}, survey, folder / "in");
  comm.barrier();
  constexpr std::int64_t record_bytes = 24;  // two keys of eight bytes, the number of the trace
  for (const PermutationMethod method : all_permutation_methods) {
    Resources resources{comm};
    resources.memory_bytes = 500'000;
    resources.policy.threads = 1;
    SortOptions options;
    options.inputs = {folder / "in"};
    options.output = folder / "out";
    options.keys = segy::TraceKey::parse_list("-offset,cdp,tracl");
    options.method = method;
    const std::int64_t before = held_bytes;
    most_held_bytes = before;
    (void)sort(resources, options);
    // Records of two words in two arrays, and buffers.
    const std::int64_t held = most_held_bytes - before;
    const std::int64_t all = survey.traces * record_bytes;
    EXPECT_GT(held, all / comm.size()) << "the count works";
    EXPECT_LT(held, all) << name_of(method);
    comm.barrier();
  }
}

}  // namespace
}  // namespace sill
