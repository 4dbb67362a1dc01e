// Files of Tecplot by several ranks: the same bytes for every policy and decomposition, one file with all of each step.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/arrays/dataset_fields.hpp"
#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/arrays/dataset_writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/layout/grid_decomposition.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using arrays_test::grid_of;
using arrays_test::value_of;
using test::thrown;
using test::world;

const Index tecplot_shape{3, 4, 70};

DatasetDescription on_grid() {
  return {.dimensions = {{"time", unlimited}, {"z", 3}, {"y", 4}, {"x", 70}},
          .variables = {{"time", ElementType::f8, {"time"}},
                        {"depth", ElementType::f8, {"z", "y", "x"}},
                        {"u", ElementType::f4, {"time", "z", "y", "x"}},
                        {"flag", ElementType::u1, {"time", "z", "y", "x"}}},
          .attributes = {{"title", "test"}, {"spacing", std::span<const double>(std::array{10.0, 5.0, 0.1})}}};
}

// A file as the guide to the format describes it, read word by word.
struct ReadZone {
  std::string title;
  std::vector<std::string> names;
  double time = 0;
  std::int32_t kind = 0;
  std::array<std::int32_t, 3> counts{};
  std::map<std::string, std::vector<double>> values;
  std::map<std::string, std::pair<double, double>> ranges;
  std::vector<std::int32_t> connectivity;

  explicit ReadZone(const test::Bytes& file) : bytes_(file) {
    EXPECT_EQ(std::memcmp(bytes_.data(), "#!TDV112", 8), 0);
    at_ = 8;
    expect({1, 0});
    title = text();
    names.resize(static_cast<std::size_t>(take<std::int32_t>()));
    for (std::string& each : names) each = text();
    EXPECT_EQ(take<float>(), 299.0F);
    (void)text();
    expect({-1, 1});
    time = take<double>();
    EXPECT_EQ(take<std::int32_t>(), -1);
    kind = take<std::int32_t>();
    expect({0, 0, 0});
    for (std::int32_t& each : counts) each = take<std::int32_t>();
    if (kind == 5) expect({0, 0});
    expect({0});
    EXPECT_EQ(take<float>(), 799.0F);
    EXPECT_EQ(text(), "sill_ncml");
    expect({0});
    (void)text();
    EXPECT_EQ(take<float>(), 357.0F);
    EXPECT_EQ(take<float>(), 299.0F);
    std::vector<std::int32_t> formats(names.size());
    for (std::int32_t& each : formats) each = take<std::int32_t>();
    expect({0, 0, -1});
    for (const std::string& each : names) {
      ranges[each].first = take<double>();
      ranges[each].second = take<double>();
    }
    const std::int32_t points = kind == 5 ? counts[0] : counts[0] * counts[1] * counts[2];
    for (std::size_t v = 0; v < names.size(); ++v) {
      for (std::int32_t i = 0; i < points; ++i) {
        values[names[v]].push_back(formats[v] == 1   ? double{take<float>()}
                                   : formats[v] == 2 ? take<double>()
                                                     : static_cast<double>(take<std::uint8_t>()));
      }
    }
    for (std::int32_t i = 0; kind == 5 && i < 8 * counts[1]; ++i) connectivity.push_back(take<std::int32_t>());
    EXPECT_EQ(at_, bytes_.size());
  }

 private:
  template <class T>
  T take() {
    T value{};
    if (at_ + sizeof(T) <= bytes_.size()) std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  void expect(std::initializer_list<std::int32_t> numbers) {
    for (const std::int32_t each : numbers) EXPECT_EQ(take<std::int32_t>(), each) << at_;
  }
  std::string text() {
    std::string made;
    while (const auto character = take<std::int32_t>()) made += static_cast<char>(character);
    return made;
  }

  const test::Bytes& bytes_;
  std::size_t at_ = 0;
};

class TecplotMpi : public testing::Test {
 protected:
  Communicator& comm = world();
  test::SharedFolder folder{comm, test::in_memory()};

