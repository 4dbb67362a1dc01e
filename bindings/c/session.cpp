#include "session.hpp"

#include "sill/comm/mpi_communicator.hpp"
#include "sill/comm/same_text.hpp"

namespace sill::bindings {
namespace {

void require_mpi() {
  int is_initialized = 0;
  int is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (is_initialized == 0) {
    refuse("a session is opened, but MPI is not initialized", "call MPI_Init_thread before sill_session_open");
  }
  if (is_finalized != 0) {
    refuse("a session is opened, but MPI has ended", "open sessions before MPI_Finalize");
  }
}

void require_ranks(MPI_Comm comm) {
  int is_inter = 0;
  if (comm != MPI_COMM_NULL) MPI_Comm_test_inter(comm, &is_inter);
  if (comm == MPI_COMM_NULL || is_inter != 0) {
    refuse(
        comm == MPI_COMM_NULL ? "a session is opened on MPI_COMM_NULL" : "a session is opened on an intercommunicator",
        "pass the communicator of the ranks that write together");
  }
}

}  // namespace
}  // namespace sill::bindings

using namespace sill;
using namespace sill::bindings;

extern "C" {

int sill_session_open(MPI_Comm comm, const char* policy, sill_session** session) {
  if (session != nullptr) *session = nullptr;
  return status_of([&] {
    (void)at(session, "the place for the session");
    require_mpi();
    require_ranks(comm);
    std::unique_ptr<Communicator> own = make_mpi_communicator(comm);
    Communicator& ranks = *own;
    const bool is_same = is_same_on_all(ranks, [&] { return text_of(policy); });
    const Policy parsed = together(ranks, [&] {
      if (!is_same) refuse("the ranks were given different policies", "give all ranks of the communicator the same");
      const std::string text = text_of(policy);
      return text.empty() ? Policy{} : Policy::parse(text);
    });
    auto held = std::make_shared<Session>(Session{std::move(own), Resources{.comm = ranks, .policy = parsed}});
    held->resources.open = opener_for(parsed.call);
    *session = new sill_session{std::move(held)};
  });
}

int sill_session_open_f(MPI_Fint comm, const char* policy, sill_session** session) {
  if (session != nullptr) *session = nullptr;
  MPI_Comm of_c = MPI_COMM_NULL;
  const int status = status_of([&] {
    require_mpi();  // before MPI is asked which communicator it is
    of_c = MPI_Comm_f2c(comm);
  });
  return status == SILL_OK ? sill_session_open(of_c, policy, session) : status;
}

int sill_session_close(sill_session** session) {
  return status_of([&] { (void)taken(session, "the session"); });
}

int sill_session_free(sill_session** session) { return freed(session, "the place of the session"); }

}  // extern "C"
