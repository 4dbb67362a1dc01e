// Tables as comma separated values: a line of names, then rows.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace sill {

/// A table as it was written: cells without the blanks and quotes around them.
struct CsvText {
  std::vector<std::string> names;
  std::vector<std::string_view> cells;  ///< row after row, as many a row as there are names
  std::vector<std::int64_t> lines;      ///< the line, from 1, that each row begins in
  std::deque<std::string> unquoted;     ///< holds cells in which quotes were doubled
};

/// Local. Reads a table; its cells point into `text`, which outlives it. Separated by tabs where the first line holds
/// one, else by semicolons where it holds one, else by commas. A cell in double quotes may hold separators, ends of
/// line and doubled quotes. A byte order mark and empty lines are passed over; lines end with LF or CR LF. `file` is
/// named in errors. Errors: input, with the line: no names, numbers alone in their place, a name twice, other than as
/// many cells as names, an open quote.
[[nodiscard]] CsvText read_csv(std::string_view text, const std::string& file);

/// Local. A value as a cell between commas: in double quotes where it holds a comma or a quote.
[[nodiscard]] std::string csv_cell(const std::string& value);

}  // namespace sill
