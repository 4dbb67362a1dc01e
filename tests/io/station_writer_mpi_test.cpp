// Station files by several ranks: the bytes of printf for every policy, owner and length of phase; errors on all ranks.
#include "sill/io/simulation/station_writer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>  // before RapidCheck's header for it
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/counting_communicator.hpp"
#include "move/any_policy.hpp"
#include "sill/base/byte_order.hpp"
#include "sill/formats/station/sac_file.hpp"
#include "sill/store/meter_store.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/mpi_calls.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::everywhere;
using test::same_everywhere;
using test::thrown;
using test::world;
using Owned = StationWriter::Owned;

double value_of(std::int64_t station, int component, std::int64_t step) {
  return std::pow(-1.5, static_cast<double>(7 * station + 3 * component - step));
}

// Who has component c of station s: in turn, so that a record has values of all ranks; or rank 0 has nothing.
enum class Owners { one_by_one, not_rank_0, last_rank };

StationOutput output_of(const std::string& folder, int stations, int components, Owners owners, int ranks) {
  StationOutput output{.folder = folder, .components = components, .interval_s = 0.25, .final_steps = 120};
  for (int s = 0; s < stations; ++s) {
    output.stations.push_back({.number = 10 * s - 1, .position_m = {1000.5 * s, -0.125, 1e7 / 3}});
    for (int c = 0; c < components; ++c) {
      const int turn = (s + c / 2 + c * s) % ranks;
      output.owners.push_back(owners == Owners::one_by_one   ? turn
                              : owners == Owners::not_rank_0 ? std::max(turn, ranks - 1 > 0 ? 1 : 0)
                                                             : ranks - 1);
    }
  }
  return output;
}

std::string header_text(const StationOutput& output, std::size_t s, std::int64_t steps) {
  const station::Station& station = output.stations[s];
  const int width =
      output.count == station::StepCount::grows ? 1 : static_cast<int>(std::to_string(output.final_steps).size());
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "%d %f %f %f\n%*d %f\n", station.number, station.position_m[0],
                station.position_m[1], station.position_m[2], width, static_cast<int>(steps), output.interval_s);
  return text.data();
}

// What is in the file of station s after `steps` steps, of which the first phase wrote `first`.
std::string expected(const StationOutput& output, std::size_t s, std::int64_t steps, std::int64_t first) {
  std::string text = header_text(output, s, first);
  for (std::int64_t step = 1; step <= steps; ++step) {
    for (int c = 0; c < output.components; ++c) {
      std::array<char, 32> value{};
      std::snprintf(value.data(), value.size(), "%15e%c", value_of(static_cast<std::int64_t>(s), c, step),
                    c + 1 == output.components ? '\n' : ' ');
      text += value.data();
    }
  }
  const std::string header = header_text(output, s, steps);
  return text.replace(0, header.size(), header);
}

