// What all objects of a Python process share: the session, the memory that is free, and signals.
#pragma once

#include <cstdint>

#include "sill/io/session/resources.hpp"

namespace sill::python {

/// Local. Returns the resources of surveys. The options of the environment apply (docs/options.md). Errors: as
/// IoSession, at the first call. Thread-safe.
[[nodiscard]] Resources& shared_resources();

/// Local. Checks that `bytes` more bytes fit the memory of this process. Errors: io, with ENOMEM.
void require_memory(std::int64_t bytes);

/// Local. Lets Python handle signals, such as Ctrl-C, if the last check was long enough ago. Does nothing on `thread`
/// other than 0, the thread that called `parallel_for`. Errors: the exception that the handler raised. Precondition:
/// the GIL is not held.
void check_signals(int thread);

}  // namespace sill::python
