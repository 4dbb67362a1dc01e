// The index of traces of different lengths, built by several ranks.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "io/varying_files.hpp"
#include "sill/io/survey/trace_index.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/any_number.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::everywhere;
using test::VaryingFile;
using test::world;

class TraceIndexMpi : public testing::Test {
 protected:
  [[nodiscard]] TraceIndex index(const Resources& resources, const VaryingFile& made, std::int64_t file_bytes,
                                 int parts) const {
    const auto file = run_and_agree(comm, [&] { return resources.open(path, OpenMode::read); });
    return index_traces(resources, *file, test::description_of(made, file_bytes),
                        {.parts_of_rank = parts, .min_part_bytes = 1});
  }

  Communicator& comm = world();
  const test::SharedFolder folder{comm};
  const std::string path = folder / "file";
};

TEST_F(TraceIndexMpi, EveryRankHasTheTracesThatWereMade) {
  const Resources direct{.comm = comm};
  const Resources mpiio{.comm = comm, .open = open_mpiio, .policy = Policy::parse("direct,call=mpiio")};
  EXPECT_TRUE(rc::check([&] {
    const VaryingFile made = test::any_varying_file(test::any_number<std::uint64_t>(0, 1U << 30U));
    const test::Bytes bytes = bytes_of(made);
    folder.put("file", bytes);
    const int parts = test::any_number<int>(1, 3) + (comm.rank() == 1 ? 1 : 0);  // ranks may differ in their threads
    for (const Resources* resources : {&direct, &mpiio}) {
      RC_ASSERT(everywhere(comm, [&] {
        const TraceIndex found = index(*resources, made, std::ssize(bytes), parts);
        return found.table.traces() == std::ssize(made.shapes) && found.remainder_bytes == 0 &&
               std::ranges::equal(found.table.stretches(), stretches_of(made, made.shapes.size()));
      }));
    }
    comm.barrier();
  }));
}

TEST_F(TraceIndexMpi, AFaultOfOneRankIsToldByAll) {
  VaryingFile made = test::any_varying_file(5);
  made.shapes.assign(500, {30, 1});
  for (std::size_t i = 0; i < 500; i += 2) made.shapes[i].samples = 31;
  made.filling = test::Filling::headers;  // so that parts are followed twice
  const test::Bytes bytes = bytes_of(made);
  folder.put("file", bytes);
  test::for_each_fault(
      comm, {.calls = {Fault::Call::open, Fault::Call::read}, .numbers = {1, 2, 10, 100}, .late = false},
      [&](test::RankFault& fault) {
        const Resources resources{.comm = comm, .open = fault.in(open_posix)};
        return fault.is_stated_by(test::thrown([&] { (void)index(resources, made, std::ssize(bytes), 1); }));
      });
}

}  // namespace
}  // namespace sill
