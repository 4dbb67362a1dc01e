#include "sill/io/arrays/output/growing_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <list>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/formats/hdf5/vtkhdf.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/arrays/output/grid_coordinates.hpp"
#include "sill/io/simulation/phase_writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/plan/subarray.hpp"
#include "sill/store/part/part_name.hpp"
#include "sill/store/posix/posix_store.hpp"

namespace sill {
namespace {

// Treats an existing file as the options require; returns true if there is then a file to continue.
bool exists_after(const std::string& path, const DatasetDescription& description, const DatasetOptions& options,
                  const std::function<bool()>& is_unfinished_file) {
  using Existing = DatasetOptions::Existing;
  std::error_code error;
  const std::filesystem::file_status status = status_at(path);
  const bool is_file = std::filesystem::is_regular_file(status);
  const bool exists = std::filesystem::exists(status) && !(is_file && std::filesystem::file_size(path, error) == 0);
  if (options.existing == Existing::append) {
    if (exists && !is_unfinished_file()) return true;
    if (description == DatasetDescription{}) {
      refuse_dataset(path, "nothing is described, and no file to append to exists", "describe the data to write");
    }
  }
  if (!exists) return false;
  if (options.existing == Existing::refuse) {
    refuse_dataset(path, "the file exists already", "name another one, or allow replacement or appending");
  }
  if (!is_file && !std::filesystem::is_symlink(status)) {
    refuse_dataset(path, "it is not a regular file and cannot be replaced", "name another one");
  }
  std::filesystem::remove(path, error);
  if (error) throw system_error(error.value(), "removing the file to replace", {.file = path});
  return false;
}

}  // namespace

bool is_unfinished(const std::string& path, GrowingLayout& layout) {
  const std::unique_ptr<Store> file = open_posix(path, OpenMode::read);
  if (file->size_bytes() < 4) return false;
  const auto has = [&](const FilePiece& piece, bool may_be_there) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(
        std::clamp<std::int64_t>(file->size_bytes() - piece.offset, 0, std::ssize(piece.bytes))));
    read_at(*file, piece.offset, bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] != std::byte{0} && (!may_be_there || bytes[i] != piece.bytes[i])) return false;
    }
    return true;
  };
  layout.lay_out(*make_alone());
  return std::ranges::all_of(layout.beginning(0), [&](const FilePiece& each) { return has(each, false); }) &&
         std::ranges::all_of(layout.header(), [&](const FilePiece& each) { return has(each, true); });
}

bool is_to_append(const Resources& resources, const std::string& path, const DatasetDescription& description,
                  const DatasetOptions& options, const std::function<bool()>& is_unfinished_file) {
  return value_from_rank(resources.comm, 0,
                         [&] { return exists_after(path, description, options, is_unfinished_file); });
}

std::int64_t first_step_of(const DatasetContents& contents, Container container, const DatasetDescription& description,
                           const DatasetOptions& options, const std::string& path) {
  if (contents.container != container) {
    refuse_dataset(path,
                   fmt::format("it is a file of container {} and cannot be appended to as {}",
                               name_of(contents.container), name_of(container)),
                   "name another one");
  }
  const bool is_same = has_same_arrays(description, contents.description) ||
                       (options.fill && has_same_arrays(with_fill_values(description), contents.description));
  if (description != DatasetDescription{} && !is_same) {
    refuse_dataset(
        path,
        fmt::format("{} differs from the file to append to",
                    first_difference_of_arrays(description, contents.description)),
        "describe the same dataset, or describe nothing to use the description of the file, or write another file");
  }
  if (!contents.missing.empty()) {
    refuse_dataset(
        path, contents.missing.front(),
        "copy the file with `sill arrays copy`, which writes fill values for missing elements, and append to the copy");
  }
  const std::int64_t step = options.first_step.value_or(contents.steps);
  if (step < 0 || step > contents.steps) {
    refuse_dataset(path, fmt::format("the next step would be {}, but the file has {} steps", step, contents.steps),
                   fmt::format("continue at step {} or earlier", contents.steps));
  }
  return step;
}

// The data that the requests of a call use.
struct GrowingOutput::Sources {
  PartSources parts;
  std::vector<FilePiece> beginning;
};

