#include "status.hpp"

#include <cerrno>
#include <new>
#include <optional>

namespace sill::bindings {
namespace {

thread_local std::string last_error;          // of this thread
thread_local int last_errno = 0;              // of that error
thread_local std::int64_t failures = 0;       // number of failures whose error could be stored
thread_local std::optional<Error> last;       // the last of these failures
thread_local bool could_not_be_kept = false;  // for lack of memory

}  // namespace

int keep_current_error() noexcept {
  could_not_be_kept = true;
  last_errno = ENOMEM;
  try {
    const Error error = current_error();
    last_error = error.what();
    last_errno = error.parts().system_error_number;
    last.emplace(error);
    could_not_be_kept = false;
    ++failures;
    return static_cast<int>(error.code());
  } catch (...) {
    return SILL_IO;
  }
}

std::int64_t failures_of_thread() noexcept { return failures; }

const Error& last_failure() noexcept { return *last; }

void refuse(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

}  // namespace sill::bindings

extern "C" {

const char* sill_last_error(void) {
  using namespace sill::bindings;
  return could_not_be_kept ? "out of memory" : last_error.c_str();
}

int sill_last_errno(void) { return sill::bindings::last_errno; }

const char* sill_version(void) { return SILL_VERSION; }

}  // extern "C"
