#include "sill/store/mpiio/mpiio_store.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/mpi_communicator.hpp"
#include "sill/store/handle_cache.hpp"
#include "sill/store/mpiio/mpiio_together.hpp"
#include "sill/store/posix/posix_store.hpp"

namespace sill {

Opener mpiio_opener(MpiioHintReport* report) {
  return [report](const std::string& path, OpenMode mode) {
    require_sound_mpiio();
    const bool writable = mode != OpenMode::read;
    auto store = std::make_unique<MpiioStore>(open_posix(path, mode), path, writable, MpiioHints(), report);
    store->own();
    return store;
  };
}

std::unique_ptr<Store> open_mpiio(const std::string& path, OpenMode mode) { return mpiio_opener(nullptr)(path, mode); }

std::unique_ptr<Store> open_mpiio_together(Communicator& comm, std::span<const int> ranks, const std::string& path,
                                           OpenMode mode, const MpiioHints& hints, MpiioHintReport* report) {
  auto group = std::make_unique<MpiRanks>(mpi_handle(comm), ranks);
  std::unique_ptr<Store> posix;
  std::optional<Error> failure;
  // The first rank may create the file; it then exists for the others.
  for (const bool first : {true, false}) {
    if ((group->rank() == 0) == first) {
      failure = attempt([&] {
        require_sound_mpiio();
        require_mpi_handles();
        require_sensible(hints);
        posix = open_posix(path, first || mode == OpenMode::read ? mode : OpenMode::write);
      });
    }
    const bool opened = group->all(!failure);
    if (failure) throw *failure;
    if (!opened) return nullptr;
  }
  auto store =
      std::make_unique<MpiioTogether>(std::move(group), std::move(posix), path, mode != OpenMode::read, hints, report);
  if (!store->open_shared()) return nullptr;
  return store;
}

std::size_t safe_open_mpiio_files() { return std::clamp<std::size_t>(safe_open_files() / 3, 1, 170); }

}  // namespace sill
