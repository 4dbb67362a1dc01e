#include "sill/io/arrays/output/series_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/formats/image/ncml.hpp"
#include "sill/formats/image/raw_file.hpp"
#include "sill/formats/image/vti_file.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/files/small_text.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/store/part/part_file.hpp"
#include "sill/store/posix/posix_store.hpp"

namespace sill {
namespace {

std::string name_in_folder(const std::string& path) { return std::filesystem::path(path).filename().string(); }

bool is_there(const std::string& path) { return std::filesystem::exists(status_at(path)); }

void remove_file(const std::string& path) {
  const std::filesystem::file_status status = status_at(path);
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_symlink(status)) {
    refuse_dataset(path, "it is not a regular file and cannot be replaced", "name another dataset");
  }
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error) throw system_error(error.value(), "removing a file of the dataset", {.file = path});
}

// Removes the last step first, so that after an interruption the remaining steps still start at step 0, without gaps.
template <class RemoveHeaders>
void remove_files_of_steps(const SeriesNames& names, std::int64_t first, const RemoveHeaders& remove_headers) {
  std::int64_t end = first;
  while (is_there(names.step(end))) ++end;
  for (std::int64_t s = end; s-- > first;) {
    remove_headers(s);
    remove_file(names.step(s));
  }
}

}  // namespace

SeriesFiles::SeriesFiles(const Resources& resources, std::string path, DatasetDescription description,
                         const DatasetOptions& options)
    : resources_(resources),
      path_(std::move(path)),
      container_(options.container.value_or(container_of(path_))),
      names_(path_, container_),
      has_headers_(container_ == Container::raw && path_.ends_with(".mhd")),
      replaces_(options.existing == DatasetOptions::Existing::replace),
      has_field_data_(options.field_data) {
  const std::string name = name_in_folder(names_.stem());
  if (name.empty() || name == "." || name == "..") {
    refuse_dataset(path_, "the name of the dataset is empty", "give it the name of a file");
  }
  require_possible(description);
  description_ = std::move(description);
  lay_out();
}

void SeriesFiles::describe(DatasetDescription description) {
  SeriesFiles changed = *this;
  changed.description_ = std::move(description);
  changed.lay_out();
  std::swap(description_, changed.description_);
  std::swap(constant_file_, changed.constant_file_);
  std::swap(step_file_, changed.step_file_);
  std::swap(coordinates_, changed.coordinates_);
  std::swap(grid_, changed.grid_);
}

image::ImageFile SeriesFiles::file_of(bool of_steps) {
  if (is_tecplot()) {
    if (description_.has_steps() != of_steps)
      return {.begins = std::vector<std::optional<std::int64_t>>(description_.variables.size())};
    image::TecplotFile made = image::tecplot_file_of(description_);
    coordinates_ = std::move(made.coordinates);
    return std::move(made.file);
  }
  return is_vtk(container_) ? image::vtk_file_of(description_, grid_, of_steps)
                            : image::raw_file_of(description_, of_steps);
}

void SeriesFiles::set_coordinates(const std::array<std::vector<double>, 3>& values) {
  try {
    image::set_coordinates(grid_, description_, values);
  } catch (const Error& error) {
    throw_at(error, {.file = path_});
  }
}

void SeriesFiles::lay_out() {
  if (is_vtk(container_)) {
    using enum image::VtkKind;
    const image::VtkKind kind = container_ == Container::vti   ? image
                                : container_ == Container::vtr ? rectilinear
                                                               : structured;
    try {
      grid_ = image::vtk_grid_of(description_, kind, has_field_data_);
      image::require_places(grid_, description_, true);
    } catch (const Error& error) {
      throw_at(error, {.file = path_});
    }
  }
  constant_file_ = file_of(false);
  step_file_ = file_of(true);
  // Reports data that the list of steps cannot store.
  if (!names_.index().empty()) (void)index_text();
  image::require_file_name(name_in_folder(names_.step(0)));
  for (const bool of_steps : {false, true}) {
    for_each_header(of_steps, {}, [&](const Variable& variable, std::int64_t begin) {
      (void)image::mhd_text(description_, variable, name_in_folder(names_.step(0)), begin);
    });
  }
}

