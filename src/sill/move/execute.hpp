// Performing a schedule on stores.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "sill/comm/communicator.hpp"
#include "sill/move/schedule.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// The store of a file by its number; called only on ranks whose schedule has requests for that file.
using StoreOf = std::function<Store&(int file)>;

/// Collective. Writes what `memory` holds as `schedule` (this rank's part of one collective access) says. A rank whose
/// requests fail goes on taking part in the exchange; at the end all ranks throw the error of the lowest such rank.
/// Preconditions: the schedules of all ranks belong together; `memory` covers every extent of the rank's plan.
void execute_write(Communicator& comm, const Schedule& schedule, std::span<const std::byte> memory,
                   const StoreOf& store_of);

/// Collective. The same backwards: fills `memory` from the files.
void execute_read(Communicator& comm, const Schedule& schedule, std::span<std::byte> memory, const StoreOf& store_of);

}  // namespace sill
