// Datasets by several ranks: bytes as one rank makes them by hand, for every policy and decomposition; reading; going
// on; errors on all ranks.
#include <gtest/gtest.h>  // before RapidCheck's header for it
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/counting_communicator.hpp"
#include "io/arrays/dataset_fields.hpp"
#include "move/any_policy.hpp"
#include "sill/base/byte_order.hpp"
#include "sill/formats/hdf5/hdf5_file.hpp"
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
using Bytes = std::vector<std::byte>;
using Existing = DatasetOptions::Existing;

template <class T>
void append(Bytes& bytes, T value) {
  bytes.resize(bytes.size() + sizeof value);
  store(bytes.data() + bytes.size() - sizeof value, value, ByteOrder::big);
}

// The containers of one file, as far as this build has them, and `others`.
std::vector<Container> containers_with(std::vector<Container> others = {}, bool pnetcdf = true) {
  others.push_back(Container::netcdf);
  if (pnetcdf) others.push_back(Container::pnetcdf);
  if (!hdf5::build_version().empty()) others.push_back(Container::netcdf4);
  return others;
}

// The file after so many steps, as one process makes it value by value. Steps of `holes` lack u where x is 0, and mask.
Bytes expected(std::int64_t steps, const std::vector<std::int64_t>& holes = {}) {
  Bytes bytes = cdf::header_of(description(), cdf::layout_of(description(), {}), steps);
  bytes.resize(512);
  for (std::int64_t z = 0; z < shape[0]; ++z) append(bytes, 0.5 * static_cast<double>(z));
  for (std::int64_t step = 0; step < steps; ++step) {
    const bool has_holes = std::count(holes.begin(), holes.end(), step) > 0;
    while (bytes.size() % 4 != 0) bytes.push_back(std::byte{0});
    for (std::int64_t z = 0; z < shape[0]; ++z) {
      for (std::int64_t y = 0; y < shape[1]; ++y) {
        for (std::int64_t x = 0; x < shape[2]; ++x) {
          append(bytes, has_holes && x == 0 ? -9.0F : static_cast<float>(value_of({z, y, x}, step)));
        }
      }
    }
    for (std::int64_t x = 0; x < shape[2]; ++x)
      append(bytes, has_holes ? std::int8_t{-127} : static_cast<std::int8_t>(x + step));
  }
  return bytes;
}

class DatasetMpi : public testing::Test {
 protected:
  Communicator& comm = world();
  test::SharedFolder folder{comm, test::in_memory()};
  const std::string path = folder / "a.nc";

