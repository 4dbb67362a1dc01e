#include "sill/survey/arrays/trace_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/geometry/geometry.hpp"

namespace sill {
namespace {

constexpr double max_positions_per_trace = 10.0;  // of detected dimensions; with more, nearly all would be holes

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> usual_words{
    {{"inline", "iline"}, {"crossline", "xline"}, {"shot", "fldr"}, {"channel", "tracf"}, {"trace", ""}}};

[[noreturn]] void refuse_dimensions(std::string problem, std::string action, const std::string& file = {}) {
  throw Error(
      {.code = ErrorCode::usage, .problem = std::move(problem), .where = {.file = file}, .action = std::move(action)});
}

void keep_distinct(std::vector<double>& values) {
  for (double& each : values) each += 0.0;  // -0.0 becomes 0.0: integers in the dataset have no -0
  std::ranges::sort(values);
  const auto rest = std::ranges::unique(values);
  values.erase(rest.begin(), rest.end());
}

void require_memory(const Resources& resources, double bytes, const std::string& file) {
  if (bytes <= static_cast<double>(resources.memory_beside_buffers() + resources.memory())) return;
  refuse_dimensions(fmt::format("the numbers of the traces need {:.0f} MB of memory on each rank", bytes / 1e6),
                    "give more memory, or sort the file by the dimensions first", file);
}

// What a thread finds in headers.
struct Seen {
  std::vector<std::byte> any;  // bytes of all headers, joined by OR
  double min_start_us = std::numeric_limits<double>::infinity();
  double max_start_us = -std::numeric_limits<double>::infinity();
};

void see_block(const HeaderBlock& block, const std::optional<segy::DelayWord>& delay, Seen& seen) {
  for (std::int64_t i = 0; i < block.count; ++i) {
    const std::byte* const header = block.header(i);
    for (std::size_t b = 0; b < seen.any.size(); ++b) seen.any[b] |= header[b];
    const double start_us = delay ? delay->start_us(header, block.byte_order) : 0.0;
    seen.min_start_us = std::min(seen.min_start_us, start_us);
    seen.max_start_us = std::max(seen.max_start_us, start_us);
  }
}

// Collective. Joins what the threads of all ranks found.
void join(Communicator& comm, const std::vector<Seen>& of_threads, HeaderPass& pass) {
  std::vector<std::int64_t> is_used(of_threads.front().any.size());
  Seen all;
  for (const Seen& each : of_threads) {
    for (std::size_t b = 0; b < is_used.size(); ++b) is_used[b] |= each.any[b] != std::byte{} ? 1 : 0;
    all.min_start_us = std::min(all.min_start_us, each.min_start_us);
    all.max_start_us = std::max(all.max_start_us, each.max_start_us);
  }
  comm.all_reduce(is_used, Reduction::max);
  pass.is_used.assign(is_used.begin(), is_used.end());
  const double min = std::ranges::min(all_gather(comm, all.min_start_us));
  const double max = std::ranges::max(all_gather(comm, all.max_start_us));
  if (min == max && std::abs(min) < segy::farthest_start_us) pass.start_us = min;
}

// Returns the place of a trace for messages: "inline 3, crossline 4".
std::string place_text(const std::vector<TraceDimension>& dimensions, const Index& shape, std::int64_t position) {
  std::string text;
  const Index strides = row_major_strides(shape, 1);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t at = position / strides[d] % shape[d];
    text += fmt::format("{}{} {}", d > 0 ? ", " : "", dimensions[d].name,
                        dimensions[d].values[static_cast<std::size_t>(at)]);
  }
  return text;
}

// Returns the names of the words in which two traces differ.
std::string words_that_differ(const SurveyReader& reader, std::int64_t a, std::int64_t b) {
  std::array<std::byte, 2 * segy::trace_header_bytes> headers{};
  reader.read_own_headers(std::array{a, b}, headers);
  std::string names;
  for (const segy::MapWord& word : reader.words().all()) {
    if (word.byte - 1 + word.type.bytes > segy::trace_header_bytes) continue;
    const std::byte* const at = headers.data() + word.byte - 1;
    if (std::equal(at, at + word.type.bytes, at + segy::trace_header_bytes)) continue;
    names += (names.empty() ? "" : ", ") + word.names.front();
  }
  return names.empty() ? "no word" : names;
}

}  // namespace

std::string names_of(const std::vector<TraceDimension>& dimensions) {
  std::string text;
  for (const TraceDimension& each : dimensions) text += (text.empty() ? "" : ", ") + each.name;
  return text;
}

