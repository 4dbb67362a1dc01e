// The index of a file of records: which records lie where, as text beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sill::records {

/// A record in the bytes that frames hold one after another.
struct RecordPlace {
  std::int64_t id = 0;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  std::uint32_t crc32 = 0;  ///< of its bytes, as zlib has it
};

/// Local. Returns the name of the index of file `path`.
[[nodiscard]] inline std::string index_path(const std::string& path) { return path + ".index"; }

/// Local. Returns the line that an index begins with.
[[nodiscard]] std::string_view index_head();
/// Local. Returns the line that ends the index of a file which is complete.
[[nodiscard]] std::string_view index_end();
/// Local. Returns the line of a record: id, offset, bytes, and in hexadecimal the CRC-32, separated by tabs.
[[nodiscard]] std::string index_line(const RecordPlace& record);

/// What an index says as far as it is one.
struct FoundIndex {
  std::vector<RecordPlace> records = {};
  bool is_complete = false;                       ///< the last line says so
  std::optional<std::int64_t> damaged_line = {};  ///< the first that is none, from 1
};

/// Local. Returns the records of an index. A last line that is cut does not count. Lines are right if ids ascend and
/// each record begins where the one before it ends.
[[nodiscard]] FoundIndex parse_index(std::string_view text);

}  // namespace sill::records
