// sill arrays: files of arrays, as written by simulations.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/json_text.hpp"
#include "cli/session.hpp"
#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/arrays/checkpoint_files.hpp"
#include "sill/io/arrays/compare_datasets.hpp"
#include "sill/io/arrays/copy_dataset.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/arrays/describe_arrays.hpp"
#include "sill/io/session/dataset_layouts.hpp"

namespace sill::cli {
namespace {

struct ShowArguments {
  std::string file;
  bool json = false;
  bool is_strict = false;  // only of `arrays info`
};

void add_strict(CLI::App& parser, bool& is_strict) {
  parser.add_flag("--strict", is_strict,
                  "Refuse to read elements after the end of a truncated file; otherwise they are read as fill values, "
                  "with a warning");
}

Missing missing_of(bool is_strict) { return is_strict ? Missing::refuse : Missing::fill; }

// Returns the first numbers of an attribute as text.
std::string numbers_text(const Attribute& attribute) {
  constexpr std::int64_t max_shown = 100;
  if (attribute.count() <= max_shown) return attribute.text();
  Attribute first = attribute;
  first.values.resize(static_cast<std::size_t>(max_shown * bytes_of(attribute.type)));
  return fmt::format("{}, ... ({})", first.text(), format_count(attribute.count()));
}

std::string attribute_text(const Attribute& attribute) {
  return attribute.type == ElementType::text
             ? fmt::format("{} = \"{}\"", attribute.name, echoed(attribute.text(), 2000))
             : fmt::format("{} = {} ({})", attribute.name, numbers_text(attribute), name_of(attribute.type));
}

std::string container_text(const DatasetContents& contents) {
  switch (contents.container) {
    case Container::vti: return "VTK image data";
    case Container::vtr: return "VTK rectilinear grid";
    case Container::vts: return "VTK structured grid";
    case Container::tecplot: return "Tecplot";
    case Container::raw: return "raw bytes";
    case Container::zarr: return "Zarr";
    case Container::hdf5: return "HDF5";
    case Container::netcdf4: return "netCDF-4";
    case Container::vtkhdf: return "VTKHDF";
    case Container::netcdf:
    case Container::pnetcdf:
    case Container::checkpoint: break;
  }
  return fmt::format("netCDF, CDF-{}", contents.layout->version);
}

std::int64_t step_bytes(const DatasetDescription& description) {
  std::int64_t bytes = 0;
  for (const Variable& each : description.variables) {
    if (description.has_steps(each)) bytes += description.element_bytes(each);
  }
  return bytes;
}

std::string dataset_text(const std::string& path, const DatasetContents& contents) {
  const DatasetDescription& description = contents.description;
  std::string text = fmt::format("{}: {}", path, container_text(contents));
  if (description.has_steps()) {
    text +=
        fmt::format(", {} complete steps of {}", format_count(contents.steps), format_bytes(step_bytes(description)));
  }
  text += "\ndimensions\n";
  for (const Dimension& each : description.dimensions) {
    text += each.length == unlimited ? fmt::format("  {} unlimited, {} so far\n", each.name, contents.steps)
                                     : fmt::format("  {} {}\n", each.name, each.length);
  }
  text += "variables\n";
  for (const Variable& each : description.variables) {
    text += fmt::format("  {} {}({})\n", name_of(each.type), each.name, fmt::join(each.dimensions, ", "));
    for (const Attribute& of : each.attributes) text += fmt::format("    {}\n", attribute_text(of));
  }
  if (!description.attributes.empty()) text += "attributes\n";
  for (const Attribute& each : description.attributes) text += fmt::format("  {}\n", attribute_text(each));
  for (const std::string& each : contents.missing) text += fmt::format("finding: {}\n", each);
  for (const std::string& each : contents.left_out) text += fmt::format("finding: not read: {}\n", each);
  text.pop_back();
  return text;
}

// Returns a text, or a list of numbers.
nlohmann::ordered_json value_json(const Attribute& attribute) {
  if (attribute.type == ElementType::text) return attribute.text();
  return visit_type(attribute.type, [&](auto of_type) {
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    for (std::int64_t i = 0; i < attribute.count(); ++i) {
      const std::byte* const at = attribute.values.data() + i * bytes_of(attribute.type);
      const auto value = load<decltype(of_type)>(at, native_order);
      if (std::isfinite(static_cast<double>(value))) {
        values.push_back(value);
      } else {
        values.push_back(element_text(at, {attribute.type}));  // JSON has no such number
      }
    }
    return values;
  });
}

nlohmann::ordered_json attributes_json(const std::vector<Attribute>& attributes) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const Attribute& each : attributes) all[each.name] = {{"type", name_of(each.type)}, {"value", value_json(each)}};
  return all;
}

