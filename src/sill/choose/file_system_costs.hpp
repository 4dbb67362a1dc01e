// The costs of requests to files and of the exchange between ranks, per kind of file system.
#pragma once

#include <chrono>
#include <cstdint>

#include "sill/store/striping.hpp"

namespace sill {

/// Costs in seconds of one process, unless stated otherwise.
struct FileSystemCosts {
  double open_s = 0;            ///< opening or creating a file, and closing it
  double request_s = 0;         ///< a request, in addition to its bytes
  double byte_s = 0;            ///< a byte in requests of one process
  double file_request_s = 0;    ///< a request that waits for other processes' requests to the same file
  double file_byte_s = 0;       ///< a byte of one file, by all processes together
  double all_request_s = 0;     ///< a request, by all nodes together
  double all_byte_s = 0;        ///< a byte, by all nodes together
  double all_open_s = 0;        ///< opening or creating a file, by all nodes together
  bool waits = false;           ///< true if a process leaves its core to others while it performs a request
  double unaligned_byte_s = 0;  ///< additional, for a byte of a request that does not begin at a page boundary
  double sync_s = 0;            ///< syncing a file of 1 MiB; the same for all candidates, so `cost_of` omits it

  double piece_s = 5e-9;           ///< finding a piece in memory
  double copy_byte_s = 0.15e-9;    ///< a byte between memory and a stage or a message
  double message_s = 3e-6;         ///< a message, for the sender and for the receiver
  double message_byte_s = 0.2e-9;  ///< a byte of a message, for the sender and for the receiver
};

/// Measured costs for the files of one device.
struct MeasuredCosts {
  std::uint64_t device = 0;  ///< number of the device on rank 0, see `device_of` (store/posix/mount.hpp)
  std::chrono::sys_days made;
  FileSystemCosts costs;
};

/// Local. Returns the built-in costs of a kind of file system, before any correction by measurements.
[[nodiscard]] FileSystemCosts built_in_costs(FileSystemKind kind);

}  // namespace sill
