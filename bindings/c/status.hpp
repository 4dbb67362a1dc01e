// How functions of the C interface end: with a status, and the text of what went wrong.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "sill.h"
#include "sill/base/error.hpp"
#include "sill/base/first_index.hpp"

namespace sill::bindings {

/// Local. Keeps the text and the errno of the exception being handled for sill_last_error and sill_last_errno, and
/// returns its status. Precondition: called inside a catch block.
[[nodiscard]] int keep_current_error() noexcept;

/// Local. How many functions of the C interface have failed on this thread; the error of the last of them.
/// Precondition of the second: there is one, and it could be kept.
[[nodiscard]] std::int64_t failures_of_thread() noexcept;
[[nodiscard]] const Error& last_failure() noexcept;

/// Messages made while it lives count from 0, as C does, unless the session says otherwise (`object_of`).
class Counting {
 public:
  Counting() noexcept : before_(first_index()) { count_from(0); }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;
  ~Counting() { count_from(before_); }

 private:
  int before_;
};

/// Local. Runs `work` and returns the status of how it ended.
template <class Work>
[[nodiscard]] int status_of(Work&& work) noexcept {
  const Counting as_c;
  try {
    std::forward<Work>(work)();
    return SILL_OK;
  } catch (...) {
    return keep_current_error();
  }
}

/// Local. Throws. Errors: usage.
[[noreturn]] void refuse(std::string problem, std::string action);

/// Local. What `pointer` points to. Errors: usage if it is NULL; `what` names it.
template <class Object>
[[nodiscard]] Object& at(Object* pointer, const char* what) {
  if (pointer == nullptr) refuse(std::string(what) + " is NULL", "pass the address of one that there is");
  return *pointer;
}

/// Local. The object of a handle. From here on messages of the call count as the language does that opened its session.
/// Errors: usage if there is none.
template <class Handle>
[[nodiscard]] Handle& object_of(Handle* handle, const char* what) {
  if (handle == nullptr) {
    refuse(std::string(what) + " is NULL: it was not opened, or it is closed", "open it before it is used");
  }
  count_from(handle->held->first_index);
  return *handle;
}

/// Local. The object of a handle, which no longer has it. Errors: usage if there is none.
template <class Handle>
[[nodiscard]] std::unique_ptr<Handle> taken(Handle** handle, const char* what) {
  std::unique_ptr<Handle> own(std::exchange(at(handle, what), nullptr));
  (void)object_of(own.get(), what);
  return own;
}

/// Local. Frees the object of a handle, if there is one.
template <class Handle>
[[nodiscard]] int freed(Handle** handle, const char* what) noexcept {
  return status_of([&] { delete std::exchange(at(handle, what), nullptr); });
}

/// Local. A text, empty for NULL.
[[nodiscard]] inline std::string text_of(const char* text) { return text == nullptr ? "" : text; }

/// Local. `count` elements; none if `first` is NULL or the number below 0, so that what takes them misses them.
template <class Element>
[[nodiscard]] std::span<Element> elements(Element* first, std::int64_t count) {
  return first == nullptr || count < 0 ? std::span<Element>() : std::span(first, static_cast<std::size_t>(count));
}

}  // namespace sill::bindings
