// What a piece of work throws.
#pragma once

#include <optional>

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

}  // namespace sill::test