// The data that a rank passes to a call.
struct GrowingOutput::Prepared {
  std::optional<Error> error = {};
  std::vector<std::int64_t> brought;  // number of elements of each variable
  std::array<AccessPlan, 2> plans = {};
  std::shared_ptr<Sources> sources;
  GrowingFiles::Steps steps;
};

GrowingOutput::GrowingOutput(const Resources& resources, std::string path, Container container,
                             DatasetDescription description, const DatasetOptions& options, bool rewrites)
    : resources_(resources),
      path_(std::move(path)),
      description_(std::move(description)),
      container_(container),
      fills_(options.fill) {
  Communicator& comm = resources_.comm;
  const DatasetDescription given = description_;
  run_and_agree(comm, [&] {
    if (fills_) description_ = with_fill_values(std::move(description_));
    layout_ = new_layout(container_, description_, options);
    account_ = FillAccount(description_, fills_);
  });
  if (rewrites) {
    run_on_rank(comm, 0, [&] {
      const std::unique_ptr<Store> file = resources_.open(path_, OpenMode::write);
      for (const FilePiece& each : beginning_at(0)) write_at(*file, each.offset, each.bytes);
      file->close();
    });
  }
  const bool appends = !rewrites && is_to_append(resources_, path_, description_, options, [&] {
    return is_unfinished(path_, *new_layout(container_, description_, options));
  });
  if (appends) open_existing(given, options);
  MoverFiles files = run_and_agree(
      comm, [&] { return resources_.files({path_}, appends ? OpenMode::write : OpenMode::write_or_create); });
  file_.emplace(
      resources_, std::move(files),
      [this](std::int64_t steps) {
        beginning_ = beginning_at(steps);
        return plan_of(beginning_);
      },
      steps_);
  if (!appends) return;
  // The header stops counting later steps before they are overwritten.
  beginning_ = beginning_at(steps_);
  const AccessPlan plan = plan_of(beginning_);
  file_->write({&plan, 1}, {}, {steps_, steps_});
  if (!replaces_header_) return;
  file_->wait();
  write_header();
}

void GrowingOutput::open_existing(const DatasetDescription& given, const DatasetOptions& options) {
  const DatasetContents contents = read_contents(resources_, path_);
  run_and_agree(resources_.comm, [&] {
    steps_ = first_step_of(contents, container_, given, options, path_);
    description_ = contents.description;
    layout_ = layout_of(contents, path_);
    if (is_hdf5(container_) && options.steps && *options.steps != layout_->max_steps()) {
      refuse_dataset(path_,
                     fmt::format("the file has room for {} steps, not for {}", layout_->max_steps(), *options.steps),
                     "give the same number of steps, or copy the file with more steps");
    }
    take_attributes_of(given);
  });
  account_ = FillAccount(description_, fills_);
  account_.set_constant_written();
  first_step_ = steps_;
  is_headed_ = true;
  is_appended_ = true;
}

void GrowingOutput::take_attributes_of(const DatasetDescription& given) {
  DatasetDescription description = with_attributes_of(description_, given);
  if (description == description_) return;
  const std::optional<Error> error = attempt([&] { layout_->change_attributes(description); });
  if (error) {
    note(resources_, fmt::format("{}: the attributes of the file remain unchanged: {}", target_of_part(path_),
                                 error->parts().problem));
    return;
  }
  description_ = std::move(description);
  replaces_header_ = true;
  note(resources_, fmt::format("{}: attributes of the file were replaced", target_of_part(path_)));
}

void GrowingOutput::require_open() const {
  if (is_closed_) refuse_closed(path_);
}

void GrowingOutput::set_attribute(const Attribute& attribute, const std::string& variable) {
  if (file_->failure()) throw Error(*file_->failure());
  run_and_agree(resources_.comm, [&] {
    require_open();
    if (is_headed_ && attribute.name == "_FillValue") refuse_late(path_, attribute.name);
    DatasetDescription description = with_attribute(description_, attribute, variable);
    if (is_headed_) {
      layout_->change_attributes(description);
    } else {
      layout_->describe(description);
    }
    description_ = std::move(description);
  });
  if (!is_headed_) return;
  file_->wait();  // for a header that may be in progress
  write_header();
}

