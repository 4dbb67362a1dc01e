#include "sill/io/arrays/copy_dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/arrays/dataset_buffer.hpp"
#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/arrays/dataset_writer.hpp"
#include "sill/store/part/part_file.hpp"

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

// The description of the copy: variables that are left out go, dimensions stay.
DatasetDescription description_of_copy(const DatasetDescription& from, const CopyDatasetOptions& options) {
  DatasetDescription made = from;
  for (const auto& [name, type] : options.types) {
    Variable& variable = made.variables[made.variable_named(name)];
    variable.type = type;
    for (Attribute& each : variable.attributes) {
      if (each.name == "_FillValue") each = converted(each, type, name);
    }
  }
  if (options.variables.empty()) return made;
  std::set<std::size_t> wanted;
  for (const std::string& name : options.variables) wanted.insert(from.variable_named(name));
  std::vector<Variable> variables;
  for (const std::size_t v : wanted) variables.push_back(std::move(made.variables[v]));
  made.variables = std::move(variables);
  return made;
}

}  // namespace

CopiedDataset copy_dataset(const Resources& resources, const std::string& from, const std::string& to,
                           const CopyDatasetOptions& options) {
  Communicator& comm = resources.comm;
  DatasetReader reader(resources, from);
  CopiedDataset copied;
  DatasetDescription description;
  run_and_agree(comm, [&] {
    description = description_of_copy(reader.description(), options);
    copied.steps = options.steps.value_or(std::max<std::int64_t>(0, reader.steps() - options.first_step));
    if (options.first_step < 0 || copied.steps < 0 || options.first_step > reader.steps() - copied.steps) {
      throw Error(
          {.code = ErrorCode::usage,
           .problem = fmt::format("{} steps from step {} of {}", copied.steps, options.first_step, reader.steps()),
           .where = {.file = from},
           .action = "choose steps that the file has; they are counted from 0"});
    }
  });
  std::optional<PartFile> part;
  std::string path;
  run_on_rank(comm, 0, [&] {
    if (!options.replaces && std::filesystem::exists(std::filesystem::symlink_status(to))) {
      throw Error({.code = ErrorCode::usage,
                   .problem = "the file exists already",
                   .where = {.file = to},
                   .action = "name another one, or say that it is to be replaced"});
    }
    part.emplace(to, Striping{resources.policy.stripe_count, resources.policy.stripe_bytes});
    path = part->path();
  });
  broadcast_all(comm, path, 0);
  DatasetWriter writer(resources, path, description, {.form = options.form, .fill = false});
  DatasetBuffer buffer(comm, resources.memory());
  if (!description.has_steps()) copied.steps = 0;
  copied.variables = static_cast<std::int64_t>(description.variables.size());
  const auto pieces_with = [&](bool has_steps) {
    std::vector<std::size_t> variables;
    for (const Variable& each : description.variables) {
      if (description.has_steps(each) == has_steps) {
        variables.push_back(reader.description().variable_named(each.name));
      }
    }
    return pieces_of(reader.description(), variables, buffer.limits());
  };
  const auto copy = [&](const std::vector<std::vector<PieceOfVariable>>& pieces, std::optional<std::int64_t> step) {
    for (const std::vector<PieceOfVariable>& piece : pieces) {
      const std::vector<ArrayPart> parts = buffer.parts_of(reader.description(), piece);
      if (step) {
        reader.read_step(*step, parts);
      } else {
        reader.read(parts);
      }
      writer.write(parts);
      for (const ArrayPart& each : parts) copied.bytes += each.box.items() * bytes_of(each.type);
    }
  };
  copy(pieces_with(false), {});
  const auto pieces_of_step = pieces_with(true);
  for (std::int64_t step = 0; step < copied.steps; ++step) {
    copy(pieces_of_step, options.first_step + step);
    writer.write_step({});
  }
  writer.close();
  run_on_rank(comm, 0, [&] { part->commit(resources.policy.is_durable()); });
  copied.bytes = all_reduce(comm, copied.bytes, Reduction::sum);
  return copied;
}

}  // namespace sill
