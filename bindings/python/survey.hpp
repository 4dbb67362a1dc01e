// A survey as Python reads it: samples into arrays, columns of header words, texts and findings.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sill/io/survey/survey_reader.hpp"

namespace sill::python {

/// A column of values of an expression, one for each trace that was asked for.
using Column =
    std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::uint8_t>, std::vector<std::string>>;

/// Traces by number, from 0: consecutive ones, or a list in any order.
using Traces = std::variant<ItemRange, std::span<const std::int64_t>>;

/// How a survey is opened: the words of the options --map and --assume.
struct OpenOptions {
  std::vector<std::string> paths;
  std::string map;  ///< a preset or a file; empty: none
  std::string assume;
};

/// Files that are open as one survey, in this process alone. Several threads may read at once.
class Survey {
 public:
  /// Local. Errors: as SurveyReader and open_header_map.
  explicit Survey(OpenOptions options);

  [[nodiscard]] const OpenOptions& options() const { return options_; }
  [[nodiscard]] const SurveyReader& reader() const { return *reader_; }
  /// Local. Returns the samples of each trace. Errors: usage if traces differ in length.
  [[nodiscard]] std::int64_t samples_per_trace() const;

  /// Local. Reads the samples of `traces` as floats, one trace after another, on all cores, with a few MiB of memory
  /// for each. Errors: usage if a trace does not exist, or if `into` has another size; as SurveyReader::read_samples.
  void read_samples(const Traces& traces, std::span<float> into) const;
  /// Local. Returns the bytes of the first 240 of the headers of `traces`. Errors: as `read_samples`.
  [[nodiscard]] std::vector<std::byte> read_headers(const Traces& traces) const;
  /// Local. Returns the values of expressions (docs/expressions.md) for `traces`, a column each: integers, doubles,
  /// truth values (0 or 1) or texts. The headers are read once. Errors: usage for an expression that does not parse;
  /// input for one that has no value for a trace; io.
  [[nodiscard]] std::vector<Column> read_columns(const Traces& traces,
                                                 const std::vector<std::string>& expressions) const;
  /// Local. Returns the traces for which a condition holds, ascending. Errors: as `read_columns`.
  [[nodiscard]] std::vector<std::int64_t> where(const std::string& condition) const;

  /// Local. Returns the text header of file `file`: 40 lines without the blanks at their ends; empty without one.
  /// Errors: usage if there is no such file; io.
  [[nodiscard]] std::string text(std::int64_t file) const;
  /// Local. Returns the 400 bytes of the binary header of file `file`, as stored; none of Seismic Unix data. Errors: as
  /// `text`.
  [[nodiscard]] std::vector<std::byte> binary_header(std::int64_t file) const;

 private:
  [[nodiscard]] std::int64_t count(const Traces& traces) const;
  [[nodiscard]] std::size_t checked_file(std::int64_t file) const;
  [[nodiscard]] std::pair<std::vector<std::byte>, std::size_t> file_header(std::int64_t file) const;

  OpenOptions options_;
  std::unique_ptr<SurveyReader> reader_;
};

}  // namespace sill::python