std::string text_of(const StationOutput& output, std::size_t s) {
  const test::Bytes bytes =
      test::bytes_of_file(output.folder + "/" + station::file_name(static_cast<std::int64_t>(s + 1)));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<double> values_of(const StationWriter& writer, std::int64_t step) {
  std::vector<double> values;
  for (const Owned& each : writer.owned()) values.push_back(value_of(each.station, each.component, step));
  return values;
}

void write_steps(StationWriter& writer, std::int64_t from, std::int64_t to) {
  for (std::int64_t step = from; step <= to; ++step) writer.write_step(values_of(writer, step));
}

class StationWriterMpi : public testing::Test {
 protected:
  Communicator& comm = world();
  test::SharedFolder folder{comm, test::in_memory()};

  [[nodiscard]] StationOutput output(int stations, int components, Owners owners = Owners::one_by_one) const {
    return output_of(folder / "out", stations, components, owners, comm.size());
  }
  // Collective. Whether all refuse an output that `change` makes wrong.
  [[nodiscard]] bool is_refused(const std::function<void(StationOutput&)>& change) {
    const Resources resources{.comm = comm};
    StationOutput wrong = output(2, 9);
    change(wrong);
    const auto error = thrown_by_all([&] { StationWriter(resources, wrong); });
    return error && error->code() == ErrorCode::usage;
  }
  // Collective. Whether rank 0 finds all files as they should be.
  [[nodiscard]] bool are_written(const StationOutput& output, std::int64_t steps, std::int64_t first) {
    comm.barrier();
    return everywhere(comm, [&] {
      if (comm.rank() != 0) return true;
      for (std::size_t s = 0; s < output.stations.size(); ++s) {
        const std::string found = text_of(output, s);
        EXPECT_EQ(found, expected(output, s, steps, first)) << "station " << s;
        if (found != expected(output, s, steps, first)) return false;
      }
      return true;
    });
  }
  // Collective. What all ranks throw, after making sure that it is the same.
  std::optional<Error> thrown_by_all(const std::function<void()>& work) {
    std::optional<Error> error = thrown(work);
    EXPECT_TRUE(same_everywhere(comm, error ? error->what() : ""));
    EXPECT_TRUE(!error || error->agreed());
    return error;
  }
};

TEST_F(StationWriterMpi, BytesAreThoseOfPrintfForEveryPolicy) {
  for (const std::string policy :
       {"direct", "staged", "gathered", "elected", "aggregated", "independent", "collective", "writers=first,stage=600",
        "elected,async=2", "staged,async=3,sync=phase", "writers=3,stage=512,align=100"}) {
    for (const std::int64_t every : {1, 4, 10, 23, 200}) {
      for (const auto count : {station::StepCount::reserved, station::StepCount::grows}) {
        SCOPED_TRACE(policy + ", every " + std::to_string(every));
        StationOutput wanted = output(4, 9);
        wanted.steps_per_phase = every;
        wanted.count = count;
        const Resources resources{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 100'000};
        StationWriter writer(resources, wanted);
        write_steps(writer, 1, 23);
        writer.close();
        EXPECT_EQ(writer.steps(), 23);
        EXPECT_EQ(writer.phases(), (23 + every - 1) / every);
        ASSERT_TRUE(are_written(wanted, 23, std::min<std::int64_t>(every, 23)));
      }
    }
  }
}

TEST_F(StationWriterMpi, BytesAreThoseOfPrintfForAnyPolicyOwnersAndPhases) {
  EXPECT_TRUE(rc::check([&] {
    Policy policy = test::any_policy();
    policy.threads = std::min(policy.threads, 2);
    if (policy.call == Policy::Call::mpiio_collective) policy = Policy::parse("elected");  // creates files too slowly
    const auto owners = *rc::gen::element(Owners::one_by_one, Owners::not_rank_0, Owners::last_rank);
    StationOutput wanted = output(*rc::gen::inRange(0, 5), *rc::gen::inRange(1, 11), owners);
    wanted.count = *rc::gen::element(station::StepCount::reserved, station::StepCount::grows);
    const auto phases = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 30));
    const Resources resources{.comm = comm, .policy = policy, .memory_bytes = 1 << 20};
    std::int64_t steps = 0;
    std::int64_t first = 0;
    const std::optional<Error> error = thrown([&] {
      StationWriter writer(resources, wanted);
      for (const int phase : phases) {
        const std::int64_t until = std::min<std::int64_t>(steps + phase, wanted.final_steps);
        for (std::int64_t step = steps + 1; step <= until; ++step) writer.record(values_of(writer, step));
        writer.flush();
        if (first == 0) first = until;
        steps = until;
      }
      writer.close();
    });
    RC_ASSERT(everywhere(comm, [&] { return !error; }));
    RC_ASSERT(steps == 0 || are_written(wanted, steps, first));
  }));
}

