#include "sill/io/arrays/series_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/image/ncml.hpp"
#include "sill/formats/image/raw_file.hpp"
#include "sill/formats/image/vti_file.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/files/folder_syncs.hpp"
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
    refuse_dataset(path, "it is no file that could be replaced", "name another dataset");
  }
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error) throw system_error(error.value(), "removing a file of the dataset", {.file = path});
}

// The variable that holds the time of a step, by the convention of netCDF: its name is that of the dimension.
std::optional<std::size_t> time_variable(const DatasetDescription& description) {
  for (std::size_t v = 0; v < description.variables.size(); ++v) {
    const Variable& each = description.variables[v];
    if (each.dimensions.size() == 1 && each.dimensions[0] == each.name && description.has_steps(each) &&
        each.type != ElementType::text) {
      return v;
    }
  }
  return std::nullopt;
}

}  // namespace

// A file that several calls write. It gets its name when all of it is written.
struct SeriesOutput::Begun {
  std::optional<PartFile> part;       // on rank 0
  std::vector<std::int64_t> brought;  // of each variable, by all ranks
  std::optional<Mover> mover;
};

SeriesOutput::SeriesOutput(const Resources& resources, std::string path, DatasetDescription description,
                           const DatasetOptions& options)
    : resources_(resources),
      path_(std::move(path)),
      container_(options.container.value_or(container_of(path_))),
      names_(path_, container_),
      has_headers_(container_ == Container::raw && path_.ends_with(".mhd")),
      description_(std::move(description)) {
  Communicator& comm = resources_.comm;
  replaces_ = options.existing == DatasetOptions::Existing::replace;
  run_and_agree(comm, [&] {
    const std::string name = name_in_folder(names_.stem());
    if (name.empty() || name == "." || name == "..") {
      refuse_dataset(path_, "the name of the dataset is empty", "name it as a file");
    }
    require_possible(description_);
    take_files();
  });
  require_folder_of(comm, path_);
  std::array<std::int64_t, 2> found{};
  run_on_rank(comm, 0, [&] {
    found[0] = steps_after(options);
    found[1] = has_constant_ ? 1 : 0;
  });
  comm.broadcast(std::as_writable_bytes(std::span(found)), 0);
  steps_ = first_step_ = found[0];
  has_constant_ = found[1] == 1;
  is_begun_ = steps_ > 0 || has_constant_;
  phases_.emplace(resources_, path_, resources_.memory());
}

SeriesOutput::~SeriesOutput() = default;

image::ImageFile SeriesOutput::file_of(bool of_steps) const {
  return container_ == Container::vti ? image::vti_file_of(description_, of_steps)
                                      : image::raw_file_of(description_, of_steps);
}

void SeriesOutput::take_files() {
  constant_file_ = file_of(false);
  step_file_ = file_of(true);
  // What the list of steps cannot hold is found now.
  (void)index_text();
  image::require_file_name(name_in_folder(names_.step(0)));
  for (const bool of_steps : {false, true}) {
    for_each_header(of_steps, [&](const Variable& variable, std::int64_t begin) {
      (void)image::mhd_text(description_, variable, name_in_folder(names_.step(0)), begin);
    });
  }
}

