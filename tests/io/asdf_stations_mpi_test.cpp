// ASDF files of stations by several ranks: the same bytes for every policy, owner, phase and rank that attaches; files
// that appear when they are complete; errors on all ranks.
#include <fmt/format.h>
#include <gtest/gtest.h>  // before RapidCheck's header for it
#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/counting_communicator.hpp"
#include "move/any_policy.hpp"
#include "sill/base/byte_order.hpp"
#include "sill/formats/hdf5/hdf5_file.hpp"
#include "sill/io/arrays/hdf5_contents.hpp"
#include "sill/io/simulation/station_writer.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::everywhere;
using test::same_everywhere;
using test::thrown;
using test::world;

constexpr std::int64_t all_steps = 60;
constexpr int all_stations = 5;
constexpr int all_components = 3;

float asdf_value(std::int64_t station, int component, std::int64_t step) {
  return static_cast<float>(1000 * station + 100 * component) - 0.25F * static_cast<float>(step);
}

class AsdfStationsMpi : public testing::Test {
 protected:
  void SetUp() override {
    if (hdf5::build_version().empty()) GTEST_SKIP() << "built without HDF5";
  }

  Communicator& comm = world();
  test::SharedFolder folder{comm, test::in_memory()};

  // `turn` chooses the owners.
  [[nodiscard]] StationOutput output(const std::string& name, int turn = 0) const {
    StationOutput output{.folder = folder / name,
                         .form = StationForm::asdf,
                         .components = all_components,
                         .component_names = {"BXE", "BXN", "BXZ"},
                         .interval_s = 0.25,
                         .final_steps = all_steps};
    for (int s = 0; s < all_stations; ++s) {
      output.stations.push_back({.number = s + 1, .code = fmt::format("NE.S{}", 9 - s)});
      for (int c = 0; c < all_components; ++c)
        output.owners.push_back(turn < 0 ? comm.size() - 1 : (s * turn + c + turn) % comm.size());
    }
    return output;
  }
  // Every array is attached by one rank, which `turn` chooses.
  void attach(StationWriter& writer, int turn) const {
    for (int s = 0; s < all_stations; ++s) {
      if ((s + turn) % comm.size() == comm.rank())
        writer.attach_text(fmt::format("Waveforms/NE.S{}/StationXML", 9 - s), fmt::format("<station n='{}'/>", s));
    }
    if (turn % comm.size() != comm.rank()) return;
    writer.attach_text("QuakeML", "<quake/>");
    const std::vector<double> values{1.5, -2.5, 3.5, 4.5, 5.5, 6.5};
    writer.attach({"AuxiliaryData/Model/values", ElementType::f8, {3, 2}, {{"units", "m"}}},
                  std::as_bytes(std::span(values)));
    writer.attach_attribute("AuxiliaryData/Model/values", {"gain", 2.0});
  }
  static void write_steps(StationWriter& writer, std::int64_t from, std::int64_t to) {
    for (std::int64_t step = from; step <= to; ++step) {
      std::vector<double> values;
      for (const StationWriter::Owned& each : writer.owned())
        values.push_back(asdf_value(each.station, each.component, step));
      writer.write_step(values);
    }
  }
  // Collective. Writes a complete file.
  [[nodiscard]] test::Bytes written(const Resources& resources, const StationOutput& output, int turn) const {
    StationWriter writer(resources, output);
    attach(writer, turn);
    write_steps(writer, 1, all_steps);
    writer.close();
    return bytes_of(output);
  }
  [[nodiscard]] test::Bytes bytes_of(const StationOutput& output) const {
    comm.barrier();
    return test::bytes_of_file(output.folder + "/stations.h5");
  }
  [[nodiscard]] static bool is_hdf5(const test::Bytes& bytes) {
    return bytes.size() > 8 &&
           std::equal(bytes.begin(), bytes.begin() + 8, std::as_bytes(std::span(hdf5::signature)).begin());
  }
  // Collective. What all ranks throw, after making sure that it is the same.
  std::optional<Error> thrown_by_all(const std::function<void()>& work) {
    std::optional<Error> error = thrown(work);
    EXPECT_TRUE(same_everywhere(comm, error ? error->what() : ""));
    EXPECT_TRUE(!error || error->agreed());
    return error;
  }
};