TEST_F(StationWriterMpi, SacFilesAreOfComponentsForAnyPolicyOwnersAndPhases) {
  for (const std::string policy : {"direct", "staged", "elected,async=2", "collective", "writers=3,stage=512"}) {
    for (const Owners owners : {Owners::one_by_one, Owners::not_rank_0, Owners::last_rank}) {
      SCOPED_TRACE(policy);
      StationOutput wanted = output(3, 2, owners);
      wanted.form = StationForm::sac;
      wanted.component_names = {"north", "up"};
      wanted.steps_per_phase = 7;
      const Resources resources{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 100'000};
      StationWriter writer(resources, wanted);
      write_steps(writer, 1, 23);
      writer.close();
      EXPECT_EQ(writer.file_bytes(), 3 * 2 * (632 + 23 * 4));
      comm.barrier();
      for (std::size_t s = 0; comm.rank() == 0 && s < 3; ++s)
        for (int c = 0; c < 2; ++c) {
          const std::string name = wanted.component_names[static_cast<std::size_t>(c)];
          const test::Bytes bytes = test::bytes_of_file(fmt::format("{}/obs{}.{}.sac", wanted.folder, s + 1, name));
          ASSERT_EQ(bytes.size(), 632U + 23U * 4U);
          const station::SacFile file(wanted.stations[s], name, wanted.interval_s, wanted.final_steps);
          EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), 632), file.header(23));
          for (std::size_t step = 0; step < 23; ++step)
            EXPECT_EQ(
                load<float>(bytes.data() + 632 + 4 * step, ByteOrder::little),
                static_cast<float>(value_of(static_cast<std::int64_t>(s), c, static_cast<std::int64_t>(step) + 1)));
        }
      comm.barrier();
    }
  }
}

TEST_F(StationWriterMpi, WhatSacFilesCannotHoldIsRefusedByAll) {
  const auto sac = [](StationOutput& output) { output.form = StationForm::sac; };
  EXPECT_FALSE(is_refused(sac));
  EXPECT_TRUE(is_refused([&](StationOutput& output) { sac(output), output.interval_s = 0.0; }));
  EXPECT_TRUE(is_refused([&](StationOutput& output) { sac(output), output.final_steps = std::int64_t{1} << 31U; }));
  EXPECT_TRUE(is_refused([&](StationOutput& output) { sac(output), output.component_names = {"x", "y"}; }));
  EXPECT_TRUE(is_refused([&](StationOutput& output) {
    sac(output);
    output.component_names = {"1", "2", "3", "4", "5", "6", "7", "8", "8"};
  }));
  EXPECT_TRUE(is_refused([&](StationOutput& output) {
    sac(output);
    output.component_names = {"1", "2", "3", "4", "5", "6", "7", "8", "nine char"};
  }));
  EXPECT_TRUE(is_refused([&](StationOutput& output) {
    sac(output);
    output.component_names = {"1", "2", "3", "4", "5", "6", "7", "8", "a/b"};
  }));
  EXPECT_TRUE(is_refused([&](StationOutput& output) { sac(output), output.stations[0].number = 123'456'789; }));
  StationOutput wanted = output(2, 9);
  sac(wanted);
  const Resources resources{.comm = comm};
  StationWriter writer(resources, wanted);
  std::vector<double> values(writer.owned().size(), 1.0);
  if (!values.empty()) values.back() = -1e39;
  const auto error = thrown_by_all([&] { writer.write_step(values); });
  ASSERT_TRUE(error);
  EXPECT_NE(error->parts().problem.find("range of floats"), std::string::npos) << error->parts().problem;
}

