// What a choice of traces may hold, and that little is always allowed.
#include <gtest/gtest.h>

#include <algorithm>

#include "io/survey_files.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/survey/select/select_traces.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

TEST(TraceChoice, NeedsLittleWhereBuffersTakeAllMemory) {
  Communicator& comm = test::world();
  const test::SharedFolder folder(comm);
  folder.put("in.sgy", test::survey_bytes(test::small_survey(50)));
  Resources resources{comm};
  resources.memory_bytes = 1 << 20;
  resources.limit_bytes = 1;
  ASSERT_EQ(resources.memory_beside_buffers(), 0);
  const SurveyReader reader(resources, {folder / "in.sgy"});
  const TraceChoice chosen = select_traces(resources, reader, nullptr, nullptr, {});
  EXPECT_EQ(all_reduce(comm, chosen.traces.count(), Reduction::sum), 50);
}

TEST(TraceChoice, RefusesAListThatDoesNotFit) {
  Communicator& comm = test::world();
  const test::SharedFolder folder(comm);
  folder.put("in.sgy", test::survey_bytes(test::small_survey(50)));
  Resources resources{comm};
  const SurveyReader reader(resources, {folder / "in.sgy"});
  resources.memory_bytes = 1 << 20;
  constexpr std::int64_t min = 4 << 20;
  constexpr std::int64_t much = std::int64_t{64} << 20;
  for (const std::int64_t limit : {std::int64_t{1}, much * comm.ranks_on_node()}) {
    resources.limit_bytes = limit;
    const std::int64_t room = std::max(min, resources.memory_beside_buffers());
    EXPECT_EQ(room > min, limit > 1);
    EXPECT_FALSE(test::thrown([&] { require_room_for_list(resources, reader, room); }));
    const auto error = test::thrown([&] { require_room_for_list(resources, reader, room + 1); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
  }
}

}  // namespace
}  // namespace sill
