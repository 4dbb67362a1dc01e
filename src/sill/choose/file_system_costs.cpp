#include "sill/choose/file_system_costs.hpp"

namespace sill {

// Measured on a virtual machine with two cores in 2026 (docs/performance.md); `network` is an estimate for a server
// over Ethernet. Only the ratios of the costs matter.
FileSystemCosts built_in_costs(FileSystemKind kind) {
  switch (kind) {
    case FileSystemKind::memory:
      return {.open_s = 4e-6, .request_s = 1e-6, .byte_s = 0.4e-9, .file_request_s = 1.2e-6, .file_byte_s = 0.3e-9};
    case FileSystemKind::local:
      return {.open_s = 12e-6, .request_s = 2.6e-6, .byte_s = 0.17e-9, .file_request_s = 3e-6, .file_byte_s = 0.15e-9};
    case FileSystemKind::network:
      return {.open_s = 1e-3,
              .request_s = 0.5e-3,
              .byte_s = 2e-9,
              .file_request_s = 20e-6,
              .file_byte_s = 1e-9,
              .all_request_s = 50e-6,
              .all_byte_s = 1e-9,
              .waits = true};
    case FileSystemKind::user_space: {
      FileSystemCosts costs = built_in_costs(FileSystemKind::network);
      costs.file_request_s = costs.request_s;  // the system passes on one write per file at a time
      return costs;
    }
  }
  return {};
}

}  // namespace sill