// What a file of all channels holds at a byte: where its format says.
TEST_F(StationWriterMpi, OneFileOfAllChannelsForAnyPolicyOwnersAndPhases) {
  EXPECT_TRUE(rc::check([&] {
    Policy policy = test::any_policy();
    policy.threads = std::min(policy.threads, 2);
    if (policy.call == Policy::Call::mpiio_collective) policy = Policy::parse("elected");  // creates files too slowly
    StationOutput wanted = output(*rc::gen::inRange(1, 5), *rc::gen::inRange(1, 4),
                                  *rc::gen::element(Owners::one_by_one, Owners::not_rank_0, Owners::last_rank));
    wanted.form = *rc::gen::element(StationForm::segy, StationForm::su, StationForm::miniseed);
    wanted.final_steps = 2500;
    wanted.interval_s = 0.008;
    wanted.shot = 7;
    wanted.source_m = {{-50.25, 3.5, 100.0}};
    const auto phases = *rc::gen::container<std::vector<int>>(5, rc::gen::inRange(0, 700));
    const Resources resources{.comm = comm, .policy = policy, .memory_bytes = 1 << 20};
    std::int64_t steps = 0;
    StationWriter writer(resources, wanted);
    for (const int phase : phases) {
      const std::int64_t until = std::min<std::int64_t>(steps + phase, wanted.final_steps);
      for (std::int64_t step = steps + 1; step <= until; ++step) writer.record(values_of(writer, step));
      writer.flush();
      steps = until;
    }
    writer.close();
    const bool is_seed = wanted.form == StationForm::miniseed;
    const char* const name = is_seed                          ? "/stations.mseed"
                             : wanted.form == StationForm::su ? "/stations.su"
                                                              : "/stations.sgy";
    if (steps == 0) return;
    comm.barrier();
    const auto is_right = [&] {
      if (comm.rank() != 0) return true;
      const test::Bytes bytes = test::bytes_of_file(wanted.folder + name);
      const std::size_t channels = wanted.owners.size();
      const std::size_t block = is_seed ? 992 : 2500;
      const std::size_t record = is_seed ? 4096 : 240 + 4 * 2500;
      const std::size_t begin = wanted.form == StationForm::segy ? 3600 : 0;
      const std::size_t blocks = (static_cast<std::size_t>(steps) + block - 1) / block;
      bool same = bytes.size() == begin + blocks * channels * record;
      const auto order = wanted.form == StationForm::su ? ByteOrder::little : ByteOrder::big;
      for (std::size_t step = 0; same && step < blocks * block; ++step) {
        for (std::size_t c = 0; c < channels; ++c) {
          const std::size_t at = begin + (step / block * channels + c) * record + (is_seed ? 128 : 240);
          const auto components = static_cast<std::size_t>(wanted.components);
          const float expected =
              static_cast<std::int64_t>(step) >= steps
                  ? 0.0F
                  : static_cast<float>(value_of(static_cast<std::int64_t>(c / components),
                                                static_cast<int>(c % components), static_cast<std::int64_t>(step) + 1));
          same = same && load<float>(bytes.data() + at + 4 * (step % block), order) == expected;
          if (!is_seed) same = same && load<std::int32_t>(bytes.data() + at - 240 + 8, order) == 7;
          if (!is_seed)
            same = same && load<std::int32_t>(bytes.data() + at - 240 + 72, order) == -5025;  // in centimetres, for z
        }
      }
      return same;
    };
    RC_ASSERT(everywhere(comm, is_right));
  }));
}

