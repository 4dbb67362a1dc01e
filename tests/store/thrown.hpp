// What a piece of work throws.
#pragma once

#include <optional>
#include <string>

#include "sill/base/error.hpp"

namespace sill::test {

/// Local. The Error that `work` throws; nothing if it ends well.
template <class Work>
[[nodiscard]] std::optional<Error> thrown(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

/// Local. An error of a request, as stores throw it.
[[nodiscard]] inline Error failed(const std::string& problem) {
  return Error({.code = ErrorCode::io, .problem = problem});
}

}  // namespace sill::test
