#include "sill/io/arrays/dataset_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/packer.hpp"
#include "sill/formats/image/tecplot_file.hpp"
#include "sill/formats/image/vti_file.hpp"
#include "sill/io/arrays/hdf5_contents.hpp"
#include "sill/io/arrays/zarr_contents.hpp"
#include "sill/io/files/open_on_all_ranks.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/store/store.hpp"

namespace sill {
namespace {

using Place = image::RawContents::Place;

constexpr std::int64_t first_bytes = 64 << 10;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The first bytes of a file. `suffice` determines their number, and may change its maximum.
struct Header {
  std::vector<std::byte> bytes = {};
  std::int64_t file_bytes = 0;
  std::int64_t max_bytes = 64 << 20;
};

template <class Suffice>
Header read_header(const Resources& resources, const std::string& path, Suffice&& suffice) {
  const std::unique_ptr<Store> file = resources.open(path, OpenMode::read);
  Header header{.file_bytes = file->size_bytes()};
  for (std::int64_t bytes = std::min(first_bytes, header.file_bytes);; bytes = std::min(4 * bytes, header.file_bytes)) {
    header.bytes.resize(static_cast<std::size_t>(bytes));
    read_at(*file, 0, header.bytes);
    header.file_bytes = file->size_bytes();  // a growing file now contains all data that its header counts
    if (suffice(header)) break;
    if (bytes >= header.max_bytes) {
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("the header of the file is longer than {}", format_bytes(header.max_bytes)),
                   .where = {.file = path},
                   .action = "docs/arrays.md lists the supported files"});
    }
  }
  file->close();
  return header;
}

enum class Kind : std::int64_t { netcdf, hdf5, vti, pvd, tecplot, xdmf, mhd };

// The superblock of an HDF5 file follows a block of the user's bytes, if there is one.
bool begins_hdf5(std::span<const std::byte> first) {
  const std::string_view text = text_of(first);
  for (std::size_t at = 0; at < text.size(); at = at == 0 ? 512 : 2 * at) {
    if (text.substr(at).starts_with(hdf5::signature)) return true;
  }
  return false;
}

Kind kind_of(std::span<const std::byte> first) {
  if (image::is_tecplot(first)) return Kind::tecplot;
  if (begins_hdf5(first)) return Kind::hdf5;
  const std::string_view text = trimmed(text_of(first).substr(0, 4096));
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (text.starts_with('<')) {
    const std::size_t root = text.find("<VTKFile");
    if (root == std::string_view::npos) return Kind::xdmf;
    const std::string_view tag = text.substr(root, text.find('>', root) - root);
    return tag.find("type=\"Collection\"") == std::string_view::npos ? Kind::vti : Kind::pvd;
  }
  return !text.starts_with("CDF") && has("NDims") && has("DimSize") ? Kind::mhd : Kind::netcdf;
}

bool is_whole(Kind kind, const Header& header, const std::string& path) {
  switch (kind) {
    case Kind::netcdf: return cdf::parse_header(header.bytes, header.file_bytes, path).has_value();
    case Kind::vti: return image::parse_vti(header.bytes, header.file_bytes, path).has_value();
    case Kind::tecplot: return image::parse_tecplot(header.bytes, header.file_bytes, path).has_value();
    case Kind::hdf5:
    case Kind::mhd: return true;
    case Kind::pvd:
    case Kind::xdmf: break;
  }
  return static_cast<std::int64_t>(header.bytes.size()) >= header.file_bytes;
}

std::string beside(const std::string& path, const std::string& name) {
  return (std::filesystem::path(path).parent_path() / name).string();
}

std::optional<Place> place_of(const image::ImageContents& found, std::size_t variable, std::size_t file) {
  if (!found.begins[variable]) return {};
  return Place{file, *found.begins[variable], found.points.stride_of(variable).value_or(0)};
}

Container container_of(image::VtkKind kind) {
  constexpr std::array of_kinds{Container::vti, Container::vtr, Container::vts};
  return of_kinds[static_cast<std::size_t>(kind)];
}