nlohmann::ordered_json dataset_json(const std::string& path, const DatasetContents& contents) {
  nlohmann::ordered_json dimensions = nlohmann::ordered_json::array();
  for (const Dimension& each : contents.description.dimensions) {
    const bool grows = each.length == unlimited;
    dimensions.push_back({{"name", each.name}, {"length", grows ? contents.steps : each.length}, {"unlimited", grows}});
  }
  nlohmann::ordered_json variables = nlohmann::ordered_json::array();
  for (const Variable& each : contents.description.variables) {
    variables.push_back({{"name", each.name},
                         {"type", name_of(each.type)},
                         {"dimensions", each.dimensions},
                         {"attributes", attributes_json(each.attributes)}});
  }
  nlohmann::ordered_json json = {{"file", path}, {"container", name_of(contents.container)}};
  if (contents.layout) json["version"] = contents.layout->version;
  json["steps"] = contents.steps;
  json["dimensions"] = dimensions;
  json["variables"] = variables;
  json["attributes"] = attributes_json(contents.description.attributes);
  json["findings"] = contents.missing;
  for (const std::string& each : contents.left_out) json["findings"].push_back("not read: " + each);
  return json;
}

int run_arrays_info(Session& session, const ShowArguments& options) {
  session.reserve_files({options.file}, {});
  const DatasetContents contents = contents_of_dataset(session.resources(), options.file, ListedFiles::unlike);
  session.print(options.json ? json_text(dataset_json(options.file, contents)) : dataset_text(options.file, contents));
  session.finish();
  if (options.is_strict && !contents.missing.empty()) {
    throw Error({.code = ErrorCode::input,
                 .problem = contents.missing.front(),
                 .where = {.file = options.file},
                 .action = "get an intact copy of the file"});
  }
  return 0;
}

void add_arrays_info(CLI::App& arrays, Commands& commands) {
  const auto [parser, command, options] =
      add_command(arrays, commands, "info", "Show dimensions, variables, attributes and complete steps of a file",
                  "  sill arrays info fields.nc\n"
                  "  sill arrays info fields.zarr --json\n"
                  "  sill arrays info fields.nc --strict       exit status 3 if the file is cut\n",
                  run_arrays_info);
  parser
      .add_option("FILE", options->file,
                  "A netCDF file in a classic format (CDF-1, CDF-2, CDF-5), an HDF5 or netCDF-4 file, a Zarr folder, a "
                  ".vti, .pvd, .xdmf or .mhd file, or a .vtr, .vts or .plt file that Sill wrote")
      ->required();
  parser.add_flag("--json", options->json, "Print JSON");
  parser.add_flag("--strict", options->is_strict, "Refuse a file that is shorter than its header states");
  command.output = "arrays";
}

struct ArraysCopyArguments {
  std::string from;
  std::string to;
  std::vector<std::string> types;
  std::string container;
  std::vector<std::string> codecs;
  std::string chunks;
  CopyDatasetOptions copy;
  bool is_strict = false;
};

// Returns the settings that the options of chunks state.
DatasetLayout layout_of(const ArraysCopyArguments& options) {
  DatasetLayout layout;
  if (!options.chunks.empty()) layout.chunk = parse_chunk(options.chunks);
  for (const std::string& each : options.codecs) layout.codecs.add(each);
  return layout;
}

