// Memory that runs out on one rank: the n-th `new` of the rank is refused, for every n there is, while a writer is made
// or while a phase is written, and each time all ranks end alike.
//
// Not tried is what ranks exchange messages in: policies under which ranks write bytes of others, and plans of which
// the parts of ranks lie between each other, so that ranks tell theirs to find overlaps. There lists of an entry a rank
// or a message (`all_to_all`, `Communicator::exchange`), what counts the owners of a stage, and the schedule are taken
// to fit (src/sill/move/README.md).
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "io/solution_case.hpp"
#include "io/surface_case.hpp"
#include "io/volume_case.hpp"
#include "sill/io/simulation/output_set.hpp"
#include "sill/io/survey/output_file.hpp"
#include "support/memory.hpp"

namespace sill {
namespace {

class NoMemoryMpi : public test::OutputCase {
 protected:
  // The memory is left open, so that the machine is asked for it.
  [[nodiscard]] Resources with(const char* policy) const { return {.comm = comm, .policy = Policy::parse(policy)}; }

  // Does `work` with what `prepare` makes, which lives longer than the lack of memory.
  template <class Prepare, class Work>
  void expect_told_by_all(Prepare&& prepare, Work&& work) {
    for (const int poor : std::set{0, comm.size() - 1}) {
      bool has_struck = true;
      std::int64_t errors = 0;
      for (std::int64_t nth = 1; has_struck; ++nth) {
        SCOPED_TRACE("rank " + std::to_string(poor) + ", allocation " + std::to_string(nth));
        const auto prepared = prepare();
        std::optional<Error> error;
        {
          std::optional<test::RefusedMemory> refused;
          if (comm.rank() == poor) refused.emplace(nth);
          error = attempt([&] { work(*prepared); });
          has_struck = refused && refused->has_struck();
        }
        has_struck = all_reduce(comm, has_struck ? 1 : 0, Reduction::max) == 1;
        ASSERT_TRUE(test::same_everywhere(comm, error ? error->what() : ""));
        // There need not be one: the library of C++ makes do without some of what is refused.
        if (!error) continue;
        ++errors;
        ASSERT_TRUE(has_struck) << error->what();
        EXPECT_TRUE(error->agreed());
        EXPECT_EQ(error->code(), ErrorCode::io);
        EXPECT_EQ(error->parts().rank, poor);
      }
      EXPECT_GT(errors, 10) << "it takes memory";
    }
  }

  // Of a writer while it is made from `resources` and `arguments`, of which it is given copies.
  template <class Writer, class... Arguments>
  void expect_making_told(const Resources& resources, const Arguments&... arguments) {
    struct Making {
      explicit Making(const Arguments&... each) : given(each...) {}
      std::tuple<Arguments...> given;
      std::optional<Writer> writer;
    };
    expect_told_by_all([&] { return std::make_unique<Making>(arguments...); },
                       [&](Making& making) {
                         std::apply([&](auto&... each) { making.writer.emplace(resources, std::move(each)...); },
                                    making.given);
                       });
  }