  [[nodiscard]] Resources resources(const std::string& policy) const {
    return {.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
  }
  [[nodiscard]] Box mine(int kind) const {
    return GridDecomposition::blocks(shape, grid_of(comm.size(), kind)).box_of(comm.rank());
  }
  void write_depth(DatasetWriter& writer) const {
    const std::array<float, 3> depth{0, 0.5F, 1};
    const bool is_last = comm.rank() == comm.size() - 1;
    const std::vector<ArrayPart> parts(is_last ? 1 : 0, ArrayPart("depth", {{0}, {3}}, depth.data()));
    writer.write(parts);
  }
  void write(const Resources& with, std::int64_t steps, int kind, bool transposed,
             const std::vector<std::int64_t>& holes = {}, Container container = Container::netcdf) const {
    DatasetWriter writer(with, path, description(),
                         {.existing = Existing::replace, .container = container, .steps = steps + 1});
    write_depth(writer);
    write_steps(writer, steps, kind, transposed, holes);
    writer.close();
  }
  void write_steps(DatasetWriter& writer, std::int64_t steps, int kind = 0, bool transposed = false,
                   const std::vector<std::int64_t>& holes = {}) const {
    Fields fields(mine(kind), transposed);
    while (writer.steps() < steps) {
      const bool has_holes = std::count(holes.begin(), holes.end(), writer.steps()) > 0;
      writer.write_step(fields.parts_at(writer.steps(), has_holes));
    }
  }
  // Collective. Whether the file has these bytes.
  [[nodiscard]] bool holds(const Bytes& bytes) {
    comm.barrier();
    const bool same = everywhere(comm, [&] {
      const test::Bytes found = test::bytes_of_file(path);
      EXPECT_EQ(found.size(), bytes.size());
      return std::equal(found.begin(), found.end(), bytes.begin(), bytes.end());
    });
    comm.barrier();
    return same;
  }
  // Collective. What all ranks throw, after making sure that it is the same, an error that says `text`.
  void expect_refused(const std::string& text, const std::function<void()>& work, ErrorCode code = ErrorCode::usage) {
    const std::optional<Error> error = thrown(work);
    EXPECT_TRUE(same_everywhere(comm, error ? error->what() : ""));
    ASSERT_TRUE(error) << text;
    EXPECT_TRUE(error->agreed());
    EXPECT_EQ(error->code(), code);
    EXPECT_NE(std::string(error->what()).find(text), std::string::npos) << error->what();
  }
};

TEST_F(DatasetMpi, BytesAreThoseMadeByHandForEveryPolicyAndDecomposition) {
  for (const char* policy : {"auto", "direct", "staged", "gathered", "elected", "aggregated", "independent",
                             "collective", "writers=first,stage=600", "elected,async=2", "staged,async=3,sync=phase"}) {
    for (const int kind : {0, 1, 2}) {
      SCOPED_TRACE(std::string(policy) + ", decomposition " + std::to_string(kind));
      write(resources(policy), 3, kind, kind == 1);
      ASSERT_TRUE(holds(expected(3)));
    }
  }
}

TEST_F(DatasetMpi, BytesOfHdf5AreTheSameForEveryPolicyAndDecomposition) {
  if (hdf5::build_version().empty()) GTEST_SKIP() << "built without HDF5";
  write(resources("auto"), 3, 0, false, {1}, Container::netcdf4);
  comm.barrier();
  const test::Bytes found = test::bytes_of_file(path);
  const Bytes first(found.begin(), found.end());
  comm.barrier();
  for (const char* policy : {"direct", "staged", "gathered", "elected", "aggregated", "independent", "collective",
                             "writers=first,stage=600", "elected,async=2", "staged,async=3,sync=phase"}) {
    for (const int kind : {0, 1, 2}) {
      SCOPED_TRACE(std::string(policy) + ", decomposition " + std::to_string(kind));
      write(resources(policy), 3, kind, kind == 1, {1}, Container::netcdf4);
      ASSERT_TRUE(holds(first));
    }
  }
}

TEST_F(DatasetMpi, BytesAreThoseMadeByHandForAnyPolicy) {
  EXPECT_TRUE(rc::check([&] {
    Policy policy = test::any_policy();
    policy.threads = std::min(policy.threads, 2);
    if (policy.call == Policy::Call::mpiio_collective) policy = Policy::parse("elected");  // creates files too slowly
    const auto steps = *rc::gen::inRange(0, 6);
    const auto kind = *rc::gen::inRange(0, 3);
    const auto transposed = *rc::gen::arbitrary<bool>();
    const auto hole = *rc::gen::inRange(0, 6);
    const Resources with{.comm = comm, .policy = policy, .memory_bytes = 1 << 20};
    const std::optional<Error> error = thrown([&] { write(with, steps, kind, transposed, {hole}); });
    RC_ASSERT(everywhere(comm, [&] { return !error; }));
    RC_ASSERT(holds(expected(steps, {hole})));
  }));
}

TEST_F(DatasetMpi, VariablesThatMayLackElementsSayWhatTheyHoldThen) {
  const DatasetDescription given{.dimensions = {{"time", unlimited}, {"x", 4}},
                                 .variables = {{"x", ElementType::f8, {"x"}},
                                               {"u", ElementType::f4, {"time", "x"}},
                                               {"n", ElementType::i4, {"x"}},
                                               {"flag", ElementType::i1, {"x"}},
                                               {"v", ElementType::f4, {"x"}, {{"_FillValue", -1.0F}}}}};
  const auto has_fill_value = [](const Variable& variable) {
    return std::ranges::count(variable.attributes, "_FillValue", &Attribute::name) > 0;
  };
  for (const Container container : containers_with()) {
    for (const bool fills : {true, false}) {
      const DatasetOptions options{.existing = Existing::replace, .container = container, .fill = fills, .steps = 1};
      const std::array<double, 4> values{1, 2, 3, 4};
      std::vector<ArrayPart> parts;
      for (const Variable& variable : given.variables)
        if (comm.rank() == 0) parts.emplace_back(variable.name, Box{{0}, {4}}, values.data());
      const std::optional<Error> error = thrown([&] {
        DatasetWriter writer(resources("auto"), path, given, options);
        writer.write_step(parts);
        writer.close();
      });
      if (error && std::string(error->what()).find("PnetCDF is not installed") != std::string::npos) continue;
      ASSERT_FALSE(error) << error->what();
      const DatasetDescription found = DatasetReader(resources("auto"), path).description();
      const std::vector<bool> wanted{false, fills, fills, false, true};
      for (std::size_t v = 0; v < wanted.size(); ++v)
        EXPECT_EQ(has_fill_value(found.variables[v]), wanted[v]) << found.variables[v].name;
      EXPECT_EQ(found.variables[4], given.variables[4]);
      // The same description appends, whatever was added to it.
      DatasetWriter(resources("auto"), path, given,
                    {.existing = Existing::append, .container = container, .fill = fills, .steps = 1})
          .close();
      EXPECT_EQ(DatasetReader(resources("auto"), path).description(), found);
    }
  }
}

TEST_F(DatasetMpi, WithoutFillValuesWhatNoRankBringsIsAnError) {
  const DatasetDescription given{.dimensions = {{"time", unlimited}, {"x", 4}},
                                 .variables = {{"u", ElementType::f4, {"time", "x"}}}};
  for (const Container container : containers_with()) {
    const DatasetOptions options{.existing = Existing::replace, .container = container, .fill = false, .steps = 1};
    const std::array<float, 4> values{1, 2, 3, 4};
    const auto writing = [&](std::int64_t elements, bool by_itself) {
      DatasetWriter writer(resources("auto"), path, given, options);
      const ArrayPart part("u", {{0}, {elements}}, values.data());
      writer.write_step(std::vector<ArrayPart>(comm.rank() == 0 && !by_itself ? 1 : 0, part));
      if (comm.rank() == 0 && by_itself) writer.write_own(0, std::vector<ArrayPart>{part});
      writer.close();
    };
    const std::optional<Error> error = thrown([&] { writing(4, false); });
    if (error && std::string(error->what()).find("PnetCDF is not installed") != std::string::npos) continue;
    ASSERT_FALSE(error) << error->what();
    ASSERT_FALSE(thrown([&] { writing(4, true); }));
    expect_refused("no rank wrote 1 of the 4 elements of u", [&] { writing(3, false); });
  }
  // Elements of a step that is not completed do not stand for those of others.
  expect_refused("no rank wrote 1 of the 4 elements of u", [&] {
    const std::array<float, 4> values{1, 2, 3, 4};
    const std::vector<ArrayPart> parts(comm.rank() == 0 ? 1 : 0, ArrayPart("u", {{0}, {3}}, values.data()));
    DatasetWriter writer(resources("auto"), path, given, {.existing = Existing::replace, .fill = false});
    writer.write_step(parts);
    writer.write(parts);
    writer.close();
  });
}

// Ranks pass the same element in different calls, and another one is missing.
TEST_F(DatasetMpi, AnElementThatTwoRanksPassHidesNoMissingOne) {
  const std::array<float, 6> values{1, 2, 3, 4, 5, 6};
  const std::array<std::int64_t, 3> list{4, 2, 3};
  for (const Container container : containers_with()) {
    for (const bool has_steps : {false, true}) {
      DatasetDescription given{.dimensions = {{"x", 6}}, .variables = {{"u", ElementType::f4, {"x"}}}};
      if (has_steps) {
        given.dimensions.push_back({"time", unlimited});
        given.variables[0].dimensions = {"time", "x"};
      }
      for (const bool is_list : {false, true}) {
        for (const bool fills : {false, true}) {
          SCOPED_TRACE(std::string(name_of(container)) + (has_steps ? ", steps" : "") + (is_list ? ", list" : "") +
                       (fills ? "" : ", without fill values"));
          // The first rank passes elements 0 to 2, then the last one `first` to `first` + 2.
          const auto writing = [&](std::int64_t first) {
            const DatasetOptions options{
                .existing = Existing::replace, .container = container, .fill = fills, .steps = 1};
            DatasetWriter writer(resources("auto"), path, given, options);
            const ArrayPart part = is_list && first == 2
                                       ? listed_elements("u", std::span<const std::int64_t>(list), values.data())
                                       : ArrayPart("u", {{first}, {3}}, values.data());
            const bool is_last = comm.rank() == comm.size() - 1;
            writer.write(std::vector<ArrayPart>(comm.rank() == 0 ? 1 : 0, ArrayPart("u", {{0}, {3}}, values.data())));
            writer.write(std::vector<ArrayPart>(is_last ? 1 : 0, part));
            if (has_steps) writer.write_step({});
            writer.close();
          };
          const std::optional<Error> error = thrown([&] { writing(3); });
          if (error && std::string(error->what()).find("PnetCDF is not installed") != std::string::npos) continue;
          ASSERT_FALSE(error) << error->what();
          if (has_steps) {
            expect_refused("elements of variable u are passed more than once for step 0", [&] { writing(2); });
          } else if (!fills) {
            expect_refused("elements of u were passed more than once", [&] { writing(2); });
          }
        }
      }
    }
  }
}

TEST_F(DatasetMpi, SeveralStepsAreWrittenAndReadByOneCall) {
  for (const char* policy : {"auto", "direct", "staged", "elected,async=2", "collective", "pnetcdf"}) {
    SCOPED_TRACE(policy);
    const bool is_pnetcdf = std::string(policy) == "pnetcdf";
    const Resources with = resources(is_pnetcdf ? "auto" : policy);
    const std::optional<Error> error = thrown([&] {
      DatasetWriter writer(
          with, path, description(),
          {.existing = Existing::replace, .container = is_pnetcdf ? Container::pnetcdf : Container::netcdf});
      write_depth(writer);
      write_steps(writer, 1);
      writer.write_steps(3, FieldsOfSteps(mine(0), 1, 3, 2).parts);
      EXPECT_EQ(writer.steps(), 4);
      // The first of the next steps in two calls; of the second all elements lack but those of u.
      FieldsOfSteps last(mine(2), 4, 2);
      std::vector<ArrayPart> masks;
      std::erase_if(last.parts, [&](const ArrayPart& part) {
        if (part.variable != "mask") return false;
        if (part.step == 0) masks.push_back(part);
        return true;
      });
      writer.write(masks);
      writer.write_steps(2, last.parts);
      writer.close();
    });
    if (is_pnetcdf && error && std::string(error->what()).find("PnetCDF is not installed") != std::string::npos) break;
    ASSERT_FALSE(error) << error->what();
    Bytes bytes = expected(6, {2});
    const Bytes lacking = expected(6, {2, 5});
    std::copy(lacking.end() - 7, lacking.end(), bytes.end() - 7);
    if (is_pnetcdf) {  // which leaves bytes between records as they come when it writes several
      comm.barrier();
      const test::Bytes found = test::bytes_of_file(path);
      comm.barrier();
      for (std::size_t at = 536 + 343; at < std::min(found.size(), bytes.size()); at += 344) bytes[at] = found[at];
    }
    EXPECT_TRUE(holds(bytes));
    DatasetReader reader(with, path);
    const Box box = mine(1);
    std::array<std::vector<double>, 2> u;
    std::vector<ArrayPart> parts;
    for (std::size_t s = 0; s < u.size() && !box.empty(); ++s) {
      u[s].resize(static_cast<std::size_t>(box.items()));
      parts.emplace_back("u", box, u[s].data());
      parts.back().step = static_cast<std::int64_t>(s);
    }
    reader.read_step(3, parts);
    for (std::size_t s = 0; s < u.size() && !box.empty(); ++s) {
      EXPECT_EQ(u[s][0], value_of(box.first, static_cast<std::int64_t>(3 + s)));
    }
    expect_refused("step 6 of 6", [&] {
      std::array<std::int8_t, 7> mask{};
      std::vector<ArrayPart> beyond{{"mask", {{0}, {7}}, mask.data()}};
      beyond[0].step = 1;
      reader.read_step(5, beyond);
    });
  }
}

TEST_F(DatasetMpi, LentMemoryIsWrittenToo) {
  const Resources with = resources("direct,async=2");
  DatasetWriter writer(with, path, description(), {.existing = Existing::replace});
  write_depth(writer);
  std::vector<Fields> fields(3, Fields(mine(0), false));
  for (std::int64_t step = 0; step < 3; ++step) {
    writer.write_step(fields[static_cast<std::size_t>(step)].parts_at(step, false), Memory::lent);
  }
  writer.wait();
  EXPECT_TRUE(holds(expected(3)));
  writer.close();
}

SILL_TEST_MIN_RANKS(DatasetMpi, AStepThatMayBeOnItsWayIsNotCounted, 2);
TEST_F(DatasetMpi, AStepThatMayBeOnItsWayIsNotCounted) {
  const Resources with = resources("direct,async=2");
  DatasetWriter writer(with, path, description(), {.existing = Existing::replace});
  write_depth(writer);
  write_steps(writer, 6);
  comm.barrier();
  const test::Bytes found = test::bytes_of_file(path);
  EXPECT_EQ(found[0], std::byte{'C'});
  EXPECT_LE(load<std::uint32_t>(found.data() + 4, ByteOrder::big), 4U);
  comm.barrier();
  writer.close();
  EXPECT_TRUE(holds(expected(6)));
}

TEST_F(DatasetMpi, WhatIsReadIsWhatWasWrittenInAnyDecompositionAndType) {
  write(resources("auto"), 3, 0, false);
  comm.barrier();
  for (const char* policy : {"auto", "direct", "staged", "independent", "collective"}) {
    SCOPED_TRACE(policy);
    const Resources with = resources(policy);
    DatasetReader reader(with, path);
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
    std::size_t at = 0;
    for (std::int64_t z = box.first[0]; z < box.first[0] + box.count[0]; ++z) {
      for (std::int64_t y = box.first[1]; y < box.first[1] + box.count[1]; ++y) {
        for (std::int64_t x = box.first[2]; x < box.first[2] + box.count[2]; ++x) {
          EXPECT_EQ(u[at++], static_cast<std::int32_t>(value_of({z, y, x}, 2)));
        }
      }
    }
  }
}

TEST_F(DatasetMpi, WhatAFileEndsBeforeIsRefusedOrFilled) {
  write(resources("auto"), 3, 0, false);
  const auto size = static_cast<std::uintmax_t>(expected(3).size());
  if (comm.rank() == 0) std::filesystem::resize_file(path, size - 4);  // within the last mask
  comm.barrier();
  const Resources with = resources("auto");
  constexpr std::int8_t fill = -127;
  std::array<std::int8_t, 7> mask{};
  const std::vector<ArrayPart> whole{{"mask", {{0}, {7}}, mask.data()}};
  const std::array<std::int64_t, 4> numbers{6, 2, 0, 3};
  const std::vector<ArrayPart> list{listed_elements<std::int8_t>("mask", numbers, mask.data())};
  DatasetReader filling(with, path, Missing::fill);
  EXPECT_EQ(filling.steps(), 3);
  filling.read_step(2, whole);
  EXPECT_EQ(mask, (std::array<std::int8_t, 7>{2, 3, 4, fill, fill, fill, fill}));
  filling.read_step(2, list);
  EXPECT_EQ(mask, (std::array<std::int8_t, 7>{fill, 4, 2, fill, fill, fill, fill}));
  DatasetReader refusing(with, path);
  refusing.read_step(1, whole);
  EXPECT_EQ(mask, (std::array<std::int8_t, 7>{1, 2, 3, 4, 5, 6, 7}));
  expect_refused(
      "the file ends within or before step 2 of variable mask", [&] { refusing.read_step(2, whole); },
      ErrorCode::input);
  expect_refused("of which 2 are complete",
                 [&] { DatasetWriter(with, path, description(), {.existing = Existing::append}); });
}

TEST_F(DatasetMpi, AWholeDatasetDoesNotContinueAnother) {
  const Resources with = resources("auto");
  expect_refused("does not continue another one", [&] {
    DatasetWriter(with, folder / "w.nc", description(), {.existing = Existing::append, .is_whole = true});
  });
}

// A value that the file cannot hold costs the call that brings it.
TEST_F(DatasetMpi, AStepIsWrittenAgainAfterAValueOutOfRange) {
  const DatasetDescription given{
      .dimensions = {{"time", unlimited}, {"y", 2}, {"x", 4}},
      .variables = {{"u", ElementType::f4, {"time", "y", "x"}}, {"n", ElementType::i2, {"time", "x"}}}};
  std::array<double, 8> u{1, 2, 3, 4, 5, 6, 7, 8};
  std::array<std::int64_t, 4> n{1, 2, 3, 4};
  const Resources with = resources("auto");
  const bool brings = comm.rank() == comm.size() - 1;
  const auto parts = [&] {
    std::vector<ArrayPart> made;
    if (!brings) return made;
    made.emplace_back("u", Box{{0, 0}, {2, 4}}, u.data());
    made.emplace_back("n", Box{{0}, {4}}, n.data());
    return made;
  };
  for (const Container container : containers_with({Container::vti, Container::raw})) {
    for (const bool fills : {true, false}) {
      SCOPED_TRACE(std::string(name_of(container)) + (fills ? "" : ", without fill values"));
      const std::string name = folder / (is_one_file(container)        ? "r.nc"
                                         : container == Container::vti ? "r.vti"
                                                                       : "r.xdmf");
      const DatasetOptions options{
          .existing = Existing::replace, .container = container, .fill = fills, .field_data = true, .steps = 10};
      std::optional<DatasetWriter> writer;
      const std::optional<Error> error = thrown([&] {
        writer.emplace(with, name, given, options);
        writer->write_step(parts());
      });
      if (error && std::string(error->what()).find("PnetCDF is not installed") != std::string::npos) continue;
      ASSERT_FALSE(error) << error->what();
      u[5] = 1e300;
      expect_refused("u", [&] { writer->write_step(parts()); });
      u[5] = 6;
      n[2] = 1 << 20;
      expect_refused("1048576", [&] { writer->write_step(parts()); });
      n[2] = 3;
      EXPECT_EQ(writer->steps(), 1);
      writer->write_step(parts());
      n[0] = -40'000;
      expect_refused("-40000", [&] { writer->write_step(parts()); });
      n[0] = 1;
      writer->close();
      const DatasetReader reader(with, container == Container::vti ? folder / "r.pvd" : name);
      EXPECT_EQ(reader.steps(), 2);
    }
  }
}

// Variables that lie interleaved in memory, with ghost points, and rows long enough to be read to their places.
TEST_F(DatasetMpi, RecordsInMemoryAndLongRowsAreWrittenAndReadBack) {
  const Index large{5, 4, 700};
  constexpr std::int64_t variables = 3;
  DatasetDescription records{.dimensions = {{"z", large[0]}, {"y", large[1]}, {"x", large[2]}}};
  for (const char* const name : {"a", "b", "c"}) {
    records.variables.push_back({name, ElementType::f8, {"z", "y", "x"}});
  }
  const auto value = [&](std::int64_t variable, std::int64_t z, std::int64_t y, std::int64_t x) {
    return static_cast<double>(((variable * large[0] + z) * large[1] + y) * large[2] + x) / 7;
  };
  const auto for_each_of = [](const Box& box, auto&& visit) {
    for (std::int64_t z = 0; z < box.count[0]; ++z)
      for (std::int64_t y = 0; y < box.count[1]; ++y)
        for (std::int64_t x = 0; x < box.count[2]; ++x) visit(z + box.first[0], y + box.first[1], x + box.first[2]);
  };
  for (const char* const policy : {"auto", "direct", "stage=8K", "elected", "direct,async=2"}) {
    SCOPED_TRACE(policy);
    const Resources with = resources(policy);
    const Box own = GridDecomposition::blocks(large, {comm.size(), 1, 1}).box_of(comm.rank());
    std::vector<double> memory;
    for_each_of(own, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      for (std::int64_t v = 0; v < variables; ++v) memory.push_back(value(v, z, y, x));
    });
    const Index strides{large[1] * large[2] * variables, large[2] * variables, variables};
    DatasetWriter writer(with, path, records, {.existing = Existing::replace});
    std::vector<ArrayPart> parts;
    for (std::size_t v = 0; v < records.variables.size(); ++v) {
      parts.emplace_back(records.variables[v].name, own, memory.data() + v, strides);
    }
    writer.write(parts);
    writer.close();
    DatasetReader reader(with, path);
    for (std::size_t cut = 0; cut < large.size(); ++cut) {
      SCOPED_TRACE(cut);
      Index ways(large.size(), 1);
      ways[cut] = comm.size();
      const Box slab = GridDecomposition::blocks(large, ways).box_of(comm.rank());
      const Box stored = with_margin(slab, {0, 0, 0}, {0, 1, 0}, large);
      std::vector<double> packed(static_cast<std::size_t>(slab.items()));
      std::vector<double> with_ghosts(static_cast<std::size_t>(stored.items()), -1.0);
      std::vector<float> narrow(packed.size());
      const std::vector<ArrayPart> in_place{{"a", slab, packed.data()}, {"b", slab, stored, with_ghosts.data()}};
      reader.read(in_place);
      const std::vector<ArrayPart> converted(1, ArrayPart("c", slab, narrow.data()));
      reader.read(converted);
      std::size_t i = 0;
      bool is_right = true;
      for_each_of(slab, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
        const Index at{z - stored.first[0], y - stored.first[1], x - stored.first[2]};
        const std::int64_t among = (at[0] * stored.count[1] + at[1]) * stored.count[2] + at[2];
        is_right = is_right && packed[i] == value(0, z, y, x) &&
                   with_ghosts[static_cast<std::size_t>(among)] == value(1, z, y, x) &&
                   narrow[i] == static_cast<float>(value(2, z, y, x));
        ++i;
      });
      EXPECT_TRUE(is_right);
      EXPECT_EQ(std::count(with_ghosts.begin(), with_ghosts.end(), -1.0), stored.items() - slab.items())
          << "ghost points stay as they were";
    }
    comm.barrier();
  }
}

