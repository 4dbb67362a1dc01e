#include "sill/io/arrays/output/chunked_hdf5_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/io/arrays/output/growing_output.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/plan/subarray.hpp"
#include "sill/store/posix/posix_store.hpp"

namespace sill {
namespace {

// What a file begins with: chunks of Sill, another form of HDF5, or something else.
enum class Beginning : std::uint8_t { other, other_hdf5, unfinished, complete };

Beginning beginning_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return Beginning::other;
  const std::unique_ptr<Store> file = open_posix(path, OpenMode::read);
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(file->size_bytes(), hdf5::chunks_begin)));
  read_at(*file, 0, bytes);
  const auto begins_with = [&](std::string_view text, std::int64_t at) {
    const auto expected = std::as_bytes(std::span(text));
    return std::ssize(bytes) >= at + std::ssize(expected) &&
           std::ranges::equal(std::span(bytes).subspan(static_cast<std::size_t>(at), expected.size()), expected);
  };
  if (!begins_with(hdf5::chunks_text, hdf5::selection_bytes))
    return begins_with(hdf5::signature, 0) ? Beginning::other_hdf5 : Beginning::other;
  const bool is_zero = std::ranges::all_of(std::span(bytes).first(static_cast<std::size_t>(hdf5::selection_bytes)),
                                           [](std::byte each) { return each == std::byte{0}; });
  return is_zero ? Beginning::unfinished : Beginning::complete;
}

// Returns the extent of the text by which Sill recognizes its file.
Extent extent_of_text() {
  const auto text = std::as_bytes(std::span(hdf5::chunks_text));
  return contiguous(0, {hdf5::selection_bytes, std::ssize(text)}, text.data());
}

}  // namespace

bool is_chunked_hdf5(const Resources& resources, const std::string& path, const DatasetDescription& description,
                     const DatasetOptions& options) {
  return value_from_rank(resources.comm, 0, [&] {
    const bool is_wanted = !options.codecs.empty() || options.chunk;
    const bool appends = options.existing == DatasetOptions::Existing::append;
    const Beginning beginning = appends ? beginning_of(path) : Beginning::other;
    const bool continues = beginning == Beginning::complete;
    if ((is_wanted || continues) && options.steps) {
      refuse_dataset(path, "a number of steps is given, but a chunked file grows with the written steps",
                     "omit the steps, or the codec and chunks");
    }
    const auto& dimensions = description.dimensions;
    const bool grows = std::ranges::find(dimensions, unlimited, &Dimension::length) != dimensions.end();
    const bool has_variables = !description.variables.empty();
    const bool is_new = has_variables && (is_wanted || (grows && !options.steps));
    if (is_new && beginning == Beginning::other_hdf5) {
      refuse_dataset(path, "the file is not chunked, or other programs wrote it; chunks cannot be added to it",
                     "give the number of steps for which the file has room, or describe nothing");
    }
    return continues || is_new || (is_wanted && appends);
  });
}

// The data that the requests of a window use.
struct ChunkedHdf5Output::Sources {
  EncodedChunks encoded = {};
  std::vector<std::int64_t> begins = {};  // of the chunks
  bool has_text = false;                  // written by rank 0
  std::vector<FilePiece> pieces = {};

  // Returns the extents of a rank, in which chunks have no memory.
  [[nodiscard]] std::vector<Extent> extents_of(int rank) const {
    std::vector<Extent> extents;
    if (rank == 0 && has_text) extents.push_back(extent_of_text());
    if (begins.empty()) return extents;
    const ItemRange mine = encoded.of_rank[static_cast<std::size_t>(rank)];
    for (auto c = static_cast<std::size_t>(mine.first); c < static_cast<std::size_t>(mine.end()); ++c) {
      if (encoded.bytes[c] > 0) extents.push_back({.offset_bytes = begins[c], .run_bytes = encoded.bytes[c]});
    }
    return extents;
  }
};