std::int64_t SeriesOutput::steps_after(const DatasetOptions& options) {
  using Existing = DatasetOptions::Existing;
  const bool has_steps = description_.has_steps();
  std::int64_t steps = 0;
  while (is_there(names_.step(steps))) ++steps;
  const bool has_constant = is_there(names_.constant());
  if (options.existing == Existing::refuse && (steps > 0 || has_constant || is_there(names_.index()))) {
    refuse_dataset(steps > 0      ? names_.step(0)
                   : has_constant ? names_.constant()
                                  : names_.index(),
                   "the file exists already", "name another one, or say that it is to be replaced or appended to");
  }
  if (options.existing == Existing::append && !has_steps && has_constant) {
    refuse_dataset(path_, "the dataset is complete: no variable has steps", "write another one, or replace it");
  }
  const std::int64_t first = options.first_step.value_or(steps);
  if (first < 0 || first > steps) {
    refuse_dataset(path_, fmt::format("step {} is to be written next, of a dataset with {}", first, steps),
                   fmt::format("go on from step {} at most", steps));
  }
  if (steps > 0 && options.existing == Existing::append) require_description();
  if (first == 0 || options.existing != Existing::append) {
    // Also without a complete step all begins anew. What lists steps goes before them.
    std::vector<Variable> variables = description_.variables;
    for (Variable& each : listed_variables()) variables.push_back(std::move(each));
    remove_file(names_.index());
    remove_steps(0, variables);
    for (const Variable& each : variables) remove_header(each.name, {});
    remove_file(names_.constant());
    return 0;
  }
  has_constant_ = has_constant;
  first_step_ = first;
  for (std::int64_t s = 0; s < first; ++s) note(s);
  write_index();
  remove_steps(first, description_.variables);
  return first;
}

std::vector<Variable> SeriesOutput::listed_variables() const {
  if (container_ != Container::raw || !is_there(names_.index())) return {};
  std::vector<Variable> variables;
  (void)attempt([&] {
    const std::optional<std::string> text = read_small_text(names_.index(), max_list_bytes);
    if (text) variables = image::parse_xdmf(*text, names_.index()).description.variables;
  });
  return variables;
}

void SeriesOutput::remove_header(const std::string& variable, std::optional<std::int64_t> step) const {
  if (container_ == Container::raw) remove_file(names_.header(variable, step));
}

void SeriesOutput::require_description() const {
  bool is_same = true;
  if (container_ == Container::vti) {
    const std::string& mine = step_file_.texts.front().bytes;
    const std::unique_ptr<Store> file = open_posix(names_.step(0), OpenMode::read);
    std::string text = mine;
    is_same = file->size_bytes() > static_cast<std::int64_t>(text.size());
    if (is_same) read_at(*file, 0, std::as_writable_bytes(std::span(text)));
    is_same = is_same && text == mine;
  } else if (is_there(names_.index())) {
    const std::optional<std::string> text = read_small_text(names_.index(), max_list_bytes);
    if (!text) refuse_dataset(names_.index(), "the list of steps is too long", "write another dataset");
    is_same = image::parse_xdmf(*text, names_.index()).description == description_;
  } else {
    std::int64_t end = 0;  // what a run left that was killed before it wrote its first list
    for (std::size_t v = 0; v < step_file_.begins.size(); ++v) {
      if (step_file_.begins[v]) end = *step_file_.begins[v] + description_.element_bytes(description_.variables[v]);
    }
    is_same = open_posix(names_.step(0), OpenMode::read)->size_bytes() == end;
  }
  if (is_same) return;
  refuse_dataset(path_, "the files hold other dimensions, variables or attributes than are to be appended",
                 "describe the same, or write another dataset");
}

void SeriesOutput::remove_steps(std::int64_t first, std::span<const Variable> variables) const {
  std::int64_t end = first;
  while (is_there(names_.step(end))) ++end;
  // The last one first: what stays begins with step 0 whenever this ends.
  for (std::int64_t s = end; s-- > first;) {
    for (const Variable& each : variables) remove_header(each.name, s);
    remove_file(names_.step(s));
  }
}

void SeriesOutput::set_attribute(const Attribute& attribute, const std::string& variable) {
  if (failure_) throw Error(*failure_);
  run_and_agree(resources_.comm, [&] {
    if (is_closed_) refuse_closed(path_);
    if (is_begun_) refuse_late(attribute, path_);
    DatasetDescription before = std::exchange(description_, with_attribute(description_, attribute, variable));
    const std::optional<Error> error = attempt([&] { take_files(); });
    if (!error) return;
    description_ = std::move(before);
    take_files();
    throw Error(*error);
  });
}

template <class Work>
void SeriesOutput::perform(Work&& work) {
  if (failure_) throw Error(*failure_);
  try {
    work();
  } catch (const Error& error) {
    require_known_to_all(resources_.comm, error);
    failure_ = error;
    begun_constant_.reset();
    begun_step_.reset();
    resources_.comm.barrier();  // part files are removed before a rank may end the program
    throw;
  }
}

