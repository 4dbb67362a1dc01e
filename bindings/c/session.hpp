// The session of the C interface, and the creation of handles in it.
#pragma once

#include <memory>
#include <new>
#include <optional>
#include <string>

#include "sill/comm/agree.hpp"
#include "sill/io/session/io_session.hpp"
#include "status.hpp"

namespace sill::bindings {

struct Session {
  std::unique_ptr<Communicator> comm;
  std::optional<IoSession> io;  // created last, because its creation is collective
  std::string report;           // the last one returned
  std::string flow_notes;       // notes of the last flow
  int first_index = 0;          // first index in messages: 1 for Fortran, otherwise 0
};

}  // namespace sill::bindings

struct sill_session {
  std::shared_ptr<sill::bindings::Session> held;
};

namespace sill::bindings {

// Memory for an object that will be constructed later.
struct GiveBack {
  void operator()(void* memory) const { ::operator delete(memory); }
};
using Room = std::unique_ptr<void, GiveBack>;

/// Local. Checks that the pointer to a handle is not NULL. Errors: usage if it is.
template <class Place>
void require_place(Place* place, int first_index) {
  if (place == nullptr && first_index == 1) {
    refuse("a variable is opened that is open already", "close it first, or open another variable");
  }
  (void)at(place, "the pointer for the handle");
}

/// Collective over `comm`. Opens a session, which counts from `first_index`, and stores its handle in `session`.
/// Fortran (`first_index` 1) passes NULL for a variable that is already open.
void open_session(std::unique_ptr<Communicator> comm, const sill_options* options, sill_session** session,
                  int first_index);

/// Collective. Opens something in `session`: `arguments()` checks what this rank was given, without communicating, and
/// returns the other constructor arguments of `Handle`. The constructor is collective, so memory for the handle is
/// allocated on all ranks first. The handle is NULL unless all ranks succeed. Fortran passes NULL for a variable that
/// is already open.
template <class Handle, class Arguments>
[[nodiscard]] int opened(sill_session* session, Handle** handle, Arguments&& arguments) noexcept {
  if (handle != nullptr) *handle = nullptr;
  return status_of([&] {
    const std::shared_ptr<Session> held = object_of(session, "the session").held;
    static_assert(alignof(Handle) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    Room room;
    auto given = run_and_agree(*held->comm, [&] {
      require_place(handle, held->first_index);
      room.reset(::operator new(sizeof(Handle)));
      return arguments();
    });
    *handle = ::new (room.get()) Handle(held, std::move(given));
    (void)room.release();  // the handle now owns it
  });
}

}  // namespace sill::bindings
