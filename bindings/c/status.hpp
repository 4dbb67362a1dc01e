// Conversion of exceptions to the status and the error text of the C interface.
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

/// Local. Stores the text and the errno of the current exception for sill_last_error and sill_last_errno, and returns
/// its status. Precondition: called inside a catch block.
[[nodiscard]] int keep_current_error() noexcept;

/// Local. Return how many functions of the C interface have failed on this thread; the error of the last failure.
/// Precondition of the second: there is a failure, and its error could be stored.
[[nodiscard]] std::int64_t failures_of_thread() noexcept;
[[nodiscard]] const Error& last_failure() noexcept;

/// While an object of this class exists, error messages count from 0, as C does, unless a session sets otherwise
/// (`object_of`).
class Counting {
 public:
  Counting() noexcept : before_(first_index()) { count_from(0); }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;
  ~Counting() { count_from(before_); }

 private:
  int before_;
};

/// Local. Runs `work` and returns its status.
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

/// Local. Throws a usage error.
[[noreturn]] void refuse(std::string problem, std::string action);

/// Local. Returns the object at `pointer`. Errors: usage if `pointer` is NULL; `what` names it.
template <class Object>
[[nodiscard]] Object& at(Object* pointer, const char* what) {
  if (pointer == nullptr) refuse(std::string(what) + " is NULL", "pass a valid address");
  return *pointer;
}

/// Local. Returns the object of a handle, and lets messages of the call count as the language that opened its session
/// does. Errors: usage if the handle is NULL.
template <class Handle>
[[nodiscard]] Handle& object_of(Handle* handle, const char* what) {
  if (handle == nullptr) {
    refuse(std::string(what) + " is NULL: it was not opened, or it is closed", "open it before it is used");
  }
  count_from(handle->held->first_index);
  return *handle;
}

/// Local. Returns the object of a handle and sets the handle to NULL. Errors: usage if the handle is NULL.
template <class Handle>
[[nodiscard]] std::unique_ptr<Handle> taken(Handle** handle, const char* what) {
  std::unique_ptr<Handle> own(std::exchange(at(handle, what), nullptr));
  (void)object_of(own.get(), what);
  return own;
}

/// Local. Frees the object of a handle, if it has one, and sets the handle to NULL.
template <class Handle>
[[nodiscard]] int freed(Handle** handle, const char* what) noexcept {
  return status_of([&] { delete std::exchange(at(handle, what), nullptr); });
}

/// Local. Returns a text, which is empty for NULL.
[[nodiscard]] inline std::string text_of(const char* text) { return text == nullptr ? "" : text; }

/// Local. Returns a span of `count` elements. It is empty if `first` is NULL or `count` is below 0, so that the
/// function that receives it reports missing elements.
template <class Element>
[[nodiscard]] std::span<Element> elements(Element* first, std::int64_t count) {
  return first == nullptr || count < 0 ? std::span<Element>() : std::span(first, static_cast<std::size_t>(count));
}

/// Local. Returns a span of `count` elements, of which nothing else states the number. Errors: usage if `count` is
/// below 0, or if elements are NULL; `what` names them.
template <class Element>
[[nodiscard]] std::span<Element> list_of(Element* first, std::int64_t count, const std::string& what) {
  if (count < 0) refuse(what + " has " + std::to_string(count) + " values", "pass the number of its values, 0 or more");
  if (count > 0) (void)at(first, what.c_str());
  return elements(first, count);
}

}  // namespace sill::bindings