TEST_F(DatasetMpi, ARunGoesOnWhereAnotherEndedOrEarlier) {
  write(resources("auto"), 5, 0, false);
  const Resources with = resources("elected");
  {
    DatasetWriter writer(with, path, description(), {.existing = Existing::append});
    EXPECT_EQ(writer.steps(), 5);
    write_steps(writer, 6, 1);
    writer.close();
  }
  EXPECT_TRUE(holds(expected(6)));
  DatasetWriter writer(with, path, description(), {.existing = Existing::append, .first_step = 2});
  comm.barrier();
  EXPECT_EQ(DatasetReader(with, path).steps(), 2);  // those that will be overwritten are not counted
  write_steps(writer, 6, 2);
  writer.close();
  EXPECT_TRUE(holds(expected(6)));
}

// A program that writes its coordinates before its steps, and does so again when it goes on.
TEST_F(DatasetMpi, VariablesWithoutStepsAreReplacedByTheRunThatGoesOn) {
  const DatasetDescription given{
      .dimensions = {{"time", unlimited}, {"y", 2}, {"x", 4}},
      .variables = {{"depth", ElementType::f4, {"y", "x"}}, {"u", ElementType::f4, {"time", "y", "x"}}}};
  std::array<float, 8> before{1, 1, 1, 1, 1, 1, 1, 1};
  std::array<float, 8> after{2, 2, 2, 2, 2, 2, 2, 2};
  const auto part = [&](const char* name, std::array<float, 8>& values, std::int64_t rows = 2) {
    return std::vector<ArrayPart>(comm.rank() == 0 ? 1 : 0, ArrayPart(name, {{0, 0}, {rows, 4}}, values.data()));
  };
  for (const Container container : containers_with({Container::vti, Container::raw})) {
    SCOPED_TRACE(name_of(container));
    const std::string name = folder / (is_one_file(container)        ? "c.nc"
                                       : container == Container::vti ? "c.vti"
                                                                     : "c.xdmf");
    const auto options = [&](Existing existing) {
      return DatasetOptions{.existing = existing, .container = container, .steps = 10};
    };
    const std::optional<Error> error = thrown([&] {
      DatasetWriter writer(resources("auto"), name, given, options(Existing::replace));
      writer.write(part("depth", before));
      writer.write_step(part("u", before));
      writer.close();
    });
    if (error && std::string(error->what()).find("PnetCDF is not installed") != std::string::npos) continue;
    ASSERT_FALSE(error) << error->what();
    for (const bool with_step : {false, true}) {
      DatasetWriter writer(resources("auto"), name, given, options(Existing::append));
      if (!with_step) writer.write(part("depth", after));
      std::vector<ArrayPart> parts = part("u", after);
      if (with_step) std::ranges::copy(part("depth", before), std::back_inserter(parts));
      writer.write_step(parts);
      writer.close();
      std::array<float, 8> depth{};
      std::array<float, 8> u{};
      DatasetReader reader(resources("auto"), container == Container::vti ? folder / "c.pvd" : name);
      reader.read(part("depth", depth));
      reader.read_step(with_step ? 2 : 1, part("u", u));
      EXPECT_EQ(reader.steps(), with_step ? 3 : 2);
      if (comm.rank() != 0) continue;
      EXPECT_EQ(depth, with_step ? before : after);
      EXPECT_EQ(u, after);
    }
    if (is_one_file(container)) continue;
    DatasetWriter writer(resources("auto"), name, given, options(Existing::append));
    writer.write(part("depth", after, 1));
    expect_refused("the ranks wrote 4 of the 8 elements of variable depth", [&] { writer.close(); });
  }
}

