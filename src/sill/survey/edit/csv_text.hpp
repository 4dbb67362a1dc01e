// Reads tables of comma-separated values: a line of names, then rows.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace sill {

/// The text of a table: cells without surrounding blanks and quotes.
struct CsvText {
  std::vector<std::string> names;
  std::vector<std::string_view> cells;  ///< row after row, one cell per name
  std::vector<std::int64_t> lines;      ///< the line, from 1, in which each row begins
  std::deque<std::string> unquoted;     ///< the cells in which quotes were doubled
};

/// Local. Reads a table; its cells point into `text`, which must outlive the table. The separator is a tab if the first
/// line contains a tab, else a semicolon if it contains a semicolon, else a comma. A cell in double quotes may contain
/// separators, newlines and doubled quotes. A byte order mark and empty lines are skipped; lines end with LF or CR LF.
/// `file` is named in errors. Errors: input, with the line: no names, only numbers instead of names, a repeated name, a
/// row whose number of cells differs from the number of names, a quote that is not closed, text after a closing quote.
[[nodiscard]] CsvText read_csv(std::string_view text, const std::string& file);

/// Local. Returns a value as a cell of a comma-separated table: in double quotes if it contains a comma or a quote.
[[nodiscard]] std::string csv_cell(const std::string& value);

}  // namespace sill
