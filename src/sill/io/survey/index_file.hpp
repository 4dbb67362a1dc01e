// An index of traces, stored next to its file, and the conditions for using it.
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

/// Local. Returns the path of the index of a file: `line1.sgy.sill-index` next to `line1.sgy`; in a URL, the ending
/// precedes the query.
[[nodiscard]] std::string index_path_of(const std::string& path);

/// Collective. Stores the index of `file` next to it, in the format of docs/index-file.md, with the words `words`,
/// each once, of all trace headers. The index appears when it is complete. Returns its size in bytes. `before` is the
/// stamp that the file had before its index was built. Each rank reads and writes the words of its share of the traces.
/// Errors: input if the file has changed since then; usage if an existing file with the name of the index is not an
/// index; io.
std::int64_t write_index_file(const Resources& resources, Store& store, const segy::FileDescription& file,
                              const TraceIndex& index, const std::vector<IndexWord>& words, const FileStamp& before);

/// The index stored next to a file of traces.
struct StoredIndex {
  std::optional<TraceIndex> index;       ///< set if the index may be used
  std::optional<IndexWords> words;       ///< the words that the index stores, if they may be used
  std::optional<Diagnostic> diagnostic;  ///< why an existing index, or its words, are not used
};

/// Collective. Returns the index stored next to `file`, if there is one and it fits. It fits if the size of the file,
/// the time of its last change, its first 3600 bytes and the way it is read are unchanged, if the checksum of the index
/// is right, if up to 18 stretches, including the first and the last, agree with the headers of their first and last
/// traces, and if the stored words agree with those of 18 headers. If traces have one length, this length is compared
/// in place of stretches. Of a remote file, the time is not compared, and words are not used. Words are used only if
/// the index belongs to the caller, the owner of the file or root. Only rank 0 reads. Other changes of the file are not
/// noticed. Errors: io if the file itself cannot be read.
[[nodiscard]] StoredIndex read_index_file(const Resources& resources, Store& store, const segy::FileDescription& file);

/// Local. Opens the index stored next to the file at `path`, for its words. Errors: io, also if its owner does not
/// permit the use of its words, or if it is a link.
[[nodiscard]] std::unique_ptr<Store> open_index_words(const Resources& resources, const std::string& path);

/// Collective. Removes the index stored next to a file; returns true if there was one. Errors: usage if the file with
/// the name of the index is not an index; io.
bool remove_index_file(const Resources& resources, const std::string& path);

/// The index of a file, stored or built.
struct IndexedFile {
  TraceIndex index;
  std::optional<IndexWords> words;       ///< the words of a stored index
  bool is_stored = false;                ///< the index was stored and fits
  std::optional<Diagnostic> diagnostic;  ///< why a stored index, or its words, are not used
};

/// Collective. Returns the stored index of `file` if it fits; otherwise builds one, without storing it. Errors: as
/// index_traces.
[[nodiscard]] IndexedFile indexed(const Resources& resources, Store& store, const segy::FileDescription& file);

}  // namespace sill
