#include "sill/io/arrays/describe_arrays.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/image/found_arrays.hpp"
#include "sill/formats/image/ncml.hpp"
#include "sill/formats/image/raw_file.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/files/whole_text_file.hpp"

namespace sill {
namespace {

DatasetDescription description_of(const RawArrays& arrays, bool has_steps) {
  DatasetDescription description;
  Variable variable{.name = arrays.variable, .type = arrays.type};
  const auto add = [&](std::string name, std::int64_t length) {
    description.dimensions.push_back({name, length});
    variable.dimensions.push_back(std::move(name));
  };
  if (has_steps) add("time", unlimited);
  for (auto& [name, length] : image::named_shape(arrays.shape)) add(std::move(name), length);
  description.variables.push_back(std::move(variable));
  if (!arrays.origin.empty()) description.attributes.emplace_back("origin", std::span<const double>(arrays.origin));
  if (!arrays.spacing.empty()) description.attributes.emplace_back("spacing", std::span<const double>(arrays.spacing));
  return description;
}

}  // namespace

std::int64_t describe_arrays(const Resources& resources, const RawArrays& arrays, const std::string& to) {
  if (arrays.shape.empty() || arrays.shape.size() > 4) {
    refuse_dataset(to, fmt::format("an array has {} dimensions", arrays.shape.size()),
                   "give 1 to 3 dimensions, or 4 with the dimension of components");
  }
  for (const std::int64_t length : arrays.shape) {
    if (length < 1) refuse_dataset(to, fmt::format("a dimension has length {}", length), "give lengths of 1 or more");
  }
  if (!to.ends_with(".xdmf"))
    refuse_dataset(to, "the output is XDMF text, but its name has another ending", "end it with .xdmf");
  if (arrays.skipped_bytes < 0) refuse_dataset(to, "the number of bytes to skip is negative", "give 0 or more");
  const DatasetDescription of_one = description_of(arrays, false);
  require_possible(of_one);
  const std::int64_t bytes = of_one.element_bytes(of_one.variables.front());
  if (arrays.files.empty()) refuse_dataset(to, "no files are named", "name at least one file");
  const std::filesystem::path folder = std::filesystem::weakly_canonical(std::filesystem::absolute(to)).parent_path();
  std::vector<image::StepFile> steps;
  for (const std::string& file : arrays.files) {
    const std::int64_t all = resources.open(file, OpenMode::read)->size_bytes();
    const std::int64_t size = std::max<std::int64_t>(0, all - arrays.skipped_bytes);
    if (size < bytes || size % bytes != 0) {
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("after the first {} bytes the file has {}, which is not a multiple of the "
                                          "size of an array of {} {}, {} bytes",
                                          arrays.skipped_bytes, size, fmt::join(arrays.shape, " x "),
                                          name_of(arrays.type), bytes),
                   .where = {.file = file},
                   .action = "check shape, type and the bytes to skip"});
    }
    const std::string name = std::filesystem::canonical(file).lexically_relative(folder).string();
    image::require_file_name(name);
    for (std::int64_t a = 0; a < size / bytes; ++a) {
      steps.push_back({name, static_cast<double>(steps.size()), arrays.skipped_bytes + a * bytes});
    }
  }
  const bool has_steps = steps.size() > 1;
  image::RawFiles files{.order = arrays.order};
  if (has_steps) {
    files.steps = steps;
  } else {
    files.constant = steps.front().path;
    files.constant_begin = steps.front().begin;
  }
  WholeTextFile text(resources, to);
  text.write(image::xdmf_text(description_of(arrays, has_steps), files));
  text.finish();
  return static_cast<std::int64_t>(steps.size());
}

}  // namespace sill
