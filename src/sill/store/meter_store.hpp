// A store that counts what passes through it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "sill/store/store.hpp"

namespace sill {

/// What went through the stores it was given to. A strided read counts as one request, a linked read too, and so does a
/// call with extents to a store that takes them whole or collectively, if it brings any bytes.
struct Meter {
  std::atomic<std::int64_t> opens{0};
  std::atomic<std::int64_t> read_requests{0};
  std::atomic<std::int64_t> read_bytes{0};
  std::atomic<std::int64_t> write_requests{0};
  std::atomic<std::int64_t> written_bytes{0};
  std::atomic<std::int64_t> syncs{0};
};

/// Local. `inner`, which may be null, with everything that succeeds counted in `meter`, which must outlive it.
[[nodiscard]] std::unique_ptr<Store> metered(std::unique_ptr<Store> inner, Meter& meter);

/// Local. An opener whose stores are all counted in `meter`, which must outlive them.
[[nodiscard]] Opener metered(Opener inner, Meter& meter);

}  // namespace sill