SeriesOutput::Brought SeriesOutput::bring(std::span<const ArrayPart> parts, bool of_steps) const {
  Brought brought;
  std::vector<ArrayPart> mine;
  for (const ArrayPart& part : parts) {
    const Variable& variable = description_.variables[description_.variable_named(part.variable)];
    if (description_.has_steps(variable) == of_steps) mine.push_back(part);
  }
  const image::ImageFile& file = of_steps ? step_file_ : constant_file_;
  brought.elements.resize(description_.variables.size());
  const auto places = [&](std::size_t v, std::int64_t) {
    const Variable& variable = description_.variables[v];
    return VariablePlaces{row_major(0, *file.begins[v], description_.shape_of(variable), bytes_of(variable.type)),
                          image::file_form(variable.type)};
  };
  brought.extents = extents_to_write(mine, description_, places, *brought.sources, brought.elements);
  return brought;
}

void SeriesOutput::add_texts(const image::ImageFile& file, std::vector<Extent>& extents) const {
  if (resources_.comm.rank() != 0) return;
  for (const image::ImageFile::Text& text : file.texts) {
    extents.push_back(contiguous(0, {text.offset_bytes, static_cast<std::int64_t>(text.bytes.size())},
                                 std::as_bytes(std::span(text.bytes)).data()));
  }
}

bool SeriesOutput::has_variables(bool of_steps) const {
  return std::any_of(description_.variables.begin(), description_.variables.end(),
                     [&](const Variable& each) { return description_.has_steps(each) == of_steps; });
}

bool SeriesOutput::is_all(bool of_steps, const std::vector<std::int64_t>& brought) const {
  for (std::size_t v = 0; v < brought.size(); ++v) {
    const Variable& variable = description_.variables[v];
    if (description_.has_steps(variable) != of_steps) continue;
    if (brought[v] < whole(description_.shape_of(variable)).items()) return false;
  }
  return true;
}

void SeriesOutput::require_all(bool of_steps, const std::vector<std::int64_t>& brought) const {
  const std::string where = of_steps ? fmt::format(" in step {}", steps_) : "";
  std::optional<std::size_t> lacking;
  for (std::size_t v = 0; v < brought.size(); ++v) {
    const Variable& variable = description_.variables[v];
    const std::int64_t all = whole(description_.shape_of(variable)).items();
    if (description_.has_steps(variable) != of_steps || brought[v] == all) continue;
    if (brought[v] > all) {
      refuse_dataset(path_,
                     fmt::format("arrays: parts of variable {} overlap{}: they have {} elements, of {}", variable.name,
                                 where, brought[v], all),
                     "let one rank bring each element, once");
    }
    if (!lacking) lacking = v;
  }
  if (!lacking) return;
  const Variable& variable = description_.variables[*lacking];
  refuse_dataset(path_,
                 fmt::format("arrays: the ranks brought {} of the {} elements of variable {}{}", brought[*lacking],
                             whole(description_.shape_of(variable)).items(), variable.name, where),
                 "bring all of them, or write netCDF, which has fill values");
}

void SeriesOutput::write_begun(std::unique_ptr<Begun>& begun, bool of_steps, std::span<const ArrayPart> parts) {
  Communicator& comm = resources_.comm;
  const image::ImageFile& file = of_steps ? step_file_ : constant_file_;
  const bool is_new = begun == nullptr;
  if (is_new) {
    begun = std::make_unique<Begun>();
    begun->brought.resize(description_.variables.size());
    std::string part;
    run_on_rank(comm, 0, [&] {
      const std::string name = of_steps ? names_.step(steps_) : names_.constant();
      if (of_steps) require_free(steps_);
      begun->part.emplace(name, Striping{resources_.policy.stripe_count, resources_.policy.stripe_bytes});
      const auto& striping = begun->part->striping();
      if (striping && resources_.striping != nullptr) resources_.striping->add(name, *striping);
      part = begun->part->path();
    });
    broadcast_all(comm, part, 0);
    MoverFiles files = run_and_agree(comm, [&] { return resources_.files({part}, OpenMode::write); });
    begun->mover.emplace(comm, std::move(files), resources_.policy, resources_.limits());
  }
  Brought brought{.elements = std::vector<std::int64_t>(description_.variables.size())};
  AccessPlan plan;
  Opening opening;
  opening.error = attempt([&] {
    brought = bring(parts, of_steps);
    if (is_new) add_texts(file, brought.extents);
    plan = AccessPlan::for_writing(std::move(brought.extents));
  });
  begun->mover->write({&plan, 1}, opening);
  begun->mover->wait();  // its sources end with this call
  comm.all_reduce(brought.elements, Reduction::sum);
  for (std::size_t v = 0; v < brought.elements.size(); ++v) begun->brought[v] += brought.elements[v];
}

