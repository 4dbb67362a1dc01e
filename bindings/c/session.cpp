#include "session.hpp"

#include "sill/comm/mpi_communicator.hpp"

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

IoOptions io_options(const sill_options* given) {
  if (given == nullptr) return {};
  IoOptions options{.memory_bytes = given->memory_bytes,
                    .threads = given->threads,
                    .report = text_of(given->report),
                    .file = text_of(given->file),
                    .environment = given->no_environment == 0};
  if (const std::string policies = text_of(given->policies); !policies.empty()) {
    options.policies = PolicySet::parse(policies);
  }
  return options;
}

// Collective. Opens a session. In Fortran (`first_index` 1) `session` is NULL if the variable is already open.
void open_session(MPI_Comm comm, const sill_options* options, sill_session** session, int first_index) {
  require_mpi();
  require_ranks(comm);
  std::unique_ptr<Communicator> own = make_mpi_communicator(comm);
  IoOptions given;
  auto made = run_and_agree(*own, [&] {
    require_place(session, first_index);
    given = io_options(options);
    return std::make_unique<sill_session>(std::make_shared<Session>());
  });
  Session& held = *made->held;
  held.comm = std::move(own);
  held.first_index = first_index;
  held.io.emplace(*held.comm, given);
  *session = made.release();
}

}  // namespace
}  // namespace sill::bindings

using namespace sill;
using namespace sill::bindings;

extern "C" {

int sill_session_open(MPI_Comm comm, const sill_options* options, sill_session** session) {
  if (session != nullptr) *session = nullptr;
  return status_of([&] {
    (void)at(session, "the place for the session");
    open_session(comm, options, session, 0);
  });
}

int sill_session_open_f(MPI_Fint comm, const sill_options* options, sill_session** session) {
  if (session != nullptr) *session = nullptr;
  return status_of([&] {
    require_mpi();  // before the call of MPI that converts the communicator
    open_session(MPI_Comm_f2c(comm), options, session, 1);
  });
}

int sill_session_report(sill_session* session, int form, const char** text) {
  return status_of([&] {
    Session& of = *object_of(session, "the session").held;
    run_and_agree(*of.comm, [&] {
      (void)at(text, "the place for the text");
      if (form != SILL_JSON && form != SILL_TABLE) {
        refuse("a report in form " + std::to_string(form), "take SILL_JSON or SILL_TABLE");
      }
    });
    const IoReport report = of.io->report();
    of.report = run_and_agree(*of.comm, [&] { return form == SILL_TABLE ? report.table() : report.json(); });
    *text = of.report.c_str();
  });
}

int sill_session_finish(sill_session** session) {
  return status_of([&] { taken(session, "the session")->held->io->finish(); });
}

int sill_session_free(sill_session** session) { return freed(session, "the place of the session"); }

}  // extern "C"
