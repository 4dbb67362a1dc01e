#include "session.hpp"

namespace sill::bindings {
namespace {

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

}  // namespace

void open_session(std::unique_ptr<Communicator> comm, const sill_options* options, sill_session** session,
                  int first_index) {
  IoOptions given;
  auto made = run_and_agree(*comm, [&] {
    require_place(session, first_index);
    given = io_options(options);
    return std::make_unique<sill_session>(std::make_shared<Session>());
  });
  Session& held = *made->held;
  held.comm = std::move(comm);
  held.first_index = first_index;
  held.io.emplace(*held.comm, given);
  *session = made.release();
}

}  // namespace sill::bindings

using namespace sill;
using namespace sill::bindings;

extern "C" {

int sill_session_open_alone(const sill_options* options, sill_session** session) {
  if (session != nullptr) *session = nullptr;
  return status_of([&] {
    (void)at(session, "the pointer for the session");
    open_session(make_alone(), options, session, 0);
  });
}

int sill_session_report(sill_session* session, int form, const char** text) {
  return status_of([&] {
    Session& of = *object_of(session, "the session").held;
    run_and_agree(*of.comm, [&] {
      (void)at(text, "the pointer for the text");
      if (form != SILL_JSON && form != SILL_TABLE) {
        refuse("a report in form " + std::to_string(form), "use SILL_JSON or SILL_TABLE");
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

int sill_session_free(sill_session** session) { return freed(session, "the pointer to the session"); }

}  // extern "C"