// Elements of an unstructured mesh, distributed to ranks anew each step.
TEST_F(DatasetMpi, ListedElementsAreWrittenAndReadInAnyOrder) {
  DatasetDescription mesh{.dimensions = {{"time", unlimited}, {"node", 50}},
                          .variables = {{"v", ElementType::i4, {"time", "node"}}}};
  const Resources with = resources("auto");
  DatasetWriter writer(with, path, mesh, {.existing = Existing::replace});
  for (std::int64_t step = 0; step < 3; ++step) {
    std::vector<std::int64_t> numbers;
    std::vector<double> values;
    for (std::int64_t node = 49; node >= 0; --node) {
      if ((node / 3 * 7 + step) % comm.size() != comm.rank() || node == 20) continue;
      numbers.push_back(node);
      values.push_back(static_cast<double>(100 * step + node));
    }
    writer.write_step({{listed_elements("v", std::span<const std::int64_t>(numbers), values.data())}});
  }
  writer.close();
  comm.barrier();
  DatasetReader reader(with, path);
  const std::vector<std::int64_t> wanted{49, 20, 0, 1, 2, 30, 1};
  std::vector<std::int64_t> found(wanted.size());
  reader.read_step(2, {{listed_elements("v", std::span<const std::int64_t>(wanted), found.data())}});
  EXPECT_EQ(found, (std::vector<std::int64_t>{249, -2147483647, 200, 201, 202, 230, 201}));
  expect_refused("element number 50 of 50", [&] {
    const std::vector<std::int64_t> wrong{50};
    reader.read_step(0, {{listed_elements("v", std::span<const std::int64_t>(wrong), found.data())}});
  });
}

