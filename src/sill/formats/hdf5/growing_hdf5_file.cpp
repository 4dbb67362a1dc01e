#ifdef SILL_HDF5_LIBRARY
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/hdf5/hdf5_library.hpp"

namespace sill::hdf5 {

// One copy of the metadata: a file of the library that stays open.
class GrowingFile::Copy {
 public:
  // Makes the objects. Metadata has room in blocks at the end of the file; `file_end` moves.
  Copy(const DatasetDescription& description, const FileForm& form, std::int64_t& file_end)
      : description_(description), form_(form) {
    driver_.allocate = [this](std::int64_t bytes, bool may_be_elements) { return place(bytes, may_be_elements); };
    file_end_ = &file_end;
    MadeFile made = made_file(driver_, description, form);
    file_ = std::move(made.file);
    for (const std::string& name : made.datasets)
      datasets_.emplace_back(h5_.H5Oopen(file_.get(), name.c_str(), H5P_DEFAULT), "H5Oopen");
    file_end_ = nullptr;
  }

  // Adds chunks; the file then has `steps` steps.
  Changes add(std::span<const PlacedChunk> chunks, std::int64_t steps, std::int64_t& file_end) {
    file_end_ = &file_end;
    set_steps(steps);
    for (const PlacedChunk& each : chunks) add(each);
    require(h5_.H5Fflush(file_.get(), H5F_SCOPE_LOCAL), "H5Fflush");
    file_end_ = nullptr;
    Changes changes;
    const auto first = driver_.pieces.begin();
    if (first->first != 0 || std::ssize(first->second) != selection_bytes)
      throw CallFailed{"the superblock has another size than expected"};
    changes.selection = {0, first->second};
    driver_.changed.erase(0);
    std::int64_t written = elements_end_;
    for (auto& [offset, bytes] : driver_.changed) {
      written = std::max(written, offset + std::ssize(bytes));
      changes.pieces.push_back({offset, std::move(bytes)});
    }
    driver_.changed.clear();
    // The file is as long as it states.
    if (written < driver_.end) changes.pieces.push_back({driver_.end - 1, {std::byte{0}}});
    return changes;
  }

  std::size_t added = 0;  // of GrowingFile::chunks_

 private:
  static constexpr std::int64_t min_block = 4096;
  static constexpr std::int64_t max_block = std::int64_t{1} << 22U;

  [[nodiscard]] std::int64_t place(std::int64_t bytes, bool may_be_elements) {
    if (may_be_elements && element_begin_ >= 0) return bytes == element_bytes_ ? std::exchange(element_begin_, -1) : -1;
    if (driver_.end == 0) return bytes == selection_bytes ? 0 : -1;  // the superblock
    if (file_end_ == nullptr) return -1;                             // the file is closed, and nothing of it is needed
    bytes = (bytes + 7) / 8 * 8;
    if (bytes > block_end_ - block_begin_) {
      const std::int64_t block = std::max(bytes, std::clamp(block_bytes_, min_block, max_block));
      block_bytes_ += block;
      block_begin_ = (*file_end_ + 7) / 8 * 8;
      block_end_ = block_begin_ + block;
      // Without the additional bytes, the library would extend the last object of the file without calling `allocate`.
      driver_.end = *file_end_ = block_end_ + 8;
    }
    return std::exchange(block_begin_, block_begin_ + bytes);
  }

  void set_steps(std::int64_t steps) const {
    for (std::size_t d = 0; d < datasets_.size(); ++d) {
      std::vector<hsize_t> shape{static_cast<hsize_t>(steps)};
      if (d < description_.variables.size()) {
        const Variable& variable = description_.variables[d];
        if (!description_.has_steps(variable)) continue;
        for (const std::int64_t length : description_.shape_of(variable)) shape.push_back(static_cast<hsize_t>(length));
      }
      require(h5_.H5Dset_extent(datasets_[d].get(), shape.data()), "H5Dset_extent");
    }
  }

  // The library asks for the place of the elements, and writes elements that are dropped.
  void add(const PlacedChunk& chunk) {
    element_begin_ = driver_.dropped = chunk.begin;
    element_bytes_ = chunk.bytes;
    elements_end_ = std::max(elements_end_, chunk.begin + chunk.bytes);
    const hid_t dataset = datasets_[chunk.variable].get();
    const ChunkGrid& grid = form_.chunks[chunk.variable].grid;
    const std::array<std::byte, 8> element{};
    if (grid.chunk().empty()) {
      const hid_t type = h5_.types[static_cast<std::size_t>(description_.variables[chunk.variable].type)];
      require(h5_.H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, element.data()), "H5Dwrite");
    } else {
      const Index index = grid.index_of(chunk.number);
      std::vector<hsize_t> first(index.size());
      for (std::size_t d = 0; d < first.size(); ++d) first[d] = static_cast<hsize_t>(index[d] * grid.chunk()[d]);
      require(h5_.H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, first.data(), static_cast<std::size_t>(chunk.bytes),
                                 element.data()),
              "H5Dwrite_chunk");
    }
    if (element_begin_ >= 0) throw CallFailed{"a chunk has no new place"};
  }

  const Library& h5_ = library();
  const DatasetDescription& description_;
  const FileForm& form_;
  DriverFile driver_;
  std::int64_t* file_end_ = nullptr;
  std::int64_t block_begin_ = 0;  // the unused part of the last block
  std::int64_t block_end_ = 0;
  std::int64_t block_bytes_ = 0;  // of all blocks
  std::int64_t element_begin_ = -1;
  std::int64_t element_bytes_ = 0;
  std::int64_t elements_end_ = 0;
  Id file_;
  std::vector<Id> datasets_;
};

GrowingFile::GrowingFile(DatasetDescription description, FileForm form)
    : description_(std::move(description)), form_(std::move(form)) {}

GrowingFile::~GrowingFile() {
  if (!copies_[0]) return;
  const Use use;
  copies_ = {};
}

GrowingFile::Changes GrowingFile::add(std::span<const PlacedChunk> chunks, std::int64_t steps, std::int64_t& end) {
  const Use use;
  const auto perform = [&](ErrorCode code, auto&& work) {
    try {
      return work();
    } catch (const CallFailed& failure) {
      throw Error({.code = code,
                   .problem = fmt::format("HDF5 cannot store this dataset: {}", failure.what),
                   .action = "describe it in another way, or write Zarr"});
    }
  };
  std::unique_ptr<Copy>& copy = copies_[next_];
  std::int64_t new_end = end;
  if (!copy) copy = perform(ErrorCode::usage, [&] { return std::make_unique<Copy>(description_, form_, new_end); });
  chunks_.insert(chunks_.end(), chunks.begin(), chunks.end());
  Changes changes = perform(ErrorCode::io, [&] {
    return copy->add(std::span<const PlacedChunk>(chunks_).subspan(copy->added), steps, new_end);
  });
  copy->added = chunks_.size();
  end = new_end;
  next_ ^= 1U;
  if (const Copy* const other = copies_[next_].get(); other != nullptr) {
    chunks_.erase(chunks_.begin(), chunks_.begin() + static_cast<std::ptrdiff_t>(other->added));
    copy->added -= other->added;
    copies_[next_]->added = 0;
  }
  return changes;
}

}  // namespace sill::hdf5
#endif
