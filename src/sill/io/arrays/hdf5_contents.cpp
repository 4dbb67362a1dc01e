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

PackedStoredFile packed(const hdf5::StoredFile& stored) {
  PackedStoredFile made;
  const auto put = [&](std::int64_t number) { made.numbers.push_back(number); };
  const auto put_all = [&](const std::vector<std::int64_t>& numbers) {
    put(std::ssize(numbers));
    made.numbers.insert(made.numbers.end(), numbers.begin(), numbers.end());
  };
  const auto put_bytes = [&](const std::vector<std::byte>& bytes) {
    put(std::ssize(bytes));
    made.bytes.insert(made.bytes.end(), bytes.begin(), bytes.end());
  };
  put(std::ssize(stored.variables));
  for (const hdf5::StoredVariable& each : stored.variables) {
    put(static_cast<std::int64_t>(each.order));
    put(each.begin);
    put_all(each.chunk);
    put_all(each.chunk_begins);
    put_all(each.chunk_bytes);
    put_all(each.skipped);
    put(each.level);
    put(std::ssize(each.filters));
    for (const Filter& filter : each.filters) {
      put(static_cast<std::int64_t>(filter.kind));
      put(filter.element_bytes);
    }
    put_bytes(each.values);
    put_bytes(each.fill);
  }
  put(stored.layout ? 1 : 0);
  if (!stored.layout) return made;
  put(stored.layout->steps);
  put(stored.layout->count_begin);
  put_all(stored.layout->begins);
  return made;
}

hdf5::StoredFile unpacked(const PackedStoredFile& packed, std::size_t first) {
  std::size_t number = first;
  std::size_t byte = 0;
  const auto take = [&] { return packed.numbers[number++]; };
  const auto take_all = [&] {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(take()));
    for (std::int64_t& each : numbers) each = take();
    return numbers;
  };
  const auto take_bytes = [&] {
    const auto count = static_cast<std::size_t>(take());
    const auto bytes = std::span(packed.bytes).subspan(byte, count);
    byte += count;
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  hdf5::StoredFile made;
  made.variables.resize(static_cast<std::size_t>(take()));
  for (hdf5::StoredVariable& each : made.variables) {
    each.order = static_cast<ByteOrder>(take());
    each.begin = take();
    each.chunk = take_all();
    each.chunk_begins = take_all();
    each.chunk_bytes = take_all();
    each.skipped = take_all();
    each.level = static_cast<int>(take());
    each.filters.resize(static_cast<std::size_t>(take()));
    for (Filter& filter : each.filters) {
      filter.kind = static_cast<Filter::Kind>(take());
      filter.element_bytes = take();
    }
    each.values = take_bytes();
    each.fill = take_bytes();
  }
  if (take() == 0) return made;
  hdf5::FileLayout& layout = made.layout.emplace();
  layout.steps = take();
  layout.count_begin = take();
  layout.begins = take_all();
  return made;
}

}  // namespace sill
