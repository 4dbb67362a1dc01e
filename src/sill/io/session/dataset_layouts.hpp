// What a program's user says about the files of its datasets: SILL_LAYOUT.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sill/formats/array/container.hpp"
#include "sill/formats/cdf/cdf_file.hpp"

namespace sill {

/// Settings that override the options of the program; those that are not set are as in the program.
struct DatasetLayout {
  std::optional<Container> container = {};
  std::optional<int> version = {};  ///< these four of netCDF files: cdf::FileForm
  std::optional<std::int64_t> align = {};
  std::optional<std::int64_t> variable_align = {};
  std::optional<std::int64_t> record_align = {};
  std::optional<bool> field_data = {};  ///< of .vti files: DatasetOptions::field_data

  /// Local. Returns `form` with these settings.
  [[nodiscard]] cdf::FileForm over(cdf::FileForm form) const;

  friend bool operator==(const DatasetLayout&, const DatasetLayout&) = default;
};

/// Layouts by the names of datasets: those of their files, without folders and without what follows the first dot. Text
/// form: parts separated by `;`. A part is a list of settings, `container=vti,align=64K`, with the name of its dataset
/// before it, `fields:container=vti`; one without a name is for all datasets, and counts where a named part says
/// nothing.
class DatasetLayouts {
 public:
  /// Local. Errors: usage if `text` is not of that form.
  [[nodiscard]] static DatasetLayouts parse(std::string_view text);
  /// Local. Returns `before` with each setting of `text` in place of its own. Errors: as parse.
  [[nodiscard]] static DatasetLayouts parse_over(std::string_view text, DatasetLayouts before);
  /// Local. `parse` of the result gives an equal object.
  [[nodiscard]] std::string text() const;

  /// Local. Returns the settings for the dataset that a program calls `path`.
  [[nodiscard]] DatasetLayout of(const std::string& path) const;

  friend bool operator==(const DatasetLayouts&, const DatasetLayouts&) = default;

 private:
  std::map<std::string, DatasetLayout, std::less<>> layouts_;  // "": of all
};

/// Local. The grammar of the text form.
[[nodiscard]] std::string layout_grammar();

}  // namespace sill
