#include "sill/io/arrays/output/series_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/image/ncml.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/io/arrays/output/value_ranges.hpp"
#include "sill/io/files/folder_syncs.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/move/access_lists.hpp"
#include "sill/plan/part.hpp"
#include "sill/store/part/part_file.hpp"

namespace sill {

// A file that several calls write. It gets its name when it is completely written.
struct SeriesOutput::Begun {
  std::optional<PartFile> part;       // on rank 0
  std::vector<std::int64_t> brought;  // elements of each variable that all ranks passed
  std::vector<Extent> places;         // places of all data that this rank passed
  std::vector<image::ValueRange> ranges;
  int calls = 0;
  std::optional<Mover> mover;
};

SeriesOutput::SeriesOutput(const Resources& resources, std::string path, DatasetDescription description,
                           const DatasetOptions& options)
    : resources_(resources), path_(path), files_(run_and_agree(resources.comm, [&] {
        return SeriesFiles(resources, std::move(path), std::move(description), options);
      })) {
  Communicator& comm = resources_.comm;
  const auto found = value_from_rank(comm, 0, [&] { return files_.clear_for(options); });
  if (found.steps > 0) {  // the files already define its attributes
    const std::string ncml = value_from_rank(comm, 0, [&] { return image::ncml_of(files_.description()); });
    run_and_agree(comm, [&] { files_.describe(image::description_in(ncml)); });
  }
  files_.go_on_from(found);
  steps_ = found.steps;
  is_begun_ = steps_ > 0 || found.has_constant;
  may_replace_constant_ = found.has_constant;
  if (files_.grid().needs_values()) coordinates_.emplace(files_.grid(), files_.description());
  phases_.emplace(resources_, path_, resources_.memory());
}

SeriesOutput::~SeriesOutput() = default;

void SeriesOutput::set_attribute(const Attribute& attribute, const std::string& variable) {
  if (failure_) throw Error(*failure_);
  run_and_agree(resources_.comm, [&] {
    if (is_closed_) refuse_closed(path_);
    if (is_begun_) refuse_late(path_, attribute.name);
    files_.describe(with_attribute(description(), attribute, variable));
  });
}

template <class Work>
void SeriesOutput::perform(Work&& work) {
  try {
    run_unless_failed(resources_.comm, failure_, std::forward<Work>(work), [&] {
      begun_constant_.reset();
      begun_step_.reset();
      resources_.comm.barrier();  // removes part files before a rank may end the program
    });
  } catch (const Error&) {
    // The step can be written again, or be the last one.
    const bool is_of_call_alone = failure_ && failure_->code() == ErrorCode::usage && resources_.policy.async == 0;
    if (is_of_call_alone) failure_.reset();
    throw;
  }
}

bool SeriesOutput::is_empty(const ArrayPart& part) const {
  (void)checked_part(part, description());
  return elements_of(part) == 0;
}

std::vector<Extent> SeriesOutput::extents_of(std::span<const ArrayPart> parts, bool has_steps,
                                             const image::ImageFile& file, PartSources& sources,
                                             std::vector<std::int64_t>& elements) const {
  std::vector<ArrayPart> wanted;
  for (const ArrayPart& part : parts) {
    const Variable& variable = description().variables[description().variable_named(part.variable)];
    if (description().has_steps(variable) == has_steps) wanted.push_back(part);
  }
  if (files_.grid().kind == image::VtkKind::structured)
    require_grid_values(wanted, description(), files_.grid().coordinates);
  const auto places = [&](std::size_t v, std::int64_t) {
    const Variable& variable = description().variables[v];
    return VariablePlaces{file.array_of(description(), v), image::file_form(variable.type)};
  };
  return extents_to_write(wanted, description(), places, sources, elements);
}

SeriesOutput::Brought SeriesOutput::bring(std::span<const ArrayPart> parts, bool of_steps) {
  Brought brought{.elements = std::vector<std::int64_t>(description().variables.size())};
  const image::ImageFile& file = files_.file(of_steps);
  brought.extents = extents_of(parts, of_steps, file, brought.sources->parts, brought.elements);
  if (coordinates_) coordinates_->add(brought.extents, file);
  if (!files_.is_tecplot()) return brought;
  brought.ranges.resize(brought.elements.size());
  add_values(brought.extents, description(), file, resources_.threads(), brought.ranges);
  if (const auto time = image::time_variable(description())) {  // the header states the time
    std::erase_if(brought.extents, [&](const Extent& each) { return each.offset_bytes == *file.begins[*time]; });
  }
  return brought;
}

void SeriesOutput::repeat(std::span<const ArrayPart> parts) {
  repeated_.elements.resize(description().variables.size());
  repeated_.ranges.resize(description().variables.size());
  PartSources sources;
  std::vector<Extent> extents = extents_of(parts, false, files_.file(true), sources, repeated_.elements);
  if (files_.is_tecplot())
    add_values(extents, description(), files_.file(true), resources_.threads(), repeated_.ranges);
  if (coordinates_) coordinates_->add(extents, files_.file(true));
  for (Extent& extent : extents) {
    std::string bytes(static_cast<std::size_t>(extent.total_bytes()), '\0');
    pack({&extent, {0, extent.total_bytes()}}, std::as_writable_bytes(std::span(bytes)));
    repeated_.bytes.emplace_back().set(std::move(bytes));
    extent.memory = nullptr;
    extent.encoder = &repeated_.bytes.back();
    repeated_.extents.push_back(std::move(extent));
  }
}

void SeriesOutput::add_repeated(Brought& brought) const {
  brought.extents.insert(brought.extents.end(), repeated_.extents.begin(), repeated_.extents.end());
  for (std::size_t v = 0; v < repeated_.elements.size(); ++v) {
    if (repeated_.elements[v] == 0) continue;
    brought.elements[v] += repeated_.elements[v];
    if (files_.is_tecplot()) brought.ranges[v] = repeated_.ranges[v];
  }
}

void SeriesOutput::join_points(bool of_steps, Brought& brought) const {
  join_interleaved(brought.extents, files_.file(of_steps).points, brought.sources->interleaved);
}

void SeriesOutput::LateBytes::fill(ByteRange range, std::span<std::byte> bytes) const {
  std::ranges::copy(std::as_bytes(std::span(bytes_))
                        .subspan(static_cast<std::size_t>(range.offset), static_cast<std::size_t>(range.length)),
                    bytes.begin());
}

void SeriesOutput::add_texts(bool of_steps, const Encoder* first, Brought& brought) const {
  Communicator& comm = resources_.comm;
  std::vector<Extent>& extents = brought.extents;
  const image::PointCoordinates& coordinates = files_.coordinates();
  if (const ItemRange mine = block_of(coordinates.elements(), comm.size(), comm.rank()); !mine.empty()) {
    const std::int64_t size = bytes_of(coordinates.type);
    extents.push_back({.offset_bytes = std::ssize(files_.file(of_steps).texts.front().bytes) + mine.first * size,
                       .run_bytes = mine.count * size,
                       .encoder = &brought.sources->coordinates.emplace(coordinates, mine.first)});
  }
  if (comm.rank() != 0) return;
  for (const image::ImageFile::Text& text : files_.file(of_steps).texts) {
    extents.push_back(contiguous(0, {text.offset_bytes, static_cast<std::int64_t>(text.bytes.size())},
                                 std::as_bytes(std::span(text.bytes)).data()));
    extents.back().encoder = std::exchange(first, nullptr);
    if (extents.back().encoder != nullptr) extents.back().memory = nullptr;
  }
}

bool SeriesOutput::has_variables(bool of_steps) const {
  return std::any_of(description().variables.begin(), description().variables.end(),
                     [&](const Variable& each) { return description().has_steps(each) == of_steps; });
}

bool SeriesOutput::is_all(bool of_steps, const std::vector<std::int64_t>& brought) const {
  for (std::size_t v = 0; v < brought.size(); ++v) {
    const Variable& variable = description().variables[v];
    if (!is_in(v, of_steps)) continue;
    if (brought[v] < whole(description().shape_of(variable)).items()) return false;
  }
  return true;
}

void SeriesOutput::require_all(bool of_steps, const std::vector<std::int64_t>& brought) const {
  const std::string where = of_steps ? fmt::format(" in step {}", steps_) : "";
  std::optional<std::size_t> lacking;
  for (std::size_t v = 0; v < brought.size(); ++v) {
    const Variable& variable = description().variables[v];
    const std::int64_t all = whole(description().shape_of(variable)).items();
    if (!is_in(v, of_steps) || brought[v] == all) continue;
    if (brought[v] > all) {
      refuse_dataset(path_,
                     fmt::format("arrays: parts of variable {} overlap{}: they have {} elements instead of {}",
                                 variable.name, where, brought[v], all),
                     "write each element on one rank, once");
    }
    if (!lacking) lacking = v;
  }
  if (!lacking) return;
  const Variable& variable = description().variables[*lacking];
  refuse_dataset(path_,
                 fmt::format("arrays: the ranks wrote {} of the {} elements of variable {}{}", brought[*lacking],
                             whole(description().shape_of(variable)).items(), variable.name, where),
                 "write all elements, or write netCDF, which has fill values");
}

image::LeftOut SeriesOutput::left_out_of_step(const std::vector<std::int64_t>& brought) const {
  image::LeftOut left_out(brought.size());
  if (files_.is_tecplot()) {
    require_all(true, brought);
    return left_out;
  }
  bool has_some = false;
  for (std::size_t v = 0; v < brought.size(); ++v) {
    const Variable& variable = description().variables[v];
    if (!description().has_steps(variable)) continue;
    left_out[v] = brought[v] == 0 && whole(description().shape_of(variable)).items() > 0;
    has_some = has_some || !left_out[v];
  }
  std::vector<std::int64_t> complete = brought;
  for (std::size_t v = 0; v < brought.size() && has_some; ++v) {
    if (left_out[v]) complete[v] = whole(description().shape_of(description().variables[v])).items();
  }
  require_all(true, complete);
  return left_out;
}

std::string SeriesOutput::name_of(bool of_steps) const {
  return of_steps ? files_.names().step(steps_) : files_.names().constant();
}

// Elements passed twice in one call are found during writing.
void SeriesOutput::require_once(Begun& begun) const {
  if (begun.calls <= 1) return;
  Communicator& comm = resources_.comm;
  const AccessPlan all = run_and_agree(comm, [&] { return AccessPlan::for_writing(std::move(begun.places)); });
  require_disjoint_ranks(comm, all, all_access_summaries(comm, all), {});
}

Where SeriesOutput::place_of(std::int64_t byte) const {
  const image::ImageFile& file = files_.file(written_file_ != files_.names().constant());
  Where where = place_in(description(), {.file = written_file_.value_or(path_), .byte = byte},
                         [&](std::size_t v) { return file.points.stride_of(v) ? std::nullopt : file.begins[v]; });
  if (!written_file_) where.byte.reset();
  return where;
}

void SeriesOutput::write_begun(std::unique_ptr<Begun>& begun, bool of_steps, std::span<const ArrayPart> parts) {
  Communicator& comm = resources_.comm;
  const bool is_new = begun == nullptr;
  if (is_new) {
    begun = std::make_unique<Begun>();
    begun->brought.resize(description().variables.size());
    const std::string part = value_from_rank(comm, 0, [&] {
      const std::string name = name_of(of_steps);
      if (of_steps) files_.require_free(steps_);
      begun->part.emplace(name, Striping{resources_.policy.stripe_count, resources_.policy.stripe_bytes});
      const auto& striping = begun->part->striping();
      if (striping && resources_.striping != nullptr) resources_.striping->add(name, *striping);
      return begun->part->path();
    });
    MoverFiles files = run_and_agree(comm, [&] { return resources_.files({part}, OpenMode::write); });
    begun->mover.emplace(comm, std::move(files), resources_.policy, resources_.limits());
  }
  Brought brought{.elements = std::vector<std::int64_t>(description().variables.size())};
  AccessPlan plan;
  Opening opening;
  opening.error = attempt([&] {
    written_file_ = name_of(of_steps);
    brought = bring(parts, of_steps);
    join_points(of_steps, brought);
    if (is_new) add_texts(of_steps, nullptr, brought);
    plan = AccessPlan::for_writing(std::move(brought.extents));
    for (Extent place : plan.extents()) {
      place.memory = nullptr;
      place.encoder = nullptr;
      begun->places.push_back(std::move(place));
    }
  });
  begun->mover->write({&plan, 1}, opening);
  begun->mover->wait();  // its sources end with this call
  ++begun->calls;
  comm.all_reduce(brought.elements, Reduction::sum);
  for (std::size_t v = 0; v < brought.elements.size(); ++v) begun->brought[v] += brought.elements[v];
  if (!files_.is_tecplot()) return;
  begun->ranges.resize(brought.ranges.size());
  for (std::size_t v = 0; v < brought.ranges.size(); ++v) begun->ranges[v].add(brought.ranges[v]);
}

std::string SeriesOutput::text_of(const image::LeftOut& left_out, std::vector<image::ValueRange> ranges) {
  if (files_.is_tecplot()) join(resources_.comm, ranges);
  if (coordinates_) {
    coordinates_->join(resources_.comm);
    run_and_agree(resources_.comm, [&] { files_.set_coordinates(coordinates_->values()); });
    coordinates_.reset();
  }
  return run_and_agree(resources_.comm, [&] {
    if (files_.is_tecplot()) image::require_nodes(description(), ranges);
    return files_.text_of_step(left_out, {std::move(ranges), static_cast<double>(steps_)});
  });
}

void SeriesOutput::end_begun(std::unique_ptr<Begun>& begun, bool of_steps) {
  image::LeftOut left_out;
  Brought last{.elements = std::vector<std::int64_t>(description().variables.size()), .ranges = begun->ranges};
  if (files_.repeats_constant()) {
    add_repeated(last);
    resources_.comm.all_reduce(last.elements, Reduction::sum);
    for (std::size_t v = 0; v < last.elements.size(); ++v) begun->brought[v] += last.elements[v];
    join_points(of_steps, last);
  }
  run_and_agree(resources_.comm, [&] {
    written_file_ = name_of(of_steps);
    if (of_steps) {
      left_out = left_out_of_step(begun->brought);
    } else {
      require_all(false, begun->brought);
    }
  });
  require_once(*begun);
  const bool leaves_out = std::ranges::find(left_out, true) != left_out.end();
  if (files_.is_tecplot() || files_.repeats_constant() || coordinates_ || (files_.has_text_of_step() && leaves_out)) {
    const std::string text = text_of(left_out, std::move(last.ranges));
    if (resources_.comm.rank() == 0) {
      last.extents.push_back(
          contiguous(0, {0, static_cast<std::int64_t>(text.size())}, std::as_bytes(std::span(text)).data()));
    }
    const AccessPlan plan =
        run_and_agree(resources_.comm, [&] { return AccessPlan::for_writing(std::move(last.extents)); });
    begun->mover->write(plan);
    begun->mover->wait();
  }
  begun->mover->close();
  if (!of_steps) files_.constant_is_written();
  if (!of_steps) may_replace_constant_ = false;
  run_on_rank(resources_.comm, 0, [&] {
    commit(*begun->part, resources_.policy.is_durable(), resources_.meter);
    if (of_steps) {
      files_.publish(steps_, left_out);
    } else {
      files_.publish_constant();
    }
  });
  begun.reset();
}

SeriesOutput::PartsOfCall SeriesOutput::checked_parts(std::span<const ArrayPart> parts,
                                                      std::optional<std::int64_t> steps) const {
  std::array<std::int64_t, 4> found{};  // parts with steps, and without; the largest and the smallest number of steps
  const std::optional<Error> error = attempt([&] {
    if (is_closed_) refuse_closed(path_);
    if (steps && !description().has_steps()) refuse_no_steps(path_);
    require_steps(parts, steps);
    for (const ArrayPart& part : parts) {
      const Variable& variable = description().variables[description().variable_named(part.variable)];
      std::int64_t& of_kind = found[description().has_steps(variable) ? 0 : 1];
      of_kind = std::max<std::int64_t>(of_kind, is_empty(part) ? PartsOfCall::empty : PartsOfCall::some);
    }
  });
  found[2] = steps.value_or(0);
  found[3] = -found[2];
  resources_.comm.all_reduce(found, Reduction::max);
  run_and_agree(resources_.comm, [&] {
    if (error) throw Error(*error);
    if (found[2] != -found[3]) throw calls_differ();
    if (found[1] < PartsOfCall::some || !files_.has_constant() || may_replace_constant_) return;
    refuse_dataset(path_, "arrays: the variables without steps are already written", "write them once");
  });
  return {found[0], found[1]};
}

void SeriesOutput::write(OutputCall& output_call, std::span<const ArrayPart> parts, std::optional<std::int64_t> steps,
                         Memory memory) {
  perform([&] {
    // The ranks check for parts of either kind only in calls that may have some, not in the steps after the first.
    const bool is_first = !is_begun_ || steps_ == files_.first_step();
    if (!is_first && !begun_step_) {
      if (steps) return write_steps(output_call, parts, *steps, 0, memory);
      // An output phase without files: its agreement detects ranks that complete a step in place of this call.
      OutputCall uncounted(nullptr);
      written_file_.reset();
      phases_->write(uncounted, {0, [](std::int64_t, std::int64_t) { return calls_differ(); }},
                     [] { return OutputPhase{}; });
    }
    PartsOfCall found = checked_parts(parts, steps);
    if (files_.repeats_constant()) {
      if (found.constant == PartsOfCall::some) run_and_agree(resources_.comm, [&] { repeat(parts); });
      found.constant = PartsOfCall::none;
    }
    is_begun_ = true;
    const bool replaces = may_replace_constant_ && (found.constant == PartsOfCall::some || begun_constant_);
    if (replaces || (found.constant != PartsOfCall::none && !files_.has_constant())) {
      write_begun(begun_constant_, false, parts);
      if (is_all(false, begun_constant_->brought)) end_begun(begun_constant_, false);
    }
    if (steps && !begun_step_) return write_steps(output_call, parts, *steps, 0, memory);
    std::vector<ArrayPart> of_first;
    std::copy_if(parts.begin(), parts.end(), std::back_inserter(of_first),
                 [](const ArrayPart& each) { return each.step == 0; });
    if (found.of_step != PartsOfCall::none || begun_step_) write_begun(begun_step_, true, of_first);
    if (!steps) return;
    written_file_.reset();
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
      const Variable& variable = description().variables[description().variable_named(part.variable)];
      of_steps[static_cast<std::size_t>(description().has_steps(variable) ? part.step : 0)].push_back(part);
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
  std::vector<image::ValueRange> ranges;
  std::shared_ptr<Sources> sources;
  const auto left_out = std::make_shared<image::LeftOut>(left_out_);  // as in the last step, unless the ranks find a
                                                                      // difference
  const auto prepare = [&] {
    written_file_.reset();
    if (resources_.policy.async == 0) written_file_ = name_of(true);
    if (is_closed_) refuse_closed(path_);
    if (resources_.comm.rank() == 0) files_.require_free(step);
    OutputPhase phase{.paths = {files_.names().step(step)}};
    if (call.error) throw Error(*call.error);
    for (const ArrayPart& part : call.parts) {
      const Variable& variable = description().variables[description().variable_named(part.variable)];
      if (description().has_steps(variable) || step == files_.first_step() || is_empty(part)) continue;
      refuse_dataset(path_,
                     fmt::format("arrays: variable {} has no steps, but is written with step {}", variable.name, step),
                     "write it before or with the first step");
    }
    Brought brought = bring(call.parts, true);
    add_repeated(brought);
    join_points(true, brought);
    elements = std::move(brought.elements);
    ranges = std::move(brought.ranges);
    sources = brought.sources;
    sources->text.set(step_text_);
    add_texts(true, files_.has_text_of_step() ? &sources->text : nullptr, brought);
    phase.plan = AccessPlan::for_writing(std::move(brought.extents));
    phase.holds = sources;
    phase.accept = [this, step] { files_.require_next(step); };
    phase.publish = [this, step, left_out] { files_.publish(step, *left_out); };
    return phase;
  };
  const PhaseWriter::Common common{.value = call.end,
                                   .unequal = [](std::int64_t, std::int64_t) { return calls_differ(); },
                                   .is_unchanged = [&] { return !files_.is_tecplot() && elements == last_elements_; },
                                   .changed =
                                       [&] {
                                         std::vector<std::int64_t> of_all = elements;
                                         resources_.comm.all_reduce(of_all, Reduction::sum);
                                         run_and_agree(resources_.comm,
                                                       [&] { left_out_ = *left_out = left_out_of_step(of_all); });
                                         if (files_.has_text_of_step()) {
                                           step_text_ = text_of(left_out_, std::move(ranges));
                                           sources->text.set(step_text_);
                                         }
                                         last_elements_ = elements;
                                       }};
  phases_->write(output_call, common, prepare, memory);
  ++steps_;
}

void SeriesOutput::write_own(std::int64_t, std::span<const ArrayPart>) {
  refuse_dataset(path_, "arrays: one rank writes by itself into a file that appears when it is complete",
                 "write the step on all ranks, or write netCDF");
}

void SeriesOutput::wait() {
  perform([&] { finish(); });
}

void SeriesOutput::finish() {
  written_file_.reset();
  phases_->wait();
  run_on_rank(resources_.comm, 0, [&] { files_.list_all(); });
}

void SeriesOutput::close() {
  is_closed_ = true;
  std::optional<Error> first = failure_;
  keep_first(first, attempt_together(resources_.comm, [&] { finish(); }));  // complete steps remain
  if (first) throw Error(*first);
  perform([&] {
    run_and_agree(resources_.comm, [&] {
      if (has_variables(false) && (!files_.has_constant() || begun_constant_)) {
        require_all(false, begun_constant_ ? begun_constant_->brought
                                           : std::vector<std::int64_t>(description().variables.size()));
      }
      if (!begun_step_) return;
      refuse_dataset(path_, fmt::format("arrays: step {} is incomplete when the dataset is closed", steps_),
                     "complete the step with write_step");
    });
    // A dataset without data has a file, too.
    if (files_.has_text_of_step() && !files_.is_tecplot() && steps_ == 0 && !has_variables(false)) {
      write_begun(begun_constant_, false, {});
      end_begun(begun_constant_, false);
    }
  });
}

}  // namespace sill
