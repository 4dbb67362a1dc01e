// Datasets with a file for each step by several ranks: bytes as made by hand, for every policy and decomposition;
// reading back; going on; errors on all ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "comm/counting_communicator.hpp"
#include "io/arrays/dataset_fields.hpp"
#include "sill/base/byte_order.hpp"
#include "sill/formats/image/raw_file.hpp"
#include "sill/formats/image/vti_file.hpp"
#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/arrays/dataset_writer.hpp"
#include "sill/layout/grid_decomposition.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/mpi_calls.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill::arrays_test {
namespace {

using test::everywhere;
using test::same_everywhere;
using test::thrown;
using test::world;

// The file of a step, or of variables without steps, with values put one by one where the format says.
std::string made_by_hand(Container container, std::optional<std::int64_t> step) {
  const DatasetDescription all = description();
  const image::ImageFile file = container == Container::vti ? image::vti_file_of(all, step.has_value())
                                                            : image::raw_file_of(all, step.has_value());
  std::string bytes;
  const auto put = [&](std::int64_t at, const void* from, std::size_t count) {
    bytes.resize(std::max(bytes.size(), static_cast<std::size_t>(at) + count));
    std::copy_n(static_cast<const char*>(from), count, bytes.begin() + at);
  };
  for (const image::ImageFile::Text& text : file.texts) put(text.offset_bytes, text.bytes.data(), text.bytes.size());
  if (!step) {
    for (std::int64_t z = 0; z < shape[0]; ++z) {
      const double value = 0.5 * static_cast<double>(z);
      put(*file.begins[0] + 8 * z, &value, sizeof value);
    }
    return bytes;
  }
  std::int64_t at = *file.begins[1];
  for (std::int64_t z = 0; z < shape[0]; ++z) {
    for (std::int64_t y = 0; y < shape[1]; ++y) {
      for (std::int64_t x = 0; x < shape[2]; ++x, at += 4) {
        const auto value = static_cast<float>(value_of({z, y, x}, *step));
        put(at, &value, sizeof value);
      }
    }
  }
  for (std::int64_t x = 0; x < shape[2]; ++x) {
    const auto value = static_cast<std::int8_t>(x + *step);
    put(*file.begins[2] + x, &value, 1);
  }
  return bytes;
}

struct SeriesCase {
  const char* name;
  Container container;
};

class DatasetSeriesMpi : public testing::Test {
 protected:
  Communicator& comm = world();
  test::SharedFolder folder{comm, test::in_memory()};

  static constexpr std::array cases{SeriesCase{"a.vti", Container::vti}, SeriesCase{"a.mhd", Container::raw}};

