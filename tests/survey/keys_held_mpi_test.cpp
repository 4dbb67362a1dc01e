// No rank of a sort holds the keys of all: what a rank allocates is counted.
#include <gtest/gtest.h>

#include <string>

#include "sill/survey/output/make_survey.hpp"
#include "sill/survey/sort/sort.hpp"
#include "store/shared_folder.hpp"
#include "support/memory.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"
#include "survey/sort_files.hpp"

namespace sill {
namespace {

SILL_TEST_MIN_RANKS(KeysHeldMpi, AreAShareOnEveryRank, 4);
TEST(KeysHeldMpi, AreAShareOnEveryRank) {
  Communicator& comm = test::world();
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
    options.output = folder / "out";
    options.keys = segy::TraceKey::parse_list("-offset,cdp,tracl");
    options.method = method;
    const test::HeldMemory memory;
    (void)test::sort_files(resources, {folder / "in"}, options);
    // Records of two words in two arrays, and buffers.
    const std::int64_t held = memory.max_bytes();
    const std::int64_t all = survey.traces * record_bytes;
    EXPECT_GT(held, all / comm.size()) << "the count works";
    EXPECT_LT(held, all) << name_of(method);
    comm.barrier();
  }
}

}  // namespace
}  // namespace sill
