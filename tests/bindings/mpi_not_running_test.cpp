// Sessions where MPI does not run.
#include <gtest/gtest.h>

#include <string>

#include "sill.h"

namespace sill {
namespace {

TEST(Session, NeedsMpiThatRuns) {
  sill_session* session = reinterpret_cast<sill_session*>(&session);
  EXPECT_EQ(sill_session_open(MPI_COMM_WORLD, nullptr, &session), SILL_USAGE);
  EXPECT_EQ(session, nullptr);
  EXPECT_NE(std::string(sill_last_error()).find("MPI is not initialized"), std::string::npos) << sill_last_error();
  session = reinterpret_cast<sill_session*>(&session);
  EXPECT_EQ(sill_session_open_f(0, nullptr, &session), SILL_USAGE);
  EXPECT_EQ(session, nullptr);
  EXPECT_EQ(sill_session_open(MPI_COMM_WORLD, nullptr, nullptr), SILL_USAGE);
  int is_initialized = 1;
  MPI_Initialized(&is_initialized);
  EXPECT_EQ(is_initialized, 0) << "Sill does not start MPI behind its back";
}

}  // namespace
}  // namespace sill
