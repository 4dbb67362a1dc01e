// The Fortran module as programs in Fortran use it: the bytes of the C++ interface, and errors with their texts. Empty
// where the module is not built.
#ifdef SILL_TEST_FORTRAN
#include <gtest/gtest.h>

#include "bindings/bindings_case.hpp"
#include "bindings/c_calls.h"

extern "C" {
int f_write_stations(int comm, int ranks, const char* policy, const char* folder, int form);
int f_write_records(int comm, int rank, int ranks, const char* path);
int f_write_surfaces(int comm, const char* policy, const char* prefix, const std::int64_t* boxes, int order, int step,
                     const float* const* velocity, const float* const* displacement);
int f_write_volumes(int comm, int rank, int ranks, const char* prefix);
int f_write_dataset(int comm, int rank, int ranks, const char* policy, const char* path);
int f_write_layout(int comm, const char* path, const char* layout, std::int64_t first, std::int64_t count,
                   std::int64_t whole, const double* values);
int f_restart(int comm, const char* path, std::int64_t first, std::int64_t count, std::int64_t whole, double* state,
              double* step);
int f_write_solutions(int comm, int rank, const char* folder);
int f_copy_survey(int comm, int rank, int ranks, const char* from, const char* to_samples, const char* to_bytes);
int f_write_asdf(int comm, int rank, int ranks, const char* folder);
int f_streams(int comm, const char* from, const char* by_stream, const char* by_flow);
int f_write_list(int comm, int rank, int ranks, const char* from, const char* to_samples, const char* to_bytes);
int f_errors(int comm, const char* folder);
int f_first_point(int comm, const char* prefix);
int f_wrong_sizes(int comm, const char* prefix);
int f_counting(int comm, const char* prefix);
int f_second_open(int comm, const char* prefix);
}