std::vector<TraceDimension> dimensions_in(const std::string& text) {
  std::vector<TraceDimension> dimensions;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    TraceDimension dimension{part.substr(0, equals), equals == std::string::npos ? part : part.substr(equals + 1)};
    const auto* const usual =
        std::ranges::find(usual_words, dimension.name, &std::pair<std::string_view, std::string_view>::first);
    if (equals == std::string::npos && usual != usual_words.end()) dimension.expression = usual->second;
    const bool is_name = !dimension.name.empty() && std::ranges::all_of(dimension.name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!is_name) {
      refuse_dimensions(fmt::format("--dimensions {:?} does not name dimensions", text),
                        "name them as in inline,crossline or shot=ep,channel=tracf");
    }
    if (std::ranges::count(dimensions, dimension.name, &TraceDimension::name) > 0)
      refuse_dimensions(fmt::format("dimension {} is named twice", dimension.name), "name it once");
    dimensions.push_back(std::move(dimension));
    begin = end + 1;
  }
  if (dimensions.size() > 1 && std::ranges::count(dimensions, "trace", &TraceDimension::name) > 0)
    refuse_dimensions("dimension trace, the number of the trace, is named with others", "name it alone");
  return dimensions;
}

std::vector<TraceDimension> dimensions_of(const SurveyGeometry& geometry) {
  using enum SurveyKind;
  const TraceDimension offset{"offset", "offset"};
  const SurveyKind kind = geometry.kind;
  if (geometry.grid && (kind == grid_post_stack || kind == grid_pre_stack)) {
    std::vector<TraceDimension> dimensions{{"inline", geometry.grid->ilines.word},
                                           {"crossline", geometry.grid->xlines.word}};
    if (kind == grid_pre_stack) dimensions.push_back(offset);
    return dimensions;
  }
  if (geometry.grid && (kind == line_post_stack || kind == cmp_gathers)) {
    std::vector<TraceDimension> dimensions{{"cdp", geometry.grid->xlines.word}};
    if (kind == cmp_gathers) dimensions.push_back(offset);
    return dimensions;
  }
  if (kind == shot_gathers && geometry.gathers && geometry.gathers->words.size() == 1) {
    const bool has_channels = std::ranges::any_of(
        geometry.words, [](const WordEvidence& word) { return word.name == "tracf" && word.varies(); });
    return {{"shot", geometry.gathers->words.front()}, has_channels ? TraceDimension{"channel", "tracf"} : offset};
  }
  return {{"trace", ""}};
}

HeaderPass pass_over_headers(const Resources& resources, const SurveyReader& reader,
                             const std::vector<TraceDimension>& dimensions) {
  Communicator& comm = resources.comm;
  const ItemRange own = block_of(reader.traces(), comm.size(), comm.rank());
  const int threads = resources.threads();
  HeaderPass pass;
  std::vector<Seen> of_threads(static_cast<std::size_t>(threads));
  run_and_agree(comm, [&] {
    std::vector<segy::Expression> expressions;
    for (const TraceDimension& each : dimensions) {
      if (!each.expression.empty()) expressions.push_back(segy::Expression::parse(each.expression, reader.words()));
    }
    require_memory(resources, 8.0 * static_cast<double>(own.count) * static_cast<double>(expressions.size()),
                   reader.paths().front());
    pass.values.assign(expressions.size(), std::vector<double>(static_cast<std::size_t>(own.count)));
    const std::int64_t header_bytes = reader.files().front().header_bytes();
    for (Seen& each : of_threads) each.any.resize(static_cast<std::size_t>(header_bytes));
    const std::optional<segy::DelayWord> delay = segy::DelayWord::of(reader.words());
    resources.begin_stage("reading trace headers", own.count * header_bytes);
    reader.scan_headers(own, {0, header_bytes}, threads, [&](const HeaderBlock& block, int thread) {
      see_block(block, delay, of_threads[static_cast<std::size_t>(thread)]);
      for (std::int64_t i = 0; i < block.count; ++i) {
        for (std::size_t e = 0; e < expressions.size(); ++e) {
          pass.values[e][static_cast<std::size_t>(block.first_trace + i - own.first)] =
              expressions[e].value(block.view(i)).as_double();
        }
      }
    });
  });
  join(comm, of_threads, pass);
  return pass;
}

