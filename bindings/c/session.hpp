// What a session of the C interface holds, and what is opened in it keeps.
#pragma once

#include <memory>

#include "sill/comm/agree.hpp"
#include "sill/io/resources.hpp"
#include "status.hpp"

namespace sill::bindings {

struct Session {
  std::unique_ptr<Communicator> comm;
  Resources resources;
};

}  // namespace sill::bindings

struct sill_session {
  std::shared_ptr<const sill::bindings::Session> held;
};

namespace sill::bindings {

/// Collective. Opens something in `session`: `arguments()` judges what this rank was given, without communicating, and
/// returns what `Handle` is made of beside the session; making it is collective. The handle is NULL unless all ranks
/// succeed.
template <class Handle, class Arguments>
[[nodiscard]] int opened(sill_session* session, Handle** handle, Arguments&& arguments) noexcept {
  if (handle != nullptr) *handle = nullptr;
  return status_of([&] {
    const std::shared_ptr<const Session> held = at(session, "the session").held;
    auto given = together(*held->comm, [&] {
      (void)at(handle, "the place for the handle");
      return arguments();
    });
    *handle = new Handle(held, std::move(given));
  });
}

}  // namespace sill::bindings