ChunkedHdf5Output::ChunkedHdf5Output(const Resources& given_resources, std::string given_path, Container container,
                                     DatasetDescription given, const DatasetOptions& given_options)
    : ChunkedOutput(given_resources, std::move(given_path), given, given_options), container_(container) {
  Communicator& comm = resources().comm;
  run_and_agree(comm, [&] { describe(); });
  const bool appends = is_to_append(resources(), path(), given, options(),
                                    [&] { return beginning_of(path()) == Beginning::unfinished; });
  if (appends) open_existing(given);
  begin();
  MoverFiles files = run_and_agree(
      comm, [&] { return resources().files({path()}, appends ? OpenMode::write : OpenMode::write_or_create); });
  file_.emplace(
      resources(), std::move(files), [this](std::int64_t steps) { return selection_of(steps); }, steps(), true);
}

void ChunkedHdf5Output::describe() {
  hdf5::FileForm form{.is_netcdf4 = container_ == Container::netcdf4, .align = options().form.align};
  for (const Variable& variable : description().variables) {
    const ChunkCodec codec = options().codecs.of(variable.name);
    const std::int64_t size = bytes_of(variable.type);
    Index shape = description().shape_of(variable);
    const Index limited = limited_shape(shape, options().max_shards, variable.name);
    Index chunk = new_chunk(limited, size, options().chunk, options().max_shards.contains(variable.name));
    if (description().has_steps(variable)) {
      shape.insert(shape.begin(), 1);
      chunk.insert(chunk.begin(), 1);
    }
    form.chunks.push_back({ChunkGrid(shape, chunk, size), {}, codec.level});
    // The element of a variable without dimensions is not in a chunk.
    if (!shape.empty()) form.chunks.back().filters = codec.filters(variable.type, Filter::Kind::zlib);
  }
  hdf5::require_possible(description(), form);
  form_ = std::move(form);
}

std::vector<ChunkedVariable> ChunkedHdf5Output::chunked() const {
  std::vector<ChunkedVariable> chunked;
  for (std::size_t v = 0; v < form_.chunks.size(); ++v) {
    const Variable& variable = description().variables[v];
    const hdf5::NewChunks& chunks = form_.chunks[v];
    const int keep_bits = has_begun() ? rounded_bits(variable) : options().codecs.of(variable.name).keep_bits;
    const ElementForm form{variable.type, ByteOrder::little};
    chunked.push_back({chunks.grid, form, fill_element(variable, form), chunks.filters, chunks.level, keep_bits});
  }
  return chunked;
}

void ChunkedHdf5Output::set_attribute(const Attribute& attribute, const std::string& variable) {
  run_and_agree(resources().comm, [&] {
    if (!has_metadata_) return;
    refuse_dataset(path(), "attributes of an HDF5 or netCDF-4 file cannot be changed after the first step is complete",
                   "set them before");
  });
  ChunkedOutput::set_attribute(attribute, variable);
}

void ChunkedHdf5Output::open_existing(const DatasetDescription& given) {
  const DatasetContents contents = read_contents(resources(), path());
  std::int64_t step = 0;
  run_and_agree(resources().comm, [&] { step = first_step_of(contents, container_, given, options(), path()); });
  run_on_rank(resources().comm, 0, [&] {
    if (beginning_of(path()) != Beginning::complete || !contents.left_out.empty()) {
      refuse_dataset(path(), "chunks cannot be added to it: only Sill writes such HDF5 and netCDF-4 files",
                     "copy it with `sill arrays copy --codec`, and append to the copy");
    }
    end_ = static_cast<std::int64_t>(std::filesystem::file_size(path()));
  });
  run_and_agree(resources().comm, [&] {
    const DatasetDescription described = with_attributes_of(contents.description, description());
    if (given != DatasetDescription{} && described != contents.description)
      note(resources(), fmt::format("{}: the attributes of the file remain unchanged", path()));
    continue_at(step, contents.description);
    describe();
    std::vector<hdf5::PlacedChunk> chunks = chunks_in(contents, step);
    if (resources().comm.rank() == 0) placed_ = std::move(chunks);
  });
  end_step();
  file_steps_ = contents.steps;
  has_metadata_ = true;
}