TraceGrid trace_grid(const Resources& resources, const SurveyReader& reader, std::vector<TraceDimension> dimensions,
                     const HeaderPass& pass, double max_per_trace) {
  TraceGrid grid{.dimensions = std::move(dimensions)};
  if (grid.dimensions.front().expression.empty()) {
    grid.shape = {reader.traces()};
    return grid;
  }
  Communicator& comm = resources.comm;
  const std::string& file = reader.paths().front();
  const ItemRange own = block_of(reader.traces(), comm.size(), comm.rank());
  run_and_agree(comm, [&] {
    for (std::size_t d = 0; d < grid.dimensions.size(); ++d) {
      const auto wrong =
          std::ranges::find_if(pass.values[d], [](double value) { return !(std::abs(value) <= 0x1p53); });
      if (wrong == pass.values[d].end()) continue;
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("{} is {}, which cannot number positions", grid.dimensions[d].name, *wrong),
                   .where = reader.where(own.first + (wrong - pass.values[d].begin())),
                   .action = "choose other dimensions"});
    }
  });
  double positions = 1.0;
  for (std::size_t d = 0; d < grid.dimensions.size(); ++d) {
    const std::vector<double> mine = run_and_agree(comm, [&] {
      std::vector<double> distinct = pass.values[d];
      keep_distinct(distinct);
      return distinct;
    });
    std::vector<double>& values = grid.dimensions[d].values;
    values = all_gather_all<double>(comm, mine);
    keep_distinct(values);
    grid.shape.push_back(std::ssize(values));
    positions *= static_cast<double>(values.size());
  }
  std::vector<std::int64_t> cells;
  bool is_in_order = positions == static_cast<double>(reader.traces());
  run_and_agree(comm, [&] {
    if (positions > max_per_trace * static_cast<double>(reader.traces())) {
      refuse_dimensions(
          fmt::format("{} make {:.0f} positions for {} traces", names_of(grid.dimensions), positions, reader.traces()),
          "choose dimensions whose values repeat, or the dimension trace alone", file);
    }
    require_memory(resources, 8.0 * (positions + static_cast<double>(reader.traces())), file);
    cells.resize(static_cast<std::size_t>(own.count));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (std::size_t d = 0; d < grid.dimensions.size(); ++d) {
        const std::vector<double>& values = grid.dimensions[d].values;
        cells[i] = cells[i] * grid.shape[d] + (std::ranges::lower_bound(values, pass.values[d][i]) - values.begin());
      }
      is_in_order = is_in_order && cells[i] == own.first + static_cast<std::int64_t>(i);
    }
  });
  if (all_reduce(comm, is_in_order ? 1 : 0, Reduction::min) == 1) return grid;
  const std::vector<std::int64_t> cells_of_all = all_gather_all<std::int64_t>(comm, cells);
  run_and_agree(comm, [&] {
    grid.traces.assign(static_cast<std::size_t>(whole(grid.shape).items()), -1);
    grid.holes = std::ssize(grid.traces) - reader.traces();
    for (std::size_t t = 0; t < cells_of_all.size(); ++t) {
      std::int64_t& trace = grid.traces[static_cast<std::size_t>(cells_of_all[t])];
      const auto number = static_cast<std::int64_t>(t);
      if (trace >= 0) {
        refuse_dimensions(
            fmt::format("traces {} and {} (from 0) have the same position: {}", trace, number,
                        place_text(grid.dimensions, grid.shape, cells_of_all[t])),
            fmt::format("choose other dimensions, or the dimension trace alone; these traces differ in {}",
                        words_that_differ(reader, trace, number)),
            file);
      }
      trace = number;
    }
  });
  return grid;
}

void require_array_of_traces(const Resources& resources, const SurveyReader& reader) {
  run_and_agree(resources.comm, [&] {
    const std::string& file = reader.paths().front();
    if (reader.paths().size() > 1)
      refuse_dimensions("several files are one survey, but arrays hold the headers of one", "join them: sill merge",
                        file);
    if (!reader.is_uniform())
      refuse_dimensions("traces differ in length, so they do not form an array", "cut them first: sill cut", file);
    if (reader.traces() == 0) refuse_dimensions("the file has no traces", "choose another file", file);
  });
}

TraceGrid find_trace_grid(const Resources& resources, const SurveyReader& reader, const std::string& dimensions,
                          HeaderPass& pass, std::vector<std::string>& notes) {
  std::vector<TraceDimension> found;
  if (dimensions.empty()) {
    const SurveyGeometry geometry = find_geometry(resources, reader);
    found = dimensions_of(geometry);
    if (found.front().expression.empty())
      notes.push_back(fmt::format("the only dimension is `trace`: the geometry is {}", name_of(geometry.kind)));
  } else {
    found = run_and_agree(resources.comm, [&] { return dimensions_in(dimensions); });
  }
  pass = pass_over_headers(resources, reader, found);
  if (!dimensions.empty()) return trace_grid(resources, reader, found, pass, std::numeric_limits<double>::infinity());
  try {
    return trace_grid(resources, reader, found, pass, max_positions_per_trace);
  } catch (const Error& error) {
    require_known_to_all(resources.comm, error);
    // Nobody asked for the detected dimensions, and every survey has the dimension trace.
    if (error.code() != ErrorCode::usage) throw;
    notes.push_back(fmt::format("the only dimension is `trace`: {}", error.parts().problem));
  }
  return trace_grid(resources, reader, {{"trace", ""}}, pass, 1.0);
}

}  // namespace sill
