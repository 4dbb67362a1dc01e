#include "fuzz/array_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/survey_support.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/formats/hdf5/hdf5_file.hpp"
#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/arrays/stored_chunks.hpp"
#include "support/memory.hpp"
#include "support/memory_store.hpp"

namespace sill::fuzz {
namespace {

constexpr std::int64_t buffer_bytes = 1 << 20;
constexpr std::int64_t max_read_bytes = 1 << 16;
// Tables of the library and of movers, and what a chunk takes: decompression may make so much of each byte.
constexpr std::int64_t max_held_bytes = 64 << 20;
constexpr std::int64_t max_held_per_byte = 200'000;

// Calls `work` with files in memory. A failure must be an Error that names the file.
template <class Work>
void refused_or_read(std::span<const std::byte> file, const std::string& path, Work&& work) {
  const std::unique_ptr<Communicator> alone = make_alone();
  MemoryFiles files;
  files.put(path, {file.begin(), file.end()});
  const Resources resources{.comm = *alone,
                            .open = [&](const std::string&, OpenMode mode) { return files.open(path, mode); },
                            .policy = {.threads = 1},
                            .memory_bytes = buffer_bytes};
  const auto attempt = [&](auto&& part) {
    try {
      part();
    } catch (const Error& error) {
      require(error.parts().problem.size() < 10'000, "an endless message");
      require(!error.parts().where.file.empty(), fmt::format("no file: {}", error.what()));
    }
  };
  const test::HeldMemory held;
  attempt([&] { work(resources, attempt); });
  const std::int64_t most = max_held_bytes + max_held_per_byte * std::ssize(file);
  require(held.max_bytes() <= most, fmt::format("{} bytes of memory, {} expected", held.max_bytes(), most));
}

// The corner of a variable at its first or its last elements, at most 8 in each dimension.
Box corner_of(Index shape, bool is_last) {
  Box box{Index(shape.size()), shape};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    box.count[d] = std::min<std::int64_t>(shape[d], d < 4 ? 8 : 1);
    if (is_last) box.first[d] = shape[d] - box.count[d];
  }
  return box;
}

}  // namespace

void feed_hdf5(std::span<const std::byte> input) {
  if (hdf5::build_version().empty()) return;
  const auto signature = std::as_bytes(std::span(hdf5::signature));
  std::vector<std::byte> file(input.begin(), input.end());
  std::copy_n(signature.begin(), std::min(signature.size(), file.size()), file.begin());
  refused_or_read(file, "fuzz.h5", [](const Resources& resources, const auto& attempt) {
    DatasetReader reader(resources, "fuzz.h5");
    const DatasetDescription& description = reader.description();
    for (const Variable& variable : description.variables) {
      const bool has_steps = description.has_steps(variable);
      if (has_steps && reader.steps() == 0) continue;
      for (const bool is_last : {false, true}) {
        const Box box = corner_of(description.shape_of(variable), is_last);
        std::vector<std::byte> values(static_cast<std::size_t>(box.items() * bytes_of(variable.type)));
        ArrayPart part(variable.name, box, reinterpret_cast<std::uint8_t*>(values.data()));
        part.type = variable.type;
        attempt([&] { reader.read_step(has_steps && is_last ? reader.steps() - 1 : 0, {{part}}); });
      }
    }
    ++work_done()["hdf5"];
  });
}

void feed_zarr(std::span<const std::byte> input) {
  const auto text_end = std::ranges::find(input, std::byte{0});
  const auto text_bytes = static_cast<std::size_t>(text_end - input.begin());
  const std::string text(reinterpret_cast<const char*>(input.data()), text_bytes);
  const auto chunks = input.subspan(std::min(text_bytes + 1, input.size()));
  refused_or_read(chunks, "fuzz.zarr", [&](const Resources& resources, const auto& attempt) {
    auto files = zarr::consolidated({"", "zarr.json", text}, "fuzz.zarr");
    if (!files) files = {{"a/", "zarr.json", text}, {"b/", ".zarray", text}};
    DatasetContents contents{.container = Container::zarr, .files = {"fuzz.zarr"}};
    contents.zarr = zarr::parse(*files, "fuzz", "fuzz.zarr");
    contents.description = contents.zarr->description;
    require(contents.zarr->forms.size() == contents.description.variables.size(), "a variable without a form");
    for (std::size_t v = 0; v < contents.zarr->forms.size(); ++v) {
      attempt([&] {
        std::shared_ptr<Store> no_file;
        const std::unique_ptr<Store> store =
            open_chunks(resources, contents, v, find_chunks(resources, contents, v, 8, no_file), buffer_bytes);
        const std::int64_t length = std::min(store->size_bytes(), max_read_bytes);
        std::vector<std::byte> values(static_cast<std::size_t>(length));
        read_at(*store, 0, values);
        read_at(*store, store->size_bytes() - length, values);
        ++work_done()["zarr"];
      });
    }
  });
}

}  // namespace sill::fuzz
