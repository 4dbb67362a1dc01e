#include "sill/io/arrays/copy_dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <utility>

#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/formats/file_ending.hpp"
#include "sill/io/arrays/dataset_buffer.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/arrays/dataset_writer.hpp"
#include "sill/io/survey/same_file.hpp"

namespace sill {
namespace {

Attribute converted(const Attribute& attribute, ElementType type, const std::string& variable) {
  Attribute made = attribute;
  made.type = type;
  made.values.resize(static_cast<std::size_t>(attribute.count() * bytes_of(type)));
  const ElementRow from{bytes_of(attribute.type), {attribute.type}};
  const std::int64_t count = is_convertible(attribute.type, type)
                                 ? convert_elements(attribute.values.data(), from, made.values.data(),
                                                    {bytes_of(type), {type}}, attribute.count())
                                 : 0;
  if (count < attribute.count()) {
    refuse_value(variable + ", _FillValue", attribute.values.data() + count * from.stride_bytes, from.form, type);
  }
  return made;
}

// Returns the description of the copy: variables may be omitted, dimensions remain. A `_FillValue` that no element can
// have is omitted, and named in `notes`.
DatasetDescription description_of_copy(const DatasetDescription& from, const CopyDatasetOptions& options,
                                       std::vector<std::string>& notes) {
  DatasetDescription made = from;
  if (!options.variables.empty()) {
    std::set<std::size_t> wanted;
    for (const std::string& name : options.variables) wanted.insert(from.variable_named(name));
    made.variables.clear();
    for (const std::size_t v : wanted) made.variables.push_back(from.variables[v]);
  }
  for (const auto& [name, type] : options.types) {
    Variable& variable = made.variables[made.variable_named(name)];
    // The default that Sill adds marks no element that the new type can store.
    std::erase_if(variable.attributes, [&](const Attribute& each) {
      return each.name == "_FillValue" && is_default_fill(each, variable.type) && !fill_of_type(each, type);
    });
    variable.type = type;
    for (Attribute& each : variable.attributes) {
      if (each.name == "_FillValue") each = converted(each, type, name);
    }
  }
  for (Variable& variable : made.variables) {
    std::erase_if(variable.attributes, [&](const Attribute& each) {
      if (each.name != "_FillValue" || !variable.zarr_type.empty() || fill_of_type(each, variable.type)) return false;
      notes.push_back(fmt::format("variable {}: _FillValue {} of type {} is not a value of type {}, and is omitted",
                                  variable.name, echoed(each.text()), name_of(each.type), name_of(variable.type)));
      return true;
    });
  }
  return made;
}

// Local. Returns the files that a copy writes or removes.
std::vector<std::string> files_written(const std::string& to, Container container) {
  if (!is_series(container)) return {to};
  const SeriesNames names(to, container);
  std::vector<std::string> files{names.index(), names.constant()};
  for (std::int64_t step = 0; std::filesystem::exists(status_at(names.step(step))) || step == 0; ++step) {
    files.push_back(names.step(step));
  }
  return files;
}

}  // namespace

CopiedDataset copy_dataset(const Resources& given, const std::string& from, const std::string& to,
                           const CopyDatasetOptions& options) {
  Resources resources = given;
  resources.layouts = nullptr;  // `options` contain the layout
  Communicator& comm = resources.comm;
  DatasetReader reader(resources, from, options.missing);
  CopiedDataset copied;
  DatasetDescription description;
  std::vector<std::string> notes;
  run_and_agree(comm, [&] {
    description = description_of_copy(reader.description(), options, notes);
    copied.steps = options.steps.value_or(std::max<std::int64_t>(0, reader.steps() - options.first_step));
    if (options.first_step < 0 || copied.steps < 0 || options.first_step > reader.steps() - copied.steps) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("{} steps from step {} are requested, but the dataset has {}", copied.steps,
                                          options.first_step, reader.steps()),
                   .where = {.file = from},
                   .action = "choose steps that the file has; they are counted from 0"});
    }
    const auto is_chunked = [&](const Variable& each) {
      return description.shape_of(each).size() == options.chunk->size();
    };
    if (options.chunk && std::ranges::none_of(description.variables, is_chunked)) {
      const std::size_t count = options.chunk->size();
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("chunks of {0} dimensions are given, but no variable has {0}", count),
                   .where = {.file = from},
                   .action = "give a length for each dimension of the largest variable, without the steps"});
    }
  });
  run_and_agree(comm, [&] {
    if (options.missing == Missing::fill || reader.left_out().empty()) return;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("the copy would lack {}", reader.left_out().front()),
                 .where = {.file = from},
                 .action = "copy without --strict, which names what the copy lacks"});
  });
  const Container container = options.container.value_or(container_of(to));
  run_and_agree(comm, [&] {
    require_dataset_name(to, container);
    if (!is_one_file(container) && !(options.form == cdf::FileForm{})) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("a netCDF version or alignments are given for a copy in container {}",
                                          name_of(container)),
                   .where = {.file = to},
                   .action = "omit them, or copy to netCDF"});
    }
    if (container != Container::pnetcdf && container != Container::checkpoint) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("a copy is not written as {}", name_of(container)),
                 .where = {.file = to},
                 .action = container == Container::pnetcdf ? "write netcdf, which has the same bytes"
                                                           : "write netcdf: checkpoints are made by programs"});
  });
  std::vector<std::string> outputs;
  run_on_rank(comm, 0, [&] { outputs = files_written(to, container); });
  std::vector<std::string> inputs = reader.files();
  inputs.push_back(from);
  require_other_files(resources, outputs, inputs);
  DatasetOptions of_copy{.is_whole = !is_series(container),
                         .container = container,
                         .form = options.form,
                         .fill = false,
                         .field_data = options.field_data,
                         .codecs = options.codecs,
                         .chunk = options.chunk};
  const bool has_chunks = container == Container::hdf5 || container == Container::netcdf4;
  const bool grows =
      std::ranges::find(description.dimensions, unlimited, &Dimension::length) != description.dimensions.end();
  // A contiguous HDF5 file has room for at least one step, which other programs read: a copy without steps is chunked.
  if (options.codecs.empty() && !options.chunk && !(has_chunks && grows && copied.steps == 0))
    of_copy.steps = std::max<std::int64_t>(1, copied.steps);
  if (options.replaces) of_copy.existing = DatasetOptions::Existing::replace;
  for (const std::string& each : notes) note(resources, fmt::format("{}: {}", to, each));
  DatasetWriter writer(resources, to, description, of_copy);
  DatasetBuffer buffer(comm, resources.memory());
  if (!description.has_steps()) copied.steps = 0;
  copied.variables = static_cast<std::int64_t>(description.variables.size());
  const auto variables_with = [&](bool has_steps) {
    std::vector<std::size_t> variables;
    for (const Variable& each : description.variables) {
      if (description.has_steps(each) == has_steps) {
        variables.push_back(reader.description().variable_named(each.name));
      }
    }
    return variables;
  };
  const auto copy = [&](const std::vector<std::size_t>& variables, std::optional<std::int64_t> step) {
    for_each_piece(reader.description(), variables, buffer.limits(), [&](std::span<const PieceOfVariable> piece) {
      const std::vector<ArrayPart> parts = buffer.parts_of(reader.description(), piece);
      if (step) {
        reader.read_step(*step, parts);
      } else {
        reader.read(parts);
      }
      writer.write(parts);
      for (const ArrayPart& each : parts) copied.bytes += each.box.items() * bytes_of(each.type);
    });
  };
  copy(variables_with(false), {});
  const std::vector<std::size_t> of_steps = variables_with(true);
  for (std::int64_t step = 0; step < copied.steps; ++step) {
    std::vector<std::size_t> held = of_steps;
    if (is_series(container)) {  // a copy omits the variables that the step omits
      std::erase_if(held, [&](std::size_t v) {
        return !reader.holds(reader.description().variables[v].name, options.first_step + step);
      });
    }
    copy(held, options.first_step + step);
    writer.write_step({});
  }
  writer.close();
  copied.bytes = all_reduce(comm, copied.bytes, Reduction::sum);
  return copied;
}

}  // namespace sill
