#include "sill/survey/arrays/survey_to_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/io/arrays/dataset_writer.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/survey/arrays/cell_windows.hpp"
#include "sill/survey/arrays/survey_layout.hpp"
#include "sill/survey/output/length_check.hpp"

namespace sill {
namespace {

using Kind = CellVariable::Kind;

constexpr std::int64_t bytes_at_once = 512 << 10;  // that a thread reads at once

// A trace, and its position among the cells in memory.
struct TraceInBuffer {
  std::int64_t trace = 0;
  std::int64_t at = 0;
};

void store_value(const segy::WordValue& value, ElementType type, std::byte* to) {
  visit_type(type, [&](auto of_type) {
    using T = decltype(of_type);
    std::visit(
        [&](const auto& number) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(number)>, segy::WordText>)
            store(to, static_cast<T>(number), native_order);
        },
        value.number);
  });
}

// Fills the buffers of the variables with the traces of boxes.
class CellBuffers {
 public:
  CellBuffers(const Resources& resources, const SurveyReader& reader, const TraceGrid& grid, const SurveyLayout& layout)
      : resources_(resources),
        reader_(reader),
        grid_(grid),
        layout_(layout),
        file_(reader.files().front()),
        lengths_(reader, false),
        decode_(file_.sample_format, file_.byte_order, memory_format_of(file_.sample_format), native_order, {}),
        buffers_(layout.variables.size()) {
    if (file_.sample_format == segy::SampleFormat::ibm_float)
      encode_.emplace(segy::SampleFormat::ieee_float, native_order, file_.sample_format, file_.byte_order,
                      segy::ConversionRules{});
  }

  // Local. Returns the parts of all variables. Errors: input; io.
  std::vector<ArrayPart> read(std::span<const Box> boxes) {
    std::vector<TraceInBuffer> traces;
    std::int64_t cells = 0;
    for (const Box& box : boxes) {
      for_each_position(box, grid_.shape, [&](std::int64_t position) {
        if (const std::int64_t trace = grid_.trace_at(position); trace >= 0) traces.push_back({trace, cells});
        ++cells;
      });
    }
    resize(cells, cells > std::ssize(traces));
    std::ranges::sort(traces, {}, &TraceInBuffer::trace);
    const std::int64_t at_once = std::max<std::int64_t>(1, bytes_at_once / reader_.trace_bytes());
    const std::int64_t blocks = (std::ssize(traces) + at_once - 1) / at_once;
    std::vector<std::int64_t> inexact(static_cast<std::size_t>(resources_.threads()));
    std::vector<std::vector<std::byte>> raw(inexact.size());
    parallel_for(resources_.threads(), blocks, [&](std::int64_t block, int thread) {
      const std::int64_t first = block * at_once;
      const auto count = static_cast<std::size_t>(std::min(at_once, std::ssize(traces) - first));
      read_block(std::span(traces).subspan(static_cast<std::size_t>(first), count),
                 raw[static_cast<std::size_t>(thread)], inexact[static_cast<std::size_t>(thread)]);
    });
    for (const std::int64_t each : inexact) inexact_samples_ += each;
    std::vector<ArrayPart> parts;
    for (std::size_t v = 0; v < buffers_.size(); ++v) {
      std::byte* first = buffers_[v].data();
      for (const Box& box : boxes) {
        if (box.empty()) continue;
        parts.push_back(part_of_cells(layout_.variables[v], box, first));
        first += box.items() * layout_.variables[v].bytes();
      }
    }
    return parts;
  }

  [[nodiscard]] std::int64_t inexact_samples() const { return inexact_samples_; }

 private:
  void resize(std::int64_t cells, bool has_holes) {
    for (std::size_t v = 0; v < buffers_.size(); ++v) {
      const CellVariable& variable = layout_.variables[v];
      buffers_[v].resize(static_cast<std::size_t>(cells * variable.bytes()));
      if (!has_holes) continue;
      const bool is_real = variable.type == ElementType::f4 || variable.type == ElementType::f8;
      std::ranges::fill(buffers_[v], std::byte{});
      if (variable.kind == Kind::trace) std::ranges::fill(buffers_[v], std::byte{0xFF});  // -1
      if (!is_real || variable.kind == Kind::word) continue;
      std::array<std::byte, 8> nan{};
      visit_type(variable.type, [&](auto of_type) {
        store(nan.data(), std::numeric_limits<decltype(of_type)>::quiet_NaN(), native_order);
      });
      repeat_element(std::span(nan).first(static_cast<std::size_t>(bytes_of(variable.type))), 0, buffers_[v]);
    }
  }

