// Arrays as described by the text of a file, written by Sill or by another program.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"

namespace sill::image {

/// Local. Throws Error(input) for a file that violates its format or uses a feature that is not supported.
[[noreturn]] void refuse_image(const std::string& path, const char* clause, std::string problem,
                               std::string action = "get an intact copy of the file");

/// Local. Return the numbers of a text that consists of numbers separated by blanks; nullopt for any other text.
[[nodiscard]] std::optional<std::vector<std::int64_t>> integers_in(std::string_view text);
[[nodiscard]] std::optional<std::vector<double>> doubles_in(std::string_view text);
/// Local. Returns the integer that a text consists of, or `missing` if `text` is null; nullopt for any other text.
[[nodiscard]] std::optional<std::int64_t> integer_of(const char* text, std::int64_t missing);

/// Local. Returns the lengths of unnamed dimensions with names: the last of the names z, y and x, or, if there are more
/// than three dimensions, z, y, x and "components".
[[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> named_shape(std::span<const std::int64_t> shape);

/// The variables of a file: described by NcML in the file, or added one after another.
class FoundArrays {
 public:
  FoundArrays(const std::string& path, const char* clause) : path_(path), clause_(clause) {}

  /// Local. Sets the description from the NcML of a file that Sill wrote. Errors: input.
  void describe(const std::string& ncml);
  [[nodiscard]] bool is_described() const { return is_described_; }
  /// Local. Adds an unlimited dimension, so that all variables that are added afterwards have steps.
  void add_steps();

  /// Local. Adds a variable of a file without a description, with the names and lengths of its dimensions, slowest
  /// first. If a name is already used for another length, the length is appended to the name. Errors: input for a
  /// duplicate name, lengths below 1, more than 16 dimensions including steps, and sizes beyond 2^63 - 1.
  void add(const std::string& name, ElementType type, std::span<const std::pair<std::string, std::int64_t>> shape);
  /// Local. Sets the grid of a file without a description, x first. Each value is set only if it is given and differs
  /// from the default.
  void set_grid(const std::optional<std::vector<double>>& origin, const std::optional<std::vector<double>>& spacing);

  /// Local. Returns the index of a variable. Errors: input if no variable has that name and type. A variable of text
  /// has the type u1 in files.
  [[nodiscard]] std::size_t find(const std::string& name, ElementType type) const;
  [[nodiscard]] const DatasetDescription& description() const { return description_; }
  /// Local. Returns the description of the complete file. Errors: input if `require_possible` refuses the description.
  [[nodiscard]] DatasetDescription checked_description() const;
  [[nodiscard]] bool has_steps(std::size_t variable) const { return has_steps_[variable]; }

 private:
  void take_variable(std::size_t number);
  [[noreturn]] void refuse(std::string problem) const { refuse_image(path_, clause_, std::move(problem)); }

  const std::string& path_;
  const char* clause_;
  bool is_described_ = false;
  bool adds_steps_ = false;
  DatasetDescription description_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
  std::unordered_map<std::string, std::int64_t> lengths_;
  std::vector<bool> has_steps_;
};

}  // namespace sill::image
