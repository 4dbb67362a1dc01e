#include "sill/io/arrays/hdf5_contents.hpp"

#include <memory>
#include <span>
#include <utility>

#include "sill/store/store.hpp"

namespace sill {

hdf5::FileContents read_hdf5(const Resources& resources, const std::string& path) {
  const std::unique_ptr<Store> file = resources.open(path, OpenMode::read);
  const auto read = [&](std::int64_t offset, std::span<std::byte> bytes) { read_at(*file, offset, bytes); };
  hdf5::FileContents contents = hdf5::read_file(read, file->size_bytes(), path);
  file->close();
  return contents;
}

void pack(Packer& to, const hdf5::StoredFile& stored) {
  to.number(std::ssize(stored.variables));
  for (const hdf5::StoredVariable& each : stored.variables) {
    to.number(static_cast<std::int64_t>(each.order));
    to.number(each.begin);
    to.list(each.chunk);
    to.list(each.filters);
    to.number(each.level);
    to.list(each.chunk_begins);
    to.list(each.chunk_bytes);
    to.list(each.skipped);
    to.list(each.values);
    to.list(each.fill);
  }
  to.number(stored.layout ? 1 : 0);
  if (!stored.layout) return;
  to.number(stored.layout->steps);
  to.number(stored.layout->count_begin);
  to.list(stored.layout->begins);
}

hdf5::StoredFile unpack_stored_file(Unpacker& from) {
  hdf5::StoredFile made;
  made.variables.resize(static_cast<std::size_t>(from.number()));
  for (hdf5::StoredVariable& each : made.variables) {
    each.order = static_cast<ByteOrder>(from.number());
    each.begin = from.number();
    each.chunk = from.list<Index>();
    each.filters = from.list<std::vector<Filter>>();
    each.level = static_cast<int>(from.number());
    each.chunk_begins = from.list<std::vector<std::int64_t>>();
    each.chunk_bytes = from.list<std::vector<std::int64_t>>();
    each.skipped = from.list<std::vector<std::int64_t>>();
    each.values = from.list<std::vector<std::byte>>();
    each.fill = from.list<std::vector<std::byte>>();
  }
  if (from.number() == 0) return made;
  hdf5::FileLayout& layout = made.layout.emplace();
  layout.steps = from.number();
  layout.count_begin = from.number();
  layout.begins = from.list<std::vector<std::int64_t>>();
  return made;
}

}  // namespace sill