// Returns the contents of a file of one step that is opened directly: a dataset without steps. Variables that the file
// does not contain are not part of it.
DatasetContents contents_of_step(Container container, const image::ImageContents& found, const std::string& path) {
  DatasetContents contents{.container = container, .files = {path}, .order = found.order};
  contents.places.emplace_back();
  for (const Dimension& each : found.description.dimensions) {
    if (each.length != unlimited) contents.description.dimensions.push_back(each);
  }
  contents.description.attributes = found.description.attributes;
  for (std::size_t v = 0; v < found.begins.size(); ++v) {
    if (!found.begins[v]) continue;
    Variable variable = found.description.variables[v];
    if (found.description.has_steps(variable)) variable.dimensions.erase(variable.dimensions.begin());
    contents.description.variables.push_back(std::move(variable));
    contents.places[0].push_back(place_of(found, v, 0));
  }
  return contents;
}

DatasetContents contents_of_raw(image::RawContents found, const std::string& path) {
  DatasetContents contents{.container = Container::raw,
                           .description = std::move(found.description),
                           .steps = found.steps,
                           .places = std::move(found.places),
                           .order = found.order};
  for (const std::string& each : found.files) contents.files.push_back(beside(path, each));
  if (contents.files.empty()) contents.files.push_back(path);  // for a dataset without elements
  return contents;
}

[[noreturn]] void refuse_step(const std::string& path, const std::string& problem) {
  throw Error({.code = ErrorCode::input,
               .problem = problem,
               .where = {.file = path},
               .action = "give a list of files with the same arrays"});
}

// Returns sizes in bytes. Opening a file without a size reports the error.
std::vector<std::uintmax_t> sizes_of_files(const Resources& resources, const std::string& list,
                                           std::span<const image::StepFile> steps) {
  const std::filesystem::path folder = std::filesystem::path(list).parent_path();
  const int threads = resources.threads();
  std::vector<std::uintmax_t> sizes(steps.size());
  run_on_threads(threads, [&](int thread) {
    const ItemRange mine = block_of(std::ssize(steps), threads, thread);
    for (std::int64_t s = mine.first; s < mine.first + mine.count; ++s) {
      const auto at = static_cast<std::size_t>(s);
      std::error_code opening_says_it;
      sizes[at] = std::filesystem::file_size(folder / steps[at].path, opening_says_it);
    }
  });
  return sizes;
}

// Reads the file of a step, or of variables without steps.
image::ImageContents image_at(const Resources& resources, Container container, const std::string& file) {
  std::optional<image::ImageContents> found;
  (void)read_header(resources, file, [&](const Header& header) {
    const auto parse = container == Container::tecplot ? image::parse_tecplot : image::parse_vti;
    found = parse(header.bytes, header.file_bytes, file);
    return found.has_value();
  });
  return std::move(*found);
}

// Reads files of steps in the folder of `list`. In files that Sill did not write, all variables have steps.
DatasetContents contents_of_steps(const Resources& resources, Container container, const std::string& list,
                                  std::span<const image::StepFile> steps, ListedFiles listed) {
  DatasetContents contents{.container = container, .steps = std::ssize(steps)};
  contents.places.emplace_back();
  const auto add = [&](const image::ImageContents& found, const std::string& file) {
    DatasetDescription of_file = found.description;
    if (!found.is_described) {
      of_file.dimensions.insert(of_file.dimensions.begin(), {"time", unlimited});
      for (Variable& each : of_file.variables) each.dimensions.insert(each.dimensions.begin(), "time");
    }
    if (contents.files.empty()) {
      contents.order = found.order;
      contents.description = of_file;
      if (container != Container::tecplot) contents.container = container_of(found.kind);
    }
    if (found.order != contents.order || of_file != contents.description) {
      refuse_step(file, "the arrays of the file differ from those of the first file of the list");
    }
    auto& places = contents.places.emplace_back();
    for (std::size_t v = 0; v < found.begins.size(); ++v) places.push_back(place_of(found, v, contents.files.size()));
    contents.files.push_back(file);
  };
  const bool may_skip = listed == ListedFiles::unlike && !steps.empty();
  const std::vector<std::uintmax_t> sizes =
      may_skip ? sizes_of_files(resources, list, steps) : std::vector<std::uintmax_t>();
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const bool is_end = s == 0 || s + 1 == steps.size();
    if (may_skip && !is_end && sizes[s] == sizes[0]) continue;
    const std::string file = beside(list, steps[s].path);
    add(image_at(resources, container, file), file);
  }
  return contents;
}

