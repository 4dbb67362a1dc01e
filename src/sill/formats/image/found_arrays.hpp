// Arrays as texts of files describe them, Sill's and those of other programs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"

namespace sill::image {

/// Local. Throws the error of a file that is not as its format says, or not as it is read here; code input.
[[noreturn]] void refuse_image(const std::string& path, const char* clause, std::string problem,
                               std::string action = "get an intact copy of the file");

/// Local. Returns the numbers between blanks that a text consists of; nothing if it is another text.
[[nodiscard]] std::optional<std::vector<std::int64_t>> integers_in(std::string_view text);
[[nodiscard]] std::optional<std::vector<double>> doubles_in(std::string_view text);
/// Local. Returns the one whole number that a text is, or `missing` if that is null; nothing if it is another text.
[[nodiscard]] std::optional<std::int64_t> integer_of(const char* text, std::int64_t missing);

/// Local. Returns names for dimensions without any: z, y and x of as many, the last of more than three that of
/// components.
[[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> named_shape(std::span<const std::int64_t> shape);

/// The variables of a file: described by NcML in it, or found one after another.
class FoundArrays {
 public:
  FoundArrays(const std::string& path, const char* clause) : path_(path), clause_(clause) {}

  /// Local. Takes the description of a file that Sill wrote. Errors: input.
  void describe(const std::string& ncml);
  [[nodiscard]] bool is_described() const { return is_described_; }
  /// Local. Lets all variables that are added have steps.
  void add_steps();

  /// Local. Adds a variable of a file that is not described, with names and lengths of its dimensions, slowest first. A
  /// name that stands for another length gets the length behind it. Errors: input for a name twice, lengths below 1,
  /// more than 16 dimensions, and sizes beyond 2^63 - 1.
  void add(const std::string& name, ElementType type, std::span<const std::pair<std::string, std::int64_t>> shape);
  /// Local. The grid of a file that is not described, x first, if both are given and not the default.
  void set_grid(const std::optional<std::vector<double>>& origin, const std::optional<std::vector<double>>& spacing);

  /// Local. Returns the place of a variable. Errors: input if there is none of that name and type; text is u1 in files.
  [[nodiscard]] std::size_t find(const std::string& name, ElementType type) const;
  [[nodiscard]] const DatasetDescription& description() const { return description_; }
  /// Local. Returns the description of the whole file. Errors: input if it is not possible (require_possible).
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
  std::map<std::string, std::int64_t, std::less<>> lengths_;
  std::vector<bool> has_steps_;
};

}  // namespace sill::image