namespace sill {
namespace {

class FortranModule : public test::BindingsCase {
 protected:
  const int world = MPI_Comm_c2f(MPI_COMM_WORLD);
};

TEST_F(FortranModule, StationsAreThoseOfCpp) {
  for (const StationForm form : station_forms) {
    expect_stations(form, [&](const std::string& to) {
      return f_write_stations(world, comm.size(), "elected", to.c_str(), static_cast<int>(form));
    });
  }
}

TEST_F(FortranModule, AsdfFilesAreThoseOfCpp) {
  if (hdf5::build_version().empty()) GTEST_SKIP() << "built without HDF5";
  expect_asdf([&](const std::string& to) { return f_write_asdf(world, comm.rank(), comm.size(), to.c_str()); });
}

TEST_F(FortranModule, RecordsAreThoseOfCpp) {
  expect_records(
      [&](const std::string& path) { return f_write_records(world, comm.rank(), comm.size(), path.c_str()); });
}

TEST_F(FortranModule, SurfacesAreThosePutDownPointByPoint) {
  std::int64_t step = 0;
  for (const Index& parts : process_grids()) {
    for (const int order : {SILL_Z_FASTEST, SILL_X_FASTEST}) {
      for (int odd_then_even = 0; odd_then_even < 2; ++odd_then_even) {  // without displacement, with it
        expect_surfaces(parts, order, ++step, [&](const Surfaces& all) {
          const std::array<const float*, 3> none{};
          return f_write_surfaces(world, "staged", all.prefix.c_str(), all.boxes.data(), order,
                                  static_cast<int>(all.step), all.velocity.data(),
                                  all.has_displacement ? all.displacement.data() : none.data());
        });
      }
    }
  }
}

TEST_F(FortranModule, VolumesAreThoseOfCpp) {
  expect_volumes(PointOrder::x_fastest, [&](const std::string& prefix) {
    return f_write_volumes(world, comm.rank(), comm.size(), prefix.c_str());
  });
}

TEST_F(FortranModule, TheFirstPointAndStepZeroAreWhatTheySay) {
  EXPECT_EQ(f_first_point(MPI_Comm_c2f(MPI_COMM_SELF), (folder / std::to_string(comm.rank())).c_str()), 0)
      << sill_last_error();
  comm.barrier();
  remove_files();
}

TEST_F(FortranModule, DatasetsAreThoseOfCpp) {
  expect_dataset([&](const std::string& path) {
    return f_write_dataset(world, comm.rank(), comm.size(), "staged", path.c_str());
  });
}

TEST_F(FortranModule, LayoutsAreThoseOfTheOptionsOfCpp) {
  expect_layouts([&](const std::string& path, const char* layout, const ItemRange& mine, std::int64_t whole,
                     const double* values) {
    return f_write_layout(world, path.c_str(), layout, mine.first + 1, mine.count, whole, values);
  });
}

TEST_F(FortranModule, RunsGoOnFromCheckpoints) {
  expect_restarts([&](const std::string& path, const ItemRange& mine, std::int64_t whole, double* state, double* step) {
    return f_restart(world, path.c_str(), mine.first + 1, mine.count, whole, state, step);
  });
}

TEST_F(FortranModule, SolutionsAreThoseOfCpp) {
  expect_solutions(solution::Files::each,
                   [&](const std::string& to) { return f_write_solutions(world, comm.rank(), to.c_str()); });
}

TEST_F(FortranModule, SurveysAreCopiedByBytesAndBySamples) {
  for (const segy::FileForm& form : survey_forms()) {
    const std::string from = made_survey(form);
    EXPECT_EQ(f_copy_survey(world, comm.rank(), comm.size(), from.c_str(), (folder / "samples").c_str(),
                            (folder / "bytes").c_str()),
              SILL_OK)
        << sill_last_error();
    expect_same_files({from, folder / "bytes", folder / "samples"});
  }
}

TEST_F(FortranModule, StreamsAndFlowsAreThoseOfC) {
  const std::string from =
      made_survey({.samples = 600, .interval_us = 2000.0, .traces = 401, .text = {"C 1 MADE BY A TEST"}});
  EXPECT_EQ(f_streams(world, from.c_str(), (folder / "stream").c_str(), (folder / "flow").c_str()), 0)
      << sill_last_error();
  ASSERT_EQ(c_scale_survey(MPI_COMM_WORLD, from.c_str(), (folder / "c").c_str(), 2.0F), SILL_OK) << sill_last_error();
  expect_same_files({folder / "c", folder / "stream", folder / "flow"});
}

TEST_F(FortranModule, TracesAreWrittenByLists) {
  const std::string from = made_survey(survey_forms().front());
  EXPECT_EQ(f_write_list(world, comm.rank(), comm.size(), from.c_str(), (folder / "samples").c_str(),
                         (folder / "bytes").c_str()),
            SILL_OK)
      << sill_last_error();
  expect_same_files({from, folder / "samples", folder / "bytes"});
}

TEST_F(FortranModule, ErrorsCountFromOne) {
  EXPECT_EQ(f_counting(MPI_Comm_c2f(MPI_COMM_SELF), (folder / std::to_string(comm.rank())).c_str()), 0)
      << sill_last_error();
}

TEST_F(FortranModule, AVariableThatIsOpenIsNotOpenedAgain) {
  EXPECT_EQ(f_second_open(MPI_Comm_c2f(MPI_COMM_SELF), (folder / std::to_string(comm.rank())).c_str()), 0)
      << sill_last_error();
}

TEST_F(FortranModule, ErrorsComeAsStatusAndText) {
  EXPECT_EQ(f_errors(world, (folder / "s").c_str()), 0) << sill_last_error();
  EXPECT_EQ(f_wrong_sizes(MPI_Comm_c2f(MPI_COMM_SELF), (folder / std::to_string(comm.rank())).c_str()), 0)
      << sill_last_error();
}

}  // namespace
}  // namespace sill
#endif