  void read_block(std::span<const TraceInBuffer> traces, std::vector<std::byte>& raw, std::int64_t& inexact) {
    const auto trace_bytes = static_cast<std::size_t>(reader_.trace_bytes());
    std::vector<std::int64_t> numbers;
    for (const TraceInBuffer& each : traces) numbers.push_back(each.trace);
    raw.resize(traces.size() * trace_bytes);
    reader_.read_own(numbers, raw);
    for (std::size_t i = 0; i < traces.size(); ++i)
      take(traces[i], std::span<const std::byte>(raw).subspan(i * trace_bytes, trace_bytes), inexact);
    count_done(resources_.progress, std::ssize(raw));
  }

  void take(const TraceInBuffer& trace, std::span<const std::byte> bytes, std::int64_t& inexact) {
    lengths_.see(trace.trace, bytes.data());
    const auto header_bytes = static_cast<std::size_t>(file_.header_bytes());
    for (std::size_t v = 0; v < buffers_.size(); ++v) {
      const CellVariable& variable = layout_.variables[v];
      const auto size = static_cast<std::size_t>(variable.bytes());
      const std::span<std::byte> to = std::span(buffers_[v]).subspan(static_cast<std::size_t>(trace.at) * size, size);
      switch (variable.kind) {
        case Kind::samples: decode(trace.trace, bytes.subspan(header_bytes), to, inexact); break;
        case Kind::trace: store(to.data(), trace.trace, native_order); break;
        case Kind::mask: to[0] = std::byte{1}; break;
        case Kind::headers: std::ranges::copy(bytes.first(header_bytes), to.begin()); break;
        case Kind::word:
          store_value(segy::read_word(bytes.data(), variable.byte, variable.word, file_.byte_order), variable.type,
                      to.data());
          break;
        case Kind::fields: copy_fields(bytes.data(), to.data()); break;
        case Kind::x: store(to.data(), segy::true_value(x_, bytes.data(), file_.byte_order), native_order); break;
        case Kind::y: store(to.data(), segy::true_value(y_, bytes.data(), file_.byte_order), native_order); break;
      }
    }
  }

  void copy_fields(const std::byte* header, std::byte* to) const {
    for (const MdioField& each : fields_) {
      const std::uint64_t bits = segy::load_bits(header + each.byte - 1, each.type.bytes, file_.byte_order);
      if (each.type.bytes == 2) {
        store(to, static_cast<std::uint16_t>(bits), ByteOrder::little);
      } else {
        store(to, static_cast<std::uint32_t>(bits), ByteOrder::little);
      }
      to += each.type.bytes;
    }
  }

  void decode(std::int64_t trace, std::span<const std::byte> bytes, std::span<std::byte> to, std::int64_t& inexact) {
    segy::ConversionAccount account;
    try {
      decode_.convert(bytes, to, account);
    } catch (const Error& error) {
      throw_at(error, reader_.where(trace));
    }
    if (!encode_) return;
    thread_local std::vector<std::byte> again;
    again.resize(bytes.size());
    try {
      encode_->convert(to, again, account);
    } catch (const Error& error) {
      throw_at(error, reader_.where(trace));
    }
    if (std::memcmp(again.data(), bytes.data(), bytes.size()) == 0) return;
    for (std::size_t b = 0; b < bytes.size(); b += 4)
      inexact += std::memcmp(again.data() + b, bytes.data() + b, 4) != 0 ? 1 : 0;
  }

  const Resources& resources_;
  const SurveyReader& reader_;
  const TraceGrid& grid_;
  const SurveyLayout& layout_;
  const segy::FileDescription& file_;
  LengthCheck lengths_;
  segy::SampleConversion decode_;
  std::optional<segy::SampleConversion> encode_;  // if decoding may not be exact
  std::vector<std::vector<std::byte>> buffers_;
  std::vector<MdioField> fields_ = mdio_fields();
  segy::WordRef x_ = word_of_coordinate(Kind::x);
  segy::WordRef y_ = word_of_coordinate(Kind::y);
  std::int64_t inexact_samples_ = 0;
};

