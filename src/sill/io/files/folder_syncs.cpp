#include "sill/io/files/folder_syncs.hpp"

#include <chrono>

#include "sill/store/posix/folder.hpp"

namespace sill {
namespace {

template <class Sync>
void count_folder_sync(Meter* meter, Sync&& sync) {
  const auto begin = std::chrono::steady_clock::now();
  sync();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (meter != nullptr) meter->count_sync(took.count());
}

}  // namespace

void commit(PartFile& part, bool durable, Meter* meter) {
  if (durable) {
    count_folder_sync(meter, [&] { part.commit(true); });
  } else {
    part.commit(false);
  }
}

void sync_folder(const std::string& folder, Meter* meter) {
  count_folder_sync(meter, [&] { sync_folder(folder); });
}

}  // namespace sill
