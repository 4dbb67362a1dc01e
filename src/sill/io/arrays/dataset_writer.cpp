#include "sill/io/arrays/dataset_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/formats/file_ending.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/io/arrays/output/checkpoint_output.hpp"
#include "sill/io/arrays/output/chunked_hdf5_output.hpp"
#include "sill/io/arrays/output/growing_output.hpp"
#include "sill/io/arrays/output/pnetcdf_output.hpp"
#include "sill/io/arrays/output/series_output.hpp"
#include "sill/io/arrays/output/zarr_folder.hpp"
#include "sill/io/arrays/output/zarr_output.hpp"
#include "sill/io/simulation/phase_writer.hpp"
#include "sill/plan/coverage.hpp"
#include "sill/store/part/left_part_files.hpp"
#include "sill/store/posix/unnamed_file.hpp"

namespace sill {
namespace {

std::string text_of(const DatasetOptions& options) {
  std::string max_shards;
  for (const auto& [name, shard] : options.max_shards) max_shards += fmt::format(" {}:{}", name, fmt::join(shard, "x"));
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}{} {}", static_cast<int>(options.existing),
                     options.is_whole, options.first_step.value_or(-1),
                     options.container ? name_of(*options.container) : "", options.form.version, options.form.align,
                     options.form.variable_align, options.form.record_align, options.fill, options.field_data,
                     options.steps.value_or(0), fmt::join(options.codecs.entries(), ","),
                     options.chunk ? fmt::format("{}", fmt::join(*options.chunk, "x")) : "", max_shards,
                     fmt::join(options.window, "x"));
}

// Errors: usage if a variable is in a group.
void require_no_groups(const DatasetDescription& description, Container container) {
  for (const Variable& each : description.variables) {
    if (each.name.find('/') == std::string::npos) continue;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("variable {} is in a group, which container {} cannot store", echoed(each.name),
                                        name_of(container)),
                 .action = "write HDF5 (.h5), or use a name without /"});
  }
}

// Checks that a container has chunks, if some are given; notes that those of SILL_LAYOUT do not apply. Errors: usage.
void require_chunks(const Resources& resources, const std::string& path, Container container,
                    const DatasetOptions& given, const DatasetOptions& of_layout) {
  if (container == Container::zarr || container == Container::hdf5 || container == Container::netcdf4) return;
  if (!given.codecs.empty() || given.chunk) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("a codec or chunks are given for container {}", name_of(container)),
                 .where = {.file = path},
                 .action = "omit them, or write Zarr (.zarr), HDF5 (.h5) or netCDF-4 (.nc4)"});
  }
  if (!of_layout.codecs.empty() || of_layout.chunk)
    note(resources,
         fmt::format("{}: codec and chunks of SILL_LAYOUT do not apply to container {}", path, name_of(container)));
}

// Checks the lengths by which a program limits chunks, and orders them.
void require_windows(const std::string& path, const DatasetDescription& description, const DatasetOptions& options) {
  const auto has_lengths = [](const Index& shape) {
    return std::ranges::all_of(shape, [](std::int64_t length) { return length >= 1; });
  };
  const bool has_limits =
      std::ranges::all_of(options.max_shards, has_lengths, [](const auto& each) { return each.second; });
  const bool has_dimensions = std::ranges::all_of(description.variables, [&](const Variable& each) {
    return !options.max_shards.contains(each.name) || each.dimensions.size() >= options.window.size();
  });
  const bool has_no_steps = options.window.empty() || !description.has_steps();
  if (has_lengths(options.window) && has_limits && has_dimensions && has_no_steps) return;
  refuse_dataset(path,
                 "arrays: max_shards or window has a length below 1, window has more dimensions than a variable in "
                 "max_shards, or the dataset has steps",
                 "give lengths of at least 1, and a window only for the first dimensions of variables without steps");
}

// Returns true if the netCDF library reads the container, PnetCDF or a checkpoint too.
bool is_netcdf(Container container) {
  return container == Container::netcdf || container == Container::netcdf4 || container == Container::pnetcdf ||
         container == Container::checkpoint;
}

}  // namespace

