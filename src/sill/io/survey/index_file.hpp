// An index of traces kept beside its file, and when it may still be used.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/diagnostic.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/file_stamp.hpp"
#include "sill/io/survey/index_words.hpp"
#include "sill/io/survey/trace_index.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// Local. Where the index of a file is kept: `line1.sgy.sill-index` beside `line1.sgy`.
[[nodiscard]] std::string index_path_of(const std::string& path);

/// Collective. Keeps the index of `file` beside it, whole or not at all, as docs/index-file.md describes, with `words`
/// of all trace headers, which differ; returns its size in bytes. `before` is the stamp that the file had before its
/// index was built. Each rank reads and writes the words of its share of the traces.
/// Errors: input if the file has changed since; usage if what has the name of the index is no index; io.
std::int64_t write_index_file(const Resources& resources, Store& store, const segy::FileDescription& file,
                              const TraceIndex& index, const std::vector<IndexWord>& words, const FileStamp& before);

/// The files beside a file of traces.
struct StoredIndex {
  std::optional<TraceIndex> index;       ///< if it may be used
  std::optional<IndexWords> words;       ///< that it stores
  std::optional<Diagnostic> diagnostic;  ///< why it, or the words it stores, are not used, if one is there
};

/// Collective. The index kept beside `file`, if there is one and it fits: size and time of the last change of the file,
/// its first 3600 bytes and how it is read are as they were, its checksum is right, and up to 18 stretches, the first
/// and the last among them, are as the headers of their first and last traces say; the words it stores are those of 18
/// headers. Words are only taken if the index belongs to the caller, the owner of the file or root. Where traces have
/// one length, that is compared instead of stretches. Rank 0 alone reads. What was changed without touching any of this
/// is not noticed. Errors: io if the file itself cannot be read.
[[nodiscard]] StoredIndex read_index_file(const Resources& resources, Store& store, const segy::FileDescription& file);

/// Local. Opens the index stored beside the file at `path`, for its words. Errors: io; also if words are not taken from
/// it, because of its owner, or if it is a link.
[[nodiscard]] std::unique_ptr<Store> open_index_words(const Resources& resources, const std::string& path);

/// Collective. Removes the index stored beside a file; whether there was one. Errors: usage if what has its name is no
/// index; io.
bool remove_index_file(const Resources& resources, const std::string& path);

/// The index of a file, kept or built.
struct IndexedFile {
  TraceIndex index;
  std::optional<IndexWords> words;       ///< that a kept one stores
  bool is_stored = false;                ///< it was there and fits
  std::optional<Diagnostic> diagnostic;  ///< why a kept one, or the words it stores, are not used
};

/// Collective. The kept index of `file` if it fits; else builds one, which is not kept. Errors: as index_traces.
[[nodiscard]] IndexedFile indexed(const Resources& resources, Store& store, const segy::FileDescription& file);

}  // namespace sill