std::map<std::string, ElementType> types_in(const std::vector<std::string>& texts) {
  std::map<std::string, ElementType> types;
  for (const std::string& text : texts) {
    const std::size_t colon = text.rfind(':');
    const auto type = colon == std::string::npos ? std::nullopt : element_type_named(text.substr(colon + 1));
    if (!type) {
      throw usage_error(fmt::format("--type {:?} does not name the type of a variable", text),
                        "write VARIABLE:TYPE with one of the types i1 i2 i4 i8 u1 u2 u4 u8 f4 f8 text");
    }
    types[text.substr(0, colon)] = *type;
  }
  return types;
}

int run_arrays_copy(Session& session, const ArraysCopyArguments& options) {
  session.reserve_files({options.from}, {options.to});
  CopyDatasetOptions wanted = options.copy;
  wanted.types = run_and_agree(session.comm(), [&] { return types_in(options.types); });
  wanted.container = container_named(options.container);
  const DatasetLayout layout = run_and_agree(session.comm(), [&] { return layout_of(options); });
  wanted.codecs = layout.codecs;
  wanted.chunk = layout.chunk;
  wanted.missing = missing_of(options.is_strict);
  const CopiedDataset copied = copy_dataset(session.resources(), options.from, options.to, wanted);
  session.print(fmt::format("{}: {} variables, {} steps, {} of elements", options.to, format_count(copied.variables),
                            format_count(copied.steps), format_bytes(copied.bytes)));
  return session.finish({.more = {{"variables", copied.variables}, {"steps", copied.steps}, {"bytes", copied.bytes}}});
}

void add_arrays_copy(CLI::App& arrays, Commands& commands) {
  const auto [parser, command, options] = add_command(
      arrays, commands, "copy",
      "Copy a file of arrays\nCan select variables and steps, and convert types and the container.",
      "  sill arrays copy fields.nc -o some.nc --variables u,v --steps 10\n"
      "  mpiexec -n 4 sill arrays copy fields.nc -o small.nc --type u:f4 --cdf-version 5\n"
      "  sill arrays copy fields.nc -o fields.vti          # a file for each step, and fields.pvd for ParaView\n",
      run_arrays_copy);
  parser.add_option("FILE", options->from, "A file of arrays that `sill arrays info` can read")->required();
  parser
      .add_option("-o,--output", options->to,
                  "The copy. It appears when it is complete; in vti, vtr, vts, tecplot and raw, each step does")
      ->required();
  add_choice(parser, "--container", options->container,
             {"netcdf", "hdf5", "netcdf4", "vtkhdf", "vti", "vtr", "vts", "tecplot", "zarr", "raw"},
             "Container of the copy: netcdf, hdf5, netcdf4, vtkhdf, vti, vtr, vts (VTK image data, rectilinear and "
             "structured grids), tecplot, zarr or raw (bytes that an .xdmf file describes). Default: according to the "
             "name of the copy, if it ends with .h5, .hdf5, .nc4, .vtkhdf, .vti, .vtr, .vts, .plt, .zarr, .raw, .xdmf "
             "or .mhd; otherwise netcdf");
  parser.add_option("--codec", options->codecs,
                    "Compression of a copy in Zarr, HDF5 or netCDF-4, [VARIABLE=]CODEC: none, deflate[:LEVEL] or "
                    "zstd[:LEVEL], with the prefixes shuffle+ (sorts bytes by significance) and bitround:BITS+ "
                    "(rounds the mantissa), as in u=bitround:9+shuffle+zstd. May be repeated. Default: none");
  parser.add_option(
      "--chunks", options->chunks,
      "Shape of the chunks of a copy in Zarr, HDF5 or netCDF-4, without the dimension of the steps, such as "
      "64x64x64. Default: chunks of at most 2 MiB in Zarr and with --codec, otherwise contiguous");
  parser.add_flag(
      "--force", options->copy.replaces,
      "Replace the files of a series (.vti, .vtr, .vts, .plt, raw) or a folder (.zarr) with the same name; a single "
      "file is replaced without this option");
  parser.add_flag("--field-data", options->copy.field_data,
                  "In a copy for VTK, store variables that are neither at the points nor in the cells of the grid as "
                  "field data, without positions: variables of staggered grids, and in .vti also coordinates. Default: "
                  "such variables are an error");
  parser.add_option("--variables", options->copy.variables, "Copy only these variables, separated by commas")
      ->delimiter(',');
  parser.add_option("--type", options->types,
                    "VARIABLE:TYPE: type of a variable in the copy (i1 i2 i4 i8 u1 u2 u4 u8 f4 f8); may be "
                    "repeated. Conversion to integers drops fractions, but refuses values outside the range");
  parser.add_option("--first-step", options->copy.first_step, "First step to copy, counted from 0")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{std::numeric_limits<int>::max()}));
  parser
      .add_option("--steps", options->copy.steps,
                  "Number of steps to copy. Default: all steps from the first step to copy to the last")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{std::numeric_limits<int>::max()}));
  parser
      .add_option("--cdf-version", options->copy.form.version,
                  "CDF version of the copy. Default: 2, or 5 if types or sizes require it")
      ->check(CLI::IsMember({1, 2, 5}));
  parser
      .add_option(
          "--align", options->copy.form.align,
          "Begin the first variable at a multiple of this many bytes; in HDF5 and netCDF-4, begin each variable "
          "of at least this many bytes at such a multiple")
      ->capture_default_str();
  parser
      .add_option("--variable-align", options->copy.form.variable_align,
                  "Begin each variable without steps at a multiple of this many bytes")
      ->capture_default_str();
  parser
      .add_option("--record-align", options->copy.form.record_align,
                  "Begin the first step at a multiple of this many bytes")
      ->capture_default_str();
  add_strict(parser, options->is_strict);
  command.output = "arrays";
}

