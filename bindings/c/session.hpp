// What a session of the C interface holds, and what is opened in it keeps.
#pragma once

#include <memory>
#include <string>

#include "sill/comm/agree.hpp"
#include "sill/io/io_session.hpp"
#include "status.hpp"

namespace sill::bindings {

struct Session {
  Session(std::unique_ptr<Communicator> own, const IoOptions& options) : comm(std::move(own)), io(*comm, options) {}
  std::unique_ptr<Communicator> comm;
  IoSession io;
  std::string report;  // as it was told last
};

}  // namespace sill::bindings

struct sill_session {
  std::shared_ptr<sill::bindings::Session> held;
};

namespace sill::bindings {

/// Collective. Opens something in `session`: `arguments()` judges what this rank was given, without communicating, and
/// returns what `Handle` is made of beside the session; making it is collective. The handle is NULL unless all ranks
/// succeed.
template <class Handle, class Arguments>
[[nodiscard]] int opened(sill_session* session, Handle** handle, Arguments&& arguments) noexcept {
  if (handle != nullptr) *handle = nullptr;
  return status_of([&] {
    const std::shared_ptr<Session> held = at(session, "the session").held;
    auto given = together(*held->comm, [&] {
      (void)at(handle, "the place for the handle");
      return arguments();
    });
    *handle = new Handle(held, std::move(given));
  });
}

}  // namespace sill::bindings
