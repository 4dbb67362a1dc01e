#include "sill/io/session/dataset_layouts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"

namespace sill {
namespace {

constexpr std::array<std::string_view, 9> layout_settings{
    "container", "version", "align", "variable_align", "record_align", "field_data", "steps", "codec", "chunks"};

[[noreturn]] void refuse_layout(std::string problem) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = layout_grammar()});
}

// Returns the trimmed sections of a text between separators.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(separator, from), text.size());
    parts.push_back(trimmed(text.substr(from, end - from)));
    from = end + 1;
  }
  return parts;
}

// Returns the number from 1 on that `text` is, or nothing.
std::optional<std::int64_t> count_in(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1) return std::nullopt;
  return count;
}

void take(DatasetLayout& layout, std::string_view setting) {
  const std::size_t equals = setting.find('=');
  const std::string_view key = trimmed(setting.substr(0, equals));
  const std::string_view value = equals == std::string_view::npos ? "" : trimmed(setting.substr(equals + 1));
  if (std::ranges::find(layout_settings, key) == layout_settings.end() || value.empty()) {
    refuse_layout(fmt::format("{}`{}` is not a setting of a layout", did_you_mean(nearest_names(key, layout_settings)),
                              echoed(setting)));
  }
  if (key == "container") {
    layout.container = container_named(value);
    if (!layout.container) refuse_layout(fmt::format("unknown container `{}`", echoed(value)));
  } else if (key == "version") {
    if (value != "1" && value != "2" && value != "5") refuse_layout(fmt::format("version `{}`", echoed(value)));
    layout.version = value[0] - '0';
  } else if (key == "field_data") {
    if (value != "yes" && value != "no") refuse_layout(fmt::format("field_data `{}`", echoed(value)));
    layout.field_data = value == "yes";
  } else if (key == "codec") {
    layout.codecs.add(value);
  } else if (key == "chunks") {
    layout.chunk = parse_chunk(value);
  } else if (key == "steps") {
    layout.steps = count_in(value);
    if (!layout.steps) refuse_layout(fmt::format("steps `{}`", echoed(value)));
  } else {
    auto& align = key == "align" ? layout.align : key == "variable_align" ? layout.variable_align : layout.record_align;
    align = parse_bytes(value, key);
    if (*align < 4 || *align % 4 != 0)
      refuse_layout(fmt::format("{} is `{}`, which is not a multiple of 4", key, echoed(value)));
  }
}

std::vector<std::string> settings_of(const DatasetLayout& layout) {
  std::vector<std::string> all;
  if (layout.container) all.push_back(fmt::format("container={}", name_of(*layout.container)));
  if (layout.version) all.push_back(fmt::format("version={}", *layout.version));
  if (layout.align) all.push_back(fmt::format("align={}", *layout.align));
  if (layout.variable_align) all.push_back(fmt::format("variable_align={}", *layout.variable_align));
  if (layout.record_align) all.push_back(fmt::format("record_align={}", *layout.record_align));
  if (layout.field_data) all.push_back(fmt::format("field_data={}", *layout.field_data ? "yes" : "no"));
  if (layout.steps) all.push_back(fmt::format("steps={}", *layout.steps));
  for (const std::string& each : layout.codecs.entries()) all.push_back("codec=" + each);
  if (layout.chunk) all.push_back(fmt::format("chunks={}", fmt::join(*layout.chunk, "x")));
  return all;
}

}  // namespace

Index parse_chunk(std::string_view text) {
  Index chunk;
  for (const std::string_view each : split(text, 'x')) {
    const std::optional<std::int64_t> length = count_in(each);
    if (!length || *length > farthest_index) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("`{}` is not the shape of a chunk", echoed(text)),
                   .action = "give the length in each dimension, at least 1, such as chunks of 64x64x512"});
    }
    chunk.push_back(*length);
  }
  return chunk;
}

std::string layout_grammar() {
  return fmt::format(
      "give [NAME:]SETTING[,SETTING...] for each dataset, separated by `;`; the settings are container={}, "
      "version=1|2|5, align=SIZE, variable_align=SIZE, record_align=SIZE, field_data=yes|no, steps=NUMBER, "
      "codec=[VARIABLE=]CODEC (may be repeated), chunks=NxN... (docs/arrays.md). A CODEC is "
      "none|[bitround:1-52+][shuffle+]deflate[:1-9]|zstd[:1-19]",
      container_names("|"));
}

cdf::FileForm DatasetLayout::over(cdf::FileForm form) const {
  form.version = version.value_or(form.version);
  form.align = align.value_or(form.align);
  form.variable_align = variable_align.value_or(form.variable_align);
  form.record_align = record_align.value_or(form.record_align);
  return form;
}

DatasetLayouts DatasetLayouts::parse(std::string_view text) { return parse_over(text, {}); }

DatasetLayouts DatasetLayouts::parse_over(std::string_view text, DatasetLayouts before) {
  for (const std::string_view part : split(text, ';')) {
    std::size_t colon = part.find(':');
    const std::size_t comma = part.substr(0, colon).rfind(',');
    const std::string_view before_colon = trimmed(part.substr(comma + 1, colon - comma - 1));
    if (before_colon.starts_with("codec=")) colon = std::string_view::npos;  // codec=zstd:3 without a name
    const std::string name(colon == std::string_view::npos ? "" : trimmed(part.substr(0, colon)));
    if (colon == 0) refuse_layout("a layout has no name before its `:`");
    DatasetLayout& layout = before.layouts_[name];
    for (const std::string_view setting : split(colon == std::string_view::npos ? part : part.substr(colon + 1), ',')) {
      take(layout, setting);
    }
  }
  return before;
}

std::string DatasetLayouts::text() const {
  std::vector<std::string> parts;
  for (const auto& [name, layout] : layouts_)
    parts.push_back(fmt::format("{}{}{}", name, name.empty() ? "" : ":", fmt::join(settings_of(layout), ",")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

DatasetLayout DatasetLayouts::of(const std::string& path) const {
  DatasetLayout layout;
  const std::string file = std::filesystem::path(path).filename().string();
  for (const std::string& name : {std::string(), file.substr(0, file.find('.', 1))}) {
    const auto found = layouts_.find(name);
    if (found == layouts_.end()) continue;
    for (const std::string& each : settings_of(found->second)) take(layout, each);
  }
  return layout;
}

}  // namespace sill
