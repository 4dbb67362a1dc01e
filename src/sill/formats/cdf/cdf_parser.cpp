#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/formats/cdf/cdf_file.hpp"
#include "sill/formats/cdf/cdf_words.hpp"

namespace sill::cdf {
namespace {

constexpr std::int64_t unknown_records = -1;

// Thrown if the header continues after the available bytes.
struct MoreBytesNeeded {};

class HeaderReader {
 public:
  HeaderReader(std::span<const std::byte> bytes, std::int64_t file_bytes, const std::string& path)
      : bytes_(bytes), file_bytes_(file_bytes), path_(path) {}

  [[nodiscard]] std::int64_t at() const { return at_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  void set_version(int version) { version_ = version; }

  [[noreturn]] void refuse(std::int64_t byte, std::string problem,
                           std::string action = "get an intact copy of the file") const {
    throw Error({.code = ErrorCode::input,
                 .problem = std::move(problem),
                 .where = {.file = path_, .byte = byte},
                 .clause = "NetCDF Classic Format Specification",
                 .action = std::move(action)});
  }

  [[nodiscard]] std::span<const std::byte> take(std::int64_t count) {
    if (count > file_bytes_ - at_) refuse(file_bytes_, "the file ends within its header");
    if (count > static_cast<std::int64_t>(bytes_.size()) - at_) throw MoreBytesNeeded{};
    const auto taken = bytes_.subspan(static_cast<std::size_t>(at_), static_cast<std::size_t>(count));
    at_ += count;
    return taken;
  }
  [[nodiscard]] std::uint32_t take_u4() { return load<std::uint32_t>(take(4).data(), ByteOrder::big); }
  [[nodiscard]] std::int64_t take_count() { return version_ == 5 ? take_u8() : take_u4(); }
  [[nodiscard]] std::int64_t take_offset() { return version_ == 1 ? take_u4() : take_u8(); }
  [[nodiscard]] std::span<const std::byte> take_padded(std::int64_t count) {
    const auto taken = take(count);
    (void)take((4 - count % 4) % 4);
    return taken;
  }
  [[nodiscard]] std::string take_name() {
    const std::int64_t begin = at_;
    const std::int64_t length = take_count();
    if (length < 1 || length > 65536) refuse(begin, fmt::format("a name of {} bytes", length));
    const auto taken = take_padded(length);
    const std::string_view name(reinterpret_cast<const char*>(taken.data()), taken.size());
    return std::string(name.substr(0, name.find_last_not_of('\0') + 1));  // old writers count the padding, too
  }
  // Returns the number of members of a list, of at least 8 bytes each.
  [[nodiscard]] std::int64_t take_list(std::uint32_t tag) {
    const std::int64_t begin = at_;
    const std::uint32_t found = take_u4();
    const std::int64_t count = take_count();
    if (count == 0 && (found == 0 || found == tag)) return 0;
    if (found != tag) refuse(begin, fmt::format("a list begins with tag {} instead of {}", found, tag));
    if (count > (file_bytes_ - at_) / 8)
      refuse(begin, fmt::format("the file ends within its header: a list should have {} members", count));
    return count;
  }
  [[nodiscard]] ElementType take_type() {
    const std::int64_t begin = at_;
    const std::uint32_t code = take_u4();
    const std::optional<ElementType> type = type_of_code(code);
    if (!type || (version_ != 5 && code > last_classic_type)) {
      refuse(begin, fmt::format("CDF-{1} has no type {0}", code, version_));
    }
    return *type;
  }
  [[nodiscard]] std::vector<Attribute> take_attributes() {
    std::vector<Attribute> attributes;
    for (std::int64_t left = take_list(attribute_tag); left > 0; --left) {
      Attribute attribute;
      attribute.name = take_name();
      attribute.type = take_type();
      const std::int64_t begin = at_;
      const std::int64_t count = take_count();
      const std::int64_t size = bytes_of(attribute.type);
      if (count > (file_bytes_ - at_) / size) {
        refuse(begin, fmt::format("the file ends within its header: attribute {} should have {} values", attribute.name,
                                  count));
      }
      const auto values = take_padded(count * size);
      attribute.values.resize(values.size());
      convert_elements(values.data(), {size, file_form(attribute.type)}, attribute.values.data(),
                       {size, {attribute.type}}, count);
      attributes.push_back(std::move(attribute));
    }
    return attributes;
  }

 private:
  [[nodiscard]] std::int64_t take_u8() {
    const std::int64_t begin = at_;
    const auto value = load<std::uint64_t>(take(8).data(), ByteOrder::big);
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      refuse(begin, fmt::format("the number {} is too large", value));
    }
    return static_cast<std::int64_t>(value);
  }