struct ArraysCompareArguments {
  std::string a;
  std::string b;
  CompareTolerance tolerance;
  bool is_strict = false;
};

std::string difference_text(const VariableDifference& each) {
  if (!each.what.empty()) return fmt::format("variable {}: {}", each.name, each.what);
  std::string place;
  if (each.first_step) place = fmt::format("step {}", *each.first_step);
  if (!each.first_index.empty()) {
    place += fmt::format("{}({})", place.empty() ? "" : ", ", fmt::join(each.first_index, ", "));
  }
  if (!place.empty()) place = ", the first at " + place;
  // If all differing values are NaN on one side, there is no largest difference.
  const std::string by = each.max_difference > 0 ? fmt::format(", by at most {:g}", each.max_difference) : "";
  return fmt::format("variable {}: {} of {} values differ{}{}", each.name, format_count(each.differing),
                     format_count(each.elements), by, place);
}

int run_arrays_compare(Session& session, const ArraysCompareArguments& options) {
  session.reserve_files({options.a, options.b}, {});
  const DatasetComparison found =
      compare_datasets(session.resources(), options.a, options.b, options.tolerance, missing_of(options.is_strict));
  std::int64_t elements = 0;
  for (const VariableDifference& each : found.variables) elements += each.elements;
  std::vector<std::string> lines = found.findings;
  for (const VariableDifference& each : found.variables) {
    if (!each.what.empty() || each.differing > 0) lines.push_back(difference_text(each));
  }
  if (found.are_equal()) {
    lines.push_back(fmt::format("equal: {} variables, {} values", found.variables.size(), format_count(elements)));
  }
  session.print(fmt::format("{}", fmt::join(lines, "\n")));
  return session.finish({.more = {{"equal", found.are_equal()}, {"values", elements}}}, found.are_equal() ? 0 : 1);
}

