#ifdef SILL_HDF5_LIBRARY
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/hdf5/found_file.hpp"
#include "sill/formats/hdf5/vtkhdf.hpp"
#include "sill/formats/image/ncml.hpp"

namespace sill::hdf5 {
namespace {

class Describer {
 public:
  explicit Describer(FoundFile& found) : found_(found), datasets_(found.datasets) {
    contents_.is_netcdf4 = found.is_netcdf4;
    contents_.description.attributes = std::move(found.attributes);
  }

  [[nodiscard]] FileContents contents() {
    if (!found_.vtk_description.empty()) {
      take_vtkhdf();
      return std::move(contents_);
    }
    contents_.stored.left_out = std::move(found_.left_out);
    name_dimensions();
    for (FoundDataset& each : datasets_) add_variable(each);
    find_steps();
    for (const FoundDataset& each : datasets_) {
      if (!each.left_out.empty()) leave_out(fmt::format("dataset {}: {}", each.name, each.left_out));
    }
    return std::move(contents_);
  }

 private:
  void leave_out(std::string text) { contents_.stored.left_out.push_back(std::move(text)); }

  std::string dimension(const std::string& name, std::int64_t length) {
    return name_for_length(name, length, contents_.description.dimensions, lengths_);
  }

  void name_dimensions() {
    std::vector<FoundDataset*> scales;
    for (FoundDataset& each : datasets_) {
      if (each.is_scale && !each.shape.empty()) scales.push_back(&each);
    }
    std::ranges::stable_sort(scales, {}, [](const FoundDataset* each) {
      return each->number.value_or(std::numeric_limits<std::int32_t>::max());
    });
    for (FoundDataset* each : scales) {
      by_reference_.emplace(each->self, each);
      if (each->number) by_number_.emplace(*each->number, each);
    }
    for (FoundDataset& each : datasets_) {
      for (std::size_t d = 0; d < each.shape.size(); ++d) {
        FoundDataset* const scale = scale_of(each, d);
        if (scale != nullptr) scale->longest = std::max(scale->longest, each.shape[d]);
      }
    }
    for (FoundDataset* each : scales)
      each->dimension = dimension(each->name.substr(each->name.rfind('/') + 1), each->longest);
    for (FoundDataset& each : datasets_) {
      for (std::size_t d = 0; d < each.shape.size(); ++d) {
        const FoundDataset* const scale = scale_of(each, d);
        if (scale != nullptr && each.grows[d]) extend(each, d, scale->longest);
      }
    }
  }

  // In netCDF-4, a dimension that grows is as long as in the longest variable; the others have fill values there.
  static void extend(FoundDataset& dataset, std::size_t d, std::int64_t length) {
    StoredVariable& stored = dataset.stored;
    if (dataset.shape[d] == length || stored.chunk.empty() || !dataset.left_out.empty()) return;
    // Chunks that differ only in dimensions from d on are adjacent; the new ones follow them.
    const auto adjacent_chunks = [&] {
      std::int64_t chunks = 1;
      for (std::size_t e = d; e < dataset.shape.size(); ++e)
        chunks *= dataset.shape[e] / stored.chunk[e] + (dataset.shape[e] % stored.chunk[e] > 0 ? 1 : 0);
      return chunks;
    };
    const std::int64_t before = adjacent_chunks();
    dataset.shape[d] = length;
    if (!chunks_of(dataset)) return;
    const std::int64_t added = adjacent_chunks() - before;
    const auto add_to = [&](std::vector<std::int64_t>& chunks, std::int64_t value) {
      std::vector<std::int64_t> all;
      for (auto at = chunks.begin(); at != chunks.end(); at += before) {
        all.insert(all.end(), at, at + before);
        all.resize(all.size() + static_cast<std::size_t>(added), value);
      }
      chunks = std::move(all);
    };
    add_to(stored.chunk_begins, -1);
    add_to(stored.chunk_bytes, 0);
    add_to(stored.skipped, 0);
  }