std::string SeriesFiles::text_of_step(const image::LeftOut& left_out, const image::TecplotValues& values) const {
  if (is_tecplot()) return image::tecplot_file_of(description_, values).file.texts.front().bytes;
  return image::vtk_text_of_step(description_, grid_, left_out);
}

SeriesFiles::Found SeriesFiles::clear_for(const DatasetOptions& options) {
  using Existing = DatasetOptions::Existing;
  const bool has_steps = description_.has_steps();
  std::int64_t steps = 0;
  while (is_there(names_.step(steps))) ++steps;
  if (container_ == Container::raw && options.existing == Existing::append) take_listed_steps(steps);
  const std::vector<std::size_t> listed = std::exchange(left_out_, {});
  const bool has_constant = is_there(names_.constant());
  if (options.existing == Existing::refuse && (steps > 0 || has_constant || is_there(names_.index()))) {
    refuse_dataset(steps > 0      ? names_.step(0)
                   : has_constant ? names_.constant()
                                  : names_.index(),
                   "the file exists already",
                   "name another one, or allow replacement (on the command line: --force) or appending");
  }
  const std::vector<SeriesNames> others = listed_of_other_formats();
  if (options.existing == Existing::append && !others.empty()) {
    refuse_dataset(names_.index(),
                   fmt::format("the dataset has the steps {}, ..., which {} cannot continue",
                               name_in_folder(others.front().step(0)), name_in_folder(names_.step(0))),
                   "append with the ending of these files, write another dataset, or replace this one");
  }
  if (options.existing == Existing::append && !has_steps && has_constant) {
    refuse_dataset(path_, "the dataset is complete: no variable has steps", "write another dataset, or replace it");
  }
  const std::int64_t first = options.first_step.value_or(steps);
  if (first < 0 || first > steps) {
    refuse_dataset(path_, fmt::format("the next step would be {}, but the dataset has {} steps", first, steps),
                   fmt::format("continue at step {} or earlier", steps));
  }
  if (steps > 0 && options.existing == Existing::append) require_description();
  if (first == 0 || options.existing != Existing::append) {
    remove_all(others);  // also without a complete step
    return {};
  }
  go_on_from({first, has_constant});
  for (std::int64_t s = 0; s < first; ++s) {
    const auto step = static_cast<std::size_t>(s);
    note(s, step < listed.size() ? image::LeftOut(kinds_[listed[step]]) : image::LeftOut());
  }
  write_index();
  remove_steps(first, description_.variables);
  return {first, has_constant};
}

void SeriesFiles::remove_all(std::span<const SeriesNames> others) const {
  std::vector<Variable> variables = description_.variables;
  for (Variable& each : listed_variables()) variables.push_back(std::move(each));
  for (const SeriesNames& each : others) {  // before the index, by which the next run finds what remains of them
    remove_file(each.constant());
    remove_files_of_steps(each, 0, [](std::int64_t) {});
  }
  remove_file(names_.index());  // before the steps
  remove_steps(0, variables);
  for (const Variable& each : variables) remove_header(each.name, {});
  remove_file(names_.constant());
}

void SeriesFiles::take_listed_steps(std::int64_t& steps) {
  if (!is_there(names_.index())) return;
  const std::optional<std::string> text = read_small_text(names_.index(), max_list_bytes);
  if (!text) return;  // too long; reported later
  const image::RawContents contents = image::parse_xdmf(*text, names_.index());
  bool all_hold_all = true;
  for (std::size_t s = 1; s < contents.places.size(); ++s) {
    image::LeftOut left_out(contents.description.variables.size());
    for (std::size_t v = 0; v < left_out.size(); ++v) {
      left_out[v] = contents.description.has_steps(contents.description.variables[v]) && !contents.places[s][v];
    }
    left_out_.push_back(kind_of(left_out));
    all_hold_all = all_hold_all && left_out_.back() == 0;
  }
  if (!all_hold_all) steps = std::min(steps, contents.steps);
}

std::size_t SeriesFiles::kind_of(const image::LeftOut& left_out) {
  if (std::ranges::find(left_out, true) == left_out.end()) return 0;
  const auto kind = static_cast<std::size_t>(std::ranges::find(kinds_, left_out) - kinds_.begin());
  if (kind == kinds_.size()) kinds_.push_back(left_out);
  return kind;
}