void add_arrays_compare(CLI::App& group, Commands& commands, const char* description, const char* examples) {
  const auto [parser, command, options] =
      add_command(group, commands, "compare", description, examples, run_arrays_compare);
  parser.add_option("A", options->a, "A file of arrays that `sill arrays info` can read, or a checkpoint")->required();
  parser.add_option("B", options->b, "The file to compare with A")->required();
  parser
      .add_option("--absolute", options->tolerance.absolute,
                  "Treat two values as equal if they differ by at most this much")
      ->capture_default_str();
  parser.add_option("--relative", options->tolerance.relative, "Add this fraction of the value in B to the tolerance")
      ->capture_default_str();
  add_strict(parser, options->is_strict);
  command.output = "arrays";
}

struct ArraysDescribeArguments {
  RawArrays arrays;
  std::string to;
  std::string type = "f4";
  bool is_big_endian = false;
};

int run_arrays_describe(Session& session, const ArraysDescribeArguments& options) {
  session.reserve_files(options.arrays.files, {options.to});
  RawArrays arrays = options.arrays;
  arrays.type = element_type_named(options.type).value();
  if (options.is_big_endian) arrays.order = ByteOrder::big;
  std::int64_t count = 0;
  run_on_rank(session.comm(), 0, [&] { count = describe_arrays(session.resources(), arrays, options.to); });
  session.print(fmt::format("{}: {} arrays of {} {} in {} files", options.to, format_count(count),
                            fmt::join(options.arrays.shape, " x "), options.type, options.arrays.files.size()));
  return session.finish({.more = {{"arrays", count}}});
}

void add_arrays_describe(CLI::App& arrays, Commands& commands) {
  const auto [parser, command, options] =
      add_command(arrays, commands, "describe",
                  "Write an .xdmf file that describes raw arrays written by other programs\n"
                  "ParaView opens this file. A raw file contains one or more complete arrays, each of one time "
                  "step.",
                  "  sill arrays describe brick.bin -o brick.xdmf --shape 100,200,400 --type f4\n"
                  "  sill arrays describe volume_*.bin -o volume.xdmf --shape 50,100,200 --variable vx --spacing "
                  "10,10,10\n"
                  "  sill arrays describe step_*.raw -o steps.xdmf --shape 100,200 --type f8 --big-endian\n",
                  run_arrays_describe);
  parser.add_option("FILES", options->arrays.files, "Raw files, in the order of their steps")->required();
  parser.add_option("-o,--output", options->to, "The .xdmf file; it appears when it is complete")->required();
  parser
      .add_option(
          "--shape", options->arrays.shape,
          "Shape of an array: up to three lengths, separated by commas, slowest dimension first, such as 50,100,200. A "
          "fourth number is the number of components")
      ->type_name("N,...")
      ->delimiter(',')
      ->required();
  add_choice(parser, "--type", options->type, {"i1", "i2", "i4", "i8", "u1", "u2", "u4", "f4", "f8"},
             "Type of the elements");
  parser.add_flag("--big-endian", options->is_big_endian, "Read the elements as big-endian");
  parser.add_option("--skip", options->arrays.skipped_bytes, "Number of bytes to skip at the beginning of each file")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()))
      ->capture_default_str();
  parser.add_option("--variable", options->arrays.variable, "Name of the variable")->capture_default_str();
  parser
      .add_option("--origin", options->arrays.origin,
                  "Coordinates of the first point, separated by commas, slowest dimension first, such as 0,500,500. "
                  "Default: zeros")
      ->type_name("FLOAT,...")
      ->delimiter(',');
  parser
      .add_option("--spacing", options->arrays.spacing,
                  "Distance between points in each dimension, separated by commas, slowest dimension first, such as "
                  "5,10,10. Default: 1 in each dimension")
      ->type_name("FLOAT,...")
      ->delimiter(',');
  command.output = "arrays";
  command.inputs = &options->arrays.files;
}