  std::span<const std::byte> bytes_;
  std::int64_t file_bytes_;
  const std::string& path_;
  int version_ = 1;
  std::int64_t at_ = 0;
};

int take_version(HeaderReader& in) {
  const auto magic = in.take(4);
  const auto version = std::to_integer<int>(magic[3]);
  if (magic[0] == std::byte{'C'} && magic[1] == std::byte{'D'} && magic[2] == std::byte{'F'} &&
      (version == 1 || version == 2 || version == 5)) {
    return version;
  }
  const auto begins_with = [&](std::string_view text) {
    return std::equal(magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>(text.size()),
                      std::as_bytes(std::span(text)).begin());
  };
  if (begins_with(std::string_view("\0\0\0\0", 4))) {
    in.refuse(0, "the first bytes are zeros: the program that wrote this file completed no step",
              "write the file again");
  }
  if (begins_with("CDF")) in.refuse(3, fmt::format("unknown version {} of netCDF", version), "get a newer Sill");
  throw Error({.code = ErrorCode::input,
               .problem = "this is not a file of arrays: netCDF begins with CDF, HDF5 with \\x89HDF",
               .where = {.file = in.path(), .byte = 0},
               .action = "docs/arrays.md lists the supported files"});
}

std::int64_t take_record_count(HeaderReader& in, int version) {
  if (version != 5) {
    const std::uint32_t records = in.take_u4();
    return records == std::numeric_limits<std::uint32_t>::max() ? unknown_records : std::int64_t{records};
  }
  const auto records = load<std::uint64_t>(in.take(8).data(), ByteOrder::big);
  if (records == std::numeric_limits<std::uint64_t>::max()) return unknown_records;
  if (records > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    in.refuse(4, fmt::format("the file states {} records", records));
  }
  return static_cast<std::int64_t>(records);
}

Variable take_variable(HeaderReader& in, const DatasetDescription& description, std::int64_t& begin_byte) {
  Variable variable;
  variable.name = in.take_name();
  const std::int64_t begin = in.at();
  const std::int64_t dimensions = in.take_count();
  if (dimensions > 1024) in.refuse(begin, fmt::format("variable {} has {} dimensions", variable.name, dimensions));
  for (std::int64_t d = 0; d < dimensions; ++d) {
    const std::int64_t at = in.at();
    const std::int64_t dimension = in.take_count();
    if (dimension >= static_cast<std::int64_t>(description.dimensions.size())) {
      in.refuse(at, fmt::format("variable {} has dimension number {} of {}", variable.name, dimension,
                                description.dimensions.size()));
    }
    variable.dimensions.push_back(description.dimensions[static_cast<std::size_t>(dimension)].name);
  }
  variable.attributes = in.take_attributes();
  variable.type = in.take_type();
  (void)in.take_count();  // the stated size is ignored: shape and type determine it, and it need not be right
  begin_byte = in.take_offset();
  return variable;
}

// Refuses positions that netCDF-C refuses: variables without steps, and then those with steps, follow the header in the
// order of their definition, padded to 4 bytes. Their stated sizes are not used.
void require_order(const HeaderReader& in, const FileContents& contents) {
  const DatasetDescription& description = contents.description;
  std::int64_t end = contents.layout.header_bytes;
  const std::string* last = nullptr;
  for (const bool with_steps : {false, true}) {
    for (std::size_t v = 0; v < description.variables.size(); ++v) {
      const Variable& variable = description.variables[v];
      if (description.has_steps(variable) != with_steps) continue;
      const std::int64_t begin = contents.layout.begins[v];
      if (begin < end) {
        in.refuse(begin, fmt::format("variable {} begins at byte {}, before the end of {} at byte {}", variable.name,
                                     begin, last == nullptr ? "the header" : "variable " + *last, end));
      }
      last = &variable.name;
      end = begin + (description.element_bytes(variable) + 3) / 4 * 4;
    }
  }
}

// Determines the positions of records, and the stated contents that the file lacks. The padding of a last record may be
// missing.
void place_records(const HeaderReader& in, FileContents& contents, std::int64_t file_bytes) {
  const DatasetDescription& description = contents.description;
  FileLayout& layout = contents.layout;
  std::int64_t with_steps = 0;
  std::int64_t last_plain = 0;
  std::int64_t last_end = 0;
  std::int64_t cut_variables = 0;
  std::string first_cut;
  layout.records_begin = std::numeric_limits<std::int64_t>::max();
  for (std::size_t v = 0; v < description.variables.size(); ++v) {
    const Variable& variable = description.variables[v];
    const std::int64_t begin = layout.begins[v];
    const std::int64_t bytes = description.element_bytes(variable);
    std::int64_t end = 0;
    if (__builtin_add_overflow(begin, bytes, &end) || end > std::numeric_limits<std::int64_t>::max() - 4) {
      in.refuse(begin, fmt::format("variable {} begins at a wrong byte", variable.name));
    }
    if (!description.has_steps(variable)) {
      if (end > file_bytes && cut_variables++ == 0) {
        first_cut = fmt::format("variable {}, which ends at byte {}", variable.name, end);
      }
      continue;
    }
    ++with_steps;
    layout.records_begin = std::min(layout.records_begin, begin);
    last_plain = bytes;
    last_end = std::max(last_end, end);
    if (__builtin_add_overflow(layout.record_bytes, (bytes + 3) / 4 * 4, &layout.record_bytes)) {
      in.refuse(begin, "a record has too many bytes");
    }
  }
  require_order(in, contents);
  if (cut_variables > 0) {
    contents.missing.push_back(
        fmt::format("the file ends at byte {}, before the end of {} variables without steps: {}{}", file_bytes,
                    cut_variables, first_cut, cut_variables > 1 ? ", …" : ""));
  }
  if (with_steps == 0) {
    layout.records_begin = layout.header_bytes;
    contents.records = 0;  // no variable has steps
    return;
  }
  if (with_steps == 1) layout.record_bytes = last_plain;
  if (last_end - layout.records_begin > layout.record_bytes) {
    in.refuse(last_end, fmt::format("a record ends at byte {}, after the begin of the next one at byte {}", last_end,
                                    layout.records_begin + layout.record_bytes));
  }
  const std::int64_t complete = file_bytes < last_end ? 0 : (file_bytes - last_end) / layout.record_bytes + 1;
  if (contents.records == unknown_records) contents.records = complete;
  if (contents.records > complete) {
    // A truncated file still contains a part of its data. So a number of records that would need a thousand times as
    // many bytes is an error.
    constexpr std::int64_t times_larger = 1000;
    std::int64_t end = 0;
    if (__builtin_mul_overflow(contents.records, layout.record_bytes, &end) ||
        __builtin_add_overflow(end, last_end, &end) || end / times_larger > file_bytes) {
      in.refuse(4,
                fmt::format("the header states {} records, but the file has {} bytes", contents.records, file_bytes));
    }
    contents.missing.push_back(
        fmt::format("the file ends at byte {}; its header states {} records, of which {} are complete", file_bytes,
                    contents.records, complete));
  }
}

// Returns the contents without the positions of records; nullopt if the header continues after the available bytes.
std::optional<FileContents> take_contents(HeaderReader& in) {
  FileContents contents;
  DatasetDescription& description = contents.description;
  try {
    contents.layout.version = take_version(in);
    in.set_version(contents.layout.version);
    contents.records = take_record_count(in, contents.layout.version);
    for (std::int64_t left = in.take_list(dimension_tag); left > 0; --left) {
      Dimension dimension{.name = in.take_name()};
      dimension.length = in.take_count();
      if (dimension.length == 0) dimension.length = unlimited;
      description.dimensions.push_back(std::move(dimension));
    }
    description.attributes = in.take_attributes();
    for (std::int64_t left = in.take_list(variable_tag); left > 0; --left) {
      std::int64_t begin = 0;
      description.variables.push_back(take_variable(in, description, begin));
      contents.layout.begins.push_back(begin);
    }
    contents.layout.header_bytes = in.at();
  } catch (const MoreBytesNeeded&) {
    return std::nullopt;
  }
  try {
    require_possible(description);
  } catch (const Error& error) {
    throw Error({.code = ErrorCode::input,
                 .problem = error.parts().problem,
                 .where = {.file = in.path()},
                 .action = "docs/arrays.md lists the supported files"});
  }
  return contents;
}

}  // namespace

std::optional<FileContents> parse_header(std::span<const std::byte> first_bytes, std::int64_t file_bytes,
                                         const std::string& path) {
  HeaderReader in(first_bytes, file_bytes, path);
  std::optional<FileContents> contents = take_contents(in);
  if (contents) place_records(in, *contents, file_bytes);
  return contents;
}

DatasetDescription description_in(std::span<const std::byte> header) {
  const std::string no_path;
  HeaderReader in(header, std::ssize(header), no_path);
  return take_contents(in).value().description;
}

}  // namespace sill::cdf
