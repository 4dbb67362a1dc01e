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

/// What a program copies before it writes.
struct Copies {
  std::int64_t bytes = 0;
  std::int64_t piece_bytes = 0;  ///< of the buffer that it copies into
  std::int64_t batches = 0;  ///< it has so many, each of which it copies whole, into memory of its own, before writing
  std::int64_t word_bytes = 0;   ///< it interleaves words of 4 or 8 bytes; 0: it copies bytes as they lie
  std::int64_t arrays = 8;       ///< out of so many arrays
  std::int64_t apart_bytes = 4;  ///< in which they lie so far apart
  std::int64_t variables = 1;    ///< of which so many are next to each other, taken one after another
  bool swaps = false;            ///< it changes the order of their bytes, too
  std::int64_t value_bytes = 0;  ///< it prints values of so many bytes, as the output's own formatting does; 0: none
  std::int64_t records = 0;      ///< in which there are so many, to be taken again and again; 0: as many as are copied
};

/// Local. Replays a trace with plain system calls from one buffer, and makes the copies on the way, each byte once.
/// Errors: io.
void replay(const Trace& trace, const Copies& copies);

}  // namespace sill::bench
