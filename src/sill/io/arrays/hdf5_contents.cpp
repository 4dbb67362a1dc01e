#include "sill/io/arrays/hdf5_contents.hpp"

#include <memory>
#include <span>

#include "sill/store/store.hpp"

namespace sill {

hdf5::FileContents read_hdf5(const Resources& resources, const std::string& path) {
  const std::unique_ptr<Store> file = resources.open(path, OpenMode::read);
  const auto read = [&](std::int64_t offset, std::span<std::byte> bytes) { read_at(*file, offset, bytes); };
  hdf5::FileContents contents = hdf5::read_file(read, file->size_bytes(), path);
  file->close();
  return contents;
}

}  // namespace sill
