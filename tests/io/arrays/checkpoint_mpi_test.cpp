// Checkpoints by several ranks: the newest whole generation is read, whatever becomes of the other; on other ranks, for
// every policy; damage is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/crc32.hpp"
#include "sill/io/arrays/checkpoint_files.hpp"
#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/arrays/dataset_writer.hpp"
#include "sill/layout/grid_decomposition.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::everywhere;
using test::thrown;
using test::world;

const Index state_shape{9, 50, 700};  // more than a block of checksums

DatasetDescription state() {
  return {.dimensions = {{"time", unlimited}, {"z", 9}, {"y", 50}, {"x", 700}, {"n", 701}},
          .variables = {{"step", ElementType::i4, {"time"}},
                        {"u", ElementType::f8, {"time", "z", "y", "x"}},
                        {"flag", ElementType::i1, {"time", "n"}}},
          .attributes = {{"source", "solver 1.2"}}};
}

// A rank's part of the state, cut along dimension `along`.
struct State {
  State(const Communicator& comm, std::size_t along) {
    Index parts{1, 1, 1};
    parts[along] = comm.size();
    box = GridDecomposition::blocks(state_shape, parts).box_of(comm.rank());
    u.resize(static_cast<std::size_t>(box.items()));
    flag.resize(701);
    is_root = comm.rank() == 0;
  }
  void set(std::int64_t to) {
    step = static_cast<std::int32_t>(to);
    for_each_u([&](std::int64_t number, double& value) { value = static_cast<double>(number) * 1e-3 + 1e7 * step; });
    std::fill(flag.begin(), flag.end(), static_cast<std::int8_t>(to));
  }
  [[nodiscard]] bool is(std::int64_t of) {
    bool same = !is_root || (step == of && flag.back() == static_cast<std::int8_t>(of));
    for_each_u([&](std::int64_t number, double& value) {
      same = same && value == static_cast<double>(number) * 1e-3 + 1e7 * static_cast<double>(of);
    });
    return same;
  }
  template <class Visit>
  void for_each_u(Visit&& visit) {
    std::size_t i = 0;
    for (std::int64_t z = 0; z < box.count[0]; ++z)
      for (std::int64_t y = 0; y < box.count[1]; ++y)
        for (std::int64_t x = 0; x < box.count[2]; ++x)
          visit(((box.first[0] + z) * 50 + box.first[1] + y) * 700 + box.first[2] + x, u[i++]);
  }
  [[nodiscard]] std::vector<ArrayPart> parts() {
    std::vector<ArrayPart> all;
    if (!box.empty()) all.emplace_back("u", box, u.data());
    if (is_root) all.emplace_back("step", Box{}, &step);
    if (is_root) all.emplace_back("flag", Box{{0}, {701}}, flag.data());
    return all;
  }

  Box box;
  std::vector<double> u;
  std::vector<std::int8_t> flag;
  std::int32_t step = 0;
  bool is_root = false;
};

class CheckpointMpi : public testing::Test {
 protected:
  Communicator& comm = world();
  test::SharedFolder folder{comm, test::in_memory()};
  std::string path = folder / "state.checkpoint";

  // Collective. The step that a restarted program would go on with, read in another decomposition; all of it is right.
  std::optional<std::int64_t> restarted(const Resources& resources) {
    std::optional<std::int64_t> step;
    State mine(comm, 0);
    const std::optional<Error> error = thrown([&] {
      DatasetReader reader(resources, path);
      EXPECT_EQ(reader.steps(), 1);
      EXPECT_EQ(reader.description(), state());
      reader.read_step(0, mine.parts());
      comm.broadcast(std::as_writable_bytes(std::span(&mine.step, 1)), 0);
      step = mine.step;
    });
    EXPECT_TRUE(!step || mine.is(*step));
    EXPECT_TRUE(!error || error->agreed());
    return step;
  }
  // On rank 0.
  void change(const std::string& file, std::int64_t at) {
    comm.barrier();
    if (comm.rank() == 0) {
      std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
      stream.seekg(at);
      const int byte = stream.get();
      stream.seekp(at);
      stream.put(static_cast<char>(byte ^ 0x10));
    }
    comm.barrier();
  }
};