// Reads the files that are passed to Tecplot together. Each contains all variables.
DatasetContents contents_of_tecplot(const Resources& resources, const std::string& path, ListedFiles listed) {
  const SeriesNames names(path, Container::tecplot);
  std::vector<image::StepFile> steps;
  std::error_code error;
  for (std::int64_t s = 0; std::filesystem::exists(names.step(s), error); ++s)
    steps.push_back({.path = std::filesystem::path(names.step(s)).filename().string()});
  DatasetContents contents = contents_of_steps(resources, Container::tecplot, path, steps, listed);
  contents.places[0] = contents.places[1];
  return contents;
}

// Reads the files that a .pvd file lists.
DatasetContents contents_of_pvd(const Resources& resources, const std::string& text, const std::string& path,
                                ListedFiles listed) {
  DatasetContents contents = contents_of_steps(resources, Container::vti, path, image::parse_pvd(text, path), listed);
  std::error_code error;
  std::string constant;
  bool is_constant_there = false;
  for (const Container each : {Container::vti, Container::vtr, Container::vts}) {
    if (is_constant_there || (!contents.files.empty() && each != contents.container)) continue;
    constant = SeriesNames(path, each).constant();
    is_constant_there = std::filesystem::exists(std::filesystem::status(constant, error));
  }
  if (contents.files.empty()) {
    if (!is_constant_there) refuse_step(path, "the file does not list steps");
    const image::ImageContents found = image_at(resources, Container::vti, constant);
    contents.order = found.order;
    contents.description = found.description;
    contents.container = container_of(found.kind);
  }
  const auto& variables = contents.description.variables;
  bool has_constant = false;
  contents.places[0].resize(variables.size());
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (contents.description.has_steps(variables[v])) continue;
    if (contents.places.size() > 1) contents.places[0][v] = contents.places[1][v];  // each step contains it
    has_constant = has_constant || !contents.places[0][v];
  }
  if (!has_constant || !is_constant_there) return contents;  // it may be written after the steps
  const image::ImageContents found = image_at(resources, Container::vti, constant);
  if (!(found.description == contents.description))
    refuse_step(constant, "the arrays of the file differ from those of the steps");
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (found.begins[v]) contents.places[0][v] = place_of(found, v, contents.files.size());
  }
  contents.files.push_back(constant);
  return contents;
}

DatasetContents contents_of_netcdf(std::span<const std::byte> header, std::int64_t file_bytes,
                                   const std::string& path) {
  cdf::FileContents found = *cdf::parse_header(header, file_bytes, path);
  return {.description = std::move(found.description),
          .steps = found.records,
          .files = {path},
          .layout = std::move(found.layout),
          .file_bytes = file_bytes,
          .missing = std::move(found.missing)};
}

DatasetContents contents_of_zarr(std::span<const zarr::MetadataFile> files, const std::string& given) {
  const std::string path = given.substr(0, given.find_last_not_of('/') + 1);
  zarr::Dataset found = zarr::parse(files, std::filesystem::path(path).filename().string(), path);
  DatasetContents contents{.container = Container::zarr, .description = found.description, .steps = found.steps};
  contents.files = {path};
  contents.left_out = std::move(found.unread);
  contents.zarr = std::move(found);
  return contents;
}