// More than 2^31 elements, and bytes beyond 4 GiB, without the disk for them.
TEST_F(DatasetMpi, ElementsBeyondFourGibibytesAreReached) {
  constexpr std::int64_t giant = std::int64_t{3} << 31U;
  const DatasetDescription sparse{
      .dimensions = {{"time", unlimited}, {"y", 2}, {"x", giant}},
      .variables = {{"a", ElementType::i1, {"y", "x"}}, {"b", ElementType::i2, {"time", "x"}}}};
  for (const char* policy : {"auto", "direct", "elected"}) {
    SCOPED_TRACE(policy);
    const Resources with = resources(policy);
    const std::int64_t first = giant - 100 * (comm.rank() + 1);
    std::array<std::int8_t, 8> a{};
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::int8_t>(10 * comm.rank() + static_cast<int>(i));
    // One is the last: a file ends with what was written.
    const std::array<std::int64_t, 2> numbers{first + 1, comm.rank() == 0 ? giant - 1 : comm.rank()};
    const std::array<std::int16_t, 2> b{static_cast<std::int16_t>(1000 + comm.rank()), 7};
    {
      DatasetWriter writer(with, path, sparse, {.existing = Existing::replace, .fill = false});
      writer.write({{ArrayPart("a", {{1, first}, {1, 8}}, a.data())}});
      for (int step = 0; step < 2; ++step) {
        writer.write_step({{listed_elements("b", std::span<const std::int64_t>(numbers), b.data())}});
      }
      expect_refused("of the 12,884,901,888 elements of a", [&] { writer.close(); });  // what is there stays
    }
    comm.barrier();
    DatasetReader reader(with, path);
    const std::int64_t other = giant - 100 * ((comm.rank() + 1) % comm.size() + 1);
    std::array<std::int64_t, 8> found{};
    std::int32_t found_b = 0;
    reader.read_step(
        1, {{ArrayPart("a", {{1, other}, {1, 8}}, found.data()), ArrayPart("b", {{other + 1}, {1}}, &found_b)}});
    EXPECT_EQ(found[7], 10 * ((comm.rank() + 1) % comm.size()) + 7);
    EXPECT_EQ(found_b, 1000 + (comm.rank() + 1) % comm.size());
    comm.barrier();
  }
}

// What the last rank computes by itself, while the others go on.
TEST_F(DatasetMpi, OneRankWritesOnItsOwn) {
  for (const char* policy : {"auto", "staged", "direct,async=2"}) {
    SCOPED_TRACE(policy);
    const Resources with = resources(policy);
    DatasetWriter writer(with, path, description(), {.existing = Existing::replace});
    write_depth(writer);
    write_steps(writer, 4, 0, false, {1, 3});  // without mask, and u where x is 0
    writer.wait();
    if (comm.rank() == comm.size() - 1) {
      for (const std::int64_t step : {1, 3}) {
        std::array<std::int16_t, 7> mask{};
        for (std::size_t x = 0; x < mask.size(); ++x)
          mask[x] = static_cast<std::int16_t>(static_cast<std::int64_t>(x) + step);
        std::vector<double> u;
        for (std::int64_t z = 0; z < shape[0]; ++z) {
          for (std::int64_t y = 0; y < shape[1]; ++y) u.push_back(value_of({z, y, 0}, step));
        }
        writer.write_own(step, {{{"mask", {{0}, {7}}, mask.data()}, {"u", {{0, 0, 0}, {3, 4, 1}}, u.data()}}});
      }
      EXPECT_TRUE(thrown([&] { writer.write_own(4, {}); }));
    }
    write_steps(writer, 6, 1);
    writer.close();
    EXPECT_TRUE(holds(expected(6)));
  }
}