TEST_F(CheckpointMpi, TheNewestGenerationIsReadForEveryPolicy) {
  std::optional<test::Bytes> first;
  for (const char* policy : {"direct", "direct,async=1", "staged", "gathered", "elected,async=2", "aggregated",
                             "independent", "collective", "writers=first,stage=600", "staged,sync=close"}) {
    SCOPED_TRACE(policy);
    const Policy of_run = Policy::parse(policy);
    const Resources resources{.comm = comm, .open = opener_for(of_run.call), .policy = of_run, .memory_bytes = 8 << 20};
    State mine(comm, 2);
    DatasetWriter writer(resources, path, state(), {.existing = DatasetOptions::Existing::replace});
    for (const std::int64_t step : {10, 20, 30}) {
      mine.set(step);
      writer.write_step(mine.parts());
      mine.set(-1);
      writer.wait();
      EXPECT_EQ(restarted(resources), step);
    }
    writer.close();
    comm.barrier();
    const test::Bytes bytes = test::bytes_of_file(generation_path(path, 3));
    if (!first) first = bytes;
    EXPECT_TRUE(*first == bytes);  // whatever the policy
    comm.barrier();
  }
}

TEST_F(CheckpointMpi, ADamagedGenerationIsFoundAndTheOlderOneIsUsedAndThenReplaced) {
  const Resources resources{.comm = comm, .policy = Policy::parse("direct"), .memory_bytes = 8 << 20};
  State mine(comm, 1);
  {
    DatasetWriter writer(resources, path, state());
    for (const std::int64_t step : {10, 20}) {
      mine.set(step);
      writer.write_step(mine.parts());
    }
    writer.close();
  }
  const std::string newest = generation_path(path, 2);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(newest));
  // The header, the checksums, each part of the data, its last byte.
  for (const std::int64_t at : {std::int64_t{9}, std::int64_t{200}, std::int64_t{520}, size / 2, size - 8, size - 1}) {
    SCOPED_TRACE(at);
    change(newest, at);
    EXPECT_EQ(restarted(resources), 10);
    change(newest, at);
    EXPECT_EQ(restarted(resources), 20);
  }
  comm.barrier();
  if (comm.rank() == 0) std::filesystem::resize_file(newest, static_cast<std::uintmax_t>(size / 2));
  comm.barrier();
  EXPECT_EQ(restarted(resources), 10);
  // The program goes on with the older one, and must not write over it.
  mine.set(15);
  DatasetWriter writer(resources, path, state(), {.existing = DatasetOptions::Existing::append});
  EXPECT_EQ(writer.steps(), 1);
  writer.write_step(mine.parts());
  EXPECT_EQ(restarted(resources), 15);
  change(newest, size - 1);
  EXPECT_EQ(restarted(resources), 10);
  change(generation_path(path, 1), size - 1);
  const auto error = thrown([&] { DatasetReader(resources, path); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::input);
  EXPECT_NE(std::string(error->what()).find("differ from the written bytes"), std::string::npos) << error->what();
  writer.close();
}

// Bytes that no rank brings, and steps that are not completed, make no generation.
TEST_F(CheckpointMpi, WhatIsNotCompleteIsNoGeneration) {
  const Resources resources{.comm = comm, .policy = Policy::parse("staged"), .memory_bytes = 8 << 20};
  State mine(comm, 0);
  mine.set(10);
  DatasetWriter writer(resources, path, state());
  writer.write_step(mine.parts());
  mine.set(20);
  EXPECT_TRUE(thrown([&] { writer.write_step(comm.rank() == 0 ? mine.parts() : std::vector<ArrayPart>()); }) ||
              comm.size() == 1);
  std::vector<ArrayPart> parts = mine.parts();
  if (comm.rank() == 0) parts.pop_back();
  EXPECT_TRUE(thrown([&] { writer.write_step(parts); }));
  EXPECT_TRUE(thrown([&] { writer.write_steps(2, mine.parts()); }));
  EXPECT_EQ(restarted(resources), comm.size() == 1 ? 20 : 10);
  mine.set(30);
  writer.write(mine.parts());
  EXPECT_NE(restarted(resources), 30);
  EXPECT_TRUE(thrown([&] { writer.close(); }));
  EXPECT_NE(restarted(resources), 30);
}