  [[nodiscard]] Resources resources(const std::string& policy) const {
    const Policy of_run = Policy::parse(policy);
    return {.comm = comm, .open = opener_for(of_run.call), .policy = of_run, .memory_bytes = 1 << 20};
  }
  void expect_refused(const std::string& text, const std::function<void()>& work) {
    const std::optional<Error> error = thrown(work);
    EXPECT_TRUE(test::same_everywhere(comm, error ? error->what() : ""));
    ASSERT_TRUE(error) << text;
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_NE(std::string(error->what()).find(text), std::string::npos) << error->what();
    comm.barrier();
  }
};

// What a rank has of `on_grid`: u with NaN at one point.
struct OnGrid {
  OnGrid(const Communicator& comm, int kind) {
    box = GridDecomposition::blocks(tecplot_shape, grid_of(comm.size(), kind)).box_of(comm.rank());
    u.resize(static_cast<std::size_t>(box.items()));
    depth = std::vector<double>(u.size());
    flag.resize(u.size());
    is_root = comm.rank() == 0;
  }
  void set(std::int64_t step) {
    time = 0.25 * static_cast<double>(step);
    std::size_t i = 0;
    for (std::int64_t z = 0; z < box.count[0]; ++z)
      for (std::int64_t y = 0; y < box.count[1]; ++y)
        for (std::int64_t x = 0; x < box.count[2]; ++x, ++i) {
          const Index point{box.first[0] + z, box.first[1] + y, box.first[2] + x};
          u[i] = value_of(point, step) - 30;
          if (point == Index{1, 2, 3}) u[i] = std::numeric_limits<double>::quiet_NaN();
          depth[i] = value_of(point, 0);
          flag[i] = static_cast<std::uint8_t>(point[2]);
        }
  }
  [[nodiscard]] std::vector<ArrayPart> parts(const std::vector<std::string>& names) {
    std::vector<ArrayPart> all;
    for (const std::string& each : names) {
      if (each == "time" && is_root) all.emplace_back("time", Box{}, &time);
      if (box.empty()) continue;
      if (each == "u") all.emplace_back("u", box, u.data());
      if (each == "depth") all.emplace_back("depth", box, depth.data());
      if (each == "flag") all.emplace_back("flag", box, flag.data());
    }
    return all;
  }

