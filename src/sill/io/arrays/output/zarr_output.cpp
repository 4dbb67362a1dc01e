#include "sill/io/arrays/output/zarr_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <limits>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/arrays/output/growing_output.hpp"
#include "sill/io/arrays/output/zarr_folder.hpp"
#include "sill/io/arrays/zarr_contents.hpp"
#include "sill/io/files/small_text.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/store/part/part_name.hpp"

namespace sill {
namespace {

namespace fs = std::filesystem;

// Each shard of a window is an open file.
constexpr std::ptrdiff_t max_shards_of_window = 128;

// Treats what exists at the path as the options require; returns true if there is then a group to continue. Creates the
// folder of the group.
bool group_exists_after(const std::string& path, const DatasetOptions& options) {
  using Existing = DatasetOptions::Existing;
  mend_left_folders(path);
  if (options.existing == Existing::append && is_zarr_folder(path)) return true;
  require_place_of_group(path, options.existing != Existing::refuse);
  if (fs::exists(status_at(path))) {
    // A run that is killed while it removes leaves nothing under the name.
    const std::string replaced = hidden_folder(path, new_folder_ending);
    rename_folder(path, replaced);
    remove_folder(replaced);
  }
  std::error_code error;
  fs::create_directory(path, error);
  if (error) throw system_error(error.value(), "mkdir", {.file = path});
  return false;
}

struct ChunkInShard {
  int file = 0;
  std::int64_t begin = 0;
  std::int64_t index_bytes = 0;  // of the index, which follows the last chunk
};

// The data that the requests of a phase use.
struct ShardData {
  EncodedChunks encoded;
  std::vector<ChunkInShard> places = {};
  std::vector<std::vector<std::byte>> indexes = {};