// By that library the same bytes come about; where it is built for another MPI it is refused by all ranks.
TEST_F(DatasetMpi, PnetcdfWritesTheSameBytes) {
  const Resources with = resources("auto");
  const auto open = [&](Existing existing, std::optional<std::int64_t> first = {}) {
    return std::make_unique<DatasetWriter>(
        with, path, description(),
        DatasetOptions{.existing = existing, .first_step = first, .container = Container::pnetcdf});
  };
  const auto write_all = [&](DatasetWriter& writer, const std::vector<std::int64_t>& holes) {
    write_depth(writer);
    write_steps(writer, 4, 1, true, holes);
    writer.close();
  };
  const std::optional<Error> error = thrown([&] { write_all(*open(Existing::replace), {1}); });
  if (error && std::string(error->what()).find("PnetCDF is not installed") != std::string::npos) {
    EXPECT_TRUE(error->agreed());
    GTEST_SKIP() << error->what();
  }
  ASSERT_FALSE(error) << error->what();
  EXPECT_TRUE(holds(expected(4, {1})));
  expect_refused("cannot remove any of the 4 steps of the file", [&] { open(Existing::append, 3); });
  {
    const auto writer = open(Existing::append);
    EXPECT_EQ(writer->steps(), 4);
    write_steps(*writer, 6, 2, false, {4});
    writer->close();
  }
  EXPECT_TRUE(holds(expected(6, {1, 4})));
  {
    const auto writer = open(Existing::replace);
    writer->set_attribute({"large", std::int64_t{1} << 40});  // which only CDF-5 holds
    write_depth(*writer);
    writer->close();
  }
  comm.barrier();
  EXPECT_EQ(DatasetReader(with, path).steps(), 0);
  EXPECT_EQ(DatasetReader(with, path).description().attributes.back().text(), "1099511627776");
  write_all(*open(Existing::replace), {1});
  {
    const auto writer = open(Existing::append);
    write_steps(*writer, 6, 2);
    if (comm.rank() == comm.size() - 1) {  // what step 1 lacks
      const std::array<std::int16_t, 7> mask{1, 2, 3, 4, 5, 6, 7};
      std::vector<std::int64_t> numbers;
      std::vector<double> u;
      for (std::int64_t row = 0; row < 12; ++row) {
        numbers.push_back(7 * row);
        u.push_back(value_of({row / 4, row % 4, 0}, 1));
      }
      writer->write_own(1, {{{"mask", {{0}, {7}}, mask.data()},
                             listed_elements("u", std::span<const std::int64_t>(numbers), u.data())}});
    }
    writer->close();
  }
  EXPECT_TRUE(holds(expected(6)));
  expect_refused("exists already", [&] { open(Existing::refuse); });
  if (comm.size() > 1) {
    expect_refused("the ranks complete different numbers of steps",
                   [&] { open(Existing::replace)->write_steps(comm.rank() == 0 ? 1 : 2, {}); });
  }
  expect_refused("the value nan of type f8 is outside the range of type i1", [&] {
    const auto writer = open(Existing::replace);
    const std::array<double, 7> mask{std::nan("")};
    writer->write_step(std::vector<ArrayPart>(comm.rank() == 0 ? 1 : 0, ArrayPart("mask", {{0}, {7}}, mask.data())));
  });
}

// The file is the one that has the attributes from the beginning.
TEST_F(DatasetMpi, AttributesAreSetAtAnyTimeWhereTheHeaderHasRoom) {
  const Attribute title("title", "a longer title than before");
  const Attribute range("range", std::span<const float>(std::array<float, 2>{1, 2}));
  DatasetDescription described = description();
  described.attributes[0] = title;
  described.variables[1].attributes.push_back(range);
  Bytes bytes = expected(3);
  const Bytes header = cdf::header_of(described, cdf::layout_of(described, {}), 3);
  std::fill_n(bytes.begin(), 512, std::byte{0});
  std::copy(header.begin(), header.end(), bytes.begin());
  for (const char* policy : {"auto", "staged", "elected,async=2", "collective"}) {
    SCOPED_TRACE(policy);
    const Resources with = resources(policy);
    DatasetWriter writer(with, path, description(), {.existing = Existing::replace});
    writer.set_attribute({"title", "another title, which is as long as can be, as long as it fits"});
    write_depth(writer);
    write_steps(writer, 2);
    writer.set_attribute(title);
    write_steps(writer, 3);
    const std::string long_text(400, 'x');
    expect_refused("more than the room in the file", [&] { writer.set_attribute({"title", long_text}); });
    expect_refused("has a type that CDF-2 lacks", [&] { writer.set_attribute({"large", std::int64_t{1}}); });
    expect_refused("name", [&] { writer.set_attribute({"a/b", 1}); });
    expect_refused("after the first write", [&] { writer.set_attribute({"_FillValue", 1.0F}, "u"); });
    writer.set_attribute(range, "u");
    writer.close();
    EXPECT_TRUE(holds(bytes));
    expect_refused("already closed", [&] { writer.set_attribute(title); });
  }
  {
    const Resources with = resources("auto");
    DatasetWriter writer(with, path, {}, {.existing = Existing::append});  // what the file holds
    EXPECT_EQ(writer.description(), described);
    write_steps(writer, 5);
    writer.set_attribute({"title", "test"});
    writer.close();
    comm.barrier();
    EXPECT_EQ(DatasetReader(with, path).steps(), 5);
    EXPECT_EQ(DatasetReader(with, path).description().attributes[0].text(), "test");
  }
  // What is not taken as a file that a run left unfinished stays.
  for (const std::size_t zeros : {std::size_t{0}, std::size_t{100}, std::size_t{1000}}) {
    folder.clear();
    Bytes other(zeros);
    if (zeros == 100) other.push_back(std::byte{1});
    if (zeros > 0 && comm.rank() == 0) test::make_file(path, other);
    comm.barrier();
    const Resources with = resources("auto");
    const std::optional<Error> error = thrown([&] {
      const DatasetWriter writer(with, path, zeros == 100 ? description() : DatasetDescription{},
                                 {.existing = Existing::append});
    });
    ASSERT_TRUE(error);
    comm.barrier();
    EXPECT_EQ(std::filesystem::exists(path), zeros > 0);
  }
}

TEST_F(DatasetMpi, ARunThatCompletedNoStepIsBegunAnew) {
  const Resources with = resources("auto");
  {
    DatasetWriter writer(with, path, description(), {.existing = Existing::replace});
    write_depth(writer);
  }
  comm.barrier();
  DatasetWriter writer(with, path, description(), {.existing = Existing::append});
  EXPECT_EQ(writer.steps(), 0);
  write_depth(writer);
  write_steps(writer, 2);
  writer.close();
  EXPECT_TRUE(holds(expected(2)));
}