DatasetContents contents_of_hdf5(const Resources& resources, const std::string& path) {
  hdf5::FileContents found = read_hdf5(resources, path);
  DatasetContents contents{.container = found.is_vtkhdf    ? Container::vtkhdf
                                        : found.is_netcdf4 ? Container::netcdf4
                                                           : Container::hdf5,
                           .description = std::move(found.description),
                           .steps = found.steps,
                           .files = {path}};
  contents.left_out = std::move(found.stored.left_out);
  contents.hdf5 = std::move(found.stored);
  return contents;
}

DatasetContents contents_of_series(const Resources& resources, Kind kind, const Header& header, const std::string& path,
                                   ListedFiles listed) {
  const std::string text(text_of(header.bytes));
  switch (kind) {
    case Kind::pvd: return contents_of_pvd(resources, text, path, listed);
    case Kind::xdmf: return contents_of_raw(image::parse_xdmf(text, path), path);
    case Kind::mhd: return contents_of_raw(image::parse_mhd(text, path), path);
    case Kind::vti:
    case Kind::tecplot:
    case Kind::hdf5:
    case Kind::netcdf: break;
  }
  if (kind == Kind::tecplot)
    return contents_of_step(Container::tecplot, *image::parse_tecplot(header.bytes, header.file_bytes, path), path);
  const image::ImageContents found = *image::parse_vti(header.bytes, header.file_bytes, path);
  return contents_of_step(container_of(found.kind), found, path);
}

// Checks the sizes of files. Errors: input if a file of raw bytes ends before its elements do.
void require_elements(const Resources& resources, const DatasetContents& contents) {
  if (contents.container != Container::raw) return;
  std::vector<std::int64_t> ends(contents.files.size());
  for (const auto& of_step : contents.places) {
    for (std::size_t v = 0; v < of_step.size(); ++v) {
      if (!of_step[v]) continue;
      const std::int64_t bytes = contents.description.element_bytes(contents.description.variables[v]);
      std::int64_t& end = ends[of_step[v]->file];
      std::int64_t of_variable = 0;
      if (__builtin_add_overflow(of_step[v]->begin, bytes, &of_variable)) of_variable = farthest_index;
      end = std::max(end, of_variable);
    }
  }
  for (std::size_t f = 0; f < ends.size(); ++f) {
    const std::int64_t size = resources.open(contents.files[f], OpenMode::read)->size_bytes();
    if (size >= ends[f]) continue;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("the file has {} of {} described bytes", size, ends[f]),
                 .where = {.file = contents.files[f], .byte = size},
                 .action = "get an intact copy of the file"});
  }
}

// Reads the contents of a dataset. The metadata of netCDF and Zarr are packed as they are; each rank parses them.
std::vector<std::byte> packed_contents(const Resources& resources, const std::string& given, ListedFiles listed) {
  const std::string path = dataset_named(resources, given);
  Packer to;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    if (const std::vector<zarr::MetadataFile> metadata = read_zarr_metadata(path); !metadata.empty()) {
      to(Container::zarr);
      exchange_metadata(to, metadata);
      to(listed == ListedFiles::unlike ? surplus_in_folder(path, metadata, zarr::parse(metadata, "array", path), false)
                                       : std::vector<std::string>());
      return to.take();
    }
  }
  Kind kind = Kind::netcdf;
  const Header header = read_header(resources, path, [&](Header& so_far) {
    kind = kind_of(so_far.bytes);
    if (kind == Kind::pvd || kind == Kind::xdmf) so_far.max_bytes = max_list_bytes;
    return is_whole(kind, so_far, path);
  });
  if (kind == Kind::netcdf) {
    to(Container::netcdf, header.bytes, header.file_bytes);
    return to.take();
  }
  const bool is_series = kind == Kind::tecplot && path != given;
  const DatasetContents contents = kind == Kind::hdf5 ? contents_of_hdf5(resources, path)
                                   : is_series        ? contents_of_tecplot(resources, given, listed)
                                                      : contents_of_series(resources, kind, header, path, listed);
  // A file of a series stands for its list only if the list is of such files.
  const Container by_name = sill::container_of(given);
  if (kind == Kind::pvd && path != given && is_vtk(by_name) && by_name != contents.container)
    throw Error({.code = ErrorCode::io,
                 .problem = fmt::format("{} does not exist, and {} lists other files", given, path),
                 .where = {.file = given},
                 .action = fmt::format("open {}", path)});
  require_elements(resources, contents);
  to(contents.container);
  exchange(to, contents);
  return to.take();
}

