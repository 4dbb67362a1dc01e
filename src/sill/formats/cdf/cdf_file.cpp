#include "sill/formats/cdf/cdf_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/formats/cdf/cdf_words.hpp"

namespace sill::cdf {
namespace {

constexpr std::int64_t max_u4 = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void refuse(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

std::int64_t rounded_up(std::int64_t bytes, std::int64_t multiple, const Variable& variable) {
  if (bytes > std::numeric_limits<std::int64_t>::max() - 2 * multiple) {
    refuse(fmt::format("variable {} ends beyond byte 2^63", variable.name), "write fewer data into one file");
  }
  return (bytes + multiple - 1) / multiple * multiple;
}

// Returns the reason why a version of the format cannot represent the dataset, as text; empty if it can.
std::string not_held_by(int version, const DatasetDescription& description) {
  if (version == 5) return {};
  const auto is_foreign = [](const Attribute& each) { return type_code(each.type) > last_classic_type; };
  for (const Dimension& each : description.dimensions) {
    if (each.length <= std::numeric_limits<std::int32_t>::max()) continue;
    return fmt::format("dimension {} has length {}, which CDF-{} cannot store", each.name, each.length, version);
  }
  if (std::any_of(description.attributes.begin(), description.attributes.end(), is_foreign)) {
    return fmt::format("an attribute of the dataset has a type that CDF-{} lacks", version);
  }
  for (const Variable& each : description.variables) {
    if (type_code(each.type) > last_classic_type) {
      return fmt::format("variable {} has type {}, which CDF-{} lacks", each.name, name_of(each.type), version);
    }
    if (std::any_of(each.attributes.begin(), each.attributes.end(), is_foreign)) {
      return fmt::format("an attribute of variable {} has a type that CDF-{} lacks", each.name, version);
    }
    if (description.element_bytes(each) > max_u4 - 3) {
      return fmt::format("variable {} has more bytes (per step) than CDF-{} can store", each.name, version);
    }
  }
  return {};
}

class HeaderWriter {
 public:
  explicit HeaderWriter(int version) : version_(version) {}

  void put_u4(std::int64_t value) { put(static_cast<std::uint32_t>(value)); }
  // Writes a count or a size.
  void put_count(std::int64_t value) {
    if (version_ == 5) {
      put(static_cast<std::uint64_t>(value));
    } else {
      put_u4(value);
    }
  }
  void put_offset(std::int64_t value) {
    if (version_ == 1) {
      put_u4(value);
    } else {
      put(static_cast<std::uint64_t>(value));
    }
  }
  void put_padded(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    while (bytes_.size() % 4 != 0) bytes_.push_back(std::byte{0});
  }
  void put_name(const std::string& name) {
    put_count(static_cast<std::int64_t>(name.size()));
    put_padded(std::as_bytes(std::span(name)));
  }
  // Writes the beginning of a list; an empty one has no tag.
  void put_list(std::uint32_t tag, std::size_t count) {
    put_u4(count == 0 ? 0 : tag);
    put_count(static_cast<std::int64_t>(count));
  }
  void put_attributes(const std::vector<Attribute>& attributes) {
    put_list(attribute_tag, attributes.size());
    for (const Attribute& attribute : attributes) {
      put_name(attribute.name);
      put_u4(type_code(attribute.type));
      put_count(attribute.count());
      std::vector<std::byte> values(attribute.values.size());
      const std::int64_t size = bytes_of(attribute.type);
      convert_elements(attribute.values.data(), {size, {attribute.type}}, values.data(),
                       {size, file_form(attribute.type)}, attribute.count());
      put_padded(values);
    }
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  template <class U>
  void put(U value) {
    bytes_.resize(bytes_.size() + sizeof value);
    store(bytes_.data() + bytes_.size() - sizeof value, value, ByteOrder::big);
  }

  int version_;
  std::vector<std::byte> bytes_;
};

void require_countable(const FileLayout& layout, std::int64_t records) {
  if (layout.version == 5 || records < max_u4) return;  // 2^32 - 1 means that the number is unknown
  refuse(fmt::format("{} steps are more than CDF-{} can store", records, layout.version), "write version 5");
}

void put_beginning(HeaderWriter& out, const FileLayout& layout, std::int64_t records) {
  const std::array<std::byte, 4> magic{std::byte{'C'}, std::byte{'D'}, std::byte{'F'},
                                       static_cast<std::byte>(layout.version)};
  out.put_padded(magic);
  out.put_count(records);
}

// Returns the header of a layout whose positions may still be unknown.
std::vector<std::byte> header_bytes(const DatasetDescription& description, const FileLayout& layout,
                                    std::int64_t records) {
  HeaderWriter out(layout.version);
  put_beginning(out, layout, records);
  out.put_list(dimension_tag, description.dimensions.size());
  for (const Dimension& dimension : description.dimensions) {
    out.put_name(dimension.name);
    out.put_count(dimension.length == unlimited ? 0 : dimension.length);
  }
  out.put_attributes(description.attributes);
  out.put_list(variable_tag, description.variables.size());
  for (std::size_t v = 0; v < description.variables.size(); ++v) {
    const Variable& variable = description.variables[v];
    out.put_name(variable.name);
    out.put_count(static_cast<std::int64_t>(variable.dimensions.size()));
    for (const std::string& name : variable.dimensions) {
      out.put_count(static_cast<std::int64_t>(description.dimension_named(name)));
    }
    out.put_attributes(variable.attributes);
    out.put_u4(type_code(variable.type));
    out.put_count(rounded_up(description.element_bytes(variable), 4, variable));
    out.put_offset(layout.begins[v]);
  }
  return out.take();
}

}  // namespace

FileArray FileLayout::places(int file, const DatasetDescription& description, std::size_t variable,
                             std::int64_t step) const {
  const Variable& of = description.variables[variable];
  return row_major(file, begins[variable] + step * record_bytes, description.shape_of(of), bytes_of(of.type));
}

FileLayout layout_of(const DatasetDescription& description, const FileForm& form) {
  require_possible(description);
  if (form.version != 0 && form.version != 1 && form.version != 2 && form.version != 5) {
    refuse(fmt::format("version {} of netCDF's classic formats", form.version), "give 1, 2 or 5");
  }
  for (const std::int64_t align : {form.align, form.variable_align, form.record_align}) {
    if (align >= 4 && align % 4 == 0 && align <= (std::int64_t{1} << 30U)) continue;
    refuse(fmt::format("variables cannot be aligned to {} bytes", align), "give a multiple of 4 up to 1 GiB");
  }
  FileLayout layout{.version = form.version != 0 ? form.version : not_held_by(2, description).empty() ? 2 : 5};
  if (const std::string problem = not_held_by(layout.version, description); !problem.empty()) {
    refuse(problem, "write version 5");
  }
  const std::vector<Variable>& variables = description.variables;
  layout.begins.assign(variables.size(), 0);
  layout.header_bytes = static_cast<std::int64_t>(header_bytes(description, layout, 0).size());
  if (variables.empty()) {
    layout.records_begin = layout.header_bytes;
    return layout;
  }
  std::int64_t end = rounded_up(layout.header_bytes, form.align, variables.front());
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (description.has_steps(variables[v])) continue;
    layout.begins[v] = rounded_up(end, form.variable_align, variables[v]);
    const std::int64_t bytes = rounded_up(description.element_bytes(variables[v]), 4, variables[v]);
    if (__builtin_add_overflow(layout.begins[v], bytes, &end)) {
      refuse(fmt::format("variable {} ends beyond byte 2^63", variables[v].name), "write fewer data into one file");
    }
  }
  layout.records_begin =
      rounded_up(rounded_up(end, form.variable_align, variables.back()), form.record_align, variables.back());
  end = layout.records_begin;
  std::size_t with_steps = 0;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (!description.has_steps(variables[v])) continue;
    ++with_steps;
    layout.begins[v] = end;
    const std::int64_t bytes = rounded_up(description.element_bytes(variables[v]), 4, variables[v]);
    if (__builtin_add_overflow(end, bytes, &end)) {
      refuse(fmt::format("variable {} ends beyond byte 2^63", variables[v].name), "write fewer data into one file");
    }
    layout.record_bytes = end - layout.records_begin;
    // The records of a single variable are not padded.
    if (with_steps == 1) layout.record_bytes = description.element_bytes(variables[v]);
  }
  for (std::size_t v = 0; v < variables.size() && layout.version == 1; ++v) {
    if (layout.begins[v] <= std::numeric_limits<std::int32_t>::max()) continue;
    refuse(fmt::format("variable {} would begin at byte {}, beyond the largest offset of CDF-1", variables[v].name,
                       layout.begins[v]),
           "write version 2 or 5");
  }
  return layout;
}

FileLayout with_header_of(const DatasetDescription& description, FileLayout layout) {
  require_possible(description);
  const std::string not_held = not_held_by(layout.version, description);
  if (!not_held.empty()) refuse(not_held, "set attributes of such types before the first data are written");
  layout.header_bytes = static_cast<std::int64_t>(header_bytes(description, layout, 0).size());
  if (layout.begins.empty()) {
    layout.records_begin = layout.header_bytes;
    return layout;
  }
  const std::int64_t end = *std::min_element(layout.begins.begin(), layout.begins.end());
  if (layout.header_bytes > end) {
    refuse(
        fmt::format("the attributes need {} more than the room in the file", exact_bytes(layout.header_bytes - end)),
        "set the attributes before the first data are written, or leave more room before the first variable (align)");
  }
  return layout;
}

std::vector<std::byte> header_of(const DatasetDescription& description, const FileLayout& layout,
                                 std::int64_t records) {
  require_countable(layout, records);
  return header_bytes(description, layout, records);
}

std::vector<std::byte> beginning_of(const FileLayout& layout, std::int64_t records) {
  require_countable(layout, records);
  HeaderWriter out(layout.version);
  put_beginning(out, layout, records);
  return out.take();
}

}  // namespace sill::cdf
