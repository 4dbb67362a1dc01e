// Files of HDF5 and netCDF-4: the bytes of a new file except the elements, and the places of elements in any file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/array/chunk_grid.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/array/element_conversion.hpp"
#include "sill/formats/array/file_piece.hpp"
#include "sill/formats/codec/filters.hpp"
#include "sill/plan/subarray.hpp"

namespace sill::hdf5 {

/// The first bytes of a file. Source: HDF5 File Format Specification, superblock.
inline constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
/// The scalar i8 dataset that contains the number of complete steps.
inline constexpr const char* count_name = "complete_steps";

/// A file that is stored in chunks and grows begins with `selection_bytes` bytes that select its metadata (zeros until
/// the file is valid), then has this text, then elements and metadata.
inline constexpr std::int64_t selection_bytes = 48;
inline constexpr std::string_view chunks_text("Sill in chunks\0\0", 16);
inline constexpr std::int64_t chunks_begin = 64;

/// Local. Returns the version of the headers that Sill was built with; empty if it was built without HDF5.
[[nodiscard]] std::string build_version();

/// The chunks of a variable of a new file. A variable without dimensions is contiguous.
struct NewChunks {
  ChunkGrid grid = {};
  std::vector<Filter> filters = {};
  int level = 0;  ///< of compression
};

/// The form of a new file.
struct FileForm {
  bool is_netcdf4 = false;
  bool is_vtkhdf = false;              ///< as `vtkhdf_of` describes it
  std::int64_t steps = 0;              ///< the number of steps for which the file has room, if variables have steps
  std::int64_t align = 512;            ///< variables of at least this many bytes begin at a multiple of it
  std::vector<NewChunks> chunks = {};  ///< of each variable; empty: variables are contiguous
};

/// The places of a file in which all variables are contiguous and little-endian.
struct FileLayout {
  std::int64_t steps = 0;                   ///< the number of steps for which the file has room
  std::int64_t count_begin = 0;             ///< first byte of the number of complete steps, if variables have steps
  std::vector<std::int64_t> begins = {};    ///< first byte of each variable
  std::vector<std::byte> count_bytes = {};  ///< of VTKHDF: the bytes from that number to the length of times

  /// Local. Returns the array of step `step` (0 for variables without steps) of variable `variable` in the file.
  [[nodiscard]] FileArray places(int file, const DatasetDescription& description, std::size_t variable,
                                 std::int64_t step) const;
  /// Local. Returns the bytes, with their positions, that make the file valid and state that `complete` steps are
  /// complete.
  [[nodiscard]] std::vector<FilePiece> beginning(const DatasetDescription& description, std::int64_t complete) const;
};

/// Local. Checks that a file can store a dataset. Errors: usage if it cannot; if variables have steps, but no number of
/// them is given; if Sill was built without HDF5.
void require_possible(const DatasetDescription& description, const FileForm& form);

/// A new file.
struct NewFile {
  FileLayout layout;
  std::vector<FilePiece> header;  ///< all bytes of the file except the elements and FileLayout::beginning

  [[nodiscard]] std::int64_t bytes() const { return header.back().offset + std::ssize(header.back().bytes); }
};

/// Local. Returns the new file that the library makes. Errors: as require_possible; usage if the library cannot be
/// loaded, or refuses the dataset.
[[nodiscard]] NewFile new_file(const DatasetDescription& description, const FileForm& form);

/// A new array. The groups in its path are made if they do not exist.
struct NewArray {
  std::string path = {};
  ElementType type = ElementType::u1;
  std::vector<std::int64_t> shape = {};
  std::vector<Attribute> attributes = {};
};

/// The arrays of a new file that does not track creation order. Consecutive arrays in one group take the least time.
struct NewArrays {
  std::int64_t count = 0;
  std::function<NewArray(std::int64_t)> array;  ///< returns array i
  std::vector<std::string> groups = {};         ///< more groups, which may be empty
  std::vector<Attribute> attributes = {};       ///< of the file
};

/// Local. Returns the new file that the library makes, with `begins` of each array. Errors: as the other new_file;
/// those of NewArrays::array.
[[nodiscard]] NewFile new_file(const NewArrays& arrays);

/// A stored chunk, or the element of a variable without dimensions.
struct PlacedChunk {
  std::size_t variable = 0;
  std::int64_t number = 0;
  std::int64_t begin = 0;
  std::int64_t bytes = 0;
};

/// The metadata of a file that is stored in chunks and grows. The file contains two copies: while one is written, the
/// other one stays valid. The first bytes of the file select the valid copy.
class GrowingFile {
 public:
  /// Local. Begins a file. Precondition: form.chunks states the chunks of all variables.
  GrowingFile(DatasetDescription description, FileForm form);
  ~GrowingFile();

  struct Changes {
    std::vector<FilePiece> pieces = {};  ///< they overwrite no byte that the valid copy uses
    FilePiece selection = {};            ///< to be written after them: the first bytes of the file
  };
  /// Local. Adds chunks, and returns the metadata of a file with `steps` steps. New metadata begins at `end`, the end
  /// of the file, which moves. Errors: usage if the library cannot store the dataset, before anything is added; io if
  /// it fails.
  [[nodiscard]] Changes add(std::span<const PlacedChunk> chunks, std::int64_t steps, std::int64_t& end);

 private:
  class Copy;
  DatasetDescription description_;
  FileForm form_;
  std::vector<PlacedChunk> chunks_;  // from the first chunk that a copy lacks
  std::array<std::unique_ptr<Copy>, 2> copies_;
  std::size_t next_ = 0;
};

/// The elements of a variable of a file.
struct StoredVariable {
  ByteOrder order = ByteOrder::little;
  std::int64_t begin = -1;  ///< of a contiguous variable: its first byte; -1 if it has no bytes
  Index chunk = {};  ///< otherwise: the shape of chunks, with the dimension of steps. A compact variable is one chunk
  std::vector<Filter> filters = {};             ///< of chunks, in the order of writing
  int level = 0;                                ///< of compression
  std::vector<std::int64_t> chunk_begins = {};  ///< the first byte of each chunk in row-major order; -1: no bytes
  std::vector<std::int64_t> chunk_bytes = {};   ///< the bytes of each chunk in the file, if it has filters
  std::vector<std::int64_t> skipped = {};  ///< bit i: filter i was not applied to the chunk; empty: none was skipped
  std::vector<std::byte> values = {};      ///< of a compact variable: its elements, in the order `order`
  std::vector<std::byte> fill = {};        ///< of places without bytes: an element in the order `order`, or a string
};

/// How the elements of a file are stored.
struct StoredFile {
  std::vector<StoredVariable> variables = {};
  std::optional<FileLayout> layout = {};   ///< of a file that Sill wrote, to which steps can be added
  std::vector<std::string> left_out = {};  ///< what the description of the file lacks, and why
};

/// The contents of a file.
struct FileContents {
  DatasetDescription description;
  std::int64_t steps = 0;  ///< complete steps
  bool is_netcdf4 = false;
  bool is_vtkhdf = false;  ///< written by Sill
  StoredFile stored;
};

/// Sets `bytes` to the bytes of the file that begin at `offset`.
using ReadBytes = std::function<void(std::int64_t offset, std::span<std::byte> bytes)>;

/// Local. Returns the contents of a file of `file_bytes` bytes, which the library reads by calling `read`. Errors:
/// input if the library cannot read the file; usage if it cannot be loaded; those of `read`.
[[nodiscard]] FileContents read_file(const ReadBytes& read, std::int64_t file_bytes, const std::string& path);

}  // namespace sill::hdf5