// The arrays that describe dimensions, and the bytes around the traces; passed by rank 0.
void write_small_arrays(const Resources& resources, const TraceGrid& grid, SurveyLayout& layout,
                        DatasetWriter& writer) {
  std::vector<ArrayPart> parts;
  if (resources.comm.rank() == 0) {
    const auto add = [&](const std::string& name, auto& values) {
      if (!values.empty()) parts.emplace_back(name, whole({std::ssize(values)}), values.data());
    };
    for (const TraceDimension& each : grid.dimensions) add(each.name, each.values);
    add(layout.axis_name, layout.axis);
    for (auto* const bytes : {&layout.file_header, &layout.file_trailer}) {
      const bool is_header = bytes == &layout.file_header;
      if (!bytes->empty())
        parts.emplace_back(is_header ? "file_header" : "file_trailer", whole({std::ssize(*bytes)}),
                           reinterpret_cast<std::uint8_t*>(bytes->data()));
    }
  }
  writer.write(parts);
}

// Returns the windows in which the traces are written, and sets the shards accordingly: shards of samples are windows,
// and those of the smaller variables several windows, so that there are few small files.
Index choose_windows(const SurveyLayout& layout, const SurveyToArraysOptions& options, DatasetOptions& of_writer) {
  Index multiple(layout.shape.size(), 1);
  if (options.chunk) std::copy_n(options.chunk->begin(), multiple.size(), multiple.begin());
  const CellVariable& samples = layout.variables.front();
  constexpr std::int64_t max_header_bytes = std::int64_t{16} << 20U;  // which ranks hold until a shard is complete
  const std::int64_t header_cells = max_header_bytes / (layout.cell_bytes() - samples.bytes());
  const Index window = window_shape(layout.shape, multiple, std::min(cells_of_window(samples), header_cells), false);
  const Index of_headers = window_shape(layout.shape, window, header_cells, true);
  for (const CellVariable& each : layout.variables)
    of_writer.max_shards[each.name] = each.kind == Kind::samples ? window : of_headers;
  of_writer.window = window;
  return window;
}

}  // namespace

SurveyToArraysResult survey_to_arrays(const Resources& resources, const SurveyReader& reader,
                                      const SurveyToArraysOptions& options) {
  Communicator& comm = resources.comm;
  require_other_file(resources, options.output, with_kept_beside(reader.paths()));
  require_array_of_traces(resources, reader);
  reader.require_sample_format();
  SurveyToArraysResult result{.traces = reader.traces()};
  HeaderPass pass;
  const TraceGrid grid = find_trace_grid(resources, reader, options.dimensions, pass, result.notes);
  result.holes = grid.holes;
  const std::size_t dimensions = grid.shape.size() + 1;
  run_and_agree(comm, [&] {
    if (!options.chunk || options.chunk->size() == dimensions) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("chunks of {} dimensions are given, but samples have {}: {}, samples",
                                        options.chunk->size(), dimensions, names_of(grid.dimensions)),
                 .where = {.file = options.output},
                 .action = fmt::format("give {} numbers", dimensions)});
  });
  SurveyLayout layout = layout_of_survey(resources, reader, grid, pass, is_mdio(options.output));
  DatasetOptions of_writer{.is_whole = true, .container = container_of(options.output), .fill = false};
  if (options.replaces) of_writer.existing = DatasetOptions::Existing::replace;
  const Index window = choose_windows(layout, options, of_writer);
  of_writer.codecs = options.codecs;
  of_writer.chunk = options.chunk;
  Resources without_layouts = resources;
  without_layouts.layouts = nullptr;  // the options state the layout
  DatasetWriter writer(without_layouts, options.output, layout.description, of_writer);
  write_small_arrays(resources, grid, layout, writer);
  CellBuffers buffers(resources, reader, grid, layout);
  resources.begin_stage("converting traces", reader.bytes_of(ItemRange{0, reader.traces()}) / comm.size());
  for_each_window(resources, layout.shape, window, layout.cell_bytes(), [&](std::span<const Box> boxes) {
    const std::vector<ArrayPart> parts = run_and_agree(comm, [&] { return buffers.read(boxes); });
    writer.write(parts);
  });
  reader.require_unchanged(comm);
  result.inexact_samples = all_reduce(comm, buffers.inexact_samples(), Reduction::sum);
  std::vector<ArrayPart> last;
  const std::int64_t none = 0;
  if (comm.rank() == 0) last.emplace_back("inexact_samples", Box{}, &result.inexact_samples);
  if (comm.rank() == 0 && is_mdio(options.output)) last.emplace_back("segy_file_header", Box{}, &none);
  writer.write(last);
  writer.close();
  for (std::size_t d = 0; d < grid.shape.size(); ++d)
    result.dimensions.push_back(fmt::format("{} {}", grid.dimensions[d].name, grid.shape[d]));
  result.dimensions.push_back(fmt::format("{} {}", layout.axis_name, layout.axis.size()));
  result.bytes = layout.cell_bytes() * whole(layout.shape).items();
  return result;
}

}  // namespace sill