std::vector<hdf5::PlacedChunk> ChunkedHdf5Output::chunks_in(const DatasetContents& contents, std::int64_t steps) {
  std::vector<hdf5::PlacedChunk> chunks;
  for (std::size_t v = 0; v < form_.chunks.size(); ++v) {
    const Variable& variable = contents.description.variables[v];
    const hdf5::StoredVariable& stored = contents.hdf5.variables[v];
    hdf5::NewChunks& wanted = form_.chunks[v];
    const auto refuse_foreign = [&] {
      refuse_dataset(path(), fmt::format("the chunks of variable {} are not those that Sill writes", variable.name),
                     "copy the file, and append to the copy");
    };
    if (!stored.values.empty() || stored.order != ByteOrder::little) refuse_foreign();
    if (wanted.grid.chunk().empty()) {
      if (stored.begin >= 0) chunks.push_back({v, 0, stored.begin, bytes_of(variable.type)});
      continue;
    }
    const bool has_steps = contents.description.has_steps(variable);
    require_same_storage(variable, wanted.grid.chunk() == stored.chunk,
                         wanted.filters == stored.filters && wanted.level == stored.level);
    const bool has_known_filters = std::ranges::all_of(stored.filters, [](const Filter& each) {
      return each.kind == Filter::Kind::shuffle || each.kind == Filter::Kind::zlib || each.kind == Filter::Kind::zstd;
    });
    const std::array<std::byte, 8> fill = fill_element(variable, {variable.type, ByteOrder::little});
    if (stored.chunk.size() != wanted.grid.shape().size() || !stored.skipped.empty() || !has_known_filters ||
        !std::ranges::equal(stored.fill, std::span(fill).first(static_cast<std::size_t>(bytes_of(variable.type)))) ||
        (has_steps && stored.chunk[0] != 1)) {
      refuse_foreign();
    }
    wanted = {ChunkGrid(wanted.grid.shape(), stored.chunk, bytes_of(variable.type)), stored.filters, stored.level};
    const std::int64_t of_step = wanted.grid.chunks();
    for (std::size_t c = 0; c < stored.chunk_begins.size(); ++c) {
      const auto number = static_cast<std::int64_t>(c);
      if (stored.chunk_begins[c] < 0 || (has_steps && number >= steps * of_step)) continue;
      chunks.push_back({v, number, stored.chunk_begins[c],
                        stored.chunk_bytes.empty() ? wanted.grid.chunk_bytes() : stored.chunk_bytes[c]});
    }
  }
  return chunks;
}

std::vector<ChunkedOutput::Window> ChunkedHdf5Output::windows(std::optional<std::int64_t> step) {
  Window due;
  for (std::size_t v = 0; v < form_.chunks.size(); ++v) {
    if (description().has_steps(description().variables[v]) != step.has_value()) continue;
    const std::int64_t chunks = form_.chunks[v].grid.chunks();
    for (const std::int64_t c : due_units(v, chunks)) due.push_back({v, step.value_or(0) * chunks + c});
  }
  if (!step && !options().window.empty())
    std::ranges::sort(due, {}, [&](const ChunkOfVariable& each) { return unit_place(each.variable, each.number); });
  std::vector<Window> windows;
  std::int64_t bytes = window_bytes();
  for (const ChunkOfVariable& each : due) {
    const std::int64_t chunk_bytes = form_.chunks[each.variable].grid.chunk_bytes();
    if (windows.empty() || bytes + chunk_bytes > window_bytes()) {
      windows.emplace_back();
      bytes = 0;
    }
    bytes += chunk_bytes;
    windows.back().push_back(each);
  }
  return windows;
}

std::optional<ChunkGrid> ChunkedHdf5Output::units(std::size_t variable) const {
  if (description().has_steps(description().variables[variable])) return std::nullopt;
  return form_.chunks[variable].grid;
}

void ChunkedHdf5Output::begin_step() {
  placed_.resize(placed_before_step_);
  end_ = end_before_step_;
}

void ChunkedHdf5Output::end_step() {
  placed_before_step_ = placed_.size();
  end_before_step_ = end_;
}

std::int64_t ChunkedHdf5Output::next_byte() const { return resources().comm.rank() == 0 ? end_ : 0; }

