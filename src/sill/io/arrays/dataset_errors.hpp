// Errors that several classes of datasets throw.
#pragma once

#include <string>

#include "sill/base/error.hpp"

namespace sill {

/// Local. Throws a usage error of the dataset `path`.
[[noreturn]] void refuse_dataset(const std::string& path, std::string problem, std::string action);
/// Local. Throws the error of a call after `close`.
[[noreturn]] void refuse_closed(const std::string& path);
/// Local. Throws the error of a step in a dataset without variables that have steps.
[[noreturn]] void refuse_no_steps(const std::string& path);
/// Local. Returns the error of ranks that complete different numbers of steps.
[[nodiscard]] Error calls_differ();
/// Local. Throws the error of the attribute `name`, which a container cannot change after the first write.
[[noreturn]] void refuse_late(const std::string& path, const std::string& name);

}  // namespace sill