void SeriesOutput::end_begun(std::unique_ptr<Begun>& begun, bool of_steps) {
  run_and_agree(resources_.comm, [&] { require_all(of_steps, begun->brought); });
  begun->mover->close();
  if (!of_steps) has_constant_ = true;
  run_on_rank(resources_.comm, 0, [&] {
    commit(*begun->part, resources_.policy.is_durable(), resources_.meter);
    if (of_steps) {
      publish(steps_);
    } else {
      publish_constant();
    }
  });
  begun.reset();
}

void SeriesOutput::write(OutputCall& output_call, std::span<const ArrayPart> parts, std::optional<std::int64_t> steps,
                         Memory memory) {
  perform([&] {
    // Whether there are parts of either kind is asked where there may be: not in the steps that follow the first.
    const bool is_first = !is_begun_ || steps_ == first_step_;
    if (!is_first && !begun_step_) {
      if (steps) return write_steps(output_call, parts, *steps, 0, memory);
      // An output phase of no files, so that ranks which complete a step instead are found by what phases agree on.
      OutputCall uncounted(nullptr);
      phases_->write(uncounted, {0, [](std::int64_t, std::int64_t) { return calls_differ(); }},
                     [] { return OutputPhase{}; });
    }
    std::array<std::int64_t, 4> found{};
    const std::optional<Error> error = attempt([&] {
      if (is_closed_) refuse_closed(path_);
      if (steps && !description_.has_steps()) refuse_no_steps(path_);
      require_steps(parts, steps);
      for (const ArrayPart& part : parts) {
        const Variable& variable = description_.variables[description_.variable_named(part.variable)];
        found[description_.has_steps(variable) ? 0 : 1] = 1;
      }
    });
    found[2] = steps.value_or(0);
    found[3] = -found[2];
    resources_.comm.all_reduce(found, Reduction::max);
    run_and_agree(resources_.comm, [&] {
      if (error) throw Error(*error);
      if (found[2] != -found[3]) throw calls_differ();
      if (found[1] == 0 || !has_constant_) return;
      refuse_dataset(path_, "arrays: variables without steps are written already", "write them once");
    });
    is_begun_ = true;
    if (found[1] == 1) {
      write_begun(begun_constant_, false, parts);
      if (is_all(false, begun_constant_->brought)) end_begun(begun_constant_, false);
    }
    if (steps && !begun_step_) return write_steps(output_call, parts, *steps, 0, memory);
    std::vector<ArrayPart> of_first;
    std::copy_if(parts.begin(), parts.end(), std::back_inserter(of_first),
                 [](const ArrayPart& each) { return each.step == 0; });
    if (found[0] == 1 || begun_step_) write_begun(begun_step_, true, of_first);
    if (!steps) return;
    phases_->wait();
    end_begun(begun_step_, true);
    ++steps_;
    output_call.completes_phase();
    if (*steps > 1) write_steps(output_call, parts, *steps, 1, memory);
  });
}