TEST_F(StationWriterMpi, WhatAFileOfAllChannelsCannotHoldIsRefusedByAll) {
  const auto is_refused_in = [&](StationForm form, const std::function<void(StationOutput&)>& change) {
    return is_refused([&](StationOutput& output) {
      output.form = form;
      change(output);
    });
  };
  EXPECT_FALSE(is_refused_in(StationForm::segy, [](StationOutput&) {}));
  EXPECT_FALSE(is_refused_in(StationForm::miniseed, [](StationOutput&) {}));
  EXPECT_FALSE(is_refused_in(StationForm::segy, [](StationOutput& output) { output.final_steps = 70'000; }));
  EXPECT_TRUE(is_refused_in(StationForm::su, [](StationOutput& output) { output.final_steps = 70'000; }));
  EXPECT_TRUE(is_refused_in(StationForm::su, [](StationOutput& output) { output.interval_s = 1.5e-6; }));
  EXPECT_TRUE(is_refused_in(StationForm::segy, [](StationOutput& output) { output.interval_s = 0.0; }));
  EXPECT_TRUE(is_refused_in(StationForm::segy, [](StationOutput& output) { output.stations[1].position_m[0] = 3e9; }));
  EXPECT_TRUE(is_refused_in(StationForm::segy, [](StationOutput& output) { output.source_m = {{NAN, 0, 0}}; }));
  EXPECT_TRUE(is_refused_in(StationForm::miniseed, [](StationOutput& output) { output.stations[0].number = 123'456; }));
  EXPECT_TRUE(is_refused_in(StationForm::miniseed, [](StationOutput& output) { output.interval_s = 1e-9; }));
  EXPECT_TRUE(is_refused_in(StationForm::miniseed, [](StationOutput& output) {
    output.component_names = {"a", "b", "c", "d", "e", "f", "g", "h", "four"};
  }));
  EXPECT_TRUE(is_refused([](StationOutput& output) { output = {.folder = output.folder, .form = StationForm::segy}; }));
}

TEST_F(StationWriterMpi, NeighbouringComponentsOfARankAreInTheOrderOfStationsAndComponents) {
  const StationOutput wanted = output(3, 5);
  const Resources resources{.comm = comm};
  const StationWriter writer(resources, wanted);
  std::vector<Owned> mine;
  for (int s = 0; s < 3; ++s) {
    for (int c = 0; c < 5; ++c) {
      if (wanted.owners[static_cast<std::size_t>(5 * s + c)] == comm.rank()) mine.push_back({s, c});
    }
  }
  EXPECT_EQ(std::vector<Owned>(writer.owned().begin(), writer.owned().end()), mine);
}

TEST_F(StationWriterMpi, FilesStayOpenAndAPhaseIsTwoRequestsAFile) {
  Meter meter;
  const Resources resources{
      .comm = comm, .open = metered(open_posix, meter), .policy = Policy::parse("elected"), .memory_bytes = 1 << 20};
  StationOutput wanted = output(6, 9);
  wanted.steps_per_phase = 5;
  StationWriter writer(resources, wanted);
  write_steps(writer, 1, 20);
  writer.close();
  EXPECT_EQ(all_reduce(comm, meter.opens, Reduction::sum), 6);
  EXPECT_EQ(all_reduce(comm, meter.write_requests, Reduction::sum),
            6 * (1 + 2 * 3));  // at first, header and records are one piece
  EXPECT_EQ(all_reduce(comm, meter.read_requests, Reduction::sum), 0);
}

TEST_F(StationWriterMpi, ASteadyPhaseCostsFourCollectivesAtMost) {
  for (const char* policy : {"direct", "staged", "gathered", "aggregated", "elected", "elected,async=2"}) {
    SCOPED_TRACE(policy);
    test::CountingCommunicator counted(comm);
    const Resources resources{.comm = counted, .policy = Policy::parse(policy)};
    StationOutput wanted = output_of(folder / std::string(policy), 7, 3, Owners::one_by_one, comm.size());
    wanted.steps_per_phase = 4;
    StationWriter writer(resources, wanted);
    write_steps(writer, 1, 12);
    for (std::int64_t phase = 3; phase < 8; ++phase) {
      const std::int64_t before = counted.collectives();
      const std::int64_t calls_before = test::collective_calls();
      write_steps(writer, 4 * phase + 1, 4 * phase + 4);
      EXPECT_LE(counted.collectives() - before, 4);
      EXPECT_LE(test::collective_calls() - calls_before, 4);
    }
    writer.close();
    EXPECT_TRUE(are_written(wanted, 32, 4));
  }
}

TEST_F(StationWriterMpi, FilesAreWholeBetweenPhasesAndThoseOfAnEarlierRunAreGone) {
  StationOutput wanted = output(2, 3);
  wanted.steps_per_phase = 10;
  const Resources resources{.comm = comm, .policy = Policy::parse("elected")};
  {
    StationWriter longer(resources, wanted);
    write_steps(longer, 1, 100);
    longer.close();
    EXPECT_EQ(longer.file_bytes(),
              static_cast<std::int64_t>(expected(wanted, 0, 100, 10).size() + expected(wanted, 1, 100, 10).size()));
  }
  StationWriter writer(resources, wanted);
  write_steps(writer, 1, 19);
  EXPECT_TRUE(are_written(wanted, 10, 10));  // nine more are kept
  write_steps(writer, 20, 20);
  EXPECT_TRUE(are_written(wanted, 20, 10));
  writer.close();
  EXPECT_TRUE(are_written(wanted, 20, 10));
}

// An earlier run of 37 steps is gone on with after its 25th, by other ranks, in phases of another length.
TEST_F(StationWriterMpi, ARunGoesOnAfterAStepAndTheFilesAreThoseOfOneRun) {
  for (const char* policy : {"direct", "staged", "elected,async=2", "collective"}) {
    for (const auto form :
         {StationForm::text, StationForm::sac, StationForm::segy, StationForm::su, StationForm::miniseed}) {
      for (const auto count : {station::StepCount::reserved, station::StepCount::grows}) {
        SCOPED_TRACE(std::string(policy) + ", form " + std::to_string(static_cast<int>(form)));
        const Resources resources{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 100'000};
        const auto in = [&](const char* name, Owners owners) {
          StationOutput output = output_of(folder / name, 4, 3, owners, comm.size());
          output.form = form;
          output.count = count;
          output.steps_per_phase = 8;
          output.interval_s = 0.008;  // which all forms can state
          return output;
        };
        const StationOutput of_one_run = in("one", Owners::one_by_one);
        StationWriter one(resources, of_one_run);
        write_steps(one, 1, 110);
        one.close();
        StationWriter earlier(resources, in("two", Owners::one_by_one));
        write_steps(earlier, 1, 107);
        earlier.close();
        StationOutput later = in("two", Owners::last_rank);
        later.continues_after = 25;
        later.steps_per_phase = 11;
        StationWriter two(resources, later);
        EXPECT_EQ(two.steps(), 25);
        write_steps(two, 26, 110);
        two.close();
        comm.barrier();
        if (comm.rank() != 0) continue;
        for (const auto& entry : std::filesystem::directory_iterator(of_one_run.folder)) {
          if (entry.path().extension() == ".lock") continue;
          EXPECT_EQ(test::bytes_of_file(entry.path()),
                    test::bytes_of_file(later.folder + "/" + entry.path().filename().string()))
              << entry.path();
        }
      }
    }
  }
}

TEST_F(StationWriterMpi, ARunThatCannotGoOnChangesNothing) {
  const Resources resources{.comm = comm, .policy = Policy::parse("elected"), .memory_bytes = 100'000};
  const StationOutput of_run = output(4, 3);
  StationWriter writer(resources, of_run);
  write_steps(writer, 1, 20);
  writer.close();
  const auto refused = [&](std::int64_t after, const std::function<void(StationOutput&)>& change) {
    StationOutput output = of_run;
    output.continues_after = after;
    change(output);
    const auto error = thrown_by_all([&] { StationWriter(resources, output); });
    EXPECT_TRUE(are_written(of_run, 20, 1));
    return error ? std::optional(error->code()) : std::nullopt;
  };
  EXPECT_EQ(refused(21, [](StationOutput&) {}), ErrorCode::input);
  EXPECT_EQ(refused(10, [](StationOutput& output) { output.interval_s = 0.5; }), ErrorCode::input);
  EXPECT_EQ(refused(10, [](StationOutput& output) { output.stations[3].position_m[2] = 1.0; }), ErrorCode::input);
  EXPECT_EQ(refused(10, [](StationOutput& output) { output.final_steps = 1000; }), ErrorCode::input);
  EXPECT_EQ(refused(121, [](StationOutput&) {}), ErrorCode::usage);
  EXPECT_EQ(refused(-1, [](StationOutput&) {}), ErrorCode::usage);
  EXPECT_EQ(refused(10, [&](StationOutput& output) { output.folder = folder / "none"; }), ErrorCode::io);
}

TEST_F(StationWriterMpi, AFolderIsThatOfOneRunAtATime) {
  for (const char* policy : {"elected,async=2", "collective"}) {
    SCOPED_TRACE(policy);
    const StationOutput wanted = output(3, 4);
    const std::string lock = wanted.folder + "/.sill-stations.lock";
    const Resources resources{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
    std::optional<StationWriter> writer(std::in_place, resources, wanted);
    write_steps(*writer, 1, 5);
    const auto error = thrown_by_all([&] { const StationWriter second(resources, output(2, 4)); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::io);
    EXPECT_NE(std::string(error->what()).find("another run is writing stations"), std::string::npos) << error->what();
    write_steps(*writer, 6, 10);
    writer->close();
    EXPECT_TRUE(are_written(wanted, 10, 1));
    EXPECT_FALSE(std::filesystem::exists(lock));
    comm.barrier();
    // The first one is closed, and the next is not; after that the file is as a run that was killed leaves it.
    writer.emplace(resources, output(2, 4));
    write_steps(*writer, 1, 1);
    writer.reset();
    comm.barrier();
    EXPECT_FALSE(std::filesystem::exists(lock));
    comm.barrier();
    if (comm.rank() == 0) test::make_file(lock, {});
    comm.barrier();
    writer.emplace(resources, wanted);
    write_steps(*writer, 1, 2);
    writer->close();
    EXPECT_TRUE(are_written(wanted, 2, 1));
  }
}

TEST_F(StationWriterMpi, AsManyStepsAPhaseAsNoMemoryHoldsAreRefused) {
  const Resources resources{.comm = comm};
  StationOutput wanted = output(64, 4);  // 256 components: on one rank 2^64 values
  wanted.final_steps = std::int64_t{1} << 56U;
  wanted.steps_per_phase = wanted.final_steps;
  const auto error = thrown_by_all([&] { const StationWriter writer(resources, wanted); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_NE(std::string(error->what()).find("memory"), std::string::npos) << error->what();
}

TEST_F(StationWriterMpi, WrongOutputsAreRefusedByAll) {
  const auto refused = [&](const std::function<void(StationOutput&)>& change) { return is_refused(change); };
  EXPECT_FALSE(refused([](StationOutput&) {}));
  EXPECT_TRUE(refused([](StationOutput& wrong) { wrong.owners.pop_back(); }));
  EXPECT_TRUE(refused([&](StationOutput& wrong) { wrong.owners[4] = comm.size(); }));
  EXPECT_TRUE(refused([](StationOutput& wrong) { wrong.owners[4] = -1; }));
  EXPECT_TRUE(refused([](StationOutput& wrong) { wrong.components = 0; }));
  EXPECT_TRUE(refused([](StationOutput& wrong) { wrong.interval_s = std::nan(""); }));
  EXPECT_TRUE(refused([](StationOutput& wrong) { wrong.steps_per_phase = 0; }));
  EXPECT_TRUE(refused([](StationOutput& wrong) { wrong.final_steps = 0; }));
  EXPECT_TRUE(refused([](StationOutput& wrong) { wrong.folder.clear(); }));
}

SILL_TEST_MIN_RANKS(StationWriterMpi, OutputsThatDifferBetweenRanksAreRefusedByAll, 2);
TEST_F(StationWriterMpi, OutputsThatDifferBetweenRanksAreRefusedByAll) {
  const int last = comm.size() - 1;
  EXPECT_TRUE(is_refused([&](StationOutput& wrong) { wrong.owners[4] = comm.rank() == last ? 0 : 1; }));
  EXPECT_TRUE(
      is_refused([&](StationOutput& wrong) { wrong.stations[1].position_m[2] += comm.rank() == last ? 1 : 0; }));
}

TEST_F(StationWriterMpi, WhatARankRecordsWronglyIsToldToAllByTheNextPhase) {
  StationOutput wanted = output(2, 9);
  wanted.steps_per_phase = 5;
  wanted.final_steps = 12;
  const Resources resources{.comm = comm, .policy = Policy::parse("elected")};
  const bool is_last = comm.rank() == comm.size() - 1;
  {
    StationWriter writer(resources, wanted);
    write_steps(writer, 1, 5);
    const auto error = thrown_by_all([&] {
      for (std::int64_t step = 6; step <= 10; ++step) {
        std::vector<double> values = values_of(writer, step);
        if (is_last && step == 7) values.push_back(0);
        writer.write_step(values);
      }
    });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_EQ(error->parts().rank, comm.size() - 1);
    const auto again = thrown_by_all([&] { writer.close(); });
    ASSERT_TRUE(again);
    EXPECT_STREQ(again->what(), error->what());
    EXPECT_TRUE(are_written(wanted, 5, 5));
  }
  {
    StationWriter writer(resources, wanted);
    write_steps(writer, 1, 12);
    EXPECT_TRUE(thrown_by_all([&] {
      writer.record(values_of(writer, 13));
      writer.close();
    }));
    EXPECT_TRUE(are_written(wanted, 10, 5));
  }
}

SILL_TEST_MIN_RANKS(StationWriterMpi, RanksThatRecordDifferentNumbersOfStepsAreRefused, 2);
TEST_F(StationWriterMpi, RanksThatRecordDifferentNumbersOfStepsAreRefused) {
  StationOutput wanted = output(2, 9);
  wanted.steps_per_phase = 5;
  wanted.final_steps = 12;
  const Resources resources{.comm = comm, .policy = Policy::parse("elected")};
  const bool is_last = comm.rank() == comm.size() - 1;
  StationWriter writer(resources, wanted);
  write_steps(writer, 1, 5);
  writer.record(values_of(writer, 6));
  if (is_last) writer.record(values_of(writer, 7));
  const auto error = thrown_by_all([&] { writer.flush(); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_TRUE(are_written(wanted, 5, 5));
}

TEST_F(StationWriterMpi, AFaultOfAnyRankIsToldByAllAndHeadersTellNoMoreThanIsThere) {
  for (const std::string policy : {"elected", "direct", "gathered", "elected,async=2", "staged,sync=phase"}) {
    SCOPED_TRACE(policy);
    const test::FaultsToTry faults{
        .calls = {Fault::Call::open, Fault::Call::write, Fault::Call::sync, Fault::Call::close},
        .numbers = {1, 2, 3, 5}};
    test::for_each_fault(comm, faults, [&](test::RankFault& fault) {
      StationOutput wanted = output(3, 4);
      wanted.steps_per_phase = 9;  // so that the count gains a digit
      wanted.count = station::StepCount::grows;
      const Resources resources{
          .comm = comm, .open = fault.in(open_posix), .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
      std::int64_t begun = 0;
      const std::optional<Error> error = thrown([&] {
        StationWriter writer(resources, wanted);
        for (std::int64_t step = 1; step <= 36; ++step) {
          begun = (step + 8) / 9;
          writer.write_step(values_of(writer, step));
        }
        writer.close();
      });
      const bool struck = fault.is_stated_by(error);
      comm.barrier();
      if (comm.rank() == 0) {
        for (std::size_t s = 0; s < 3; ++s) {
          if (!std::filesystem::exists(wanted.folder + "/" + station::file_name(static_cast<std::int64_t>(s + 1)))) {
            EXPECT_TRUE(struck);
            continue;
          }
          // A number of whole phases, no more than were begun, and their records.
          const std::string found = text_of(wanted, s);
          if (found.empty()) {
            EXPECT_TRUE(struck);
            continue;
          }
          std::int64_t stated = -1;
          for (std::int64_t phase = 0; phase <= begun; ++phase) {
            if (found.starts_with(header_text(wanted, s, 9 * phase))) stated = 9 * phase;
          }
          EXPECT_GE(stated, 0) << found.substr(0, 60);
          EXPECT_TRUE(struck || stated == 36);
          const std::string whole = stated == 0 ? header_text(wanted, s, 0) : expected(wanted, s, stated, 9);
          EXPECT_EQ(found.substr(0, whole.size()), whole) << "station " << s;
        }
      }
      comm.barrier();
      return struck;
    });
  }
}

TEST_F(StationWriterMpi, AFolderThatCannotBeIsToldByAll) {
  folder.put("file", test::Bytes(3));
  const Resources resources{.comm = comm};
  StationOutput wanted = output(2, 9);
  wanted.folder = folder / "file/folder";
  const auto error = thrown_by_all([&] { StationWriter(resources, wanted); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_EQ(error->parts().where.file, wanted.folder);
}

}  // namespace
}  // namespace sill