TEST_F(CheckpointMpi, WhatIsNoStateOfTheProgramIsRefusedByAll) {
  const Resources resources{.comm = comm, .policy = Policy::parse("staged"), .memory_bytes = 8 << 20};
  EXPECT_TRUE(thrown([&] { DatasetReader(resources, path); }));
  State mine(comm, 0);
  mine.set(10);
  {
    DatasetWriter writer(resources, path, state());
    writer.write_step(mine.parts());
    EXPECT_TRUE(thrown([&] { const DatasetWriter second(resources, path, state()); }));  // two at once
    writer.close();
  }
  const auto refused = [&](const DatasetDescription& description, DatasetOptions::Existing existing) {
    const auto error = thrown([&] { DatasetWriter(resources, path, description, {.existing = existing}); });
    EXPECT_TRUE(error && error->agreed() && error->code() == ErrorCode::usage);
    return error ? error->parts().problem : std::string();
  };
  EXPECT_NE(refused(state(), DatasetOptions::Existing::refuse).find("exists already"), std::string::npos);
  DatasetDescription other = state();
  other.dimensions[2].length = 51;
  EXPECT_NE(refused(other, DatasetOptions::Existing::append).find("dimension y"), std::string::npos);
  other = state();
  other.variables[1].type = ElementType::f4;
  EXPECT_NE(refused(other, DatasetOptions::Existing::append).find("variable u"), std::string::npos);
  other = state();
  other.variables.push_back({"depth", ElementType::f4, {"z"}});
  EXPECT_NE(refused(other, DatasetOptions::Existing::append).find("has no steps"), std::string::npos);
  EXPECT_EQ(restarted(resources), 10);
  // Another version of the program may go on, with a word.
  std::vector<std::string> notes;
  Resources noted = resources;
  noted.notes = &notes;
  other = state();
  other.attributes = {{"source", "solver 1.3"}};
  DatasetWriter(noted, path, state(), {.existing = DatasetOptions::Existing::append}).close();
  EXPECT_TRUE(notes.empty());
  DatasetWriter(noted, path, other, {.existing = DatasetOptions::Existing::append}).close();
  EXPECT_EQ(notes.size(), comm.rank() == 0 ? 1U : 0U);
  EXPECT_TRUE(notes.empty() || notes.front().find("solver 1.2") != std::string::npos);
}

// Whatever fails, the older generation is there, and the next one can be written.
TEST_F(CheckpointMpi, AFaultCostsTheGenerationThatIsWrittenAlone) {
  const Resources sound{.comm = comm, .policy = Policy::parse("staged"), .memory_bytes = 8 << 20};
  for (const char* policy : {"direct", "staged,async=1"}) {
    SCOPED_TRACE(policy);
    test::for_each_fault(comm, {.numbers = {1, 2, 3, 5, 8}}, [&](test::RankFault& fault) {
      State mine(comm, 0);
      {
        DatasetWriter first(sound, path, state(), {.existing = DatasetOptions::Existing::replace});
        mine.set(10);
        first.write_step(mine.parts());
        first.close();
      }
      const Resources resources{
          .comm = comm, .open = fault.in(open_posix), .policy = Policy::parse(policy), .memory_bytes = 8 << 20};
      const std::optional<Error> error = thrown([&] {
        DatasetWriter writer(resources, path, state(), {.existing = DatasetOptions::Existing::append});
        mine.set(20);
        writer.write_step(mine.parts());
        writer.close();
      });
      const bool struck = fault.is_stated_by(error);
      EXPECT_EQ(restarted(sound), error ? 10 : 20);
      DatasetWriter writer(sound, path, state(), {.existing = DatasetOptions::Existing::append});
      mine.set(30);
      writer.write_step(mine.parts());
      writer.close();
      EXPECT_EQ(restarted(sound), 30);
      return struck;
    });
  }
}

}  // namespace
}  // namespace sill