void SeriesFiles::go_on_from(Found found) {
  first_step_ = found.steps;
  has_constant_ = found.has_constant;
}

std::vector<Variable> SeriesFiles::listed_variables() const {
  if (container_ != Container::raw || !is_there(names_.index())) return {};
  std::vector<Variable> variables;
  (void)attempt([&] {
    const std::optional<std::string> text = read_small_text(names_.index(), max_list_bytes);
    if (text) variables = image::parse_xdmf(*text, names_.index()).description.variables;
  });
  return variables;
}

void SeriesFiles::remove_header(const std::string& variable, std::optional<std::int64_t> step) const {
  if (container_ == Container::raw) remove_file(names_.header(variable, step));
}

void SeriesFiles::require_description() {
  std::optional<DatasetDescription> there;
  bool is_same = true;
  if (has_text_of_step()) {
    const std::string& mine = step_file_.texts.front().bytes;
    const std::unique_ptr<Store> file = open_posix(names_.step(0), OpenMode::read);
    constexpr std::int64_t longer = 1 << 20;
    const std::int64_t size = file->size_bytes();
    std::string text(static_cast<std::size_t>(std::min(size, std::ssize(mine) + longer)), ' ');
    read_at(*file, 0, std::as_writable_bytes(std::span(text)));
    is_same = !is_tecplot() && size > std::ssize(mine) && text.starts_with(mine);
    if (!is_same) {
      (void)attempt([&] {
        const auto parse = is_tecplot() ? image::parse_tecplot : image::parse_vti;
        const auto found = parse(std::as_bytes(std::span(text)), size, names_.step(0));
        if (found && found->is_described) there = found->description;
      });
    }
  } else if (is_there(names_.index())) {
    const std::optional<std::string> text = read_small_text(names_.index(), max_list_bytes);
    if (!text) refuse_dataset(names_.index(), "the list of steps is too long", "write another dataset");
    there = image::parse_xdmf(*text, names_.index()).description;
    is_same = *there == description_;
  } else {
    std::int64_t end = 0;  // size of a step of a run that was killed before it wrote its first list
    for (std::size_t v = 0; v < step_file_.begins.size(); ++v) {
      if (step_file_.begins[v]) end = *step_file_.begins[v] + description_.element_bytes(description_.variables[v]);
    }
    is_same = open_posix(names_.step(0), OpenMode::read)->size_bytes() == end;
  }
  if (is_same || (there && *there == description_)) return;
  if (there && has_same_arrays(*there, description_)) {
    // Complete steps have these attributes, and all steps must have the same.
    sill::note(resources_, fmt::format("{}: the attributes of the files remain unchanged", path_));
    describe(std::move(*there));
    return;
  }
  refuse_dataset(
      path_,
      there ? fmt::format("{} differs from the files to append to", first_difference_of_arrays(description_, *there))
            : "the dimensions, variables or attributes of the files differ from those to append",
      "describe the same dataset, or write another one");
}

void SeriesFiles::remove_steps(std::int64_t first, std::span<const Variable> variables) const {
  remove_files_of_steps(names_, first, [&](std::int64_t step) {
    for (const Variable& each : variables) remove_header(each.name, step);
  });
}

std::vector<SeriesNames> SeriesFiles::listed_of_other_formats() const {
  std::vector<SeriesNames> others;
  if (!is_vtk(container_) || !is_there(names_.index())) return others;
  std::vector<image::StepFile> listed;
  (void)attempt([&] {
    if (const auto text = read_small_text(names_.index(), max_list_bytes))
      listed = image::parse_pvd(*text, names_.index());
  });
  for (const Container each : containers) {
    if (!is_vtk(each) || each == container_) continue;
    const SeriesNames names(path_, each);
    if (std::ranges::find(listed, name_in_folder(names.step(0)), &image::StepFile::path) != listed.end())
      others.push_back(names);
  }
  return others;
}

