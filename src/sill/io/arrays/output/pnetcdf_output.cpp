#include "sill/io/arrays/output/pnetcdf_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/formats/array/array_code.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/formats/cdf/cdf_file.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/arrays/output/growing_output.hpp"
#include "sill/io/simulation/phase_writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/plan/rows.hpp"
#include "sill/plan/subarray.hpp"

namespace sill {
namespace {

// Adds boxes for the elements `first` to `first + count` of an array, row by row.
void add_rows(const Index& shape, std::int64_t first, std::int64_t count, std::vector<Box>& boxes) {
  const std::int64_t row = shape.empty() ? 1 : shape.back();
  while (count > 0) {
    Box box = whole(shape);
    std::int64_t rest = first;
    for (std::size_t d = shape.size(); d-- > 0;) {
      box.first[d] = rest % shape[d];
      box.count[d] = 1;
      rest /= shape[d];
    }
    const std::int64_t here = std::min(count, row - first % row);
    if (!shape.empty()) box.count.back() = here;
    boxes.push_back(std::move(box));
    first += here;
    count -= here;
  }
}

}  // namespace

PnetcdfOutput::PnetcdfOutput(const Resources& resources, std::string path, DatasetDescription description,
                             const DatasetOptions& options)
    : resources_(resources), path_(std::move(path)), description_(std::move(description)), form_(options.form) {
  Communicator& comm = resources_.comm;
  const DatasetDescription given = description_;
  run_and_agree(comm, [&] {
    (void)ParallelNetcdf::version();  // a file that exists stays if the library is missing
    if (options.fill) description_ = with_fill_values(std::move(description_));
    (void)cdf::layout_of(description_, form_);
    account_ = FillAccount(description_, options.fill, true);
  });
  const auto is_unfinished_file = [&] {
    return is_unfinished(path_, *new_layout(Container::netcdf, description_, options));
  };
  if (!is_to_append(resources_, path_, description_, options, is_unfinished_file)) return;
  appends_ = true;
  const DatasetContents contents = read_contents(resources_, path_);
  run_and_agree(comm, [&] {
    steps_ = first_step_of(contents, Container::netcdf, given, options, path_);
    description_ = contents.description;
    if (steps_ == contents.steps) return;
    refuse_dataset(path_, fmt::format("PnetCDF cannot remove any of the {} steps of the file", contents.steps),
                   "continue after the last step, or use container=netcdf");
  });
  account_ = FillAccount(description_, options.fill, true);
  account_.set_constant_written();
  first_step_ = steps_;
  open();
}

void PnetcdfOutput::open() {
  ParallelNetcdf::Hints hints{{"nc_header_align_size", std::to_string(form_.align)},
                              {"nc_var_align_size", std::to_string(form_.variable_align)},
                              {"nc_record_align_size", std::to_string(form_.record_align)}};
  const Policy& policy = resources_.policy;
  if (policy.stripe_count > 0) hints.emplace_back("striping_factor", std::to_string(policy.stripe_count));
  if (policy.stripe_bytes > 0) hints.emplace_back("striping_unit", std::to_string(policy.stripe_bytes));
  if (appends_) {
    file_.emplace(resources_.comm, path_, description_, hints);
  } else {
    const int version = run_and_agree(resources_.comm, [&] { return cdf::layout_of(description_, form_).version; });
    file_.emplace(resources_.comm, path_, description_, version, hints);
  }
  const MpiioHintsInEffect in_effect = file_->hints_in_effect();
  if (resources_.hints != nullptr) resources_.hints->add(path_, in_effect);
  file_->begin_own();
}

template <class Work>
void PnetcdfOutput::perform(Work&& work) {
  try {
    run_unless_failed(resources_.comm, failure_, std::forward<Work>(work));
  } catch (const Error&) {
    // The error was found before anything was written: the step can be written again, or be the last one.
    if (failure_ && failure_->code() == ErrorCode::usage) failure_.reset();
    throw;
  }
}

void PnetcdfOutput::set_attribute(const Attribute& attribute, const std::string& variable) {
  if (failure_) throw Error(*failure_);
  run_and_agree(resources_.comm, [&] {
    if (is_closed_) refuse_closed(path_);
    if (file_) refuse_late(path_, attribute.name);
    DatasetDescription description = with_attribute(description_, attribute, variable);
    (void)cdf::layout_of(description, form_);
    description_ = std::move(description);
  });
}

PnetcdfOutput::Packed PnetcdfOutput::packed(const ArrayPart& part, std::int64_t step, ListOrders& orders) const {
  const CheckedPart checked = checked_part(part, description_);
  const Variable& variable = description_.variables[checked.variable];
  const ElementForm form{variable.type};
  const std::int64_t size = bytes_of(variable.type);
  Packed made{.variable = checked.variable, .boxes = {}, .values = {}};
  if (elements_of(part) == 0) return made;
  made.values.resize(static_cast<std::size_t>(elements_of(part) * size));
  if (part.elements) {
    ListedElements list(orders.of(*part.elements), form, part.variable);
    list.take(part.first, part.type);
    auto to = made.values.begin();
    const Index shape = description_.shape_of(variable);
    for (const Extent& extent : list.extents(row_major(0, 0, shape, size))) {
      for_each_run(extent, {0, extent.total_bytes()}, [&](const ExtentRun& run) {
        add_rows(shape, run.in_file.offset / size, run.in_file.length / size, made.boxes);
        to = std::copy_n(run.memory, run.in_file.length, to);
      });
    }
  } else {
    ArrayEncoder(checked.box, form, part.variable)
        .fill({0, static_cast<std::int64_t>(made.values.size())}, made.values);
    made.boxes.push_back(part.box);
  }
  add_step(made, step + part.step);
  return made;
}

void PnetcdfOutput::fill(std::span<const FillAccount::Lack> lacks) {
  for (const FillAccount::Lack& lack : lacks) {
    for (std::int64_t step = lack.first_step; step < lack.end_step; ++step) {
      write_together(run_and_agree(resources_.comm, [&] { return std::vector{filled(lack.variable, steps_ + step)}; }));
    }
  }
}

PnetcdfOutput::Packed PnetcdfOutput::filled(std::size_t number, std::int64_t step) const {
  const Variable& variable = description_.variables[number];
  const Index shape = description_.shape_of(variable);
  const ItemRange mine = block_of(whole(shape).items(), resources_.comm.size(), resources_.comm.rank());
  Packed part{.variable = number, .boxes = {}, .values = {}};
  part.values.resize(static_cast<std::size_t>(mine.count * bytes_of(variable.type)));
  FillEncoder(variable, {variable.type}).fill({0, static_cast<std::int64_t>(part.values.size())}, part.values);
  add_rows(shape, mine.first, mine.count, part.boxes);
  add_step(part, step);
  return part;
}

void PnetcdfOutput::add_step(Packed& part, std::int64_t step) const {
  if (!description_.has_steps(description_.variables[part.variable])) return;
  for (Box& box : part.boxes) {
    box.first.insert(box.first.begin(), step);
    box.count.insert(box.count.begin(), 1);
  }
}

void PnetcdfOutput::write_together(std::span<const Packed> parts) {
  run_and_agree(resources_.comm, [&] {
    for (const Packed& part : parts) {
      if (part.boxes.size() == 1) file_->begin(part.variable, part.boxes.front(), part.values.data());
      if (part.boxes.size() > 1) file_->begin(part.variable, part.boxes, part.values.data());
    }
  });
  const auto begin = std::chrono::steady_clock::now();
  file_->finish();
  count_writes(parts, begin);
}

void PnetcdfOutput::write(OutputCall& output_call, std::span<const ArrayPart> parts, std::optional<std::int64_t> steps,
                          Memory /*memory*/) {
  perform([&] {
    std::vector<Packed> all;
    std::vector<std::int64_t> brought(description_.variables.size());
    FillAccount account = account_;
    run_and_agree(resources_.comm, [&] {
      if (is_closed_) refuse_closed(path_);
      if (steps && !description_.has_steps()) refuse_no_steps(path_);
      require_steps(parts, steps);
      ListOrders orders;
      for (const ArrayPart& part : parts) {
        all.push_back(packed(part, steps_, orders));
        brought[all.back().variable] += elements_of(part);
      }
      account.add(description_, parts,
                  steps ? FillAccount::PassedFor::complete_steps : FillAccount::PassedFor::incomplete_step);
    });
    const FillAccount::Call call = account.take(resources_.comm, brought, steps.value_or(0), false);
    run_and_agree(resources_.comm, [&] {
      if (!call.has_equal_steps) throw calls_differ();
      require_once(path_, description_, call, steps_);
    });
    account_ = std::move(account);
    if (!file_) open();
    file_->end_own();
    fill(call.lacks);
    write_together(all);
    file_->begin_own();
    account_.end_call(steps.has_value());
    if (!steps) return;
    steps_ += *steps;
    output_call.completes_phase(*steps);
  });
}

void PnetcdfOutput::count_writes(std::span<const Packed> parts, std::chrono::steady_clock::time_point begin) const {
  if (resources_.meter == nullptr || parts.empty()) return;
  std::int64_t bytes = 0;
  for (const Packed& part : parts) bytes += static_cast<std::int64_t>(part.values.size());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  resources_.meter->count_writes(1, bytes, seconds.count());
}

void PnetcdfOutput::write_own(std::int64_t step, std::span<const ArrayPart> parts) {
  if (failure_) throw Error(*failure_);
  if (is_closed_) refuse_closed(path_);
  require_own_steps(path_, step, parts, !file_ ? 0 : description_.has_steps() ? steps_ : 1);
  require_filled(path_, parts, description_, account_);
  ListOrders orders;
  for (const ArrayPart& part : parts) {
    const Packed own = packed(part, step, orders);
    const std::byte* values = own.values.data();
    const auto begin = std::chrono::steady_clock::now();
    for (const Box& box : own.boxes) {
      file_->write_own(own.variable, box, values);
      values += box.items() * bytes_of(description_.variables[own.variable].type);
    }
    count_writes({&own, 1}, begin);
    if (step >= first_step_) account_.add(description_, {&part, 1}, FillAccount::PassedFor::earlier_steps);
  }
}

void PnetcdfOutput::close() {
  is_closed_ = true;
  perform([&] {
    if (!file_) open();
    file_->end_own();
    fill(account_.take_unwritten());
    file_->close();
    account_for_lacking(resources_, path_, description_, account_, steps_ - first_step_);
  });
}

}  // namespace sill
