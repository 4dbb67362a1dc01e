// The reference: a program that issues the same opens, requests and memory passes as the mover did, on ready bytes.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "sill/store/store.hpp"

namespace sill::bench {

/// What a rank asked of the system, in order.
struct Trace {
  struct Call {
    enum class Kind { open, write, close } kind;
    int file = 0;  ///< place in `paths`
    std::int64_t offset_bytes = 0;
    std::vector<std::int64_t> pieces;  ///< lengths of what one request gathers
  };
  std::mutex mutex;
  std::vector<std::string> paths;
  std::vector<Call> calls;
};

/// An opener whose stores are recorded in `trace`, which must outlive them.
[[nodiscard]] Opener recorded(Opener inner, Trace& trace);

/// Local. Replays a trace with plain system calls from one buffer, after copying `copied_bytes` once in pieces of
/// `piece_bytes`, as a program does that copies into a buffer of that size. Errors: io.
void replay(const Trace& trace, std::int64_t copied_bytes, std::int64_t piece_bytes);

}  // namespace sill::bench