  [[nodiscard]] Resources resources(const std::string& policy) const {
    return {.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
  }
  [[nodiscard]] Box mine(int kind) const {
    return GridDecomposition::blocks(shape, grid_of(comm.size(), kind)).box_of(comm.rank());
  }
  [[nodiscard]] std::vector<ArrayPart> depth_part() const {
    const bool is_last = comm.rank() == comm.size() - 1;
    return std::vector<ArrayPart>(is_last ? 1 : 0, ArrayPart("depth", {{0}, {3}}, depth_.data()));
  }
  void write_steps(DatasetWriter& writer, std::int64_t steps, int kind = 0, bool transposed = false) const {
    Fields fields(mine(kind), transposed);
    while (writer.steps() < steps) writer.write_step(fields.parts_at(writer.steps(), false));
  }
  // Collective. Whether the folder holds these steps, the file of constant variables, and what lists them, alone.
  void expect_files(const SeriesCase& of, std::int64_t steps) {
    comm.barrier();
    const bool is_vti = of.container == Container::vti;
    const std::string suffix = is_vti ? ".vti" : ".raw";
    std::set<std::string> names{is_vti ? "a.pvd" : "a.xdmf", "a" + suffix};
    EXPECT_EQ(bytes_of("a" + suffix), made_by_hand(of.container, {}));
    for (std::int64_t step = 0; step < steps; ++step) {
      const std::string number = "00000" + std::to_string(step);
      const std::string name = "a." + number + suffix;
      names.insert(name);
      if (!is_vti) names.insert("a.u." + number + ".mhd");
      EXPECT_EQ(bytes_of(name), made_by_hand(of.container, step)) << name;
    }
    std::set<std::string> found;
    for (const auto& each : std::filesystem::directory_iterator(folder.path())) found.insert(each.path().filename());
    EXPECT_EQ(found, names);
    comm.barrier();
  }
  void expect_refused(const std::string& text, const std::function<void()>& work) {
    const std::optional<Error> error = thrown(work);
    EXPECT_TRUE(same_everywhere(comm, error ? error->what() : ""));
    ASSERT_TRUE(error) << text;
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_NE(std::string(error->what()).find(text), std::string::npos) << error->what();
    comm.barrier();
  }

  [[nodiscard]] std::string bytes_of(const std::string& name) const {
    const test::Bytes bytes = test::bytes_of_file(folder / name);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::array<float, 3> depth_{0, 0.5F, 1};
};

TEST_F(DatasetSeriesMpi, BytesAreThoseMadeByHandForEveryPolicyAndDecomposition) {
  for (const SeriesCase& of : cases) {
    for (const char* policy : {"auto", "direct", "staged", "gathered", "aggregated", "independent", "collective",
                               "elected,async=2", "staged,async=3,sync=phase"}) {
      for (const int kind : {0, 1, 2}) {
        SCOPED_TRACE(std::string(of.name) + ", " + policy + ", decomposition " + std::to_string(kind));
        const Resources with = resources(policy);
        DatasetWriter writer(with, folder / of.name, description(),
                             {.existing = DatasetOptions::Existing::replace, .field_data = true});
        writer.write(depth_part());
        write_steps(writer, 3, kind, kind == 1);
        writer.close();
        expect_files(of, 3);
      }
    }
    folder.clear();
  }
}

TEST_F(DatasetSeriesMpi, SeveralStepsAreWrittenByOneCall) {
  for (const SeriesCase& of : cases) {
    for (const char* policy : {"auto", "staged,async=2"}) {
      SCOPED_TRACE(std::string(of.name) + ", " + policy);
      const Resources with = resources(policy);
      DatasetWriter writer(with, folder / of.name, description(),
                           {.existing = DatasetOptions::Existing::replace, .field_data = true});
      FieldsOfSteps first(mine(0), 0, 2);
      const std::vector<ArrayPart> depth = depth_part();
      first.parts.insert(first.parts.begin(), depth.begin(), depth.end());
      writer.write_steps(2, first.parts);
      writer.write_steps(2, FieldsOfSteps(mine(0), 2, 2).parts);
      FieldsOfSteps last(mine(0), 4, 3);
      std::vector<ArrayPart> masks;
      std::copy_if(last.parts.begin(), last.parts.end(), std::back_inserter(masks),
                   [](const ArrayPart& each) { return each.variable == "mask" && each.step == 0; });
      std::erase_if(last.parts, [](const ArrayPart& each) { return each.variable == "mask" && each.step == 0; });
      writer.write(masks);
      writer.write_steps(3, last.parts);
      writer.close();
      expect_files(of, 7);
    }
    folder.clear();
  }
}

TEST_F(DatasetSeriesMpi, AStepMayComeInSeveralCallsAndVariablesWithoutStepsWithTheFirst) {
  for (const SeriesCase& of : cases) {
    for (const char* policy : {"auto", "staged,async=2"}) {
      SCOPED_TRACE(std::string(of.name) + ", " + policy);
      const Resources with = resources(policy);
      DatasetWriter writer(with, folder / of.name, description(),
                           {.existing = DatasetOptions::Existing::replace, .field_data = true});
      Fields fields(mine(0), false);
      const float value = 0;
      const std::vector<ArrayPart> nothing{{"depth", {{0}, {0}}, &value}};  // of what is complete
      for (std::int64_t step = 0; step < 4; ++step) {
        const std::vector<ArrayPart> parts = fields.parts_at(step, false);
        if (step % 2 == 1) {
          for (const char* name : {"mask", "u"}) {
            std::vector<ArrayPart> some;
            std::copy_if(parts.begin(), parts.end(), std::back_inserter(some),
                         [&](const ArrayPart& each) { return each.variable == name; });
            writer.write(some);
          }
          writer.write(nothing);
          writer.write_step(nothing);
          continue;
        }
        std::vector<ArrayPart> all = step == 0 ? depth_part() : std::vector<ArrayPart>{};
        all.insert(all.end(), parts.begin(), parts.end());
        writer.write_step(all);
      }
      writer.close();
      expect_files(of, 4);
    }
    folder.clear();
  }
}

TEST_F(DatasetSeriesMpi, WhatIsReadIsWhatWasWritten) {
  for (const SeriesCase& of : cases) {
    SCOPED_TRACE(of.name);
    const Resources with = resources("auto");
    DatasetWriter writer(with, folder / of.name, description(), {.field_data = true});
    writer.write(depth_part());
    write_steps(writer, 3);
    writer.close();
    comm.barrier();
    DatasetReader reader(with, folder / of.name);
    EXPECT_EQ(reader.description(), description());
    EXPECT_EQ(reader.steps(), 3);
    const Box box = mine(1);
    std::vector<std::int32_t> u(static_cast<std::size_t>(box.items()), -1);
    std::vector<std::int64_t> mask(7);
    std::array<float, 3> depth{};
    std::vector<ArrayPart> parts{{"mask", {{0}, {7}}, mask.data()}, {"depth", {{0}, {3}}, depth.data()}};
    if (!box.empty()) parts.emplace_back("u", box, u.data());
    reader.read_step(2, parts);
    EXPECT_EQ(mask, (std::vector<std::int64_t>{2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(depth, (std::array<float, 3>{0, 0.5F, 1}));
    if (!box.empty()) {
      EXPECT_EQ(u.front(), static_cast<std::int32_t>(value_of(box.first, 2)));
    }
  }
}

TEST_F(DatasetSeriesMpi, ARunGoesOnWhereAnotherEndedOrEarlier) {
  for (const SeriesCase& of : cases) {
    SCOPED_TRACE(of.name);
    const Resources with = resources("elected");
    const auto go_on = [&](std::optional<std::int64_t> first, std::int64_t begins, std::int64_t steps) {
      DatasetWriter writer(with, folder / of.name, description(),
                           {.existing = DatasetOptions::Existing::append, .first_step = first, .field_data = true});
      EXPECT_EQ(writer.steps(), begins);
      if (begins == 0) writer.write(depth_part());
      write_steps(writer, steps, 1);
      writer.close();
      expect_files(of, steps);
    };
    go_on({}, 0, 5);
    go_on({}, 5, 6);
    go_on(2, 2, 4);  // steps 4 and 5 are gone
    expect_refused("continue at step 4 or earlier", [&] { go_on(5, 5, 6); });
    {
      DatasetDescription again = description();  // attributes stay as they are in the files
      again.attributes.emplace_back("history", "restarted");
      DatasetWriter writer(with, folder / of.name, again,
                           {.existing = DatasetOptions::Existing::append, .field_data = true});
      EXPECT_EQ(writer.description(), description());
      write_steps(writer, 5, 1);
      writer.close();
      expect_files(of, 5);
    }
    DatasetDescription other = description();
    other.variables[1].type = ElementType::f8;
    const std::string name = other.variables[1].name;
    expect_refused("variable " + name + " differs from the files to append to", [&] {
      const DatasetWriter writer(with, folder / of.name, other,
                                 {.existing = DatasetOptions::Existing::append, .field_data = true});
    });
    folder.clear();
  }
}

// Killed before a step was complete: all begins anew.
TEST_F(DatasetSeriesMpi, ARunThatCompletedNoStepIsBegunAnew) {
  for (const SeriesCase& of : cases) {
    SCOPED_TRACE(of.name);
    const Resources with = resources("auto");
    for (int run = 0; run < 2; ++run) {
      DatasetWriter writer(with, folder / of.name, description(),
                           {.existing = DatasetOptions::Existing::append, .field_data = true});
      EXPECT_EQ(writer.steps(), 0);
      writer.write(depth_part());
      if (run == 1) {
        write_steps(writer, 2);
        writer.close();
      }
    }
    expect_files(of, 2);
    folder.clear();
  }
}

// Of another description, with headers of its own.
TEST_F(DatasetSeriesMpi, WhatIsReplacedLeavesNothingBehind) {
  const Resources with = resources("auto");
  const DatasetOptions replace{.existing = DatasetOptions::Existing::replace, .field_data = true};
  DatasetDescription other{.dimensions = {{"time", unlimited}, {"x", 7}},
                           .variables = {{"p", ElementType::f4, {"time", "x"}}, {"q", ElementType::f4, {"x"}}}};
  const std::array<float, 7> values{};
  const auto part = [&](const char* name) {
    return std::vector<ArrayPart>(comm.rank() == 0 ? 1 : 0, ArrayPart(name, {{0}, {7}}, values.data()));
  };
  {
    DatasetWriter writer(with, folder / "a.mhd", other, replace);
    writer.write(part("q"));
    for (int step = 0; step < 5; ++step) writer.write_step(part("p"));
    writer.close();
  }
  DatasetWriter writer(with, folder / "a.mhd", description(), replace);
  writer.write(depth_part());
  write_steps(writer, 2);
  writer.close();
  expect_files(cases[1], 2);
}

TEST_F(DatasetSeriesMpi, WhatAProgramWroteIsFoundByTheNameThatItGave) {
  Resources with = resources("auto");
  const DatasetLayouts layouts = DatasetLayouts::parse("a:container=vti,field_data=yes");
  with.layouts = &layouts;
  {
    DatasetWriter writer(with, folder / "a.nc", description());
    writer.write(depth_part());
    write_steps(writer, 2);
    writer.close();
  }
  comm.barrier();
  EXPECT_EQ(DatasetReader(with, folder / "a.nc").steps(), 2);
  EXPECT_EQ(DatasetReader(resources("auto"), folder / "a.nc").steps(), 2);
}

TEST_F(DatasetSeriesMpi, ASteadyStepCostsFourCollectivesAtMost) {
  for (const SeriesCase& of : cases) {
    for (const char* policy : {"direct", "staged", "gathered", "aggregated", "elected", "elected,async=2"}) {
      SCOPED_TRACE(std::string(of.name) + ", " + policy);
      test::CountingCommunicator counted(comm);
      Resources with{.comm = counted, .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
      DatasetWriter writer(with, folder / of.name, description(),
                           {.existing = DatasetOptions::Existing::replace, .field_data = true});
      writer.write(depth_part());
      write_steps(writer, 3);
      for (std::int64_t step = 3; step < 7; ++step) {
        const std::int64_t before = counted.collectives();
        const std::int64_t calls_before = test::collective_calls();
        write_steps(writer, step + 1);
        EXPECT_LE(counted.collectives() - before, 4);
        EXPECT_LE(test::collective_calls() - calls_before, 4);
      }
      writer.close();
    }
    folder.clear();
  }
}

TEST_F(DatasetSeriesMpi, WhatCannotBeWrittenIsRefusedByAll) {
  const Resources with = resources("auto");
  for (const SeriesCase& of : cases) {
    SCOPED_TRACE(of.name);
    const auto begin = [&] {
      return std::make_unique<DatasetWriter>(
          with, folder / of.name, description(),
          DatasetOptions{.existing = DatasetOptions::Existing::replace, .field_data = true});
    };
    expect_refused("elements of variable", [&] {
      const auto writer = begin();
      Fields fields(mine(0), false);
      writer->write_step(fields.parts_at(0, true));
    });
    expect_refused("elements of variable u in step 2", [&] {
      const auto writer = begin();
      write_steps(*writer, 2);
      writer->write_step({});
    });
    // Twice the mask, and no u of as many elements: each variable is counted.
    expect_refused("in step 0", [&] {
      const auto writer = begin();
      Fields fields(mine(0), false);
      const std::vector<ArrayPart> parts = fields.parts_at(0, false);
      std::vector<ArrayPart> masks;
      std::copy_if(parts.begin(), parts.end(), std::back_inserter(masks),
                   [](const ArrayPart& each) { return each.variable == "mask"; });
      for (int call = 0; call < 13; ++call) writer->write(masks);
      writer->write_step({});
    });
    expect_refused("is written with step 1", [&] {
      const auto writer = begin();
      write_steps(*writer, 1);
      writer->write_step(depth_part());
    });
    expect_refused("depth", [&] {
      const auto writer = begin();
      writer->write(depth_part());
      write_steps(*writer, 1);
      const float value = 0;
      writer->write({{ArrayPart("depth", {{0, 0}, {0, 0}}, &value)}});  // empty, and of too many dimensions
    });
    // Steps that are complete stay, also those that are still on their way.
    expect_refused("0 of the 3 elements of variable depth", [&] {
      const Resources behind = resources("direct,async=2");
      DatasetWriter writer(behind, folder / of.name, description(),
                           {.existing = DatasetOptions::Existing::replace, .field_data = true});
      write_steps(writer, 2);
      writer.close();
    });
    EXPECT_EQ(DatasetReader(with, folder / of.name).steps(), 2);
    expect_refused("step 1 is incomplete", [&] {
      const auto writer = begin();
      writer->write(depth_part());
      write_steps(*writer, 1);
      Fields fields(mine(0), false);
      writer->write(fields.parts_at(1, false));
      writer->close();
    });
    expect_refused("one rank writes by itself", [&] { begin()->write_own(0, {}); });
    expect_refused("exists already", [&] {
      write_steps(*begin(), 1);
      const DatasetWriter writer(with, folder / of.name, description(), {.field_data = true});
    });
    DatasetDescription text = description();
    text.variables.push_back({"names", ElementType::text, {"x"}});
    text.variables.push_back({"large", ElementType::u8, {"x"}});
    expect_refused(of.container == Container::vti ? "names is text" : "large is of type u8", [&] {
      const DatasetWriter writer(with, folder / of.name, text,
                                 {.existing = DatasetOptions::Existing::replace, .field_data = true});
    });
    folder.clear();
  }
  expect_refused("mean several files", [&] { const DatasetWriter writer(with, folder / "a%d.mhd", description()); });
}

TEST_F(DatasetSeriesMpi, AnElementThatComesTwiceInPlaceOfAnotherIsNamed) {
  // Of u all but the row at z=2, y=0, and in its place the one at z=1, y=3 twice: by rank 0, or by the last rank, too.
  const std::array<float, 56> u{};
  const std::array<std::int8_t, 7> mask{};
  const auto of_rank = [&](int rank, std::vector<ArrayPart> parts) {
    return comm.rank() == rank ? std::move(parts) : std::vector<ArrayPart>();
  };
  const std::vector<ArrayPart> first =
      of_rank(0, {{"mask", {{0}, {7}}, mask.data()}, {"u", {{0, 0, 0}, {2, 4, 7}}, u.data()}});
  const auto then_of = [&](int rank) {
    return of_rank(rank, {{"u", {{2, 1, 0}, {1, 3, 7}}, u.data()}, {"u", {{1, 3, 0}, {1, 1, 7}}, u.data()}});
  };
  for (const SeriesCase& of : cases) {
    const bool is_vti = of.container == Container::vti;
    const auto file_of = is_vti ? image::vti_file_of : image::raw_file_of;
    const std::string byte = std::to_string(*file_of(description(), true).begins[1] + 4 * 49);
    const std::string name = is_vti ? "a.000000.vti" : "a.000000.raw";
    for (const int second : std::set{0, comm.size() - 1}) {
      const std::vector<ArrayPart> then = then_of(second);
      const std::string problem = second == 0 ? "a rank writes the same byte twice"
                                              : "ranks 0 and " + std::to_string(second) + " both write the same byte";
      const std::string place = problem + "\n  file:   " + (folder / name) + "\n  byte:   " + byte;
      for (const char* policy : {"direct", "elected", "direct,async=2"}) {
        for (const bool is_one_call : {true, false}) {
          SCOPED_TRACE(name + ", " + policy + (is_one_call ? ", one call" : ", two calls"));
          const bool is_behind = is_one_call && std::string(policy).find("async") != std::string::npos;
          const std::string dataset = problem + "\n  file:   " + (folder / of.name);
          expect_refused((is_behind ? dataset : place) + "\n  element of u: 49", [&] {
            const Resources by = resources(policy);
            DatasetWriter writer(by, folder / of.name, description(),
                                 {.existing = DatasetOptions::Existing::replace, .field_data = true});
            writer.write(depth_part());
            std::vector<ArrayPart> last = then;
            if (is_one_call) {
              last.insert(last.end(), first.begin(), first.end());
            } else {
              writer.write(first);
            }
            writer.write_step(last);
          });
        }
      }
    }
    // Step 0 may end only after the next has begun, in several calls: an error is not of its file.
    expect_refused("element of u: 49", [&] {
      const Resources by = resources("elected,async=2");
      DatasetWriter writer(by, folder / of.name, description(),
                           {.existing = DatasetOptions::Existing::replace, .field_data = true});
      writer.write(depth_part());
      std::vector<ArrayPart> parts = then_of(comm.size() - 1);
      parts.insert(parts.end(), first.begin(), first.end());
      const std::optional<Error> error = thrown([&] {
        writer.write_step(parts);
        writer.write({});
        writer.close();
      });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->parts().where.file.find(".000001."), std::string::npos);
      throw Error(*error);
    });
    const std::array<float, 3> depth{};
    expect_refused(is_vti ? "a.vti\n" : "a.raw\n", [&] {
      const Resources by = resources("direct");
      DatasetWriter writer(by, folder / of.name, description(),
                           {.existing = DatasetOptions::Existing::replace, .field_data = true});
      writer.write(of_rank(0, {{"depth", {{0}, {2}}, depth.data()}}));
      writer.write(of_rank(0, {{"depth", {{1}, {1}}, depth.data()}}));
    });
    folder.clear();
  }
}

SILL_TEST_MIN_RANKS(DatasetSeriesMpi, WhatRanksContradictEachOtherInIsRefusedByAll, 2);
TEST_F(DatasetSeriesMpi, WhatRanksContradictEachOtherInIsRefusedByAll) {
  const Resources with = resources("auto");
  for (const std::int64_t steps : {0, 2}) {
    expect_refused("the ranks complete different numbers of steps", [&] {
      DatasetWriter writer(with, folder / "a.vti", description(),
                           {.existing = DatasetOptions::Existing::replace, .field_data = true});
      write_steps(writer, steps);
      const std::int64_t of_call = comm.rank() == 0 ? 3 : 2;
      writer.write_steps(of_call, FieldsOfSteps(mine(0), steps, of_call).parts);
    });
    expect_refused("a call completes 0 steps", [&] {
      DatasetWriter writer(with, folder / "a.vti", description(),
                           {.existing = DatasetOptions::Existing::replace, .field_data = true});
      write_steps(writer, steps);
      writer.write_steps(comm.rank() == 0 ? 0 : 1, FieldsOfSteps(mine(0), steps, 1).parts);
    });
    expect_refused("the ranks complete different numbers of steps", [&] {
      DatasetWriter writer(with, folder / "a.vti", description(),
                           {.existing = DatasetOptions::Existing::replace, .field_data = true});
      write_steps(writer, steps);
      Fields fields(mine(0), false);
      const std::vector<ArrayPart> parts = fields.parts_at(steps, false);
      if (comm.rank() == 0) {
        writer.write_step(parts);
      } else {
        writer.write(parts);
      }
    });
  }
  expect_refused("overlap", [&] {
    DatasetWriter writer(with, folder / "a.vti", description(),
                         {.existing = DatasetOptions::Existing::replace, .field_data = true});
    // As many elements as there are, if there are two ranks: rank 0 leaves out a row of u.
    const std::array<std::int8_t, 7> mask{};
    const std::array<float, 77> u{};
    std::vector<ArrayPart> parts{{"mask", {{0}, {7}}, mask.data()}};
    if (comm.rank() == 0) {
      parts.emplace_back("u", Box{{1, 0, 0}, {2, 4, 7}}, u.data());
      parts.emplace_back("u", Box{{0, 1, 0}, {1, 3, 7}}, u.data());
    }
    writer.write_step(parts);
  });
}

TEST_F(DatasetSeriesMpi, AFaultIsThatOfAllRanksAndStepsAreWholeOrNotThere) {
  const test::FaultsToTry faults{.calls = {Fault::Call::write, Fault::Call::close}, .numbers = {1, 2, 3, 5, 8}};
  for (const SeriesCase& of : cases) {
    for (const char* policy : {"direct", "staged,async=2"}) {
      SCOPED_TRACE(std::string(of.name) + ", " + policy);
      test::for_each_fault(comm, faults, [&](test::RankFault& fault) {
        Resources with = resources(policy);
        with.open = fault.in(open_posix);
        const std::optional<Error> error = thrown([&] {
          DatasetWriter writer(with, folder / of.name, description(),
                               {.existing = DatasetOptions::Existing::replace, .field_data = true});
          writer.write(depth_part());
          write_steps(writer, 3);
          writer.close();
        });
        const bool struck = fault.is_stated_by(error);
        comm.barrier();
        const bool is_sound = everywhere(comm, [&] {
          const std::string suffix = of.container == Container::vti ? ".vti" : ".raw";
          bool sound = true;
          bool is_there = true;
          for (std::int64_t step = 0; step < 3; ++step) {
            const std::string file = folder / ("a.00000" + std::to_string(step) + suffix);
            if (!std::filesystem::exists(file)) {
              is_there = false;
              continue;
            }
            const test::Bytes found = test::bytes_of_file(file);
            const std::string whole = made_by_hand(of.container, step);
            // No step behind one that is not there.
            sound = sound && is_there &&
                    std::equal(found.begin(), found.end(), std::as_bytes(std::span(whole)).begin(),
                               std::as_bytes(std::span(whole)).end());
          }
          return sound;
        });
        EXPECT_TRUE(is_sound);
        comm.barrier();
        return struck;
      });
    }
    folder.clear();
  }
}

// u comes in every step, mask in every second: written whole, in several calls, and by a run that goes on.
TEST_F(DatasetSeriesMpi, AStepListsWhatItHolds) {
  constexpr std::int64_t steps = 6;
  const auto has_mask = [](std::int64_t step) { return step % 2 == 0; };
  std::vector<std::string> files;
  const auto parts_of = [&](Fields& fields, std::int64_t step) {
    std::vector<ArrayPart> parts = fields.parts_at(step, false);
    if (!has_mask(step)) std::erase_if(parts, [](const ArrayPart& each) { return each.variable == "mask"; });
    return parts;
  };
  for (const SeriesCase& of : cases) {
    const std::string path = folder / of.name;
    const std::string list = of.container == Container::vti ? folder / "a.pvd" : folder / "a.xdmf";
    std::vector<std::string> first_bytes;
    for (const char* policy : {"auto", "direct", "collective", "direct,async=2"}) {
      for (const bool in_several_calls : {false, true}) {
        SCOPED_TRACE(std::string(of.name) + policy + (in_several_calls ? ", several calls" : ""));
        const Resources with = resources(policy);
        Fields fields(mine(0), false);
        std::optional<DatasetWriter> writer;
        writer.emplace(with, path, description(),
                       DatasetOptions{.existing = DatasetOptions::Existing::replace, .field_data = true});
        writer->write(depth_part());
        while (writer->steps() < steps) {
          if (writer->steps() == 3) {  // goes on where another run ended
            writer->close();
            writer.emplace(with, path, description(),
                           DatasetOptions{.existing = DatasetOptions::Existing::append, .field_data = true});
          }
          std::vector<ArrayPart> parts = parts_of(fields, writer->steps());
          if (in_several_calls) {
            writer->write(parts);
            parts.clear();
          }
          writer->write_step(parts);
        }
        writer->close();
        std::vector<std::string> bytes{bytes_of(std::filesystem::path(list).filename())};
        for (std::int64_t step = 0; step < steps; ++step) {
          bytes.push_back(
              bytes_of("a.00000" + std::to_string(step) + (of.container == Container::vti ? ".vti" : ".raw")));
        }
        if (first_bytes.empty()) first_bytes = bytes;
        EXPECT_EQ(bytes, first_bytes);
      }
    }
    const Resources with = resources("auto");
    DatasetReader reader(with, list);
    DatasetReader filling(with, list, Missing::fill);
    EXPECT_EQ(reader.steps(), steps);
    for (std::int64_t step = 0; step < steps; ++step) {
      EXPECT_TRUE(reader.holds("u", step));
      EXPECT_EQ(reader.holds("mask", step), has_mask(step));
      std::array<std::int8_t, 7> mask{};
      const std::vector<ArrayPart> part{{"mask", {{0}, {7}}, mask.data()}};
      filling.read_step(step, part);
      EXPECT_EQ(mask[6], has_mask(step) ? 6 + step : -127);
      if (has_mask(step)) {
        reader.read_step(step, part);
      } else {
        const std::optional<Error> error = thrown([&] { reader.read_step(step, part); });
        ASSERT_TRUE(error);
        EXPECT_NE(std::string(error->what()).find("omits variable mask"), std::string::npos) << error->what();
      }
      std::vector<float> u(static_cast<std::size_t>(mine(1).items()));
      std::vector<ArrayPart> parts;
      if (!u.empty()) parts.emplace_back("u", mine(1), u.data());
      reader.read_step(step, parts);
      if (!u.empty()) {
        EXPECT_EQ(u[0], static_cast<float>(value_of(mine(1).first, step)));
      }
    }
    comm.barrier();
  }
  // A step of nothing, or of parts, is none.
  const Resources with = resources("auto");
  DatasetWriter writer(with, folder / "b.vti", description(), {.field_data = true});
  writer.write(depth_part());
  expect_refused("the ranks wrote 0 of", [&] { writer.write_step({}); });
}

}  // namespace
}  // namespace sill::arrays_test