  Box box;
  double time = 0;
  std::vector<double> u;
  std::vector<double> depth;
  std::vector<std::uint8_t> flag;
  bool is_root = false;
};

TEST_F(TecplotMpi, GridsAreTheSameBytesForEveryPolicyAndOrderOfCalls) {
  std::optional<std::array<test::Bytes, 3>> first;
  int kind = 0;
  for (const char* policy : {"direct", "direct,async=2", "staged", "gathered", "elected,async=1", "aggregated",
                             "independent", "collective", "writers=first,stage=600", "staged,sync=close"}) {
    for (const bool in_parts : {false, true}) {
      SCOPED_TRACE(policy);
      DatasetWriter writer(resources(policy), folder / "a.plt", on_grid(),
                           {.existing = DatasetOptions::Existing::replace});
      OnGrid mine(comm, kind++ % 3);
      mine.set(0);
      if (in_parts) writer.write(mine.parts({"depth"}));
      for (std::int64_t step = 0; step < 3; ++step) {
        mine.set(step);
        if (in_parts && step == 1) {
          writer.write(mine.parts({"flag"}));
          writer.write(mine.parts({"u"}));
          writer.write_step(mine.parts({"time"}));
        } else if (in_parts || step > 0) {
          writer.write_step(mine.parts({"time", "u", "flag"}));
        } else {
          writer.write_step(mine.parts({"time", "depth", "u", "flag"}));
        }
        mine.set(99);
      }
      writer.close();
      comm.barrier();
      std::array<test::Bytes, 3> files;
      for (std::size_t step = 0; step < 3; ++step)
        files[step] = test::bytes_of_file(folder / ("a.00000" + std::to_string(step) + ".plt"));
      if (!first) first = files;
      EXPECT_TRUE(*first == files);
      comm.barrier();
    }
  }
  for (std::int64_t step = 0; step < 3; ++step) {
    const ReadZone zone((*first)[static_cast<std::size_t>(step)]);
    EXPECT_EQ(zone.title, "test");
    EXPECT_EQ(zone.names, (std::vector<std::string>{"X", "Y", "Z", "depth", "u", "flag"}));
    EXPECT_EQ(zone.time, 0.25 * static_cast<double>(step));
    EXPECT_EQ(zone.kind, 0);
    EXPECT_EQ(zone.counts, (std::array<std::int32_t, 3>{70, 4, 3}));
    double min = 1e30;
    double max = -1e30;
    for (std::size_t i = 0; i < 840; ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const Index point{at / 280, at / 70 % 4, at % 70};
      EXPECT_EQ(zone.values.at("X")[i], static_cast<double>(point[2]) * 0.1);
      EXPECT_EQ(zone.values.at("Y")[i], static_cast<double>(point[1]) * 5);
      EXPECT_EQ(zone.values.at("Z")[i], static_cast<double>(point[0]) * 10);
      EXPECT_EQ(zone.values.at("depth")[i], value_of(point, 0));
      EXPECT_EQ(zone.values.at("flag")[i], static_cast<double>(point[2]));
      const double u = zone.values.at("u")[i];
      EXPECT_TRUE(point == Index({1, 2, 3}) ? std::isnan(u) : u == value_of(point, step) - 30);
      if (u < min) min = u;
      if (u > max) max = u;
    }
    EXPECT_EQ(zone.ranges.at("u"), std::pair(min, max));
    EXPECT_EQ(zone.ranges.at("X"), std::pair(0.0, 69 * 0.1));
    EXPECT_EQ(zone.ranges.at("flag"), std::pair(0.0, 69.0));
  }
  // Read again, on other ranks; a file alone is one step.
  DatasetReader reader(resources("auto"), folder / "a.plt");
  EXPECT_EQ(reader.steps(), 3);
  EXPECT_EQ(reader.description(), on_grid());
  OnGrid there(comm, 1);
  OnGrid read(comm, 1);
  there.set(2);
  reader.read_step(2, read.parts({"time", "u", "flag"}));
  reader.read(read.parts({"depth"}));
  for (std::size_t i = 0; i < there.u.size(); ++i) {
    EXPECT_TRUE(there.u[i] == read.u[i] || std::isnan(there.u[i])) << i;
    EXPECT_EQ(there.depth[i], read.depth[i]);
  }
  EXPECT_EQ(there.flag, read.flag);
  EXPECT_TRUE(comm.rank() != 0 || read.time == 0.5);
  EXPECT_EQ(DatasetReader(resources("auto"), folder / "a.000001.plt").steps(), 0);
}

TEST_F(TecplotMpi, ARestartedRunBringsTheVariablesWithoutStepsAgain) {
  const auto write = [&](const DatasetOptions& options, bool has_depth) {
    DatasetWriter writer(resources("staged"), folder / "a.plt", on_grid(), options);
    OnGrid mine(comm, 0);
    while (writer.steps() < 3) {
      mine.set(writer.steps());
      const bool is_first = has_depth && writer.steps() == options.first_step.value_or(0);
      writer.write_step(mine.parts(is_first ? std::vector<std::string>{"time", "depth", "u", "flag"}
                                            : std::vector<std::string>{"time", "u", "flag"}));
    }
    writer.close();
    comm.barrier();
  };
  write({}, true);
  const test::Bytes last = test::bytes_of_file(folder / "a.000002.plt");
  comm.barrier();
  const DatasetOptions again{.existing = DatasetOptions::Existing::append, .first_step = 1};
  expect_refused("wrote 0 of the 840 elements of variable depth", [&] { write(again, false); });
  EXPECT_FALSE(std::filesystem::exists(folder / "a.000001.plt"));
  write(again, true);
  EXPECT_TRUE(last == test::bytes_of_file(folder / "a.000002.plt"));
}

DatasetDescription of_bricks() {
  return {.dimensions = {{"time", unlimited}, {"node", 12}, {"element", 2}, {"corner", 8}},
          .variables = {{"connectivity", ElementType::i4, {"element", "corner"}},
                        {"x", ElementType::f4, {"node"}},
                        {"y", ElementType::f4, {"node"}},
                        {"z", ElementType::f4, {"time", "node"}},
                        {"p", ElementType::f8, {"time", "node"}}}};
}

TEST_F(TecplotMpi, BricksHoldTheirNodesInEachStep) {
  const std::array<std::int32_t, 16> nodes{0, 1, 4, 3, 6, 7, 10, 9, 1, 2, 5, 4, 7, 8, 11, 10};
  const ItemRange mine = block_of(12, comm.size(), comm.rank());
  std::vector<std::int64_t> numbers;  // in any order
  for (std::int64_t i = mine.count; i-- > 0;) numbers.push_back(mine.first + i);
  std::vector<double> values(numbers.begin(), numbers.end());
  const auto write = [&](const char* name, std::int32_t wrong) {
    std::array<std::int32_t, 16> given = nodes;
    given[5] += wrong;
    DatasetWriter writer(resources("elected,async=1"), folder / name, of_bricks());
    for (std::int64_t step = 0; step < 2; ++step) {
      std::vector<ArrayPart> parts{listed_elements("p", std::span<const std::int64_t>(numbers), values.data()),
                                   listed_elements("z", std::span<const std::int64_t>(numbers), values.data())};
      if (step == 0) {
        for (const char* each : {"x", "y"})
          parts.push_back(listed_elements(each, std::span<const std::int64_t>(numbers), values.data()));
        const Box row{{comm.rank() == 0 ? 0 : 1, 0}, {comm.size() == 1 ? 2 : comm.rank() < 2 ? 1 : 0, 8}};
        parts.emplace_back("connectivity", row, given.data() + 8 * row.first[0]);
      }
      writer.write_step(parts);
    }
    writer.close();
    comm.barrier();
  };
  write("b.plt", 0);
  const test::Bytes bytes = test::bytes_of_file(folder / "b.000001.plt");
  const ReadZone zone(bytes);
  EXPECT_EQ(zone.kind, 5);
  EXPECT_EQ(zone.counts, (std::array<std::int32_t, 3>{12, 2, 0}));
  EXPECT_EQ(zone.names, (std::vector<std::string>{"x", "y", "z", "p"}));
  EXPECT_EQ(zone.time, 1.0);
  EXPECT_EQ(zone.connectivity, std::vector<std::int32_t>(nodes.begin(), nodes.end()));
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(zone.values.at("p")[i], static_cast<double>(i));
  EXPECT_EQ(DatasetReader(resources("auto"), folder / "b.plt").description(), of_bricks());
  expect_refused("names nodes 0 to 17, of 12", [&] { write("c.plt", 10); });
  EXPECT_FALSE(std::filesystem::exists(folder / "c.000000.plt"));
}

TEST_F(TecplotMpi, WhatTecplotDoesNotHoldIsRefusedByAll) {
  const auto refused = [&](const char* text, const std::function<void(DatasetDescription&)>& change) {
    DatasetDescription description = on_grid();
    change(description);
    expect_refused(text, [&] { DatasetWriter(resources("staged"), folder / "r.plt", description); });
  };
  refused("variable n is of type i8", [](auto& of) {
    of.variables.push_back({"n", ElementType::i8, {"time", "z", "y", "x"}});
  });
  refused("does not have the points of the grid", [](auto& of) {
    of.variables.push_back({"top", ElementType::f4, {"y", "x"}});
  });
  refused("has 3 components", [](auto& of) {
    of.dimensions.push_back({"c", 3});
    of.variables.push_back({"v", ElementType::f4, {"time", "z", "y", "x", "c"}});
  });
  refused("the solution time, is of type f4", [](auto& of) { of.variables[0].type = ElementType::f4; });
  refused("no variable is at points", [](auto& of) {
    of.variables.resize(1);
    of.attributes.clear();
  });
  refused("of a dataset with a grid of 3 dimensions", [](auto& of) { of.attributes.push_back({"origin", 1.0}); });
  DatasetDescription bricks = of_bricks();
  bricks.variables.erase(bricks.variables.begin() + 2);
  expect_refused("the variable Y with the coordinates",
                 [&] { DatasetWriter(resources("staged"), folder / "r.plt", bricks); });
  // A step that leaves out a variable.
  DatasetWriter writer(resources("staged"), folder / "r.plt", on_grid());
  OnGrid mine(comm, 0);
  mine.set(0);
  expect_refused("wrote 0 of the 840 elements of variable flag", [&] {
    writer.write_step(mine.parts({"time", "depth", "u"}));
  });
}

}  // namespace
}  // namespace sill
