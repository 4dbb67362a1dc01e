#include "sill/io/arrays/output/growing_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/cdf/cdf_file.hpp"
#include "sill/formats/hdf5/hdf5_file.hpp"
#include "sill/io/arrays/dataset_errors.hpp"

namespace sill {
namespace {

class CdfLayout final : public GrowingLayout {
 public:
  CdfLayout(DatasetDescription description, const cdf::FileForm& form)
      : description_(std::move(description)), form_(form), layout_(cdf::layout_of(description_, form_)) {}
  CdfLayout(DatasetDescription description, cdf::FileLayout layout)
      : description_(std::move(description)), layout_(std::move(layout)) {}

  void describe(const DatasetDescription& description) override {
    layout_ = cdf::layout_of(description, form_);
    description_ = description;
  }
  void change_attributes(const DatasetDescription& description) override {
    const std::int64_t before = layout_.header_bytes;
    layout_ = cdf::with_header_of(description, layout_);
    description_ = description;
    replaced_bytes_ = std::max(replaced_bytes_, before);
  }
  std::vector<FilePiece> header() override {
    std::vector<std::byte> bytes = cdf::header_of(description_, layout_, 0);
    bytes.resize(static_cast<std::size_t>(std::max(layout_.header_bytes, replaced_bytes_)));
    const auto first = static_cast<std::int64_t>(cdf::beginning_of(layout_, 0).size());
    bytes.erase(bytes.begin(), bytes.begin() + first);
    return {{first, std::move(bytes)}};
  }
  [[nodiscard]] std::vector<FilePiece> beginning(std::int64_t steps) const override {
    return {{0, cdf::beginning_of(layout_, steps)}};
  }
  [[nodiscard]] FileArray places(std::size_t variable, std::int64_t step) const override {
    return layout_.places(0, description_, variable, step);
  }
  [[nodiscard]] ByteOrder order() const override { return ByteOrder::big; }
  [[nodiscard]] std::int64_t max_steps() const override {
    constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
    return layout_.record_bytes == 0 ? max : (max - layout_.records_begin) / layout_.record_bytes - 1;
  }
  [[nodiscard]] std::optional<std::int64_t> step_at(std::int64_t byte) const override {
    if (layout_.record_bytes == 0 || byte < layout_.records_begin) return std::nullopt;
    return (byte - layout_.records_begin) / layout_.record_bytes;
  }

 private:
  DatasetDescription description_;
  cdf::FileForm form_;
  cdf::FileLayout layout_;
  std::int64_t replaced_bytes_ = 0;  // of a header that attributes replaced
};

class Hdf5Layout final : public GrowingLayout {
 public:
  Hdf5Layout(DatasetDescription description, const hdf5::FileForm& form)
      : description_(std::move(description)), form_(form) {
    hdf5::require_possible(description_, form_);
  }
  Hdf5Layout(DatasetDescription description, hdf5::FileLayout layout)
      : description_(std::move(description)), layout_(std::move(layout)) {}

  void describe(const DatasetDescription& description) override {
    hdf5::require_possible(description, form_);
    description_ = description;
  }
  void change_attributes(const DatasetDescription& /*description*/) override {
    throw Error({.code = ErrorCode::usage,
                 .problem = "attributes of an HDF5 or netCDF-4 file cannot be changed after the first data are written",
                 .action = "set them before"});
  }
  void lay_out(Communicator& comm) override {
    run_on_rank(comm, 0, [&] {
      hdf5::NewFile made = hdf5::new_file(description_, form_);
      layout_ = std::move(made.layout);
      header_ = std::move(made.header);
    });
    broadcast_all(comm, layout_.begins, 0);
    comm.broadcast(std::as_writable_bytes(std::span(&layout_.count_begin, 1)), 0);
    layout_.steps = form_.steps;
  }
  std::vector<FilePiece> header() override { return std::move(header_); }
  [[nodiscard]] std::vector<FilePiece> beginning(std::int64_t steps) const override {
    return layout_.beginning(description_, steps);
  }
  [[nodiscard]] FileArray places(std::size_t variable, std::int64_t step) const override {
    return layout_.places(0, description_, variable, step);
  }
  [[nodiscard]] ByteOrder order() const override { return ByteOrder::little; }
  [[nodiscard]] std::int64_t max_steps() const override {
    return description_.has_steps() ? layout_.steps : std::numeric_limits<std::int64_t>::max();
  }
  [[nodiscard]] std::optional<std::int64_t> step_at(std::int64_t byte) const override {
    for (std::size_t v = 0; v < layout_.begins.size(); ++v) {
      const std::int64_t bytes = description_.element_bytes(description_.variables[v]);
      const std::int64_t step = (byte - layout_.begins[v]) / bytes;
      if (description_.has_steps(description_.variables[v]) && byte >= layout_.begins[v] && step < layout_.steps)
        return step;
    }
    return std::nullopt;
  }

 private:
  DatasetDescription description_;
  hdf5::FileForm form_;
  hdf5::FileLayout layout_;
  std::vector<FilePiece> header_;  // on rank 0, until it is written
};

}  // namespace

std::unique_ptr<GrowingLayout> new_layout(Container container, const DatasetDescription& description,
                                          const DatasetOptions& options) {
  if (!is_hdf5(container)) return std::make_unique<CdfLayout>(description, options.form);
  cdf::FileForm form = options.form;
  form.align = cdf::FileForm{}.align;
  if (!(form == cdf::FileForm{})) {
    throw Error(
        {.code = ErrorCode::usage,
         .problem = fmt::format("container {} does not have the settings version, variable_align and record_align",
                                name_of(container)),
         .action = "omit them; align is the alignment of all variables"});
  }
  return std::make_unique<Hdf5Layout>(description, hdf5::FileForm{.is_netcdf4 = container == Container::netcdf4,
                                                                  .is_vtkhdf = container == Container::vtkhdf,
                                                                  .steps = options.steps.value_or(0),
                                                                  .align = options.form.align});
}

std::unique_ptr<GrowingLayout> layout_of(const DatasetContents& contents, const std::string& path) {
  if (!is_hdf5(contents.container)) {
    for (std::size_t v = 0; v < contents.description.variables.size(); ++v) {
      const Variable& variable = contents.description.variables[v];
      const cdf::FileLayout& layout = *contents.layout;
      const std::int64_t end = layout.begins[v] + contents.description.element_bytes(variable);
      if (contents.description.has_steps(variable) || layout.record_bytes == 0 || end <= layout.records_begin) continue;
      refuse_dataset(
          path,
          fmt::format("variable {} is after the first step, where the next steps would be written", variable.name),
          "copy the file, and append to the copy");
    }
    return std::make_unique<CdfLayout>(contents.description, *contents.layout);
  }
  if (!contents.hdf5.layout) {
    refuse_dataset(
        path,
        contents.container == Container::vtkhdf
            ? "steps cannot be added to a VTKHDF file"
            : "the file has no room for steps that can be added: only Sill writes such HDF5 and netCDF-4 files",
        "copy it to netCDF or HDF5 with `sill arrays copy`, and append to the copy");
  }
  return std::make_unique<Hdf5Layout>(contents.description, *contents.hdf5.layout);
}

}  // namespace sill
