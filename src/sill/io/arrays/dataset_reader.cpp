#include "sill/io/arrays/dataset_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <list>
#include <utility>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/formats/array/listed_elements.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/plan/subarray.hpp"

namespace sill {

DatasetReader::DatasetReader(const Resources& resources, std::string path)
    : resources_(resources), path_(std::move(path)) {
  Communicator& comm = resources_.comm;
  require_same_on_all(
      comm, [&] { return path_; }, "arrays: the ranks were given different files");
  contents_ = read_contents(resources_, path_);
  MoverFiles files = run_and_agree(comm, [&] { return resources_.files(contents_.files, OpenMode::read); });
  mover_.emplace(comm, std::move(files), resources_.policy, resources_.limits());
}

void DatasetReader::read(std::span<const ArrayPart> parts) { read_parts({}, parts); }

void DatasetReader::read_step(std::int64_t step, std::span<const ArrayPart> parts) { read_parts(step, parts); }

void DatasetReader::read_parts(std::optional<std::int64_t> step, std::span<const ArrayPart> parts) {
  const DatasetDescription& description = contents_.description;
  std::list<ArrayDecoder> decoders;
  std::list<ListedElements> lists;
  std::vector<const ArrayPart*> of_lists;
  const AccessPlan plan = run_and_agree(resources_.comm, [&] {
    const auto require_step = [&](std::int64_t each) {
      if (each >= 0 && each < contents_.steps) return;
      refuse_dataset(path_, fmt::format("step {} of {}", each, contents_.steps), "count steps from 0");
    };
    if (step) require_step(*step);
    std::vector<Extent> extents;
    ListOrders orders;
    for (const ArrayPart& part : parts) {
      const CheckedPart checked = checked_part(part, description);
      const Variable& variable = description.variables[checked.variable];
      const bool has_steps = description.has_steps(variable);
      if (has_steps && !step) {
        refuse_dataset(path_, fmt::format("variable {} has steps, and no step is named", part.variable),
                       "use read_step");
      }
      const std::int64_t of_part = has_steps ? step_of(part, *step) : 0;
      if (has_steps) require_step(of_part);
      if (part.is_constant)
        refuse_dataset(path_, fmt::format("variable {} into constant memory", part.variable), "give other memory");
      if (elements_of(part) == 0) continue;
      const auto [places, form] = contents_.places_of(checked.variable, of_part);
      if (part.elements) {
        lists.emplace_back(orders.of(*part.elements), form, part.variable);
        of_lists.push_back(&part);
        std::ranges::move(lists.back().extents(places), std::back_inserter(extents));
        continue;
      }
      extents.push_back(subarray(places, part.box, nullptr, checked.box.strides_bytes));
      extents.back().decoder = &decoders.emplace_back(checked.box, form, part.variable);
    }
    return AccessPlan::for_reading(std::move(extents));
  });
  mover_->read(plan);
  run_and_agree(resources_.comm, [&] {
    auto list = lists.begin();
    for (const ArrayPart* const part : of_lists) (list++)->put(part->first, part->type);
  });
}

}  // namespace sill
