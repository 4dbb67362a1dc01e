// What a netCDF file of the classic formats is: CDF-1, CDF-2, CDF-5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/array/element_conversion.hpp"
#include "sill/plan/subarray.hpp"

namespace sill::cdf {

/// Which of the formats, and where variables begin in a file: at multiples of numbers that 4 divides, which PnetCDF
/// calls nc_header_align_size, nc_var_align_size and nc_record_align_size. The defaults are its own.
struct FileForm {
  int version = 0;                  ///< 1, 2 or 5; 0: 2, or 5 if types or sizes ask for it
  std::int64_t align = 512;         ///< the first variable
  std::int64_t variable_align = 4;  ///< each variable without steps
  std::int64_t record_align = 4;    ///< the first record

  friend bool operator==(const FileForm&, const FileForm&) = default;
};

/// The elements of files.
[[nodiscard]] constexpr ElementForm file_form(ElementType type) { return {type, ByteOrder::big}; }

/// Where the bytes of a dataset lie in its file: header, variables without steps, records. A record holds one step of
/// all variables with steps, one after another in the order of the description.
struct FileLayout {
  int version = 2;
  std::int64_t header_bytes = 0;
  std::vector<std::int64_t> begins = {};  ///< of each variable; of its first step, if it has some
  std::int64_t records_begin = 0;
  std::int64_t record_bytes = 0;  ///< from one record to the next

  friend bool operator==(const FileLayout&, const FileLayout&) = default;

  /// Local. Returns where step `step` (0 of variables without steps) of variable `variable` lies.
  [[nodiscard]] FileArray places(int file, const DatasetDescription& description, std::size_t variable,
                                 std::int64_t step) const;
};

/// Local. Returns the layout of a new file: that of PnetCDF. Errors: usage for a version or an alignment that is none,
/// and for what the format of `form.version` cannot hold: types, sizes, positions. Source: "NetCDF Classic Format
/// Specification" and "CDF-5 Format Specification".
[[nodiscard]] FileLayout layout_of(const DatasetDescription& description, const FileForm& form);

/// Local. Returns the layout of a file that is there, with the header of `description`, which differs from the one that
/// it has in attributes alone. Errors: as layout_of; usage unless the header ends where the
/// first variable begins, or before.
[[nodiscard]] FileLayout with_header_of(const DatasetDescription& description, FileLayout layout);

/// Local. Returns the bytes of a header that counts `records`. Errors: usage if that is more than the format can count.
[[nodiscard]] std::vector<std::byte> header_of(const DatasetDescription& description, const FileLayout& layout,
                                               std::int64_t records);

/// Local. Returns the first bytes of a header: the format, and how many records there are. Without them the file is
/// none of netCDF. Errors: as header_of.
[[nodiscard]] std::vector<std::byte> beginning_of(const FileLayout& layout, std::int64_t records);

/// What the header of a file says.
struct FileContents {
  DatasetDescription description;
  FileLayout layout;
  std::int64_t records = 0;
  /// What the header counts and the file, which ends before, does not hold: findings in words. Empty for a whole file.
  std::vector<std::string> missing = {};
};

/// Local. Returns what the file is whose first bytes are `first_bytes`, or nothing if the header has more bytes than
/// these. Errors: input, naming the byte, if it is no netCDF file, or one with a damaged header,
/// such as one that counts records of a thousand times as many bytes as there are.
[[nodiscard]] std::optional<FileContents> parse_header(std::span<const std::byte> first_bytes, std::int64_t file_bytes,
                                                       const std::string& path);

}  // namespace sill::cdf