  // Returns the extents of a rank, without memory. The index of a shard is written with its last chunk.
  [[nodiscard]] std::vector<Extent> extents_of(int rank) const {
    std::vector<Extent> extents;
    const ItemRange mine = encoded.of_rank[static_cast<std::size_t>(rank)];
    for (auto c = static_cast<std::size_t>(mine.first); c < static_cast<std::size_t>(mine.end()); ++c) {
      const auto& [file, begin, index_bytes] = places[c];
      if (encoded.bytes[c] == 0) continue;
      extents.push_back({.file = file, .offset_bytes = begin, .run_bytes = encoded.bytes[c]});
      if (index_bytes == 0) continue;
      extents.push_back({.file = file, .offset_bytes = begin + encoded.bytes[c], .run_bytes = index_bytes});
    }
    return extents;
  }
};

}  // namespace

ZarrOutput::ZarrOutput(const Resources& given_resources, std::string given_path, DatasetDescription given,
                       const DatasetOptions& given_options)
    : ChunkedOutput(given_resources, std::move(given_path), given, given_options) {
  Communicator& comm = resources().comm;
  run_and_agree(comm, [&] { describe(); });
  const bool appends = value_from_rank(comm, 0, [&] {
    if (group_exists_after(path(), options())) return true;
    if (given == DatasetDescription{}) {
      refuse_dataset(path(), "nothing is described, and no dataset to append to exists", "describe the data to write");
    }
    WholeTextFile(resources(), path() + "/zarr.json").finish_with(zarr::group_text({}, {}, 0));
    return false;
  });
  if (appends) open_existing(given);
  begin();
  phases_.emplace(resources(), path() + "/", resources().memory());
}

void ZarrOutput::describe() {
  std::vector<zarr::ArrayForm> forms =
      zarr::new_forms(description(), {options().codecs, options().chunk, options().max_shards});
  (void)zarr::group_text(description(), forms, 0);  // refuses text that is not UTF-8
  is_text_new_ = true;
  if (!has_begun()) forms_ = std::move(forms);
}

std::vector<ChunkedVariable> ZarrOutput::chunked() const {
  std::vector<ChunkedVariable> chunked;
  for (std::size_t v = 0; v < forms_.size(); ++v) {
    const zarr::ArrayForm& form = forms_[v];
    const Variable& variable = description().variables[v];
    // A dataset that is continued states its rounding.
    const int keep_bits = has_begun() ? rounded_bits(variable) : options().codecs.of(variable.name).keep_bits;
    chunked.push_back({form.chunks(), {form.type, form.order}, form.fill, form.filters, form.level, keep_bits});
  }
  return chunked;
}

void ZarrOutput::open_existing(const DatasetDescription& given) {
  const DatasetContents contents = read_contents(resources(), path());
  run_and_agree(resources().comm, [&] {
    if (!contents.left_out.empty()) {
      refuse_dataset(path(), fmt::format("it has arrays that Sill does not read: {}", contents.left_out.front()),
                     "append to a dataset that Sill wrote");
    }
  });
  const zarr::Dataset& found = *contents.zarr;
  run_on_rank(resources().comm, 0, [&] {
    // Continuing writes the metadata again, which must not lose anything.
    const auto text = read_small_text(path() + "/zarr.json", std::numeric_limits<std::int64_t>::max());
    bool is_ours = text && *text == zarr::group_text(found.description, found.forms, found.steps);
    for (std::size_t v = 0; v < found.forms.size() && is_ours; ++v) {
      // A killed run may have replaced the text of some arrays for a step that the group does not have.
      const std::string folder = fmt::format("{}/{}", path(), found.folders[v]);
      const auto of_array = read_small_text(folder + "zarr.json", std::numeric_limits<std::int64_t>::max());
      const std::array files{zarr::MetadataFile{"", "zarr.json", of_array.value_or("{}")}};
      const zarr::Dataset alone = zarr::parse(files, "array", folder);
      const bool has_steps = found.description.has_steps(found.description.variables[v]);
      const std::int64_t steps = has_steps && !alone.forms.empty() ? alone.forms.front().shape.front() : found.steps;
      is_ours = steps >= found.steps && of_array == zarr::array_text(found.description, v, found.forms[v], steps);
    }
    if (is_ours) return;
    refuse_dataset(path(), "its metadata are not those that Sill writes",
                   "copy it with `sill arrays copy`, and append to the copy");
  });
  if (found.description.variables.empty() && found.description.attributes.empty()) return;  // no step was completed
  run_on_rank(resources().comm, 0, [&] {
    const std::vector<std::string> surplus = surplus_in_folder(path(), read_zarr_metadata(path()), found, true);
    if (surplus.empty()) return;
    refuse_dataset(path(), surplus.front(), "restore the metadata, or move what is not part of the dataset elsewhere");
  });
  run_and_agree(resources().comm, [&] {
    const std::int64_t step = first_step_of(contents, Container::zarr, given, options(), path());
    const bool is_described = given != DatasetDescription{};
    const std::vector<zarr::ArrayForm> wanted =
        zarr::new_forms(contents.description, {options().codecs, options().chunk});
    for (std::size_t v = 0; v < wanted.size(); ++v) {
      const zarr::ArrayForm& there = found.forms[v];
      require_same_storage(contents.description.variables[v], wanted[v].chunk == there.chunk,
                           wanted[v].filters == there.filters && wanted[v].level == there.level);
    }
    forms_ = found.forms;
    for (std::size_t v = 0; v < forms_.size(); ++v) {
      if (contents.description.has_steps(contents.description.variables[v])) forms_[v].shape[0] = 1;
    }
    continue_at(step, is_described ? with_attributes_of(contents.description, description()) : contents.description);
  });
  // The metadata stops counting later steps before they are replaced.
  run_on_rank(resources().comm, 0, [&] { publish(steps()); });
}

std::optional<ChunkGrid> ZarrOutput::units(std::size_t variable) const {
  if (description().has_steps(description().variables[variable])) return std::nullopt;
  return forms_[variable].shards();
}

std::vector<ZarrOutput::Window> ZarrOutput::windows(std::optional<std::int64_t> step) {
  shards_.clear();
  std::vector<Window> windows;
  std::int64_t bytes = window_bytes();
  for (std::size_t v = 0; v < forms_.size(); ++v) {
    if (description().has_steps(description().variables[v]) != step.has_value()) continue;
    const ChunkGrid shards = forms_[v].shards();
    const ChunkGrid chunks = forms_[v].chunks();
    const ChunkGrid in_shard = forms_[v].chunks_of_shard();
    const std::int64_t count = step ? shards.chunks() / shards.counts()[0] : shards.chunks();
    for (const std::int64_t s : due_units(v, count)) {
      const std::int64_t number = step.value_or(0) * count + s;
      if (windows.empty() || bytes + shards.chunk_bytes() > window_bytes() ||
          std::ssize(shards_.back()) == max_shards_of_window) {
        windows.emplace_back();
        shards_.emplace_back();
        bytes = 0;
      }
      bytes += shards.chunk_bytes();
      Window& window = windows.back();
      ShardOfVariable shard{v, number, window.size(), 0};
      const Index first = shards.index_of(number);
      for (std::int64_t c = 0; c < in_shard.chunks(); ++c) {
        Index at = in_shard.index_of(c);
        bool is_in_array = true;
        for (std::size_t d = 0; d < at.size(); ++d) {
          at[d] += first[d] * in_shard.counts()[d];
          is_in_array = is_in_array && (at[d] < chunks.counts()[d] || (step && d == 0));
        }
        if (is_in_array) window.push_back({v, chunks.number_of(at)});
      }
      shard.end = window.size();
      shards_.back().push_back(shard);
    }
  }
  return windows;
}

OutputPhase ZarrOutput::phase_of(WindowCall& call, std::int64_t number, std::optional<std::int64_t> steps) {
  const std::vector<ShardOfVariable>& shards = shards_[call.window];
  const auto sources = std::make_shared<ShardData>(std::move(call.encoded));
  OutputPhase phase;
  std::vector<std::string> absent;  // shards without chunks, of which an earlier run may have left files
  const std::vector<std::int64_t>& bytes = sources->encoded.bytes;
  const ItemRange mine = sources->encoded.of_rank[static_cast<std::size_t>(resources().comm.rank())];
  sources->places.resize(call.chunks.size());
  for (const ShardOfVariable& shard : shards) {
    const zarr::ArrayForm& form = forms_[shard.variable];
    std::int64_t last = -1;
    const ChunkGrid in_shard = form.chunks_of_shard();
    std::vector<zarr::ChunkPlace> places(static_cast<std::size_t>(in_shard.chunks()), zarr::not_stored);
    std::int64_t end = 0;
    for (std::size_t c = shard.first; c < shard.end; ++c) {
      if (bytes[c] == 0) continue;
      last = static_cast<std::int64_t>(c);
      sources->places[c] = {static_cast<int>(phase.paths.size()), end};
      Index at = form.chunks().index_of(call.chunks[c].number);
      for (std::size_t d = 0; d < at.size(); ++d) at[d] %= in_shard.counts()[d];
      places[static_cast<std::size_t>(in_shard.number_of(at))] = {end, bytes[c]};
      end += bytes[c];
    }
    std::string name = fmt::format("{}/{}/{}", path(), description().variables[shard.variable].name,
                                   form.file_of(form.shards().index_of(shard.number)));
    if (last < 0) {
      absent.push_back(std::move(name));
      continue;
    }
    phase.paths.push_back(std::move(name));
    if (!form.is_sharded) continue;
    std::vector<std::byte> index = zarr::shard_index(places);
    sources->places[static_cast<std::size_t>(last)].index_bytes = std::ssize(index);
    if (last >= mine.first && last < mine.end()) sources->indexes.push_back(std::move(index));
  }
  std::vector<Extent> extents = sources->extents_of(resources().comm.rank());
  auto extent = extents.begin();
  auto index = sources->indexes.begin();
  for (EncodedChunks::Own& own : sources->encoded.own) {
    (extent++)->memory = own.bytes().data();
    if (sources->places[own.at].index_bytes > 0) (extent++)->memory = (index++)->data();
  }
  phase.plan = AccessPlan::for_writing(std::move(extents));
  phase.plan_of_rank = [sources](int rank) { return AccessPlan::for_writing(sources->extents_of(rank)); };
  phase.holds = sources;
  if (resources().comm.rank() == 0) {
    for (const ShardOfVariable& shard : shards) {
      std::error_code error;
      const std::string metadata =
          published_steps_ < 0 ? path() + "/zarr.json"
                               : fmt::format("{}/{}/zarr.json", path(), description().variables[shard.variable].name);
      if (fs::exists(metadata, error)) continue;
      throw Error({.code = ErrorCode::io,
                   .problem = "the dataset was removed while it was written; its earlier steps are lost",
                   .where = {.file = metadata},
                   .action = "write it again",
                   .system_error_number = ENOENT});
    }
    for (const std::string& each : phase.paths) {
      std::error_code error;
      fs::create_directories(fs::path(each).parent_path(), error);
      if (error) throw system_error(error.value(), "mkdir", {.file = fs::path(each).parent_path().string()});
    }
  }
  phase.accept = [this, number] {
    if (phases_ended_ == number) return;
    refuse_dataset(path(), "an earlier step could not be written", "correct the cause of the first error");
  };
  phase.publish = [this, steps, absent = std::move(absent)] {
    for (const std::string& each : absent) {
      std::error_code error;
      fs::remove(each, error);
      if (error) throw system_error(error.value(), "removing the shard of an earlier run", {.file = each});
    }
    ++phases_ended_;
    if (steps) publish(*steps);
  };
  return phase;
}

void ZarrOutput::write_window(WindowCall call) {
  const std::int64_t number = phases_begun_++;
  OutputCall uncounted(nullptr);
  phases_->write(call.is_last ? call.output_call : uncounted,
                 {call.step.value_or(-1), [](std::int64_t, std::int64_t) { return calls_differ(); }},
                 [&] { return phase_of(call, number, call.is_last ? std::optional(*call.step + 1) : std::nullopt); });
}

void ZarrOutput::publish(std::int64_t steps) {
  for (std::size_t v = 0; v < forms_.size(); ++v) {
    const Variable& variable = description().variables[v];
    if (!is_text_new_ && !description().has_steps(variable)) continue;
    const std::string folder = fmt::format("{}/{}", path(), variable.name);
    std::error_code error;
    fs::create_directory(folder, error);
    if (error) throw system_error(error.value(), "mkdir", {.file = folder});
    WholeTextFile(resources(), folder + "/zarr.json").finish_with(zarr::array_text(description(), v, forms_[v], steps));
  }
  WholeTextFile(resources(), path() + "/zarr.json").finish_with(zarr::group_text(description(), forms_, steps));
  is_text_new_ = false;
  published_steps_ = steps;
}

void ZarrOutput::finish() { phases_->wait(); }

void ZarrOutput::complete() {
  run_on_rank(resources().comm, 0, [&] {
    if (is_text_new_ || published_steps_ != steps()) publish(steps());
  });
}

}  // namespace sill
