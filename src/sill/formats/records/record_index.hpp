// The index of a file of records: the positions of records, as text next to the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sill::records {

/// The position of a record in the concatenated contents of all frames.
struct RecordPlace {
  std::int64_t id = 0;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  std::uint32_t crc32 = 0;  ///< CRC-32 of the bytes of the record, as zlib computes it
};

/// Local. Returns the name of the index of file `path`.
[[nodiscard]] inline std::string index_path(const std::string& path) { return path + ".index"; }

/// Local. Returns the first line of an index.
[[nodiscard]] std::string_view index_head();
/// Local. Returns the last line of the index of a complete file.
[[nodiscard]] std::string_view index_end();
/// Local. Returns the line of a record: id, offset, bytes, and the CRC-32 in hexadecimal, separated by tabs.
[[nodiscard]] std::string index_line(const RecordPlace& record);

/// The intact contents of an index.
struct FoundIndex {
  std::vector<RecordPlace> records = {};
  bool is_complete = false;                       ///< the index ends with `index_end`
  std::optional<std::int64_t> damaged_line = {};  ///< the first invalid line, from 1
};

/// Local. Returns the records of an index. An incomplete last line is ignored. Lines are valid if ids ascend and each
/// record begins where the preceding one ends.
[[nodiscard]] FoundIndex parse_index(std::string_view text);

}  // namespace sill::records
