#include "sill/io/arrays/output/chunked_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ranges>
#include <utility>

#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/io/arrays/dataset_parts.hpp"

namespace sill {
ChunkedOutput::ChunkedOutput(const Resources& resources, std::string path, DatasetDescription description,
                             const DatasetOptions& options)
    : resources_(resources), path_(std::move(path)), description_(std::move(description)), options_(options) {
  run_and_agree(resources_.comm, [&] {
    require_possible(description_);
    if (!description_.variables.empty()) description_ = with_rounding(std::move(description_), options_.codecs);
    if (options_.fill) description_ = with_fill_values(std::move(description_));
    account_ = FillAccount(description_, options_.fill);
  });
  const std::int64_t memory = all_reduce(resources_.comm, resources_.memory(), Reduction::min);
  window_bytes_ = memory / 4 * resources_.comm.size();  // elements, and the same again compressed
}

void ChunkedOutput::begin() {
  encoder_.emplace(resources_, path_, chunked());
  if (!units_.empty() || description_.has_steps()) return;
  for (std::size_t v = 0; v < description_.variables.size(); ++v) units_.push_back({*units(v)});
  if (!has_unit_order() || options_.window.empty()) return;
  for (std::size_t v = 0; v < units_.size(); ++v) {
    for (std::int64_t unit = 0; unit < units_[v].grid.chunks(); ++unit) unit_order_.push_back(unit_place(v, unit));
  }
  std::ranges::sort(unit_order_);
}

void ChunkedOutput::continue_at(std::int64_t step, DatasetDescription description) {
  description_ = std::move(description);
  steps_ = first_step_ = step;
  account_ = FillAccount(description_, options_.fill);
  account_.set_constant_written();
  is_constant_written_ = true;
}

void ChunkedOutput::require_same_storage(const Variable& variable, bool has_same_chunk, bool has_same_filters) const {
  const bool has_chunk = !options_.chunk || has_same_chunk;
  const bool has_codec = options_.codecs.empty() ||
                         (has_same_filters && options_.codecs.of(variable.name).keep_bits == rounded_bits(variable));
  if (has_chunk && has_codec) return;
  refuse_dataset(path_,
                 fmt::format("the chunks or the codec of variable {} differ from those of the file", variable.name),
                 "append with the same codec and chunks, or name none");
}

template <class Work>
void ChunkedOutput::perform(Work&& work) {
  try {
    run_unless_failed(resources_.comm, failure_, std::forward<Work>(work), [] {});
  } catch (const Error&) {
    // The step can be written again.
    if (failure_ && failure_->code() == ErrorCode::usage && resources_.policy.async == 0) failure_.reset();
    throw;
  }
}

void ChunkedOutput::set_attribute(const Attribute& attribute, const std::string& variable) {
  const DatasetDescription before = description_;
  run_and_agree(resources_.comm, [&] {
    if (is_closed_) refuse_closed(path_);
    if (attribute.name == "_FillValue" && has_begun()) refuse_late(path_, attribute.name);
    description_ = with_attribute(description_, attribute, variable);
    const std::optional<Error> error = attempt([&] { describe(); });
    if (!error) return;
    description_ = before;
    throw Error(*error);
  });
  if (attribute.name == "_FillValue") begin();
}

bool ChunkedOutput::has_steps(const ArrayPart& part) const {
  return description_.has_steps(description_.variables[description_.variable_named(part.variable)]);
}

void ChunkedOutput::keep(std::span<const ArrayPart> parts) {
  const auto bytes_to_keep = [&](const ArrayPart& part) {
    const Variable& variable = description_.variables[description_.variable_named(part.variable)];
    return elements_of(part) == 0 || !is_needed(part) ? 0 : elements_of(part) * bytes_of(variable.type);
  };
  std::int64_t needed = pending_bytes_;
  for (const ArrayPart& part : parts) needed += bytes_to_keep(part);
  if (needed > resources_.memory()) {
    refuse_dataset(path_,
                   fmt::format("arrays: the parts of incomplete chunks need {} on a rank with {} of memory",
                               format_bytes(needed), format_bytes(resources_.memory())),
                   fmt::format("give each rank more memory, such as {}M (--memory), or write smaller "
                               "chunks; a program can pass the parts with the call that completes the step",
                               4 * (needed >> 20U) + 4));  // the other parts of these chunks follow
  }
  for (const ArrayPart& part : parts) {
    const std::int64_t bytes = bytes_to_keep(part);
    if (bytes == 0) continue;
    const CheckedPart checked = checked_part(part, description_);
    pending_bytes_ += bytes;
    Pending& kept = pending_.emplace_back();
    kept.part = part;
    kept.part.type = description_.variables[checked.variable].type;
    kept.elements.resize(static_cast<std::size_t>(bytes));
    ArrayEncoder(checked.box, {kept.part.type}, part.variable).fill({0, std::ssize(kept.elements)}, kept.elements);
    if (part.elements) {
      kept.numbers.assign(part.elements->begin(), part.elements->end());
      kept.part.elements = kept.numbers;
    } else {
      kept.part.strides = row_major_strides(part.box.count, 1);
      kept.part.stored.reset();
    }
    kept.part.first = kept.elements.data();
  }
}

void ChunkedOutput::forget_pending() {
  pending_.clear();
  pending_bytes_ = 0;
}

void ChunkedOutput::require_parts(std::span<const ArrayPart> parts, std::optional<std::int64_t> steps) const {
  if (is_closed_) refuse_closed(path_);
  if (steps && !description_.has_steps()) refuse_no_steps(path_);
  require_steps(parts, steps);
  for (const ArrayPart& part : parts) {
    const CheckedPart checked = checked_part(part, description_);
    if (description_.has_steps(description_.variables[checked.variable]) || elements_of(part) == 0) continue;
    if (is_constant_written_)
      refuse_dataset(path_, "arrays: the variables without steps are already written", "write them once");
  }
}

void ChunkedOutput::write(OutputCall& output_call, std::span<const ArrayPart> parts, std::optional<std::int64_t> steps,
                          Memory) {
  perform([&] {
    Opening opening{.equal = steps ? steps_ + *steps : -1,
                    .unequal = [](std::int64_t, std::int64_t) { return calls_differ(); }};
    std::vector<Passed> passed;
    opening.error = attempt([&] {
      require_parts(parts, steps);
      if (!steps && writes_units()) passed = passed_in(parts);
    });
    if (!steps) {
      (void)encoder_->encode(description_, {}, {}, 0, opening);  // only agrees
      if (writes_units()) return write_complete_units(output_call, parts, passed);
      const std::size_t kept = pending_.size();
      const std::int64_t kept_bytes = pending_bytes_;
      const std::optional<Error> failed =
          attempt_together(resources_.comm, [&] { run_and_agree(resources_.comm, [&] { keep(parts); }); });
      if (!failed) return;
      pending_.resize(kept);
      pending_bytes_ = kept_bytes;
      throw Error(*failed);
    }
    const std::int64_t steps_before = steps_;
    const bool was_constant_written = is_constant_written_;
    const FillAccount account_before = account_;
    begin_step();
    const std::optional<Error> failed =
        attempt_together(resources_.comm, [&] { write_all_steps(output_call, parts, *steps, opening); });
    if (failed) {  // the whole call can be repeated
      steps_ = steps_before;
      is_constant_written_ = was_constant_written;
      account_ = account_before;
      if (ChunkEncoder::is_overlap(*failed)) forget_pending();  // which parts are wrong is unknown
      throw Error(*failed);
    }
    end_step();
    forget_pending();
  });
}

void ChunkedOutput::write_all_steps(OutputCall& output_call, std::span<const ArrayPart> parts, std::int64_t steps,
                                    const Opening& opening) {
  for (std::int64_t s = 0; s < steps || s == 0; ++s) {  // at least once, to agree on an error
    std::vector<ArrayPart> of_step;
    std::vector<ArrayPart> constant;
    const auto add = [&](const ArrayPart& part) {
      if (has_steps(part) && part.step == s) of_step.push_back(part);
      if (!has_steps(part) && s == 0) constant.push_back(part);
    };
    if (!opening.error) {
      if (s == 0) std::ranges::for_each(pending_, add, &Pending::part);
      std::ranges::for_each(parts, add);
    }
    if (!is_constant_written_) write_chunks(output_call, constant, std::nullopt, 0, opening);
    write_chunks(output_call, of_step, steps_, s + 1 == steps ? steps : 0, opening);
    is_constant_written_ = true;
  }
}

void ChunkedOutput::write_chunks(OutputCall& output_call, std::span<const ArrayPart> parts,
                                 std::optional<std::int64_t> step, std::int64_t steps_of_call, const Opening& opening) {
  const std::vector<Window> all = windows(step);
  if (all.empty()) (void)encoder_->encode(description_, {}, {}, 0, opening);  // only agrees
  for (std::size_t w = 0; w < all.size(); ++w) {
    std::int64_t begin = next_byte();
    EncodedChunks encoded =
        encoder_->encode(description_, all[w], parts, step.value_or(0), opening, std::span(&begin, 1));
    const bool is_last = step && w + 1 == all.size();
    write_window({.output_call = output_call,
                  .window = w,
                  .chunks = all[w],
                  .encoded = std::move(encoded),
                  .begin = begin,
                  .step = step,
                  .is_last = is_last,
                  .steps_of_call = is_last ? steps_of_call : 0});
  }
  if (!writes_units()) account_.add(description_, parts, FillAccount::PassedFor::earlier_steps);
  if (step) ++steps_;
}

std::int64_t ChunkedOutput::Units::elements_of(std::int64_t unit) const {
  Box box{grid.index_of(unit), grid.chunk()};
  for (std::size_t d = 0; d < box.first.size(); ++d) box.first[d] *= grid.chunk()[d];
  return intersection(box, whole(grid.shape())).items();
}

bool ChunkedOutput::is_due(std::size_t variable, std::int64_t unit, std::int64_t missing) const {
  return !needs_complete_units_ || (missing == 0 && unit_place(variable, unit) < due_end_);
}

std::vector<std::int64_t> ChunkedOutput::due_units(std::size_t variable, std::int64_t all) const {
  std::vector<std::int64_t> due(writes_units() ? 0 : static_cast<std::size_t>(all));
  std::iota(due.begin(), due.end(), 0);
  if (!writes_units()) return due;
  for (const auto& [unit, missing] : units_[variable].missing) {
    if (is_due(variable, unit, missing)) due.push_back(unit);
  }
  return due;
}

void ChunkedOutput::for_each_unit(const ArrayPart& part,
                                  const std::function<void(std::int64_t unit, std::int64_t elements)>& visit) const {
  const CheckedPart checked = checked_part(part, description_);
  if (elements_of(part) == 0) return;
  const ChunkGrid& grid = units_[checked.variable].grid;
  if (!part.elements) {
    const auto count = [&](const ChunkGrid::Piece& piece) { visit(piece.chunk, piece.in_chunk.items()); };
    grid.for_each_piece(part.box, checked.box, count);
    return;
  }
  const ChunkGrid elements(grid.shape(), Index(grid.shape().size(), 1), 1);
  for (const std::int64_t each : *part.elements) visit(grid.place_of(elements.index_of(each)).chunk, 1);
}

bool ChunkedOutput::is_needed(const ArrayPart& part) const {
  if (!writes_units()) return true;
  const std::size_t variable = description_.variable_named(part.variable);
  bool is_needed = false;
  for_each_unit(part, [&](std::int64_t unit, std::int64_t) {
    const auto found = units_[variable].missing.find(unit);
    is_needed = is_needed || (found != units_[variable].missing.end() &&
                              !(needs_complete_units_ && is_due(variable, unit, found->second)));
  });
  return is_needed;
}

std::vector<ChunkedOutput::Passed> ChunkedOutput::passed_in(std::span<const ArrayPart> parts) const {
  std::map<std::pair<std::size_t, std::int64_t>, std::int64_t> elements_of;
  for (const ArrayPart& part : parts) {
    const std::size_t variable = description_.variable_named(part.variable);
    for_each_unit(part, [&](std::int64_t unit, std::int64_t elements) { elements_of[{variable, unit}] += elements; });
  }
  std::vector<Passed> passed;
  for (const auto& [unit, elements] : elements_of) passed.push_back({unit.first, unit.second, elements});
  return passed;
}

void ChunkedOutput::take(const Passed& passed) {
  Units& units = units_[passed.variable];
  const bool is_written = units.written.contains(passed.unit);
  const auto known = units.missing.find(passed.unit);
  const std::int64_t missing = is_written                     ? 0
                               : known != units.missing.end() ? known->second
                                                              : units.elements_of(passed.unit);
  if (passed.elements > missing) {
    refuse_dataset(
        path_,
        fmt::format("arrays: elements of variable {} are passed twice", description_.variables[passed.variable].name),
        "pass each element once");
  }
  units.missing[passed.unit] = missing - passed.elements;
}

ChunkedOutput::UnitPlace ChunkedOutput::unit_place(std::size_t variable, std::int64_t unit) const {
  const Index& window = options_.window;
  if (window.empty()) return {0, variable, unit};
  if (!options_.max_shards.contains(description_.variables[variable].name)) return {farthest_index, variable, unit};
  const ChunkGrid& grid = units_[variable].grid;
  const Index index = grid.index_of(unit);
  std::int64_t number = 0;  // of the window with the last element
  for (std::size_t d = 0; d < window.size(); ++d) {
    const std::int64_t length = grid.shape()[d];
    const std::int64_t last = std::min((index[d] + 1) * grid.chunk()[d], length) - 1;
    number = number * ((length + window[d] - 1) / window[d]) + last / window[d];
  }
  return {number, variable, unit};
}

void ChunkedOutput::find_due_end() {
  due_end_ = {farthest_index, units_.size(), 0};
  if (!has_unit_order()) return;
  const auto is_complete = [&](const UnitPlace& place) {
    const auto& missing = units_[std::get<1>(place)].missing;
    const auto found = missing.find(std::get<2>(place));
    return found != missing.end() && found->second == 0;
  };
  if (options_.window.empty()) {
    for (std::size_t v = 0; v < units_.size(); ++v) {
      UnitPlace place{0, v, std::ssize(units_[v].written)};  // the first units are written
      std::int64_t& unit = std::get<2>(place);
      while (unit < units_[v].grid.chunks() && is_complete(place)) ++unit;
      if (unit == units_[v].grid.chunks()) continue;
      due_end_ = place;
      return;
    }
    return;
  }
  std::size_t first = 0;                                          // place that is not complete
  for (const Units& each : units_) first += each.written.size();  // which are the first ones
  while (first < unit_order_.size() && is_complete(unit_order_[first])) ++first;
  if (first < unit_order_.size()) due_end_ = unit_order_[first];
}

void ChunkedOutput::write_complete_units(OutputCall& output_call, std::span<const ArrayPart> parts,
                                         std::span<const Passed> mine) {
  const std::vector<Passed> passed = all_gather_all(resources_.comm, mine);
  std::size_t taken = 0;
  const std::size_t kept = pending_.size();
  const std::int64_t kept_bytes = pending_bytes_;
  needs_complete_units_ = true;
  const std::optional<Error> failed = attempt_together(resources_.comm, [&] {
    run_and_agree(resources_.comm, [&] {
      for (; taken < passed.size(); ++taken) take(passed[taken]);
      find_due_end();
      keep(parts);  // before anything is written, as it may fail
    });
    begin_step();
    std::vector<ArrayPart> all(parts.begin(), parts.end());
    for (const Pending& each : std::views::take(pending_, static_cast<std::ptrdiff_t>(kept))) all.push_back(each.part);
    if (!windows({}).empty()) write_chunks(output_call, all, {}, 0, {});
  });
  for (std::size_t v = 0; v < units_.size() && !failed; ++v) {
    for (const std::int64_t unit : due_units(v, 0)) {
      units_[v].missing.erase(unit);
      units_[v].written.insert(unit);
      is_unit_written_ = true;
    }
  }
  needs_complete_units_ = false;
  if (failed) {
    while (taken-- > 0) {
      const Passed& each = passed[taken];
      Units& units = units_[each.variable];
      const auto missing = units.missing.find(each.unit);
      missing->second += each.elements;
      if (missing->second == units.elements_of(each.unit)) units.missing.erase(missing);
    }
    pending_.resize(kept);
    pending_bytes_ = kept_bytes;
    throw Error(*failed);
  }
  end_step();
  account_.add(description_, parts, FillAccount::PassedFor::earlier_steps);
  std::erase_if(pending_, [&](const Pending& each) {
    if (is_needed(each.part)) return false;
    pending_bytes_ -= std::ssize(each.elements);
    return true;
  });
}

void ChunkedOutput::write_own(std::int64_t, std::span<const ArrayPart>) {
  refuse_dataset(path_, "arrays: one rank writes by itself into chunks, which ranks compress together",
                 "write the step on all ranks, or write netCDF");
}

void ChunkedOutput::wait() {
  perform([&] { finish(); });
}

void ChunkedOutput::close() {
  is_closed_ = true;
  std::optional<Error> first = failure_;
  keep_first(first, attempt_together(resources_.comm, [&] { finish(); }));  // complete steps remain
  if (first) throw Error(*first);
  perform([&] {
    std::vector<ArrayPart> constant;
    run_and_agree(resources_.comm, [&] {
      for (const Pending& each : pending_) {
        if (has_steps(each.part)) {
          refuse_dataset(path_, fmt::format("arrays: step {} is incomplete when the dataset is closed", steps_),
                         "complete the step with write_step");
        }
        constant.push_back(each.part);
      }
    });
    OutputCall uncounted(nullptr);
    begin_step();
    if (!is_constant_written_) write_chunks(uncounted, constant, std::nullopt, 0, {});
    finish();
    complete();
    account_for_lacking(resources_, path_, description_, account_, steps_ - first_step_);
  });
}

}  // namespace sill
