// A table of values for traces, whose rows are found by the words of a trace.
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

/// A table of comma separated values in a file: rank 0 has its text, all ranks know its columns.
class CsvFile {
 public:
  /// Collective. Rank 0 reads the file. Errors: io; input as read_csv.
  CsvFile(const Resources& resources, const std::string& path);

  /// What expressions may use. A column is of whole numbers if all its cells are, else of doubles.
  [[nodiscard]] std::span<const segy::ExpressionColumn> columns() const { return columns_; }

 private:
  friend class MatchTable;
  std::string path_;
  std::string bytes_;  // on rank 0
  CsvText text_;       // on rank 0
  std::vector<segy::ExpressionColumn> columns_;
};

/// The rows of a table by the words of traces, the same on all ranks: eight bytes for each number. Functions may be
/// called by several threads.
class MatchTable {
 public:
  /// Collective. `match` lists words, each with the column it is compared with where that has another name:
  /// "fldr,tracf" or "fldr=FFID,tracf=CHAN". Of the columns, those of `used` can be had. Errors: usage: unknown words
  /// or columns, text words; input, with file and line: a key that is no number of the word's kind, two rows of one key
  /// with different values.
  MatchTable(const Resources& resources, const CsvFile& file, const std::string& match, const segy::HeaderMap& map,
             std::span<const int> used);

  /// Local. The bytes of a trace, from 0, that it is found by.
  [[nodiscard]] segy::TrueBytes needed_bytes() const { return needed_; }

  /// Local. The values of the columns `used`, in that order, of the row of a trace; nullptr if there is none. The row
  /// counts as found from then on.
  [[nodiscard]] const std::int64_t* row_of(const segy::HeaderView& trace) const;

  /// Local. The words and what the trace holds there, for errors: "fldr 100, tracf 3".
  [[nodiscard]] std::string key_text(const segy::HeaderView& trace) const;

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  /// Collective. The rows that no rank has found so far.
  [[nodiscard]] std::int64_t rows_not_found(Communicator& comm) const;

 private:
  [[nodiscard]] std::int64_t key_of(std::size_t word, const segy::HeaderView& trace, bool& can_match) const;
  void build(const CsvFile& file, std::span<const int> match_columns, std::span<const int> used);

  std::vector<segy::WordRef> words_;
  segy::TrueBytes needed_;
  std::int64_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<std::int64_t> keys_;    // words_.size() a row, ascending
  std::vector<std::int64_t> values_;  // columns_ a row
  std::unique_ptr<std::atomic<bool>[]> found_;
};

}  // namespace sill
