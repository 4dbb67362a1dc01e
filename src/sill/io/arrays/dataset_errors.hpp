// Errors that several classes of datasets throw.
#pragma once

#include <string>

#include "sill/base/error.hpp"

namespace sill {

/// Local. Throws a usage error of the dataset `path`.
[[noreturn]] void refuse_dataset(const std::string& path, std::string problem, std::string action);
/// Local. That of a call after `close`.
[[noreturn]] void refuse_closed(const std::string& path);
/// Local. That of a step where no variable has steps.
[[noreturn]] void refuse_no_steps(const std::string& path);
/// Local. Returns the error of ranks that complete different numbers of steps.
[[nodiscard]] Error calls_differ();
/// Local. That of the attribute `name`, which a container no longer takes, as something was written already.
[[noreturn]] void refuse_late(const std::string& path, const std::string& name);

}  // namespace sill