DatasetWriter::DatasetWriter(const Resources& resources, std::string path, DatasetDescription description,
                             const DatasetOptions& given)
    : resources_(resources) {
  using Existing = DatasetOptions::Existing;
  DatasetOptions options = given;
  if (resources.layouts != nullptr) options.take(resources.layouts->of(path));
  const auto texts = [&] {
    return std::vector<NamedText>{{"files", path},
                                  {"options", text_of(options)},
                                  {"dimensions", text_of(DatasetDescription{.dimensions = description.dimensions})},
                                  {"variables", text_of(DatasetDescription{.variables = description.variables})},
                                  {"attributes", text_of(DatasetDescription{.attributes = description.attributes})}};
  };
  require_same_on_all(resources.comm, texts, "arrays: the ranks were given different");
  const Container container = options.container.value_or(container_of(path));
  needs_composed_names_ = is_netcdf(container);
  run_and_agree(resources.comm, [&] {
    require_chunks(resources, path, container, given, options);
    require_windows(path, description, options);
    require_dataset_name(path, container);
    if (container != Container::hdf5) require_no_groups(description, container);
    description = with_types_of_fill_values(std::move(description));
    if (needs_composed_names_) require_composed_names(description);
  });
  if (container == Container::zarr) path = without_last_slashes(std::move(path));
  require_folder_of(resources.comm, path);
  run_and_agree(resources.comm, [&] {
    if (!options.is_whole || options.existing != Existing::append) return;
    refuse_dataset(path, "a dataset that appears when it is complete does not continue another one",
                   "set either is_whole or Existing::append");
  });
  lock(path, container);
  if (options.is_whole) {
    whole_.emplace(resources, path, container, options.existing == Existing::replace);
    path = whole_->path();
    options.existing = Existing::replace;
  }
  switch (container) {
    case Container::hdf5:
    case Container::netcdf4:
      if (is_chunked_hdf5(resources, path, description, options)) {
        output_ =
            std::make_unique<ChunkedHdf5Output>(resources, std::move(path), container, std::move(description), options);
        return;
      }
      [[fallthrough]];
    case Container::netcdf:
    case Container::vtkhdf:
      output_ = std::make_unique<GrowingOutput>(resources, std::move(path), container, std::move(description), options);
      return;
    case Container::pnetcdf:
      output_ = std::make_unique<PnetcdfOutput>(resources, std::move(path), std::move(description), options);
      return;
    case Container::checkpoint:
      output_ = std::make_unique<CheckpointOutput>(resources, std::move(path), std::move(description), options);
      return;
    case Container::zarr:
      output_ = std::make_unique<ZarrOutput>(resources, std::move(path), std::move(description), options);
      return;
    case Container::vti:
    case Container::vtr:
    case Container::vts:
    case Container::tecplot:
    case Container::raw: break;
  }
  output_ = std::make_unique<SeriesOutput>(resources, std::move(path), std::move(description), options);
}

void DatasetWriter::lock(std::string& path, Container container) {
  Communicator& comm = resources_.comm;
  if (is_series(container)) {
    // The lock of a dataset with many files does not depend on the ending of its name.
    const std::string name = fmt::format("{}.{}", SeriesNames(path, container).stem(), name_of(container));
    lock_.emplace(comm, name, OutputOf::dataset);
    return;
  }
  if (value_from_rank(comm, 0, [&] { return unnamed_file_at(path).has_value(); })) return;
  // All links to a dataset have one lock.
  path = value_from_rank(comm, 0, [&] { return file_of_output(path); });
  lock_.emplace(comm, path, OutputOf::dataset);
}

void DatasetWriter::set_attribute(const Attribute& attribute, const std::string& variable) {
  const OutputCall call(resources_.meter);
  require_same_on_all(
      resources_.comm,
      [&] { return fmt::format("{}\n{} {}\n{}", variable, attribute.name, name_of(attribute.type), attribute.text()); },
      "arrays: the ranks were given different attributes");
  const Attribute with_type = run_and_agree(resources_.comm, [&] {
    const DatasetDescription& there = output_->description();
    if (needs_composed_names_) require_composed_names({.attributes = {attribute}});
    return variable.empty() ? attribute : with_type_of(there.variables[there.variable_named(variable)], attribute);
  });
  with_elements_named([&] { output_->set_attribute(with_type, variable); });
}

// Callers know elements; errors for overlapping data name bytes.
template <class Work>
void DatasetWriter::with_elements_named(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    const Where& where = error.parts().where;
    if (!where.byte || where.item_word != overlapped_file) throw;
    throw_at(error, output_->place_of(*where.byte));
  }
}

void DatasetWriter::write(std::span<const ArrayPart> parts, Memory memory) {
  OutputCall call(resources_.meter);
  with_elements_named([&] { output_->write(call, parts, {}, memory); });
}

void DatasetWriter::write_step(std::span<const ArrayPart> parts, Memory memory) { write_steps(1, parts, memory); }

void DatasetWriter::write_steps(std::int64_t steps, std::span<const ArrayPart> parts, Memory memory) {
  OutputCall call(resources_.meter);
  with_elements_named([&] { output_->write(call, parts, steps, memory); });
}

void DatasetWriter::write_own(std::int64_t step, std::span<const ArrayPart> parts) {
  with_elements_named([&] { output_->write_own(step, parts); });
}

void DatasetWriter::wait() {
  const OutputCall call(resources_.meter);
  with_elements_named([&] { output_->wait(); });
}

void DatasetWriter::close() {
  if (is_closed_) return;
  const OutputCall call(resources_.meter);
  is_closed_ = true;
  const std::optional<Error> error = attempt_together(resources_.comm, [&] {
    with_elements_named([&] { output_->close(); });
    if (whole_) whole_->commit();
  });
  whole_.reset();  // before another run may begin
  lock_.reset();
  if (error) throw Error(*error);
}

}  // namespace sill