std::vector<FilePiece> GrowingOutput::beginning_at(std::int64_t steps) const {
  std::vector<FilePiece> pieces = layout_->beginning(steps);
  if (steps > 0 || is_appended_) return pieces;
  for (FilePiece& each : pieces) std::ranges::fill(each.bytes, std::byte{0});
  return pieces;
}

AccessPlan GrowingOutput::plan_of(const std::vector<FilePiece>& pieces) const {
  if (resources_.comm.rank() != 0) return {};
  std::vector<Extent> extents;
  for (const FilePiece& each : pieces)
    extents.push_back(contiguous(0, {each.offset, std::ssize(each.bytes)}, each.bytes.data()));
  return AccessPlan::for_writing(std::move(extents));
}

FileArray GrowingOutput::places_of(std::size_t variable, std::int64_t step) const {
  return layout_->places(variable, description_.has_steps(description_.variables[variable]) ? step : 0);
}

ElementForm GrowingOutput::form_of(std::size_t variable) const {
  return {description_.variables[variable].type, layout_->order()};
}

void GrowingOutput::require_room_for(std::int64_t steps) const {
  if (steps <= layout_->max_steps() - steps_) return;
  refuse_dataset(
      path_,
      fmt::format("step {} does not fit: the file has room for {} steps", steps_ + steps - 1, layout_->max_steps()),
      is_hdf5(container_) ? "give a larger number of steps to a new file" : "continue in another file");
}

void GrowingOutput::write_header() {
  if (!is_headed_) layout_->lay_out(resources_.comm);
  const auto header = std::make_shared<std::vector<FilePiece>>();
  AccessPlan plan;
  Opening opening;
  opening.error = attempt([&] {
    *header = layout_->header();
    plan = plan_of(*header);
  });
  file_->write({&plan, 1}, opening, {steps_}, header);
  is_headed_ = true;
}

void GrowingOutput::fill(std::span<const FillAccount::Lack> lacks) {
  if (lacks.empty()) return;
  const auto encoders = std::make_shared<std::list<FillEncoder>>();
  AccessPlan plan;
  Opening opening;
  opening.error = attempt([&] {
    std::vector<Extent> extents;
    for (const FillAccount::Lack& lack : lacks) {
      const Variable& variable = description_.variables[lack.variable];
      const std::int64_t size = bytes_of(variable.type);
      const ItemRange mine =
          block_of(whole(description_.shape_of(variable)).items(), resources_.comm.size(), resources_.comm.rank());
      if (mine.empty()) continue;
      Encoder& encoder = encoders->emplace_back(variable, form_of(lack.variable));
      for (std::int64_t step = lack.first_step; step < lack.end_step; ++step) {
        extents.push_back({.offset_bytes = places_of(lack.variable, steps_ + step).first_byte + mine.first * size,
                           .run_bytes = mine.count * size,
                           .encoder = &encoder});
      }
    }
    plan = AccessPlan::for_writing(std::move(extents));
  });
  file_->write({&plan, 1}, opening, {steps_}, encoders);
}

std::vector<Extent> GrowingOutput::extents_of(std::span<const ArrayPart> parts, std::int64_t step, PartSources& sources,
                                              std::vector<std::int64_t>& brought) const {
  const auto places = [&](std::size_t v, std::int64_t step_of_call) {
    return VariablePlaces{places_of(v, step + step_of_call), form_of(v)};
  };
  return extents_to_write(parts, description_, places, sources, brought);
}

void GrowingOutput::prepare(std::span<const ArrayPart> parts, std::optional<std::int64_t> steps, Prepared& call) const {
  require_open();
  if (steps && !description_.has_steps()) refuse_no_steps(path_);
  require_steps(parts, steps);
  if (container_ == Container::vtkhdf && hdf5::is_mesh(description_)) {
    const std::array<std::optional<std::size_t>, 1> points{description_.variable_named("Points")};
    require_grid_values(parts, description_, points);
  }
  const bool has_steps = std::ranges::any_of(parts, [&](const ArrayPart& part) {
    return description_.has_steps(description_.variables[description_.variable_named(part.variable)]);
  });
  if (steps || has_steps) require_room_for(steps.value_or(1));
  call.steps.written = steps_ + steps.value_or(0);
  call.plans[0] = AccessPlan::for_writing(extents_of(parts, steps_, call.sources->parts, call.brought));
  if (!steps) return;
  call.steps.counted = file_->countable(call.steps.written);
  call.sources->beginning = beginning_at(*call.steps.counted);
  call.plans[1] = plan_of(call.sources->beginning);
}

