#include "kernels/netcdf/kernel_dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/array/element_conversion.hpp"
#include "sill/formats/cdf/cdf_file.hpp"
#include "sill/formats/image/raw_file.hpp"
#include "sill/formats/image/tecplot_file.hpp"
#include "sill/formats/image/vti_file.hpp"
#include "sill/io/arrays/checkpoint_files.hpp"
#include "sill/io/arrays/dataset_reader.hpp"

namespace sill::kernels {
namespace {

bool has_constant(const DatasetDescription& description) {
  return std::any_of(description.variables.begin(), description.variables.end(),
                     [&](const Variable& each) { return !description.has_steps(each); });
}

std::int64_t bytes_of_file(const DatasetDescription& description, Container container, bool of_steps) {
  if (container == Container::tecplot)
    return description.has_steps() == of_steps ? image::tecplot_file_of(description).end : 0;
  const image::ImageFile file = container == Container::vti ? image::vti_file_of(description, of_steps)
                                                            : image::raw_file_of(description, of_steps);
  std::int64_t end = 0;
  for (const image::ImageFile::Text& text : file.texts) {
    end = std::max(end, sum_bytes(text.offset_bytes, static_cast<std::int64_t>(text.bytes.size())));
  }
  for (std::size_t v = 0; v < file.begins.size(); ++v) {
    if (file.begins[v])
      end = std::max(end, sum_bytes(*file.begins[v], description.element_bytes(description.variables[v])));
  }
  return end;
}

}  // namespace

void DatasetKernel::use(const DatasetLayouts& layouts) {
  const DatasetLayout layout = layouts.of(name());
  container_ = given_.value_or(layout.container.value_or(Container::netcdf));
  if (is_hdf5(container_) || container_ == Container::zarr) {
    throw usage_error(fmt::format("kernels do not verify files of container {}", name_of(container_)),
                      "use another container");
  }
  form_ = layout.over({});
}

std::vector<std::string> DatasetKernel::paths() const {
  std::vector<std::string> all;
  for (const KernelDataset& each : datasets()) {
    for (std::string& path : each.paths()) all.push_back(std::move(path));
  }
  return all;
}

std::int64_t DatasetKernel::file_bytes() const {
  std::int64_t bytes = 0;
  for (const KernelDataset& each : datasets()) bytes = sum_bytes(bytes, each.bytes());
  return bytes;
}

void DatasetKernel::verify(const Resources& resources) const {
  for (const KernelDataset& each : datasets()) each.verify(resources);
}

void DatasetKernel::require_netcdf() const {
  if (is_netcdf()) return;
  throw usage_error("the original program writes netCDF files", "omit --container or --original");
}

std::string KernelDataset::path() const {
  if (container == Container::raw) return name + ".xdmf";
  if (container == Container::tecplot) return name + ".plt";
  return fmt::format("{}.{}", name,
                     is_one_file(container) && container != Container::checkpoint ? "nc" : name_of(container));
}

DatasetOptions KernelDataset::options() const {
  // The ranks write all elements, and the original programs do not set fill values.
  return {.existing = DatasetOptions::Existing::replace,
          .container = container,
          .form = form,
          .fill = false,
          .field_data = true};
}

std::vector<std::string> KernelDataset::paths() const {
  if (container == Container::checkpoint) {
    std::vector<std::string> generations;
    for (std::int64_t step = 1; step <= std::min<std::int64_t>(2, steps); ++step)
      generations.push_back(generation_path(path(), step));
    return generations;
  }
  if (is_one_file(container)) return {path()};
  const SeriesNames names(path(), container);
  std::vector<std::string> all;
  for (std::int64_t step = 0; step < steps; ++step) all.push_back(names.step(step));
  if (container == Container::tecplot) return all;
  if (has_constant(description)) all.push_back(names.constant());
  if (steps > 0 || container == Container::raw) all.push_back(names.index());
  return all;
}

std::int64_t KernelDataset::bytes() const {
  if (container == Container::checkpoint) {
    const cdf::FileLayout layout = cdf::layout_of(described_generation(description, 1, form), form);
    return product_bytes(std::min<std::int64_t>(2, steps), sum_bytes(layout.records_begin, layout.record_bytes));
  }
  if (is_one_file(container)) {
    const cdf::FileLayout layout = cdf::layout_of(description, form);
    std::int64_t end = layout.header_bytes;
    for (std::size_t v = 0; v < layout.begins.size(); ++v) {
      if (description.has_steps(description.variables[v])) continue;
      end = std::max(end, sum_bytes(layout.begins[v], description.element_bytes(description.variables[v])));
    }
    if (!description.has_steps()) return end;
    return sum_bytes(layout.records_begin, product_bytes(steps, layout.record_bytes));
  }
  const SeriesNames names(path(), container);
  std::vector<image::StepFile> listed;
  for (std::int64_t step = 0; step < steps; ++step) {
    listed.push_back({std::filesystem::path(names.step(step)).filename().string(), static_cast<double>(step)});
  }
  std::int64_t bytes = product_bytes(steps, bytes_of_file(description, container, true));
  if (has_constant(description)) bytes = sum_bytes(bytes, bytes_of_file(description, container, false));
  if (container == Container::tecplot) return bytes;
  std::string index;
  if (container == Container::raw) {
    const std::string constant = std::filesystem::path(names.constant()).filename().string();
    index = image::xdmf_text(description, {.constant = has_constant(description) ? constant : "", .steps = listed});
  } else if (steps > 0) {
    index = image::pvd_text(listed);
  }
  return sum_bytes(bytes, static_cast<std::int64_t>(index.size()));
}

void KernelDataset::verify(const Resources& resources) const {
  if (!is_one_file(container) || container == Container::checkpoint) return verify_values(resources);
  run_on_rank(resources.comm, 0, [&] { verify_bytes(); });
}

// Checks the header, and the variables at the positions that the header states.
void KernelDataset::verify_bytes() const {
  const cdf::FileLayout layout = cdf::layout_of(description, form);
  require_content(path(), bytes(), [&](ExpectedContent& expected) {
    expected.add(cdf::header_of(description, layout, description.has_steps() ? steps : 0));
    const auto add_variables = [&](bool has_steps, std::int64_t step) {
      for (std::size_t v = 0; v < layout.begins.size(); ++v) {
        const Variable& variable = description.variables[v];
        if (description.has_steps(variable) != has_steps) continue;
        expected.pad_to(layout.begins[v] + step * layout.record_bytes);
        const std::int64_t size = bytes_of(variable.type);
        for (std::int64_t i = 0; i < description.element_bytes(variable) / size; ++i) {
          const double number = value(v, step, i);
          std::array<std::byte, 8> element{};
          (void)convert_elements(reinterpret_cast<const std::byte*>(&number), {0, {ElementType::f8}}, element.data(),
                                 {0, cdf::file_form(variable.type)}, 1);
          expected.add(std::span(element).first(static_cast<std::size_t>(size)));
        }
      }
    };
    add_variables(false, 0);
    for (std::int64_t step = 0; description.has_steps() && step < steps; ++step) add_variables(true, step);
    expected.pad_to(bytes());
  });
}

void KernelDataset::verify_values(const Resources& resources) const {
  DatasetReader reader(resources, path());
  const std::int64_t held = container == Container::checkpoint ? std::min<std::int64_t>(1, steps) : steps;  // the last
  run_and_agree(resources.comm, [&] {
    if (reader.description() == description && (reader.steps() == held || !description.has_steps())) return;
    throw Error(
        {.code = ErrorCode::input,
         .problem = fmt::format("the files describe other arrays, or {} steps instead of {}", reader.steps(), held),
         .where = {.file = path()}});
  });
  const bool is_first = resources.comm.rank() == 0;
  const auto verify_variable = [&](std::size_t v, std::optional<std::int64_t> step) {
    const Variable& variable = description.variables[v];
    const Box box = whole(description.shape_of(variable));
    std::vector<double> found(is_first ? static_cast<std::size_t>(box.items()) : 0);
    std::vector<ArrayPart> parts;
    if (is_first) parts.emplace_back(variable.name, box, found.data());
    if (step) {
      reader.read_step(*step, parts);
    } else {
      reader.read(parts);
    }
    run_and_agree(resources.comm, [&] {
      for (std::size_t i = 0; i < found.size(); ++i) {
        double expected = value(v, steps - held + step.value_or(0), static_cast<std::int64_t>(i));
        if (variable.type == ElementType::f4) expected = static_cast<float>(expected);
        if (found[i] == expected) continue;
        throw Error({.code = ErrorCode::input,
                     .problem = fmt::format("variable {}, step {}, element {}: {} instead of {}", variable.name,
                                            step.value_or(0), i, found[i], expected),
                     .where = {.file = path()}});
      }
    });
  };
  for (std::size_t v = 0; v < description.variables.size(); ++v) {
    if (!description.has_steps(description.variables[v])) verify_variable(v, {});
  }
  for (std::int64_t step = 0; step < held; ++step) {
    for (std::size_t v = 0; v < description.variables.size(); ++v) {
      if (description.has_steps(description.variables[v])) verify_variable(v, step);
    }
  }
}

}  // namespace sill::kernels