// Shows the generations, and whether they are intact according to `look`.
template <class Look>
int run_checkpoint(Session& session, const ShowArguments& options, const char* whole, Look&& look) {
  session.reserve_files({}, {});
  std::vector<CheckpointGeneration> generations = checkpoint_generations(session.resources(), options.file);
  std::string text;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::int64_t faults = 0;
  for (CheckpointGeneration& each : generations) {
    look(each);
    if (each.fault) ++faults;
    text += fmt::format("{}: generation {}, {}\n", each.path, each.number,
                        each.fault ? each.fault->parts().problem : whole);
    list.push_back({{"file", each.path}, {"generation", each.number}, {"whole", !each.fault}});
    if (each.fault) list.back()["fault"] = each.fault->parts().problem;
  }
  const auto newest = std::ranges::find_if(generations, [](const CheckpointGeneration& each) { return !each.fault; });
  if (newest != generations.end()) text += dataset_text(newest->path, newest->contents);
  session.print(options.json ? json_text(nlohmann::ordered_json{{"generations", list}}) : text);
  session.finish();
  if (newest == generations.end()) (void)contents_of_dataset(session.resources(), options.file);  // throws
  return faults > 0 ? 1 : 0;
}

template <class Look>
void add_checkpoint(CLI::App& group, Commands& commands, const char* name, const char* description,
                    const char* examples, const char* whole, Look look) {
  const auto [parser, command] = add_command(group, commands, name, description, examples);
  auto options = std::make_shared<ShowArguments>();
  parser
      .add_option("CHECKPOINT", options->file,
                  "Path of the checkpoint, as the program passed it to Sill, such as state.checkpoint")
      ->required();
  parser.add_flag("--json", options->json, "Print JSON");
  command.output = "arrays";
  command.run = [options, whole, look](Session& session) {
    return run_checkpoint(session, *options, whole,
                          [&](CheckpointGeneration& each) { look(session.resources(), each); });
  };
}

}  // namespace

void add_checkpoints(CLI::App& program, Commands& commands) {
  CLI::App& group = *program.add_subcommand("checkpoint", "Show, verify and compare checkpoints of simulations");
  group.require_subcommand(1);
  group.footer("`sill checkpoint NAME --help` describes a command and gives examples.");
  add_checkpoint(group, commands, "info", "Show the generations of a checkpoint and the contents of the newest",
                 "  sill checkpoint info state.checkpoint\n"
                 "  sill checkpoint info state.checkpoint --json\n"
                 "  sill arrays copy state.checkpoint -o state.nc          the newest intact generation as "
                 "netCDF\n",
                 "complete", [](const Resources&, CheckpointGeneration&) {});
  add_checkpoint(group, commands, "verify",
                 "Read all generations of a checkpoint, and verify their checksums\n"
                 "Exit status: 1 if a generation is damaged or incomplete, 3 if none is intact.",
                 "  sill checkpoint verify state.checkpoint\n"
                 "  sill checkpoint verify state.checkpoint --json\n"
                 "  mpiexec -n 4 sill checkpoint verify state.checkpoint\n",
                 "all bytes are as they were written", verify_generation);
  add_arrays_compare(
      group, commands,
      "Compare the newest intact generations of two checkpoints by value\nA or B may also be a file of arrays.",
      "  sill checkpoint compare a.checkpoint b.checkpoint\n"
      "  sill checkpoint compare a.checkpoint b.checkpoint --relative 1e-12\n"
      "  sill checkpoint compare state.checkpoint state.nc\n");
}

void add_arrays(CLI::App& program, Commands& commands) {
  CLI::App& arrays = *program.add_subcommand("arrays", "Show, copy and compare files of arrays");
  arrays.require_subcommand(1);
  arrays.footer("`sill arrays NAME --help` describes a command and gives examples.");
  add_arrays_info(arrays, commands);
  add_arrays_copy(arrays, commands);
  add_arrays_compare(arrays, commands,
                     "Compare two files of arrays\n"
                     "Compares dimensions, attributes, steps and values; layouts and element types may "
                     "differ.",
                     "  sill arrays compare a.nc b.nc\n"
                     "  sill arrays compare a.nc b.vti --absolute 1e-12\n"
                     "  mpiexec -n 4 sill arrays compare a.nc b.nc --relative 1e-6\n");
  add_arrays_describe(arrays, commands);
}

}  // namespace sill::cli
