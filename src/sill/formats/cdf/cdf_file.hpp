// The layout and header of netCDF files in the classic formats: CDF-1, CDF-2, CDF-5.
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

/// The version of the format, and the alignment of variables in a file. Alignments are multiples of 4; PnetCDF calls
/// them nc_header_align_size, nc_var_align_size and nc_record_align_size. The defaults are PnetCDF's.
struct FileForm {
  int version = 0;                  ///< 1, 2 or 5; 0 selects 2, or 5 if types or sizes require 5
  std::int64_t align = 512;         ///< alignment of the first variable
  std::int64_t variable_align = 4;  ///< alignment of each variable without steps
  std::int64_t record_align = 4;    ///< alignment of the first record

  friend bool operator==(const FileForm&, const FileForm&) = default;
};

/// Local. Returns the form of elements in files.
[[nodiscard]] constexpr ElementForm file_form(ElementType type) { return {type, ByteOrder::big}; }

/// The positions of the bytes of a dataset in its file: header, variables without steps, records. A record contains one
/// step of all variables with steps, in the order of the description.
struct FileLayout {
  int version = 2;
  std::int64_t header_bytes = 0;
  std::vector<std::int64_t> begins = {};  ///< first byte of each variable, or of its first step if it has steps
  std::int64_t records_begin = 0;
  std::int64_t record_bytes = 0;  ///< distance between consecutive records

  friend bool operator==(const FileLayout&, const FileLayout&) = default;

  /// Local. Returns the array of step `step` (0 for variables without steps) of variable `variable` in the file.
  [[nodiscard]] FileArray places(int file, const DatasetDescription& description, std::size_t variable,
                                 std::int64_t step) const;
};

/// Local. Returns the layout of a new file, the same as PnetCDF's. Errors: usage for an invalid version or alignment,
/// and for types, sizes or positions that the format of `form.version` cannot represent. Source: "NetCDF Classic Format
/// Specification" and "CDF-5 Format Specification".
[[nodiscard]] FileLayout layout_of(const DatasetDescription& description, const FileForm& form);

/// Local. Returns `layout` with the size of the header that `description` needs. Precondition: `description` differs
/// from the file's current description only in attributes. Errors: usage if the new header would overlap the first
/// variable; otherwise as layout_of.
[[nodiscard]] FileLayout with_header_of(const DatasetDescription& description, FileLayout layout);

/// Local. Returns the bytes of a header that states `records` records. Errors: usage if the format cannot represent
/// that number.
[[nodiscard]] std::vector<std::byte> header_of(const DatasetDescription& description, const FileLayout& layout,
                                               std::int64_t records);

/// Local. Returns the first bytes of a header: the format and the number of records. Without them the file is not a
/// netCDF file. Errors: as header_of.
[[nodiscard]] std::vector<std::byte> beginning_of(const FileLayout& layout, std::int64_t records);

/// The contents of a file, as its header states them.
struct FileContents {
  DatasetDescription description;
  FileLayout layout;
  std::int64_t records = 0;
  /// Texts that describe the contents that the header states but that are missing because the file ends earlier. Empty
  /// for a complete file.
  std::vector<std::string> missing = {};
};

/// Local. Returns the contents of the file whose first bytes are `first_bytes`, or nullopt if the header is longer than
/// these bytes. Errors: input, with the byte, if it is not a netCDF file, or if the header is damaged, for example if
/// it states records of a thousand times as many bytes as the file has, or if variables or records overlap.
[[nodiscard]] std::optional<FileContents> parse_header(std::span<const std::byte> first_bytes, std::int64_t file_bytes,
                                                       const std::string& path);

/// Local. Returns the description in a complete header, which need not state where the variables are. Errors: as
/// parse_header.
[[nodiscard]] DatasetDescription description_in(std::span<const std::byte> header);

}  // namespace sill::cdf