TEST_F(AsdfStationsMpi, ContainsWaveformsAndArrays) {
  const StationOutput wanted = output("out");
  const Resources resources{.comm = comm};
  const test::Bytes bytes = written(resources, wanted, 1);
  ASSERT_TRUE(is_hdf5(bytes));
  const hdf5::FileContents found = read_hdf5(resources, wanted.folder + "/stations.h5");
  int waveforms = 0;
  for (std::size_t i = 0; i < found.description.variables.size(); ++i) {
    const std::string& name = found.description.variables[i].name;
    const std::byte* const begin = bytes.data() + found.stored.variables[i].begin;
    for (int s = 0; s < all_stations; ++s) {
      const std::string group = fmt::format("Waveforms/NE.S{}/", 9 - s);
      const std::string xml = fmt::format("<station n='{}'/>", s);
      EXPECT_TRUE(name != group + "StationXML" || std::string(reinterpret_cast<const char*>(begin), xml.size()) == xml);
      for (int c = 0; c < all_components; ++c) {
        if (!name.starts_with(
                fmt::format("{}NE.S{}..{}__", group, 9 - s, wanted.component_names[static_cast<std::size_t>(c)])))
          continue;
        ++waveforms;
        for (std::int64_t step = 1; step <= all_steps; ++step)
          ASSERT_EQ(load<float>(begin + 4 * (step - 1), ByteOrder::little), asdf_value(s, c, step)) << name;
      }
    }
    EXPECT_TRUE(name != "AuxiliaryData/Model/values" || load<double>(begin + 40, ByteOrder::little) == 6.5);
  }
  EXPECT_EQ(waveforms, all_stations * all_components);
  EXPECT_EQ(found.description.variables.size(), static_cast<std::size_t>(waveforms + all_stations + 2));
}

TEST_F(AsdfStationsMpi, BytesAreTheSameForAnyPolicyOwnersPhasesAndRanksThatAttach) {
  const test::Bytes expected = written({.comm = comm}, output("first"), 0);
  EXPECT_TRUE(rc::check([&] {
    Policy policy = test::any_policy();
    policy.threads = std::min(policy.threads, 2);
    if (policy.call == Policy::Call::mpiio_collective) policy = Policy::parse("elected");  // creates files too slowly
    StationOutput wanted = output("other", *rc::gen::inRange(-1, 4));
    wanted.steps_per_phase = *rc::gen::inRange(1, 70);
    const Resources resources{.comm = comm, .policy = policy, .memory_bytes = 1 << 20};
    const int turn = *rc::gen::inRange(0, 4);
    test::Bytes found;
    const std::optional<Error> error = thrown([&] { found = written(resources, wanted, turn); });
    RC_ASSERT(everywhere(comm, [&] { return !error && found == expected; }));
  }));
}

TEST_F(AsdfStationsMpi, AppearsWithTheLastStepAndIsContinuedUntilThen) {
  const test::Bytes expected = written({.comm = comm}, output("first"), 0);
  for (const char* policy : {"direct", "elected", "elected,async=2", "staged,async=1"}) {
    SCOPED_TRACE(policy);
    const Resources resources{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 100'000};
    StationOutput wanted = output("second", 1);
    wanted.steps_per_phase = 10;
    {
      StationWriter writer(resources, wanted);
      attach(writer, 2);
      write_steps(writer, 1, 37);
      EXPECT_FALSE(is_hdf5(bytes_of(wanted)));
      const auto error = thrown_by_all([&] { writer.close(); });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code(), ErrorCode::usage);
      EXPECT_NE(error->parts().problem.find("37 of 60 time steps"), std::string::npos) << error->parts().problem;
      EXPECT_FALSE(is_hdf5(bytes_of(wanted)));
    }
    comm.barrier();
    StationOutput later = output("second", -1);
    later.steps_per_phase = 7;
    later.continues_after = 38;
    EXPECT_TRUE(thrown_by_all([&] { StationWriter(resources, later); }));  // it has fewer
    later.continues_after = 25;
    {
      StationWriter other(resources, later);  // without its arrays
      const auto error = thrown_by_all([&] { write_steps(other, 26, 60); });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code(), ErrorCode::input);
    }
    StationWriter writer(resources, later);
    attach(writer, 0);
    write_steps(writer, 26, 60);
    writer.close();
    EXPECT_EQ(bytes_of(later), expected);
    comm.barrier();
    // A complete file is none while a run continues it.
    later.continues_after = 50;
    StationWriter again(resources, later);
    attach(again, 1);
    write_steps(again, 51, 57);
    again.flush();
    EXPECT_FALSE(is_hdf5(bytes_of(later)));
    comm.barrier();
    write_steps(again, 58, 60);
    again.close();
    EXPECT_EQ(bytes_of(later), expected);
    comm.barrier();
  }
}