DatasetContents unpacked(std::span<const std::byte> found, const std::string& path) {
  Unpacker from(found);
  const auto container = from.next<Container>();
  if (container == Container::netcdf) {
    const auto header = from.next<std::vector<std::byte>>();
    return contents_of_netcdf(header, from.next<std::int64_t>(), path);
  }
  if (container == Container::zarr) {
    std::vector<zarr::MetadataFile> metadata;
    exchange_metadata(from, metadata);
    DatasetContents contents = contents_of_zarr(metadata, path);
    const auto surplus = from.next<std::vector<std::string>>();
    contents.left_out.insert(contents.left_out.end(), surplus.begin(), surplus.end());
    return contents;
  }
  DatasetContents contents;
  exchange(from, contents);
  return contents;
}

}  // namespace

Container container_for(const Resources& resources, const std::string& path) {
  const Container by_name = container_of(path);
  return resources.layouts == nullptr ? by_name : resources.layouts->of(path).container.value_or(by_name);
}

std::filesystem::file_status status_at(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, error);
  if (status.type() == std::filesystem::file_type::none) throw system_error(error.value(), "lstat", {.file = path});
  return status;
}

void require_nothing_at(const std::string& path) {
  if (!std::filesystem::exists(status_at(path))) return;
  throw Error({.code = ErrorCode::usage,
               .problem = "the file exists already",
               .where = {.file = path},
               .action = "name another one, or allow replacement (on the command line: --force)"});
}

std::string kind_of_dataset(const Resources& resources, const std::string& path) {
  std::string kind;
  (void)attempt([&] {
    for (const char* const name : {"/zarr.json", "/.zgroup", "/.zarray"}) {
      if (std::filesystem::exists(path + name)) kind = "a Zarr dataset";
    }
    if (!kind.empty()) return;
    const Header header = read_header(resources, path, [](const Header&) { return true; });
    const std::string_view text = text_of(header.bytes);
    if (begins_hdf5(header.bytes)) kind = "an HDF5 file";
    if (text.starts_with("CDF\1") || text.starts_with("CDF\2") || text.starts_with("CDF\5")) kind = "a netCDF file";
  });
  return kind;
}

std::string dataset_named(const Resources& resources, const std::string& path) {
  std::error_code error;
  const auto list_of = [&](Container container) {
    if (!is_series(container)) return std::string();
    const SeriesNames names(path, container);
    const std::string list = names.index().empty() ? names.step(0) : names.index();
    return !list.empty() && std::filesystem::is_regular_file(list, error) ? list : std::string();
  };
  const std::string list = list_of(container_for(resources, path));
  if (!list.empty()) return list;
  if (std::filesystem::exists(std::filesystem::status(path, error))) return path;
  // The program may have selected a different container than the name suggests.
  for (const Container each : containers) {
    if (const std::string other = list_of(each); !other.empty()) return other;
  }
  return path;
}

DatasetContents read_contents(const Resources& resources, const std::string& path, ListedFiles listed) {
  Communicator& comm = resources.comm;
  const std::vector<std::byte> found =
      value_from_rank(comm, 0, [&] { return packed_contents(resources, path, listed); });
  DatasetContents contents = run_and_agree(comm, [&] { return unpacked(found, path); });
  // Each rank opens the files itself. Of thousands of files, two show whether all ranks see the same folder.
  if (comm.size() > 1 && !contents.files.empty()) {
    std::vector<std::string> seen{contents.files.front(), contents.files.back()};
    // A rank that does not see the folder would take its chunks for fill values.
    if (contents.zarr) seen = {contents.files.front() + "/" + contents.zarr->metadata_file};
    if (seen.front() == seen.back()) seen.resize(1);
    (void)open_on_all_ranks(resources, seen);
  }
  return contents;
}

}  // namespace sill