AccessPlan ChunkedHdf5Output::place(const WindowCall& call, Sources& sources) {
  sources.begins.resize(call.chunks.size());
  end_ = call.begin;
  for (std::size_t c = 0; c < sources.begins.size(); ++c) {
    const std::int64_t bytes = sources.encoded.bytes[c];
    if (bytes == 0) continue;  // its elements have the fill value
    if (bytes >= form_.align) end_ = (end_ + form_.align - 1) / form_.align * form_.align;
    sources.begins[c] = end_;
    end_ += bytes;
    if (resources().comm.rank() == 0)
      placed_.push_back({call.chunks[c].variable, call.chunks[c].number, sources.begins[c], bytes});
  }
  std::vector<Extent> extents = sources.extents_of(resources().comm.rank());
  auto extent = extents.end() - std::ssize(sources.encoded.own);
  for (EncodedChunks::Own& own : sources.encoded.own) (extent++)->memory = own.bytes().data();
  return AccessPlan::for_writing(std::move(extents));
}

AccessPlan ChunkedHdf5Output::add_metadata(std::int64_t steps, Sources& sources) {
  if (!metadata_) metadata_.emplace(description(), form_);
  hdf5::GrowingFile::Changes changes;
  if (const auto error = attempt([&] { changes = metadata_->add(placed_, steps, end_); }))
    throw_at(*error, {.file = path()});
  placed_.clear();
  sources.pieces = std::move(changes.pieces);
  std::vector<Extent> extents;
  for (const FilePiece& each : sources.pieces)
    extents.push_back(contiguous(0, {each.offset, std::ssize(each.bytes)}, each.bytes.data()));
  selections_[0] = std::exchange(selections_[1], {steps, std::move(changes.selection)});
  return AccessPlan::for_writing(std::move(extents));
}

AccessPlan ChunkedHdf5Output::selection_of(std::int64_t steps) const {
  for (const Selection& each : selections_) {
    if (each.steps == steps && !each.bytes.bytes.empty())
      return AccessPlan::for_writing(
          {contiguous(0, {each.bytes.offset, std::ssize(each.bytes.bytes)}, each.bytes.bytes.data())});
  }
  return {};
}

void ChunkedHdf5Output::write_window(WindowCall call) {
  const bool selects = call.steps_of_call > 0;
  const bool is_async = resources().policy.async > 0;
  // Only one of the two copies of the metadata may be in use.
  if (selects && is_async) file_->wait();
  const std::int64_t steps_after = call.step.value_or(0) + (call.is_last ? 1 : 0);
  const auto sources = std::make_shared<Sources>(std::move(call.encoded));
  sources->has_text = !has_metadata_;
  std::array<AccessPlan, 3> plans;
  Opening opening;
  opening.error = attempt([&] {
    plans[0] = place(call, *sources);
    if (!selects || resources().comm.rank() != 0) return;
    plans[1] = add_metadata(steps_after, *sources);
    plans[2] = selection_of(steps_after);
  });
  GrowingFiles::Steps counted{.written = selects ? steps_after : file_steps_};
  if (selects && !is_async) counted.counted = steps_after;
  file_->write(std::span(plans).first(!selects   ? 1
                                      : is_async ? 2
                                                 : 3),
               opening, counted, sources, Memory::copied,
               [&](int rank) { return AccessPlan::for_writing(sources->extents_of(rank)); });
  if (!selects) return;
  has_metadata_ = true;
  file_steps_ = steps_after;
  call.output_call.completes_phase(call.steps_of_call);
}

void ChunkedHdf5Output::finish() { file_->wait(); }

void ChunkedHdf5Output::complete() {
  if (!has_metadata_ || file_steps_ != steps()) {
    const auto sources = std::make_shared<Sources>();
    sources->has_text = !has_metadata_;
    std::array<AccessPlan, 3> plans;
    Opening opening;
    opening.error = attempt([&] {
      if (resources().comm.rank() != 0) return;
      plans[0] = AccessPlan::for_writing(sources->extents_of(0));
      plans[1] = add_metadata(steps(), *sources);
      plans[2] = selection_of(steps());
    });
    file_->write(std::span(plans).first(2), opening, {file_steps_}, sources, Memory::copied,
                 [&](int rank) { return AccessPlan::for_writing(sources->extents_of(rank)); });
    file_->wait();
    file_->write(std::span(plans).last(1), {}, {steps(), steps()});
    file_steps_ = steps();
    has_metadata_ = true;
  }
  file_->close();
}

}  // namespace sill