void SeriesOutput::write_steps(OutputCall& output_call, std::span<const ArrayPart> parts, std::int64_t steps,
                               std::int64_t first, Memory memory) {
  StepOfCall step{.end = steps_ + 1};
  std::vector<std::vector<ArrayPart>> of_steps(1);
  step.error = attempt([&] {
    require_steps(parts, steps);
    of_steps.resize(static_cast<std::size_t>(steps));
    for (const ArrayPart& part : parts) {
      const Variable& variable = description_.variables[description_.variable_named(part.variable)];
      of_steps[static_cast<std::size_t>(description_.has_steps(variable) ? part.step : 0)].push_back(part);
    }
    step.end = steps_ + steps - first;
  });
  if (step.error) first = 0;
  for (std::size_t s = static_cast<std::size_t>(first); s < of_steps.size(); ++s) {
    step.parts = of_steps[s];
    write_step(output_call, step, memory);
  }
}

void SeriesOutput::write_step(OutputCall& output_call, const StepOfCall& call, Memory memory) {
  const std::int64_t step = steps_;
  std::vector<std::int64_t> elements;
  const auto prepare = [&] {
    if (is_closed_) refuse_closed(path_);
    if (resources_.comm.rank() == 0) require_free(step);
    OutputPhase phase{.paths = {names_.step(step)}};
    if (call.error) throw Error(*call.error);
    for (const ArrayPart& part : call.parts) {
      const Variable& variable = description_.variables[description_.variable_named(part.variable)];
      if (description_.has_steps(variable) || step == first_step_) continue;
      refuse_dataset(path_, fmt::format("arrays: variable {} has no steps and comes with step {}", variable.name, step),
                     "write it before, or with the first step");
    }
    Brought brought = bring(call.parts, true);
    elements = std::move(brought.elements);
    add_texts(step_file_, brought.extents);
    phase.plan = AccessPlan::for_writing(std::move(brought.extents));
    phase.holds = std::move(brought.sources);
    phase.accept = [this, step] {
      if (static_cast<std::int64_t>(times_.size()) == step) return;
      refuse_dataset(path_,
                     fmt::format("arrays: step {} was not written, so that step {} has no place", times_.size(), step),
                     "go on from the last step that is complete");
    };
    phase.publish = [this, step] { publish(step); };
    return phase;
  };
  const PhaseWriter::Common common{.value = call.end,
                                   .unequal = [](std::int64_t, std::int64_t) { return calls_differ(); },
                                   .is_unchanged = [&] { return elements == last_elements_; },
                                   .changed =
                                       [&] {
                                         std::vector<std::int64_t> of_all = elements;
                                         resources_.comm.all_reduce(of_all, Reduction::sum);
                                         run_and_agree(resources_.comm, [&] { require_all(true, of_all); });
                                         last_elements_ = elements;
                                       }};
  phases_->write(output_call, common, prepare, memory);
  ++steps_;
}

void SeriesOutput::write_own(std::int64_t, std::span<const ArrayPart>) {
  refuse_dataset(path_, "arrays: one rank writes by itself into a file that appears when it is complete",
                 "let all ranks write the step, or write netCDF");
}

void SeriesOutput::wait() {
  perform([&] { finish(); });
}

void SeriesOutput::finish() {
  phases_->wait();
  run_on_rank(resources_.comm, 0, [&] {
    if (indexed_steps_ < static_cast<std::int64_t>(times_.size())) write_index();
  });
}

void SeriesOutput::close() {
  is_closed_ = true;
  std::optional<Error> first = failure_;
  const auto attempt_on_all = [&](auto&& work) {
    const std::optional<Error> error = attempt(work);
    if (error) require_known_to_all(resources_.comm, *error);
    keep_first(first, error);
  };
  attempt_on_all([&] { finish(); });  // steps that are complete stay so
  if (!first) {
    attempt_on_all([&] {
      perform([&] {
        run_and_agree(resources_.comm, [&] {
          if (has_variables(false) && !has_constant_) {
            require_all(false, begun_constant_ ? begun_constant_->brought
                                               : std::vector<std::int64_t>(description_.variables.size()));
          }
          if (!begun_step_) return;
          refuse_dataset(path_, fmt::format("arrays: step {} is not complete as the dataset is closed", steps_),
                         "complete it by write_step");
        });
        // A dataset with nothing to write has a file, too.
        const bool has_steps = description_.has_steps();
        if (container_ == Container::vti && steps_ == 0 && !has_variables(false)) {
          write_begun(begun_constant_, false, {});
          end_begun(begun_constant_, false);
        }
        run_on_rank(resources_.comm, 0, [&] {
          if (indexed_steps_ < 0 && (has_steps || container_ == Container::raw)) write_index();
        });
      });
    });
  }
  if (first) throw Error(*first);
}