TEST_F(DatasetMpi, ASteadyStepCostsFourCollectivesAtMost) {
  for (const char* policy : {"direct", "staged", "gathered", "aggregated", "elected", "elected,async=2"}) {
    SCOPED_TRACE(policy);
    test::CountingCommunicator counted(comm);
    Resources with{.comm = counted, .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
    DatasetWriter writer(with, path, description(), {.existing = Existing::replace});
    write_depth(writer);
    write_steps(writer, 2);
    for (std::int64_t step = 2; step < 6; ++step) {
      const std::int64_t before = counted.collectives();
      const std::int64_t calls_before = test::collective_calls();
      write_steps(writer, step + 1);
      EXPECT_LE(counted.collectives() - before, 4);
      EXPECT_LE(test::collective_calls() - calls_before, 4);
    }
    writer.close();
  }
}

TEST_F(DatasetMpi, StepsThatNoCallHasAreRefusedByAll) {
  const Resources with = resources("auto");
  for (const std::int64_t steps : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    expect_refused("a call completes", [&] {
      DatasetWriter writer(with, path, description(), {.existing = Existing::replace});
      writer.write_steps(comm.rank() == 0 ? steps : 1, {});
    });
  }
  for (const std::int64_t step : {-1, 2}) {
    expect_refused("but this call completes", [&] {
      DatasetWriter writer(with, path, description(), {.existing = Existing::replace});
      FieldsOfSteps fields(mine(0), 0, 2);
      for (ArrayPart& part : fields.parts) part.step += step;
      writer.write_steps(2, fields.parts);
    });
  }
}

// What one rank writes by itself is not filled later.
TEST_F(DatasetMpi, AVariableThatMayYetBeFilledIsNotWrittenByOneRank) {
  const Resources with = resources("auto");
  DatasetDescription constant = description();
  constant.variables.resize(1);
  DatasetWriter writer(with, path, constant, {.existing = Existing::replace});
  writer.write({});
  const std::array<double, 2> depth{5, 6};
  const std::optional<Error> error = thrown([&] { writer.write_own(0, {{{"depth", {{1}, {2}}, depth.data()}}}); });
  ASSERT_TRUE(error);
  EXPECT_FALSE(error->agreed());
  EXPECT_NE(std::string(error->what()).find("to which the ranks have not yet written together"), std::string::npos);
  writer.write(std::vector<ArrayPart>(comm.rank() == 0 ? 1 : 0, ArrayPart("depth", {{0}, {1}}, depth.data())));
  if (comm.rank() == comm.size() - 1) writer.write_own(0, {{{"depth", {{1}, {2}}, depth.data()}}});
  writer.close();
  comm.barrier();
  std::array<double, 3> found{};
  DatasetReader(with, path).read({{{"depth", {{0}, {3}}, found.data()}}});
  EXPECT_EQ(found, (std::array<double, 3>{5, 5, 6}));
}

TEST_F(DatasetMpi, AttributesGivenAnewReplaceThoseOfTheFile) {
  Resources with = resources("auto");
  std::vector<std::string> notes;
  with.notes = &notes;
  write(with, 2, 0, false);
  for (const std::size_t length : {12UL, 100UL, 20'000UL}) {  // the last is too long for the header
    DatasetDescription again = description();
    again.attributes.emplace_back("history", std::string(length, 'h'));
    again.variables[1].attributes.emplace_back("comment", "restarted");
    {
      DatasetWriter writer(with, path, again, {.existing = Existing::append});
      EXPECT_EQ(writer.steps(), 2);
      writer.close();
    }
    comm.barrier();
    const DatasetReader reader(with, path);
    EXPECT_EQ(reader.steps(), 2);
    const auto& attributes = reader.description().attributes;
    const auto found = std::ranges::find(attributes, "history", &Attribute::name);
    ASSERT_NE(found, attributes.end());
    EXPECT_EQ(found->count(), length == 20'000 ? 100 : static_cast<std::int64_t>(length));
    EXPECT_NE(reader.description().variables[1].attributes, description().variables[1].attributes);
    if (comm.rank() == 0) {
      ASSERT_FALSE(notes.empty());
      const char* const said =
          length == 20'000 ? "the attributes of the file remain unchanged" : "attributes of the file were replaced";
      EXPECT_NE(notes.back().find(said), std::string::npos) << notes.back();
    }
  }
}

TEST_F(DatasetMpi, ElementsThatNobodyBroughtAreTold) {
  for (const Container container : containers_with()) {
    Resources with = resources("auto");
    std::vector<std::string> notes;
    with.notes = &notes;
    const std::string name = folder / "few.nc";
    const DatasetDescription given{.dimensions = {{"time", unlimited}, {"x", 10}},
                                   .variables = {{"a", ElementType::f4, {"time", "x"}}, {"b", ElementType::f4, {"x"}}}};
    const std::array<float, 10> values{};
    const std::optional<Error> error = thrown([&] {
      DatasetWriter writer(with, name, given, {.existing = Existing::replace, .container = container, .steps = 2});
      for (int step = 0; step < 2; ++step) {
        std::vector<ArrayPart> parts;
        if (comm.rank() == 0) parts.emplace_back("a", Box{{0}, {6}}, values.data());
        writer.write_step(parts);
      }
      if (comm.rank() == comm.size() - 1) writer.write_own(1, {{{"a", {{6}, {1}}, values.data()}}});
      writer.close();
    });
    if (error && std::string(error->what()).find("PnetCDF is not installed") != std::string::npos) break;
    ASSERT_FALSE(error) << error->what();
    if (comm.rank() == 0) {
      ASSERT_EQ(notes.size(), 1U);
      EXPECT_NE(notes[0].find("7 of the 20 elements of a, 10 of the 10 elements of b"), std::string::npos) << notes[0];
    }
    comm.barrier();
  }
}

TEST_F(DatasetMpi, OneRunAtATimeWritesADataset) {
  const Resources with = resources("auto");
  for (const Container container : containers_with({Container::vti, Container::raw}, false)) {
    const std::string name = folder / ("held." + std::string(is_one_file(container) ? "nc" : "vti"));
    const auto open = [&](Existing existing) {
      return std::make_unique<DatasetWriter>(
          with, name, description(),
          DatasetOptions{.existing = existing, .container = container, .field_data = true, .steps = 10});
    };
    std::unique_ptr<DatasetWriter> first = open(Existing::replace);
    for (const Existing existing : {Existing::refuse, Existing::replace, Existing::append}) {
      const std::optional<Error> error = thrown([&] { (void)open(existing); });
      EXPECT_TRUE(same_everywhere(comm, error ? error->what() : ""));
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code(), ErrorCode::io);
      EXPECT_NE(std::string(error->what()).find("another run is writing this dataset"), std::string::npos);
    }
    first.reset();
    comm.barrier();
    first = open(Existing::replace);
  }
  comm.barrier();
  for (const auto& each : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_EQ(each.path().filename().string().find("lock"), std::string::npos) << each.path();
  }
}

TEST_F(DatasetMpi, WhatCannotBeWrittenIsRefusedByAll) {
  const Resources with = resources("auto");
  for (const Container container : {Container::netcdf, Container::vti}) {
    expect_refused("the dataset has no dimension w", [&] {
      DatasetDescription wrong = description();
      wrong.variables[1].dimensions[3] = "w";
      const DatasetWriter writer(with, path, wrong, {.container = container});
    });
  }
  expect_refused("the dataset has no variable v", [&] {
    DatasetWriter writer(with, path, description(), {.existing = Existing::replace});
    const float value = 0;
    const std::vector<ArrayPart> parts(comm.rank() == 0 ? 1 : 0, ArrayPart("v", {{0}, {1}}, &value));
    writer.write_step(parts);
  });
  expect_refused("are outside its shape", [&] {
    DatasetWriter writer(with, path, description(), {.existing = Existing::replace});
    const std::array<std::int8_t, 7> mask{};
    const std::vector<ArrayPart> parts(comm.rank() == 0 ? 1 : 0, ArrayPart("mask", {{1}, {7}}, mask.data()));
    writer.write_step(parts);
  });
  for (const Box& stored : {Box{{1}, {7}}, Box{{0}, {6}}, Box{{8}, {7}}, Box{{0}, {0}}, Box{{0, 0}, {1, 7}},
                            Box{{std::numeric_limits<std::int64_t>::min()}, {7}}}) {
    expect_refused("are outside the stored box", [&] {
      DatasetWriter writer(with, path, description(), {.existing = Existing::replace});
      const std::array<std::int8_t, 7> mask{};
      const std::vector<ArrayPart> parts(comm.rank() == 0 ? 1 : 0, ArrayPart("mask", {{0}, {7}}, stored, mask.data()));
      writer.write_step(parts);
    });
  }
  expect_refused("the value nan of type f8 is outside the range of type i1", [&] {
    DatasetWriter writer(with, path, description(), {.existing = Existing::replace});
    std::array<double, 7> mask{};
    mask[5] = std::nan("");
    const std::vector<ArrayPart> parts(comm.rank() == 0 ? 1 : 0, ArrayPart("mask", {{0}, {7}}, mask.data()));
    writer.write_step(parts);
  });
  for (const char* policy : {"direct,async=2", "staged,async=2"}) {
    for (const Memory memory : {Memory::copied, Memory::lent}) {
      SCOPED_TRACE(policy);
      const Resources behind = resources(policy);
      std::array<double, 7> mask{};
      mask[5] = std::nan("");
      expect_refused("the value nan of type f8 is outside the range of type i1", [&] {
        DatasetWriter writer(behind, path, description(), {.existing = Existing::replace});
        write_depth(writer);
        write_steps(writer, 2);
        const std::vector<ArrayPart> parts(comm.rank() == 0 ? 1 : 0, ArrayPart("mask", {{0}, {7}}, mask.data()));
        writer.write_step(parts, memory);
        writer.close();
      });
      comm.barrier();
      EXPECT_LE(DatasetReader(with, path).steps(), 2);
    }
  }
  expect_refused("exists already", [&] { const DatasetWriter writer(with, path, description()); });
  DatasetDescription other = description();
  other.variables[1].type = ElementType::f8;
  write(with, 1, 0, false);
  expect_refused("variable u differs from the file to append to",
                 [&] { const DatasetWriter writer(with, path, other, {.existing = Existing::append}); });
  expect_refused("continue at step 1 or earlier", [&] {
    const DatasetWriter writer(with, path, description(), {.existing = Existing::append, .first_step = 2});
  });
}

SILL_TEST_MIN_RANKS(DatasetMpi, WhatRanksContradictEachOtherInIsRefusedByAll, 2);
TEST_F(DatasetMpi, WhatRanksContradictEachOtherInIsRefusedByAll) {
  const Resources with = resources("auto");
  expect_refused("different dimensions", [&] {
    DatasetDescription mine_alone = description();
    mine_alone.dimensions[3].length += comm.rank();
    const DatasetWriter writer(with, path, mine_alone);
  });
  expect_refused("different variables, attributes", [&] {
    DatasetDescription mine_alone = description();
    mine_alone.attributes[0] = {"title", std::to_string(comm.rank())};
    mine_alone.variables[1].attributes.emplace_back("rank", comm.rank());
    const DatasetWriter writer(with, path, mine_alone);
  });
  expect_refused("different options", [&] {
    const DatasetWriter writer(with, path, description(), {.existing = Existing::replace, .fill = comm.rank() > 0});
  });
  for (const bool fills : {true, false}) {
    expect_refused("the ranks complete different numbers of steps", [&] {
      DatasetWriter writer(with, path, description(), {.existing = Existing::replace, .fill = fills});
      if (comm.rank() == 0) {
        writer.write_step({});
      } else {
        writer.write({});
      }
    });
    expect_refused("the ranks complete different numbers of steps", [&] {
      DatasetWriter writer(with, path, description(), {.existing = Existing::replace, .fill = fills});
      writer.write_steps(comm.rank() == 0 ? 3 : 2, {});
    });
  }
  for (const char* policy : {"direct", "staged"}) {
    expect_refused("element of mask in step 1: 0", [&] {
      const Resources other = resources(policy);
      DatasetWriter writer(other, path, description(), {.existing = Existing::replace});
      writer.write_step({});
      const std::array<std::int8_t, 7> mask{};
      writer.write_step({{ArrayPart("mask", {{0}, {7}}, mask.data())}});
    });
    expect_refused("element of depth: 1", [&] {
      const Resources other = resources(policy);
      DatasetWriter writer(other, path, description(), {.existing = Existing::replace});
      const std::array<float, 3> depth{};
      writer.write({{ArrayPart("depth", {{comm.rank() == 0 ? 0 : 1}, {2}}, depth.data())}});
    });
  }
}

// In calls of their own, so that no call has an element twice. With fill values the counts of all ranks show it.
TEST_F(DatasetMpi, AnElementThatIsPassedTwiceInAStepIsRefusedByAll) {
  const Resources with = resources("auto");
  const int last = comm.size() - 1;
  const std::string text = "elements of variable u are passed more than once for step 1";
  DatasetWriter writer(with, path, description(), {.existing = Existing::replace});
  write_depth(writer);
  write_steps(writer, 1);
  Fields fields(mine(0), false);
  const std::vector<ArrayPart> parts = fields.parts_at(1, false);
  writer.write(parts);
  std::vector<float> one(1);
  const auto again = [&](int rank) {
    const std::vector<ArrayPart> part(comm.rank() == rank ? 1 : 0, ArrayPart("u", {{0, 0, 0}, {1, 1, 1}}, one.data()));
    writer.write_step(part);
  };
  expect_refused(text, [&] { again(last); });
  expect_refused(text, [&] { again(0); });
  writer.write_step({});
  write_steps(writer, 3);
  writer.close();
  EXPECT_TRUE(holds(expected(3)));
}

// The policy changes, and closing the file fails: its name may be that of another file when the count would be written.
TEST_F(DatasetMpi, NothingIsWrittenAfterAFileCouldNotBeClosedForAnotherPolicy) {
  for (const char* policy : {"elected", "elected,async=2"}) {
    SCOPED_TRACE(policy);
    test::RankFault fault(comm, 0, Fault::Call::close, Fault::Kind::fails, 1);
    Resources with = resources(policy);
    with.open = fault.in(open_posix);
    DatasetWriter writer(with, path, description(), {.existing = Existing::replace});
    write_depth(writer);
    write_steps(writer, 2);
    writer.wait();
    with.policy.stage_bytes = 1 << 19;
    const Bytes other(4096, std::byte{7});
    comm.barrier();
    if (comm.rank() == 0) {
      std::filesystem::rename(path, path + ".moved");
      test::make_file(path, other);
    }
    comm.barrier();
    EXPECT_TRUE(fault.is_stated_by(thrown([&] { write_steps(writer, 3); })));
    EXPECT_TRUE(thrown([&] { writer.close(); }));
    EXPECT_TRUE(holds(other));
  }
}

// A file that failed counts steps that are whole, or is none of netCDF.
TEST_F(DatasetMpi, AFaultIsThatOfAllRanksAndNoStepIsCountedThatIsNotThere) {
  const test::FaultsToTry faults{.calls = {Fault::Call::write, Fault::Call::close}, .numbers = {1, 2, 3, 5, 8}};
  for (const char* policy : {"direct", "elected", "staged,async=2"}) {
    SCOPED_TRACE(policy);
    test::for_each_fault(comm, faults, [&](test::RankFault& fault) {
      Resources with = resources(policy);
      with.open = fault.in(open_posix);
      const std::optional<Error> error = thrown([&] { write(with, 3, 0, false); });
      const bool struck = fault.is_stated_by(error);
      comm.barrier();
      const bool is_sound = everywhere(comm, [&] {
        const test::Bytes found = test::bytes_of_file(path);
        if (found.size() < 4 || found[0] != std::byte{'C'}) return true;
        const auto contents = cdf::parse_header(found, static_cast<std::int64_t>(found.size()), path);
        const Bytes whole = expected(contents->records);
        return found.size() >= whole.size() && std::equal(whole.begin(), whole.end(), found.begin());
      });
      EXPECT_TRUE(is_sound);
      comm.barrier();
      return struck;
    });
  }
}

}  // namespace
}  // namespace sill::arrays_test