  // Part `rank` of as many in y as there are ranks.
  [[nodiscard]] DistributedGrid dealt(const Index& shape) const {
    return {.shape = shape, .mine = GridDecomposition::blocks(shape, {1, comm.size(), 1}).box_of(comm.rank())};
  }
  [[nodiscard]] SolutionOutput solutions() const {
    return {.folder = folder / "out", .my_problems = 1, .sub_elements = 2};
  }
  [[nodiscard]] SurfaceOptions surfaces() const {
    return {.prefix = folder.path() + "/a prefix longer than a short text", .xy_at_z = 5};
  }
  [[nodiscard]] VolumeOptions volumes() const {
    return {.prefix = folder.path() + "/a prefix longer than a short text", .samples_per_file = 2};
  }
};

TEST_F(NoMemoryMpi, WhileASetOfFilesIsMadeIsToldByAll) {
  const std::vector<std::string> targets{folder / "a", folder / "b"};
  for (const char* policy : {"direct", "writers=2,stage=4096,align=stripe,sync=close,threads=1",
                             "striping=2x64K,stage=4096,align=stripe,async=2,threads=1"}) {
    SCOPED_TRACE(policy);
    expect_making_told<OutputSet>(with(policy), targets, std::int64_t{1} << 20);
  }
  expect_making_told<OutputFile>(with("direct"), targets.front(), std::int64_t{1000});
  comm.barrier();  // rank 0, which made part files, is through
  EXPECT_EQ(test::names_in(folder.path()), std::vector<std::string>{});
}

TEST_F(NoMemoryMpi, WhileAWriterOfSolutionsIsMadeIsToldByAll) {
  SolutionOutput shared = solutions();
  shared.files = solution::Files::shared;
  shared.align_to_stripes = true;
  expect_making_told<SolutionWriter>(with("async=2,threads=1"), shared);
  expect_making_told<SolutionWriter>(with("sync=close,threads=1"), solutions());
}

TEST_F(NoMemoryMpi, WhileAWriterOfSurfacesIsMadeIsToldByAll) {
  expect_making_told<SurfaceWriter>(with("async=2,threads=1"), dealt(test::grid_shape), surfaces());
}

TEST_F(NoMemoryMpi, WhileAWriterOfVolumesIsMadeIsToldByAll) {
  expect_making_told<VolumeWriter>(with("async=2,threads=1"), dealt(test::volume_shape), volumes());
}

TEST_F(NoMemoryMpi, WhileASetOfFilesIsWrittenIsToldByAll) {
  const std::vector<std::byte> bytes(8);
  const AccessPlan plan = AccessPlan::for_writing({contiguous(0, {8 * comm.rank(), 8}, bytes.data())});
  for (const char* policy : {"direct,threads=1", "stage=4096,sync=phase,async=2,threads=1"}) {
    SCOPED_TRACE(policy);
    const Resources resources = with(policy);
    expect_told_by_all(
        [&] { return std::make_unique<OutputSet>(resources, std::vector<std::string>{folder / "a"}, 1 << 20); },
        [&](OutputSet& set) {
          set.write(plan);
          set.finish();
        });
  }
}

TEST_F(NoMemoryMpi, WhileAPhaseIsWrittenIsToldByAll) {
  const Resources resources = with("direct,threads=1");
  const std::vector<float> values(2000);
  const auto field_of = [&](const DistributedGrid& grid) {
    const auto mine = std::span(values).first(static_cast<std::size_t>(grid.mine.items()));
    return VectorField{mine, mine, mine};
  };
  const std::vector<double> solved(6);
  for (const solution::Files files : {solution::Files::each, solution::Files::shared}) {
    SolutionOutput output = solutions();
    output.files = files;
    expect_told_by_all([&] { return std::make_unique<SolutionWriter>(resources, output); },
                       [&](SolutionWriter& writer) { writer.write_phase(1, solved); });
  }
  const DistributedGrid of_planes = dealt(test::grid_shape);
  expect_told_by_all([&] { return std::make_unique<SurfaceWriter>(resources, of_planes, surfaces()); },
                     [&](SurfaceWriter& writer) { writer.write_phase(1, field_of(of_planes)); });
  // In the order of the file, one rank's after the other's.
  const DistributedGrid of_points{
      .shape = test::volume_shape,
      .mine = GridDecomposition::blocks(test::volume_shape, {1, 1, comm.size()}).box_of(comm.rank())};
  VolumeOptions single = volumes();
  single.samples_per_file = 1;
  expect_told_by_all([&] { return std::make_unique<VolumeWriter>(resources, of_points, single); },
                     [&](VolumeWriter& writer) { writer.write_step(1, field_of(of_points)); });
}

}  // namespace
}  // namespace sill