  // Returns the scale of a dimension; nullptr if it has none.
  [[nodiscard]] FoundDataset* scale_of(FoundDataset& dataset, std::size_t d) const {
    const auto found_in = [](const auto& scales, auto key) {
      const auto found = scales.find(key);
      return found == scales.end() ? nullptr : found->second;
    };
    if (dataset.is_scale && d == 0) return &dataset;
    FoundDataset* scale = nullptr;
    if (d < dataset.numbers.size()) scale = found_in(by_number_, dataset.numbers[d]);
    if (scale == nullptr && d < dataset.scales.size()) scale = found_in(by_reference_, dataset.scales[d]);
    return scale;
  }

  [[nodiscard]] std::string name_of_dimension(FoundDataset& dataset, std::size_t d) const {
    if (const FoundDataset* const scale = scale_of(dataset, d)) return scale->dimension;
    const bool has_label = d < dataset.labels.size() && !dataset.labels[d].empty();
    return has_label ? dataset.labels[d] : fmt::format("dim_{}", dataset.shape[d]);
  }

  void add_variable(FoundDataset& dataset) {
    if (is_count(dataset)) {
      count_ = &dataset;
      return;
    }
    if (dataset.is_dimension_only || !dataset.left_out.empty()) return;
    Variable variable{.name = dataset.name, .type = dataset.form.type, .attributes = std::move(dataset.attributes)};
    if (variable.name.starts_with(not_coordinate)) variable.name.erase(0, std::string_view(not_coordinate).size());
    Index shape = dataset.shape;
    if (dataset.string_bytes > 0) shape.push_back(dataset.string_bytes);
    DatasetDescription alone;
    std::vector<std::string> names;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const bool is_of_string = d == dataset.shape.size();
      names.push_back(is_of_string ? fmt::format("string_{}", shape[d]) : name_of_dimension(dataset, d));
      // A dimension without elements is possible only if it grows.
      const bool may_be_empty = d == 0 && !is_of_string && dataset.grows[d];
      alone.dimensions.push_back(
          {fmt::format("d{}", d), may_be_empty ? std::max<std::int64_t>(shape[d], 1) : shape[d]});
      variable.dimensions.push_back(alone.dimensions.back().name);
    }
    alone.variables = {variable};
    if (auto problem = problem_of(alone)) {
      dataset.left_out = std::move(*problem);
      return;
    }
    for (std::size_t d = 0; d < shape.size(); ++d) variable.dimensions[d] = dimension(names[d], shape[d]);
    for (std::size_t d = 0; d < dataset.shape.size(); ++d) {
      if (dataset.grows[d]) growing_.insert({variable.dimensions[d], d});
    }
    contents_.description.variables.push_back(std::move(variable));
    contents_.stored.variables.push_back(std::move(dataset.stored));
  }

  // Steps are counted by the dataset of Sill, or are the length of the one dimension that grows.
  void find_steps() {
    DatasetDescription& description = contents_.description;
    const auto is_first_everywhere = [&](const std::string& name) {
      return std::ranges::all_of(description.variables, [&](const Variable& each) {
        return std::ranges::find(each.dimensions.begin() + !each.dimensions.empty(), each.dimensions.end(), name) ==
               each.dimensions.end();
      });
    };
    const bool is_counted = count_ != nullptr && lengths_.contains(count_->steps_of);
    std::string name = is_counted ? count_->steps_of : "";
    if (count_ == nullptr && growing_.size() == 1 && growing_.begin()->second == 0) name = growing_.begin()->first;
    if (!name.empty() && is_first_everywhere(name)) {
      Dimension& steps = description.dimensions[description.dimension_named(name)];
      contents_.steps = steps.length;
      steps.length = unlimited;
    }
    require_lengths();
    const bool is_ours = std::ranges::all_of(contents_.stored.variables, [](const StoredVariable& each) {
      return each.order == ByteOrder::little && each.begin >= 0;
    });
    const std::int64_t room = contents_.steps;
    if (is_counted) {
      contents_.steps = found_.complete_steps;
      if (contents_.steps < 0 || contents_.steps > room)
        throw CallFailed{fmt::format("{} states {} of {} steps", count_name, contents_.steps, room)};
    }
    if (found_.has_user_block || is_counted != description.has_steps() || !is_ours ||
        !contents_.stored.left_out.empty())
      return;
    FileLayout& layout = contents_.stored.layout.emplace(FileLayout{.steps = room});
    if (is_counted) layout.count_begin = count_->stored.begin;
    for (const StoredVariable& each : contents_.stored.variables) layout.begins.push_back(each.begin);
  }

