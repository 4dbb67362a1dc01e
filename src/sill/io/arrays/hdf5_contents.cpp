#include "sill/io/arrays/hdf5_contents.hpp"

#include <memory>
#include <span>
#include <utility>

#include "sill/store/store.hpp"

namespace sill {
namespace {

template <class Message, class File>
void exchange_stored(Message& message, File& stored) {
  message.size(stored.variables);
  for (auto& each : stored.variables) {
    message(each.order, each.begin, each.chunk, each.filters, each.level, each.chunk_begins, each.chunk_bytes,
            each.skipped, each.values, each.fill);
  }
  if (auto* const layout = message.maybe(stored.layout)) message(layout->steps, layout->count_begin, layout->begins);
}

}  // namespace

hdf5::FileContents read_hdf5(const Resources& resources, const std::string& path) {
  const std::unique_ptr<Store> file = resources.open(path, OpenMode::read);
  const auto read = [&](std::int64_t offset, std::span<std::byte> bytes) { read_at(*file, offset, bytes); };
  hdf5::FileContents contents = hdf5::read_file(read, file->size_bytes(), path);
  file->close();
  return contents;
}

void exchange(Packer& to, const hdf5::StoredFile& stored) { exchange_stored(to, stored); }
void exchange(Unpacker& from, hdf5::StoredFile& stored) { exchange_stored(from, stored); }

}  // namespace sill
