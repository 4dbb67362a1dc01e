// A table of values for traces. The row of a trace is found by words of its header.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/formats/segy/words/header_view.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/survey/edit/csv_text.hpp"

namespace sill {

/// A file of comma-separated values: rank 0 stores its text, all ranks store its columns.
class CsvFile {
 public:
  /// Collective. Reads the file on rank 0. Errors: io; input as read_csv.
  CsvFile(const Resources& resources, const std::string& path);

  /// Local. Returns the columns that expressions may use. A column contains integers if all its cells are integers,
  /// else doubles.
  [[nodiscard]] std::span<const segy::ExpressionColumn> columns() const { return columns_; }

 private:
  friend class MatchTable;
  std::string path_;
  std::string bytes_;  // on rank 0
  CsvText text_;       // on rank 0
  std::vector<segy::ExpressionColumn> columns_;
};

/// The rows of a table, found by the words of traces. All ranks store the same rows: eight bytes for each number. Const
/// functions may be called by several threads.
class MatchTable {
 public:
  /// Collective. Builds the table. `match` lists words. A word whose column has another name is followed by `=` and the
  /// name of the column: "fldr,tracf" or "fldr=FFID,tracf=CHAN". Only the columns in `used` are stored. Errors: usage:
  /// unknown words or columns, text words; input, with file and line: a key that is not a number of the word's kind,
  /// two rows with the same key and different values.
  MatchTable(const Resources& resources, const CsvFile& file, const std::string& match, const segy::HeaderMap& map,
             std::span<const int> used);

  /// Local. Returns the bytes of a trace, from 0, by which its row is found.
  [[nodiscard]] segy::TrueBytes needed_bytes() const { return needed_; }

  /// Local. Returns the values of the columns `used`, in that order, of the row of a trace; nullptr if there is none.
  /// Marks the row as found.
  [[nodiscard]] const std::int64_t* row_of(const segy::HeaderView& trace) const;

  /// Local. Returns the words of a trace and their values, for errors: "fldr 100, tracf 3".
  [[nodiscard]] std::string key_text(const segy::HeaderView& trace) const;

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  /// Collective. Returns the number of rows that no rank has found so far.
  [[nodiscard]] std::int64_t rows_not_found(Communicator& comm) const;

 private:
  [[nodiscard]] std::int64_t key_of(std::size_t word, const segy::HeaderView& trace, bool& can_match) const;
  void build(const CsvFile& file, std::span<const int> match_columns, std::span<const int> used);

  std::vector<segy::WordRef> words_;
  segy::TrueBytes needed_;
  std::int64_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<std::int64_t> keys_;    // words_.size() per row, ascending
  std::vector<std::int64_t> values_;  // columns_ per row
  std::unique_ptr<std::atomic<bool>[]> found_;
};

}  // namespace sill
