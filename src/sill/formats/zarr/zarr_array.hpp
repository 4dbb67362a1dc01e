// Zarr: the metadata of groups and arrays, the names of chunks, and the index of shards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/array/chunk_codec.hpp"
#include "sill/formats/array/chunk_grid.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/codec/filters.hpp"

namespace sill::zarr {

/// The storage of an array. A shard is a file that contains several chunks; in an array without shards each chunk is a
/// file.
struct ArrayForm {
  ElementType type = ElementType::f4;
  ByteOrder order = ByteOrder::little;
  Index shape = {};                  ///< with the steps
  Index shard = {};                  ///< shape of a shard; the shape of a chunk if the array has no shards
  Index chunk = {};                  ///< shape of a chunk
  std::vector<Filter> filters = {};  ///< of each chunk, in the order of writing
  int level = 0;                     ///< of compression
  bool is_sharded = false;
  bool is_index_first = false;  ///< the index of a shard is at its beginning, not at its end
  bool has_index_checksum = true;
  std::string prefix = "c/";  ///< names of chunks: "c/0/1/2", or "0.1.2" with an empty prefix and `.`
  char separator = '/';
  bool has_inner_bytes = false;  ///< the last dimension is the bytes of an element (Variable::zarr_type), in one chunk
  std::array<std::byte, 8> fill = {};  ///< element that is not stored, in the order `order`

  /// Local. Returns the grid of all chunks, and of all shards.
  [[nodiscard]] ChunkGrid chunks() const { return {shape, chunk, bytes_of(type)}; }
  [[nodiscard]] ChunkGrid shards() const { return {shape, shard, bytes_of(type)}; }
  /// Local. Returns the chunks in one shard.
  [[nodiscard]] ChunkGrid chunks_of_shard() const { return {shard, chunk, bytes_of(type)}; }
  /// Local. Returns the name of the file of a shard, relative to the folder of the array.
  [[nodiscard]] std::string file_of(const Index& shard_index) const;
  /// Local. Returns the index of the shard with this file, which may be beyond the shape; nullopt for other names.
  [[nodiscard]] std::optional<Index> index_of(const std::string& file) const;

  friend bool operator==(const ArrayForm&, const ArrayForm&) = default;
};

/// A dataset in Zarr: a description, and the storage of each variable.
struct Dataset {
  DatasetDescription description = {};
  std::int64_t steps = 0;
  std::vector<ArrayForm> forms = {};      ///< of the variables of the description
  std::vector<std::string> folders = {};  ///< of the variables, relative to the group: "u/"
  std::string metadata_file = {};         ///< one of the files that were parsed, relative to the group
  std::vector<std::string> unread = {};   ///< arrays that the description omits, with the reason, for messages
};

/// The choices for new arrays.
struct NewForm {
  ChunkCodecs codecs = {};
  std::optional<Index> chunk = {};  ///< of variables with as many dimensions, without steps; nullopt: default_chunk
  std::map<std::string, Index> max_shards = {};  ///< as DatasetOptions::max_shards
};

/// The maximum size of the elements of a shard, unless one chunk is larger.
inline constexpr std::int64_t max_shard_bytes = std::int64_t{256} << 20U;

/// Local. Returns the storage of new arrays: little-endian, in shards; a shard holds elements of one step. Errors:
/// usage for variables of text, which Zarr does not have, and for chunks with a length below 1.
[[nodiscard]] std::vector<ArrayForm> new_forms(const DatasetDescription& description, const NewForm& form);

/// Local. Returns the text of zarr.json of the array `variable` with `steps` steps, and of the group, which repeats the
/// texts of all arrays (consolidated metadata).
[[nodiscard]] std::string array_text(const DatasetDescription& description, std::size_t variable, const ArrayForm& form,
                                     std::int64_t steps);
[[nodiscard]] std::string group_text(const DatasetDescription& description, std::span<const ArrayForm> forms,
                                     std::int64_t steps);

/// A metadata file of a group.
struct MetadataFile {
  std::string folder = {};  ///< of the array, relative to the group: "u/"; empty for the group
  std::string name = {};    ///< "zarr.json"; ".zarray", ".zattrs" or ".zgroup" in version 2
  std::string text = {};
};

/// Local. Returns true if the file is the metadata of an array, not of a group. `path` is the path of the dataset, for
/// messages. Errors: input if it is damaged.
[[nodiscard]] bool is_array(const MetadataFile& file, const std::string& path);

/// Local. Returns the dataset that the metadata files describe. A folder with an array but no group is a dataset of one
/// variable called `name`. `path` is the path of the dataset, for messages. Errors: input if the metadata is damaged or
/// of an unknown version.
[[nodiscard]] Dataset parse(std::span<const MetadataFile> files, const std::string& name, const std::string& path);

/// Local. Returns the metadata files that the consolidated metadata of a group contains; nullopt if the text is not
/// that of a group with consolidated metadata. Errors: as `parse`.
[[nodiscard]] std::optional<std::vector<MetadataFile>> consolidated(const MetadataFile& file, const std::string& path);

/// The position of a chunk in its shard.
struct ChunkPlace {
  std::int64_t offset_bytes = 0;
  std::int64_t bytes = 0;

  friend bool operator==(const ChunkPlace&, const ChunkPlace&) = default;
};

/// The position of a chunk that is not stored.
inline constexpr ChunkPlace not_stored{-1, -1};

/// Local. Returns the number of bytes of the index of a shard with `chunks` chunks.
[[nodiscard]] std::int64_t index_bytes(std::int64_t chunks, bool has_checksum);
/// Local. Returns the index of a shard, with its checksum.
[[nodiscard]] std::vector<std::byte> shard_index(std::span<const ChunkPlace> places);
/// Local. Returns the positions that the index of a shard contains; nullopt for chunks that are not stored. Returns no
/// value if the checksum differs, or if a position is impossible in a file of `file_bytes` bytes.
[[nodiscard]] std::optional<std::vector<std::optional<ChunkPlace>>> parse_shard_index(std::span<const std::byte> index,
                                                                                      bool has_checksum,
                                                                                      std::int64_t file_bytes);

}  // namespace sill::zarr