void SeriesOutput::note(std::int64_t step) {
  const std::optional<std::size_t> time = time_variable(description_);
  double value = static_cast<double>(step);
  if (time) {
    const ElementForm form = image::file_form(description_.variables[*time].type);
    std::array<std::byte, 8> bytes{};
    const std::unique_ptr<Store> file = open_posix(names_.step(step), OpenMode::read);
    read_at(*file, *step_file_.begins[*time], std::span(bytes).first(static_cast<std::size_t>(bytes_of(form.type))));
    (void)convert_elements(bytes.data(), {0, form}, reinterpret_cast<std::byte*>(&value), {0, {ElementType::f8}}, 1);
  }
  times_.push_back(value);
  for (std::size_t v = 0; v < description_.variables.size(); ++v) {
    if (step_file_.begins[v]) bytes_since_index_ += description_.element_bytes(description_.variables[v]);
  }
  write_headers(true, step, step < first_step_);
}

void SeriesOutput::publish(std::int64_t step) {
  note(step);
  // A long list is written less often, so that it costs a small part of what the steps cost.
  constexpr std::int64_t small_bytes = 1 << 20;
  constexpr std::int64_t times_larger = 64;
  if (index_bytes_ < small_bytes || bytes_since_index_ / times_larger >= index_bytes_) write_index();
}

void SeriesOutput::publish_constant() {
  write_headers(false, {}, false);
  if (container_ == Container::raw) write_index();
}

void SeriesOutput::for_each_header(
    bool of_steps, const std::function<void(const Variable& variable, std::int64_t begin)>& visit) const {
  if (!has_headers_) return;
  const image::ImageGrid grid = image::grid_of(description_);
  const image::ImageFile& file = of_steps ? step_file_ : constant_file_;
  for (std::size_t v = 0; v < file.begins.size(); ++v) {
    const Variable& variable = description_.variables[v];
    if (file.begins[v] && image::components_of(description_, variable, grid)) visit(variable, *file.begins[v]);
  }
}

void SeriesOutput::require_free(std::int64_t step) const {
  if (replaces_) return;
  require_nothing_at(names_.step(step));
  for_each_header(
      true, [&](const Variable& variable, std::int64_t) { require_nothing_at(names_.header(variable.name, step)); });
}

void SeriesOutput::write_headers(bool of_steps, std::optional<std::int64_t> step, bool only_missing) const {
  const std::string raw = name_in_folder(step ? names_.step(*step) : names_.constant());
  for_each_header(of_steps, [&](const Variable& variable, std::int64_t begin) {
    const std::string name = names_.header(variable.name, step);
    if (only_missing && is_there(name)) return;
    WholeTextFile header(resources_, name);
    header.write(image::mhd_text(description_, variable, raw, begin));
    header.finish();
  });
}

std::string SeriesOutput::index_text() const {
  std::vector<image::StepFile> steps;
  for (std::size_t s = 0; s < times_.size(); ++s) {
    steps.push_back({name_in_folder(names_.step(static_cast<std::int64_t>(s))), times_[s]});
  }
  if (container_ == Container::vti) return image::pvd_text(steps);
  return image::xdmf_text(description_,
                          {.constant = has_constant_ ? name_in_folder(names_.constant()) : "", .steps = steps});
}

void SeriesOutput::write_index() {
  const std::string text = index_text();
  WholeTextFile index(resources_, names_.index());
  index.write(text);
  index.finish();
  index_bytes_ = static_cast<std::int64_t>(text.size());
  bytes_since_index_ = 0;
  indexed_steps_ = static_cast<std::int64_t>(times_.size());
}

}  // namespace sill