void SeriesFiles::note(std::int64_t step, const image::LeftOut& left_out) {
  std::optional<std::size_t> time = image::time_variable(description_);
  if (time && image::is_left_out(left_out, *time)) time.reset();
  double value = static_cast<double>(step);
  if (time) {
    const ElementForm form = image::file_form(description_.variables[*time].type);
    std::array<std::byte, 8> bytes{};
    const std::unique_ptr<Store> file = open_posix(names_.step(step), OpenMode::read);
    read_at(*file, *step_file_.begins[*time], std::span(bytes).first(static_cast<std::size_t>(bytes_of(form.type))));
    (void)convert_elements(bytes.data(), {0, form}, reinterpret_cast<std::byte*>(&value), {0, {ElementType::f8}}, 1);
  }
  times_.push_back(value);
  left_out_.push_back(kind_of(left_out));
  write_headers(true, step, step < first_step_, left_out);
}

void SeriesFiles::require_next(std::int64_t step) const {
  if (static_cast<std::int64_t>(times_.size()) == step) return;
  refuse_dataset(path_, fmt::format("arrays: step {} was not written, so step {} cannot follow", times_.size(), step),
                 "continue after the last complete step");
}

void SeriesFiles::publish(std::int64_t step, const image::LeftOut& left_out) {
  const std::size_t kinds = kinds_.size();
  note(step, left_out);
  // For raw bytes only the list states the variables of a step, so it must include steps that omit variables.
  const bool is_first_of_kind = kinds_.size() > kinds;
  // A long list is written less often, so that it takes a small fraction of the time.
  constexpr std::int64_t small_bytes = 64 << 10;
  constexpr int times_longer = 100;
  const auto since = std::chrono::steady_clock::now() - index_end_;
  if (index_bytes_ < small_bytes || is_first_of_kind || since >= times_longer * index_took_) write_index();
}

void SeriesFiles::publish_constant() {
  write_headers(false, {}, false);
  if (container_ == Container::raw) write_index();
}

void SeriesFiles::for_each_header(
    bool of_steps, const image::LeftOut& left_out,
    const std::function<void(const Variable& variable, std::int64_t begin)>& visit) const {
  if (!has_headers_) return;
  const image::ImageGrid grid = image::grid_of(description_);
  const image::ImageFile& file = of_steps ? step_file_ : constant_file_;
  for (std::size_t v = 0; v < file.begins.size(); ++v) {
    const Variable& variable = description_.variables[v];
    if (!file.begins[v] || image::is_left_out(left_out, v)) continue;
    if (image::components_of(description_, variable, grid)) visit(variable, *file.begins[v]);
  }
}

void SeriesFiles::require_free(std::int64_t step) const {
  if (replaces_) return;
  require_nothing_at(names_.step(step));
  for_each_header(true, {}, [&](const Variable& variable, std::int64_t) {
    require_nothing_at(names_.header(variable.name, step));
  });
}

void SeriesFiles::write_headers(bool of_steps, std::optional<std::int64_t> step, bool only_missing,
                                const image::LeftOut& left_out) const {
  const std::string raw = name_in_folder(step ? names_.step(*step) : names_.constant());
  for_each_header(of_steps, left_out, [&](const Variable& variable, std::int64_t begin) {
    const std::string name = names_.header(variable.name, step);
    if (only_missing && is_there(name)) return;
    WholeTextFile header(resources_, name);
    header.write(image::mhd_text(description_, variable, raw, begin));
    header.finish();
  });
}

void SeriesFiles::list_all() {
  if (indexed_steps_ < static_cast<std::int64_t>(times_.size())) write_index();
}

std::string SeriesFiles::index_text() const {
  std::vector<image::StepFile> steps;
  for (std::size_t s = 0; s < times_.size(); ++s) {
    steps.push_back({.path = name_in_folder(names_.step(static_cast<std::int64_t>(s))),
                     .time = times_[s],
                     .left_out = &kinds_[left_out_[s]]});
  }
  if (is_vtk(container_)) return image::pvd_text(steps);
  return image::xdmf_text(description_,
                          {.constant = has_constant_ ? name_in_folder(names_.constant()) : "", .steps = steps});
}

void SeriesFiles::write_index() {
  if (names_.index().empty()) return;
  const auto begin = std::chrono::steady_clock::now();
  const std::string text = index_text();
  WholeTextFile index(resources_, names_.index());
  index.write(text);
  index.finish();
  index_bytes_ = static_cast<std::int64_t>(text.size());
  index_end_ = std::chrono::steady_clock::now();
  index_took_ = index_end_ - begin;
  indexed_steps_ = static_cast<std::int64_t>(times_.size());
}

}  // namespace sill
