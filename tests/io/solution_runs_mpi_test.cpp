// Runs into one folder, one after another and at once: nothing of one is taken as of the other.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "io/solution_case.hpp"

namespace sill {
namespace {

using solution::Files;
using test::Deal;

class SolutionRunsMpi : public test::SolutionCase {};

TEST_F(SolutionRunsMpi, WhatAnEarlierRunToldOfProblemsIsRemoved) {
  for (const char* policy : {"direct", "gathered,sync=close,threads=2"}) {
    for (const Files files : {Files::each, Files::shared}) {
      SCOPED_TRACE(policy);
      const Resources resources = resources_of(policy);
      {
        SolutionWriter writer(resources, output(Deal::evenly, files));
        const std::vector<solution::Element> elements(static_cast<std::size_t>(writer.problems().count));
        writer.write_problem_files(elements, "of an earlier run\n");
        write(writer, 1);
        writer.close();
      }
      SolutionWriter writer(resources, output(Deal::first_none, files));
      write(writer, 1);
      writer.close();
      expect_files(writer.form(), {1});
    }
  }
}

TEST_F(SolutionRunsMpi, AFolderIsThatOfOneWriterAtATime) {
  for (const Files files : {Files::each, Files::shared}) {
    const Resources resources{.comm = comm, .policy = Policy::parse("elected,async=2"), .memory_bytes = 1 << 20};
    std::optional<SolutionWriter> writer(std::in_place, resources, output(Deal::evenly, files));
    const solution::Form form = writer->form();
    write(*writer, 1);
    writer->wait();
    const auto error = thrown_by_all([&] { const SolutionWriter second(resources, output(Deal::last_all, files)); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::io);
    EXPECT_NE(std::string(error->what()).find("another run is writing or joining solutions"), std::string::npos)
        << error->what();
    write(*writer, 2);
    writer->close();
    comm.barrier();
    EXPECT_FALSE(std::filesystem::exists(folder / "out/.sill-solutions.lock"));
    if (comm.rank() == 0) {
      expect_equal(files_in(folder / "out"), files_of(form, {1, 2}));
    }
    comm.barrier();
    {
      SolutionWriter next(resources, output(Deal::evenly, files));  // the first one is closed
      write(next, 3);                                               // and this one is not
    }
    comm.barrier();
    EXPECT_FALSE(std::filesystem::exists(folder / "out/.sill-solutions.lock"));
    comm.barrier();
    // As one that was killed leaves it.
    if (comm.rank() == 0) test::make_file(folder / "out/.sill-solutions.lock", {});
    comm.barrier();
    SolutionWriter last(resources, output(Deal::evenly, files));
    for (const std::int64_t step : {1, 2, 3}) write(last, step);
    last.close();
    expect_files(form, {1, 2, 3});
  }
}

// As stations do, and as copies of a run by hard links need it.
TEST_F(SolutionRunsMpi, FilesOfProblemsAreReplacedNotWrittenThrough) {
  for (const char* policy : {"direct", "elected,async=2", "gathered", "writers=2,stage=600", "collective"}) {
    SCOPED_TRACE(policy);
    const std::string other = folder / "other";
    const std::string in_folder = folder / "out/local00000";
    if (comm.rank() == 0) {
      for (int p = 2; p < 5; ++p) std::filesystem::create_directories(in_folder + std::to_string(p));
      std::ofstream(other) << "of somebody else";
      std::filesystem::create_symlink(other, in_folder + "2/solution000001.txt");
      std::filesystem::create_hard_link(other, in_folder + "3/solution000001.txt");
      std::filesystem::create_symlink(folder / "nothing", in_folder + "4/solution000001.txt");
    }
    comm.barrier();
    const Resources resources{.comm = comm,
                              .open = opener_for(Policy::parse(policy).call),
                              .policy = Policy::parse(policy),
                              .memory_bytes = 1 << 20};
    SolutionWriter writer(resources, output());
    write(writer, 1);
    writer.close();
    comm.barrier();
    if (comm.rank() == 0) {
      const test::Bytes bytes = test::bytes_of_file(other);
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "of somebody else");
      EXPECT_FALSE(std::filesystem::exists(folder / "nothing"));
      for (int p = 2; p < 5; ++p) {
        EXPECT_FALSE(std::filesystem::is_symlink(in_folder + std::to_string(p) + "/solution000001.txt"));
      }
      std::filesystem::remove(other);
    }
    expect_files(writer.form(), {1});
  }
}

}  // namespace
}  // namespace sill