  // Takes the description of a file of VTKHDF that Sill wrote.
  void take_vtkhdf() {
    DatasetDescription& description = contents_.description;
    VtkHdf vtk;
    try {
      description = image::description_in(found_.vtk_description);
      vtk = vtkhdf_of(description, 1);
    } catch (const Error& error) {
      throw CallFailed{fmt::format("{}: {}", vtk_description_name, error.parts().problem)};
    }
    if (description.has_steps()) contents_.steps = found_.vtk_steps.empty() ? -1 : found_.vtk_steps.front();
    for (std::size_t v = 0; v < description.variables.size(); ++v) {
      const Variable& variable = description.variables[v];
      const std::string& name = vtk.stored.variables[vtk.places[v]].name;
      const auto found = std::ranges::find(datasets_, name, &FoundDataset::name);
      std::int64_t bytes = description.has_steps(variable) ? contents_.steps : 1;
      if (found == datasets_.end() || found->stored.begin < 0 || found->form.type != variable.type || bytes < 0 ||
          __builtin_mul_overflow(bytes, description.element_bytes(variable), &bytes) ||
          bytes > whole(found->shape).items() * bytes_of(variable.type)) {
        throw CallFailed{fmt::format("dataset {} differs from {}", name, vtk_description_name)};
      }
      contents_.stored.variables.push_back(std::move(found->stored));
    }
    contents_.is_vtkhdf = true;
  }

  // Removes dimensions that have no elements, and the variables along them.
  void require_lengths() {
    DatasetDescription& description = contents_.description;
    for (std::size_t v = description.variables.size(); v-- > 0;) {
      const Variable& variable = description.variables[v];
      if (std::ranges::none_of(variable.dimensions, [&](const std::string& each) {
            return description.dimensions[description.dimension_named(each)].length == 0;
          })) {
        continue;
      }
      leave_out(fmt::format("dataset {}: it has no elements", variable.name));
      description.variables.erase(description.variables.begin() + static_cast<std::ptrdiff_t>(v));
      contents_.stored.variables.erase(contents_.stored.variables.begin() + static_cast<std::ptrdiff_t>(v));
    }
    std::erase_if(description.dimensions, [](const Dimension& each) { return each.length == 0; });
  }

  FoundFile& found_;
  std::vector<FoundDataset>& datasets_;
  FileContents contents_;
  std::unordered_map<std::string, std::int64_t> lengths_;       // of dimensions
  std::unordered_map<hobj_ref_t, FoundDataset*> by_reference_;  // scales
  std::unordered_map<std::int32_t, FoundDataset*> by_number_;
  std::set<std::pair<std::string, std::size_t>> growing_;  // dimensions that grow, and their places in variables
  FoundDataset* count_ = nullptr;
};

}  // namespace

std::optional<std::string> problem_of(const DatasetDescription& description) {
  try {
    sill::require_possible(description);
    return std::nullopt;
  } catch (const Error& error) {
    return error.parts().problem;
  }
}

bool is_count(const FoundDataset& dataset) {
  return !dataset.steps_of.empty() && dataset.shape.empty() && dataset.stored.begin >= 0 &&
         dataset.form.type == ElementType::i8;
}

FileContents described(FoundFile found) { return Describer(found).contents(); }

}  // namespace sill::hdf5
#endif