void GrowingOutput::write(OutputCall& output_call, std::span<const ArrayPart> parts, std::optional<std::int64_t> steps,
                          Memory memory) {
  if (file_->failure()) throw Error(*file_->failure());
  if (!is_headed_) write_header();
  Prepared call{.brought = std::vector<std::int64_t>(description_.variables.size()),
                .sources = std::make_shared<Sources>(),
                .steps = {.written = steps_}};
  FillAccount before = account_;
  call.error = attempt([&] {
    prepare(parts, steps, call);
    account_.add(description_, parts,
                 steps ? FillAccount::PassedFor::complete_steps : FillAccount::PassedFor::incomplete_step);
  });
  try {
    write_checked(call, steps, memory);
  } catch (const Error&) {
    // The step can be written again, or be the last one.
    if (file_->forgive()) account_ = std::move(before);
    throw;
  }
  account_.end_call(steps.has_value());
  if (!steps) return;
  steps_ = call.steps.written;
  output_call.completes_phase(*steps);
}

void GrowingOutput::write_checked(Prepared& call, std::optional<std::int64_t> steps, Memory memory) {
  if (account_.is_to_take()) {
    const FillAccount::Call taken =
        account_.take(resources_.comm, call.brought, steps.value_or(0), call.error.has_value());
    keep_first(call.error, attempt([&] { require_once(path_, description_, taken, steps_); }));
    if (!taken.repeated) fill(taken.lacks);
  }
  const Opening opening{.error = call.error, .equal = steps.value_or(0), .unequal = [](std::int64_t, std::int64_t) {
                          return calls_differ();
                        }};
  file_->write(std::span(call.plans).first(steps ? 2 : 1), opening, call.steps, call.sources, memory);
}

void GrowingOutput::write_own(std::int64_t step, std::span<const ArrayPart> parts) {
  require_open();
  require_own_steps(path_, step, parts, !is_headed_ ? 0 : description_.has_steps() ? steps_ : 1);
  require_filled(path_, parts, description_, account_);
  PartSources sources;
  std::vector<std::int64_t> brought(description_.variables.size());
  file_->write_own(AccessPlan::for_writing(extents_of(parts, step, sources, brought)));
  if (step >= first_step_) account_.add(description_, parts, FillAccount::PassedFor::earlier_steps);
}

Where GrowingOutput::place_of(std::int64_t byte) const {
  const std::optional<std::int64_t> step = layout_->step_at(byte);
  Where where = place_in(description_, {.file = path_, .byte = byte},
                         [&](std::size_t v) { return places_of(v, step.value_or(0)).first_byte; });
  if (step && where.item) where.item_word += fmt::format(" in step {}", *step);
  return where;
}

void GrowingOutput::wait() { file_->wait(); }

void GrowingOutput::close() {
  is_closed_ = true;
  std::optional<Error> first = file_->failure();
  if (!first && steps_ == 0 && !is_appended_) {
    first = attempt_together(resources_.comm, [&] { complete_without_steps(); });
  }
  keep_first(first, attempt_together(resources_.comm, [&] { file_->close(); }));
  if (!first) account_for_lacking(resources_, path_, description_, account_, steps_ - first_step_);
  if (!first && is_hdf5(container_) && description_.has_steps() && steps_ < layout_->max_steps()) {
    note(resources_, fmt::format("{}: {} of the {} steps for which the file has room were written; the elements of the "
                                 "others are zeros",
                                 target_of_part(path_), steps_, layout_->max_steps()));
  }
  if (!first && container_ == Container::vtkhdf && steps_ == 1 && layout_->max_steps() > 1) {
    note(resources_, fmt::format("{}: VTK 9.3 reads an image with one step only from a file with room for one",
                                 target_of_part(path_)));
  }
  if (first) throw Error(*first);
}

void GrowingOutput::complete_without_steps() {
  if (!is_headed_) write_header();
  fill(account_.take_unwritten());
  beginning_ = layout_->beginning(0);
  std::array<AccessPlan, 2> plans;
  plans[1] = plan_of(beginning_);
  file_->write(plans, {}, {0, 0});
}

}  // namespace sill