TEST_F(AsdfStationsMpi, WhatCannotBeAttachedIsRefusedByAll) {
  const Resources resources{.comm = comm};
  const auto problem_of = [&](StationOutput wanted, const std::function<void(StationWriter&)>& attach_to) {
    wanted.steps_per_phase = 5;
    StationWriter writer(resources, wanted);
    const auto error = thrown_by_all([&] {
      attach_to(writer);
      write_steps(writer, 1, 10);
    });
    return error ? error->parts().problem : "";
  };
  const bool is_last = comm.rank() == comm.size() - 1;
  EXPECT_EQ(problem_of(output("a"), [&](StationWriter& writer) { attach(writer, 0); }), "");
  EXPECT_NE(problem_of(output("a"),
                       [&](StationWriter& writer) {
                         if (is_last) writer.attach_text("Waveforms/NE.S1/StationXML", "<a/>");
                       })
                .find("no station has this code"),
            std::string::npos);
  EXPECT_NE(problem_of(output("a"),
                       [&](StationWriter& writer) {
                         if (is_last) writer.attach_text("QuakeML", "<a/>");
                         if (comm.rank() == 0) writer.attach_text("QuakeML", "<b/>");
                       })
                .find("two arrays"),
            std::string::npos);
  EXPECT_NE(problem_of(output("a"),
                       [&](StationWriter& writer) {
                         write_steps(writer, 1, 5);
                         if (is_last) writer.attach_text("QuakeML", "<a/>");
                       })
                .find("after its first output phase"),
            std::string::npos);
  const std::vector<double> values(2);
  EXPECT_NE(problem_of(output("a"),
                       [&](StationWriter& writer) {
                         if (is_last)
                           writer.attach({"AuxiliaryData/A/b", ElementType::f8, {2}}, std::as_bytes(std::span(values)));
                         if (is_last) writer.attach_attribute("AuxiliaryData/A/b", {"units", "m"});
                         if (is_last) writer.attach_attribute("AuxiliaryData/A/c", {"units", "m"});
                       })
                .find("'AuxiliaryData/A/c', which this rank has not attached"),
            std::string::npos);
  StationOutput sac = output("sac");
  sac.form = StationForm::sac;
  EXPECT_NE(problem_of(sac,
                       [&](StationWriter& writer) {
                         if (is_last) writer.attach_text("QuakeML", "<a/>");
                       })
                .find("not ASDF"),
            std::string::npos);
  StationOutput wrong = output("wrong");
  wrong.stations[3].code = "NE/S1";
  const auto error = thrown_by_all([&] { StationWriter(resources, wrong); });
  ASSERT_TRUE(error);
  EXPECT_NE(error->parts().problem.find("NE/S1"), std::string::npos) << error->parts().problem;
}

TEST_F(AsdfStationsMpi, AFaultOfAnyRankLeavesNoHdf5FileThatIsIncomplete) {
  const test::Bytes expected = written({.comm = comm}, output("first"), 0);
  for (const std::string policy : {"elected", "elected,async=2"}) {
    SCOPED_TRACE(policy);
    const test::FaultsToTry faults{
        .calls = {Fault::Call::open, Fault::Call::write, Fault::Call::sync}, .numbers = {1, 3}, .late = false};
    test::for_each_fault(comm, faults, [&](test::RankFault& fault) {
      StationOutput wanted = output("faults");
      wanted.steps_per_phase = 20;
      const Resources resources{
          .comm = comm, .open = fault.in(open_posix), .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
      const std::optional<Error> error = thrown([&] { (void)written(resources, wanted, 1); });
      const bool struck = fault.is_stated_by(error);
      comm.barrier();
      if (comm.rank() == 0 && std::filesystem::exists(wanted.folder + "/stations.h5")) {
        const test::Bytes found = test::bytes_of_file(wanted.folder + "/stations.h5");
        EXPECT_TRUE(found == expected || (struck && !is_hdf5(found)));
      } else if (comm.rank() == 0) {
        EXPECT_TRUE(struck);
      }
      comm.barrier();
      return struck;
    });
  }
}

TEST_F(AsdfStationsMpi, ASteadyPhaseCostsFourCollectivesAtMost) {
  test::CountingCommunicator counted(comm);
  StationOutput wanted = output("out");
  wanted.steps_per_phase = 10;
  const Resources resources{.comm = counted, .policy = Policy::parse("elected")};
  StationWriter writer(resources, wanted);
  attach(writer, 0);
  write_steps(writer, 1, 30);
  for (std::int64_t phase = 3; phase < 6; ++phase) {
    const std::int64_t before = counted.collectives();
    write_steps(writer, 10 * phase + 1, 10 * phase + 10);
    EXPECT_LE(counted.collectives() - before, 4);
  }
  writer.close();
}

}  // namespace
}  // namespace sill
