#include "sill/io/arrays/output/zarr_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <limits>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/arrays/output/growing_output.hpp"
#include "sill/io/files/small_text.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {
namespace {

namespace fs = std::filesystem;

// Each shard of a window is an open file.
constexpr std::ptrdiff_t max_shards_of_window = 128;

// Returns the name that a folder gets while it is removed.
std::string replaced_name(const std::string& path) {
  const fs::path given(path);
  return (given.parent_path() / fmt::format(".{}.sill-replaced", given.filename().string())).string();
}

// Treats what exists at the path as the options require; returns true if there is then a group to continue. Creates the
// folder of the group.
bool group_exists_after(const std::string& path, const DatasetOptions& options) {
  using Existing = DatasetOptions::Existing;
  const fs::file_status status = status_at(path);
  std::error_code error;
  fs::remove_all(replaced_name(path), error);  // of a run that was killed
  const auto has = [&](const char* name) { return fs::exists(fs::path(path) / name, error); };
  if (fs::exists(status)) {
    const bool is_group = has("zarr.json") || has(".zgroup") || has(".zarray");
    if (options.existing == Existing::append && is_group) return true;
    if (options.existing == Existing::refuse && !(fs::is_directory(status) && fs::is_empty(path, error)))
      require_nothing_at(path);
    if (!is_group && !(fs::is_directory(status) && fs::is_empty(path, error))) {
      refuse_dataset(path, "it is not a group of Zarr and is not replaced", "remove it, or name another folder");
    }
    // A run that is killed while it removes leaves nothing under the name.
    const std::string replaced = replaced_name(path);
    fs::rename(path, replaced, error);
    if (!error) fs::remove_all(replaced, error);
    if (error) throw system_error(error.value(), "removing the dataset to replace", {.file = path});
  }
  fs::create_directory(path, error);
  if (error) throw system_error(error.value(), "mkdir", {.file = path});
  return false;
}

// The data that the requests of a phase use.
struct ShardData {
  EncodedChunks encoded;
  std::vector<std::vector<std::byte>> indexes = {};
};

}  // namespace

ZarrOutput::ZarrOutput(const Resources& resources, std::string path, DatasetDescription description,
                       const DatasetOptions& options)
    : resources_(resources), path_(std::move(path)), description_(std::move(description)) {
  Communicator& comm = resources_.comm;
  const DatasetDescription given = description_;
  run_and_agree(comm, [&] {
    require_possible(description_);
    if (options.fill) description_ = with_fill_values(std::move(description_));
    forms_ = zarr::new_forms(description_, {options.codec, options.chunk, options.max_shards});
    account_ = FillAccount(description_, options.fill);
  });
  std::int64_t appends = 0;
  run_on_rank(comm, 0, [&] {
    appends = group_exists_after(path_, options) ? 1 : 0;
    if (appends == 0 && given == DatasetDescription{}) {
      refuse_dataset(path_, "nothing is described, and no dataset to append to exists", "describe the data to write");
    }
    if (appends == 0) WholeTextFile(resources_, path_ + "/zarr.json").finish_with(zarr::group_text({}, {}, 0));
  });
  comm.broadcast(std::as_writable_bytes(std::span(&appends, 1)), 0);
  if (appends == 1) open_existing(options);
  std::vector<ChunkedVariable> chunked;
  for (const zarr::ArrayForm& form : forms_) {
    Compression compression = Compression::none;
    if (!form.filters.empty())
      compression = form.filters[0].kind == Filter::Kind::zstd ? Compression::zstd : Compression::gzip;
    chunked.push_back({form.chunks(), {form.type, form.order}, form.fill, compression, form.level});
  }
  for (std::size_t v = 0; v < forms_.size(); ++v) {
    std::vector<std::int64_t>& of_variable = missing_.emplace_back();
    if (description_.has_steps(description_.variables[v])) continue;
    const ChunkGrid shards = forms_[v].shards();
    for (std::int64_t s = 0; s < shards.chunks(); ++s) {
      Box box{shards.index_of(s), shards.chunk()};
      for (std::size_t d = 0; d < box.first.size(); ++d) box.first[d] *= shards.chunk()[d];
      of_variable.push_back(intersection(box, whole(shards.shape())).items());
    }
  }
  const std::int64_t memory = all_reduce(comm, resources_.memory(), Reduction::min);
  window_bytes_ = memory / 4 * comm.size();  // elements, and the same again compressed
  encoder_.emplace(resources_, path_, std::move(chunked));
  phases_.emplace(resources_, path_ + "/", resources_.memory());
}

ZarrOutput::~ZarrOutput() = default;

void ZarrOutput::open_existing(const DatasetOptions& options) {
  const DatasetContents contents = read_contents(resources_, path_);
  run_and_agree(resources_.comm, [&] {
    if (!contents.left_out.empty()) {
      refuse_dataset(path_, fmt::format("it has arrays that Sill does not read: {}", contents.left_out.front()),
                     "append to a dataset that Sill wrote");
    }
  });
  const zarr::Dataset& found = *contents.zarr;
  run_on_rank(resources_.comm, 0, [&] {
    // What the metadata would state again is what they state now, or something would be lost.
    const auto text = read_small_text(path_ + "/zarr.json", std::numeric_limits<std::int64_t>::max());
    bool is_ours = text && *text == zarr::group_text(found.description, found.forms, found.steps);
    for (std::size_t v = 0; v < found.forms.size() && is_ours; ++v) {
      const std::string file = fmt::format("{}/{}zarr.json", path_, found.folders[v]);
      is_ours = read_small_text(file, std::numeric_limits<std::int64_t>::max()) ==
                zarr::array_text(found.description, v, found.forms[v], found.steps);
    }
    if (is_ours) return;
    refuse_dataset(path_, "its metadata are not those that Sill writes",
                   "copy it with `sill arrays copy`, and append to the copy");
  });
  if (found.description.variables.empty() && found.description.attributes.empty()) return;  // no step was completed
  run_and_agree(resources_.comm, [&] {
    steps_ = first_step_ = first_step_of(contents, Container::zarr, description_, options, path_);
    const bool is_described = description_ != DatasetDescription{};
    description_ = is_described ? with_attributes_of(contents.description, description_) : contents.description;
    for (std::size_t v = 0; v < forms_.size() && is_described; ++v) {
      const zarr::ArrayForm& there = found.forms[v];
      const bool has_chunk = !options.chunk || forms_[v].chunk == there.chunk;
      const bool has_codec =
          options.codec == ChunkCodec{} || (forms_[v].filters == there.filters && forms_[v].level == there.level);
      if (has_chunk && has_codec) continue;
      refuse_dataset(path_,
                     fmt::format("the chunks or the codec of variable {} differ from those of the file",
                                 description_.variables[v].name),
                     "append with the same codec and chunks, or name none");
    }
    forms_ = found.forms;
    for (std::size_t v = 0; v < forms_.size(); ++v) {
      if (description_.has_steps(description_.variables[v])) forms_[v].shape[0] = 1;
    }
    account_ = FillAccount(description_, account_.fills());
    account_.set_constant_written();
    is_constant_written_ = true;
  });
  // The metadata stops counting later steps before they are replaced.
  run_on_rank(resources_.comm, 0, [&] { publish(steps_); });
}

template <class Work>
void ZarrOutput::perform(Work&& work) {
  try {
    run_unless_failed(resources_.comm, failure_, std::forward<Work>(work), [] {});
  } catch (const Error&) {
    // The step can be written again.
    if (failure_ && failure_->code() == ErrorCode::usage && resources_.policy.async == 0) failure_.reset();
    throw;
  }
}

void ZarrOutput::set_attribute(const Attribute& attribute, const std::string& variable) {
  run_and_agree(resources_.comm, [&] {
    if (is_closed_) refuse_closed(path_);
    if (attribute.name == "_FillValue" && (steps_ > 0 || is_constant_written_)) refuse_late(path_, attribute.name);
    DatasetDescription description = with_attribute(description_, attribute, variable);
    (void)zarr::group_text(description, forms_, 0);  // refuses text that is not UTF-8
    description_ = std::move(description);
    is_text_new_ = true;
  });
}

void ZarrOutput::keep(std::span<const ArrayPart> parts) {
  for (const ArrayPart& part : parts) {
    const CheckedPart checked = checked_part(part, description_);
    if (elements_of(part) == 0 || !is_needed(part)) continue;
    Pending& kept = pending_.emplace_back();
    kept.part = part;
    kept.part.type = description_.variables[checked.variable].type;
    const std::int64_t size = bytes_of(kept.part.type);
    kept.elements.resize(static_cast<std::size_t>(elements_of(part) * size));
    ArrayEncoder(checked.box, {kept.part.type}, part.variable).fill({0, std::ssize(kept.elements)}, kept.elements);
    if (part.elements) {
      kept.numbers.assign(part.elements->begin(), part.elements->end());
      kept.part.elements = kept.numbers;
    } else {
      kept.part.strides = row_major_strides(part.box.count, 1);
      kept.part.stored.reset();
    }
    kept.part.first = kept.elements.data();
  }
}

void ZarrOutput::for_each_shard(const ArrayPart& part,
                                const std::function<void(std::int64_t shard, std::int64_t elements)>& visit) const {
  const CheckedPart checked = checked_part(part, description_);
  if (elements_of(part) == 0) return;
  const ChunkGrid shards = forms_[checked.variable].shards();
  if (!part.elements) {
    const auto count = [&](const ChunkGrid::Piece& piece) { visit(piece.chunk, piece.in_chunk.items()); };
    shards.for_each_piece(part.box, checked.box, count);
    return;
  }
  const ChunkGrid elements(shards.shape(), Index(shards.shape().size(), 1), 1);
  for (const std::int64_t each : *part.elements) visit(shards.place_of(elements.index_of(each)).chunk, 1);
}

bool ZarrOutput::is_needed(const ArrayPart& part) const {
  const std::vector<std::int64_t>& missing = missing_[description_.variable_named(part.variable)];
  bool is_needed = missing.empty();
  if (!is_needed) {
    for_each_shard(part, [&](std::int64_t shard, std::int64_t) {
      is_needed = is_needed || missing[static_cast<std::size_t>(shard)] > 0;
    });
  }
  return is_needed;
}

void ZarrOutput::write_complete_shards(OutputCall& output_call, std::span<const ArrayPart> parts) {
  std::vector<std::int64_t> passed;  // elements of each shard of each variable
  std::vector<std::size_t> begins;
  for (const std::vector<std::int64_t>& each : missing_) {
    begins.push_back(passed.size());
    passed.resize(passed.size() + each.size());
  }
  for (const ArrayPart& part : parts) {
    const std::size_t begin = begins[description_.variable_named(part.variable)];
    for_each_shard(part, [&](std::int64_t shard, std::int64_t elements) {
      passed[begin + static_cast<std::size_t>(shard)] += elements;
    });
  }
  resources_.comm.all_reduce(passed, Reduction::sum);
  const std::vector<std::vector<std::int64_t>> before = missing_;
  const std::optional<Error> failed = attempt_together(resources_.comm, [&] {
    run_and_agree(resources_.comm, [&] {
      for (std::size_t v = 0; v < missing_.size(); ++v) {
        for (std::size_t s = 0; s < missing_[v].size(); ++s) {
          const std::int64_t more = passed[begins[v] + s];
          if (more == 0) continue;
          if (more > missing_[v][s]) {
            refuse_dataset(
                path_, fmt::format("arrays: elements of variable {} are passed twice", description_.variables[v].name),
                "pass each element once");
          }
          missing_[v][s] -= more;
        }
      }
    });
    std::vector<ArrayPart> all(parts.begin(), parts.end());
    for (const Pending& each : pending_) all.push_back(each.part);
    writes_complete_shards_ = true;
    if (!windows({}).empty()) write_shards(output_call, all, {}, {});
  });
  writes_complete_shards_ = false;
  if (failed) {
    missing_ = before;
    throw Error(*failed);
  }
  std::vector<std::int64_t> brought(description_.variables.size());
  for (const ArrayPart& part : parts) brought[description_.variable_named(part.variable)] += elements_of(part);
  account_.add_own(brought);
  for (std::vector<std::int64_t>& each : missing_) std::ranges::replace(each, std::int64_t{0}, written);
  std::erase_if(pending_, [&](const Pending& each) { return !is_needed(each.part); });
}

void ZarrOutput::write(OutputCall& output_call, std::span<const ArrayPart> parts, std::optional<std::int64_t> steps,
                       Memory) {
  perform([&] {
    Opening opening{.equal = steps ? steps_ + *steps : -1,
                    .unequal = [](std::int64_t, std::int64_t) { return calls_differ(); }};
    opening.error = attempt([&] {
      if (is_closed_) refuse_closed(path_);
      if (steps && !description_.has_steps()) refuse_no_steps(path_);
      require_steps(parts, steps);
      for (const ArrayPart& part : parts) {
        const CheckedPart checked = checked_part(part, description_);
        if (description_.has_steps(description_.variables[checked.variable]) || elements_of(part) == 0) continue;
        if (is_constant_written_)
          refuse_dataset(path_, "arrays: the variables without steps are already written", "write them once");
      }
    });
    if (!steps) {
      (void)encoder_->encode(description_, {}, {}, 0, opening);  // only agrees
      if (!description_.has_steps()) write_complete_shards(output_call, parts);
      const std::size_t kept = pending_.size();
      const std::optional<Error> failed =
          attempt_together(resources_.comm, [&] { run_and_agree(resources_.comm, [&] { keep(parts); }); });
      if (!failed) return;
      pending_.resize(kept);
      throw Error(*failed);
    }
    for (std::int64_t s = 0; s < *steps || s == 0; ++s) {  // at least once, to agree on an error
      std::vector<ArrayPart> of_step;
      std::vector<ArrayPart> constant;
      const auto add = [&](const ArrayPart& part) {
        const bool has_steps =
            description_.has_steps(description_.variables[description_.variable_named(part.variable)]);
        if (has_steps && part.step == s) of_step.push_back(part);
        if (!has_steps && s == 0) constant.push_back(part);
      };
      if (!opening.error) {
        if (s == 0) std::ranges::for_each(pending_, add, &Pending::part);
        std::ranges::for_each(parts, add);
      }
      if (!is_constant_written_) write_shards(output_call, constant, std::nullopt, opening);
      write_shards(output_call, of_step, steps_, opening);
      is_constant_written_ = true;  // after an error, both are written again
      if (s == 0) pending_.clear();
    }
  });
}

std::vector<ZarrOutput::Window> ZarrOutput::windows(std::optional<std::int64_t> step) const {
  std::vector<Window> windows;
  std::int64_t bytes = window_bytes_;
  for (std::size_t v = 0; v < forms_.size(); ++v) {
    if (description_.has_steps(description_.variables[v]) != step.has_value()) continue;
    const ChunkGrid shards = forms_[v].shards();
    const ChunkGrid chunks = forms_[v].chunks();
    const ChunkGrid in_shard = forms_[v].chunks_of_shard();
    const std::int64_t count = step ? shards.chunks() / shards.counts()[0] : shards.chunks();
    for (std::int64_t s = 0; s < count; ++s) {
      const std::int64_t missing = step ? 0 : missing_[v][static_cast<std::size_t>(s)];
      if (missing == written || (writes_complete_shards_ && missing > 0)) continue;
      const std::int64_t number = step.value_or(0) * count + s;
      if (windows.empty() || bytes + shards.chunk_bytes() > window_bytes_ ||
          std::ssize(windows.back().shards) == max_shards_of_window) {
        windows.emplace_back();
        bytes = 0;
      }
      bytes += shards.chunk_bytes();
      Window& window = windows.back();
      ShardOfVariable shard{v, number, window.chunks.size(), 0};
      const Index first = shards.index_of(number);
      for (std::int64_t c = 0; c < in_shard.chunks(); ++c) {
        Index at = in_shard.index_of(c);
        bool is_in_array = true;
        for (std::size_t d = 0; d < at.size(); ++d) {
          at[d] += first[d] * in_shard.counts()[d];
          is_in_array = is_in_array && (at[d] < chunks.counts()[d] || (step && d == 0));
        }
        if (is_in_array) window.chunks.push_back({v, chunks.number_of(at)});
      }
      shard.end = window.chunks.size();
      window.shards.push_back(shard);
    }
  }
  return windows;
}

OutputPhase ZarrOutput::phase_of(const Window& window, EncodedChunks encoded, std::int64_t number,
                                 std::optional<std::int64_t> steps) {
  const auto sources = std::make_shared<ShardData>(std::move(encoded));
  OutputPhase phase;
  std::vector<std::string> absent;  // shards without chunks, of which an earlier run may have left files
  std::vector<Extent> extents;
  std::vector<std::int64_t> begins(window.chunks.size());
  std::vector<int> files(window.chunks.size());
  for (const ShardOfVariable& shard : window.shards) {
    const zarr::ArrayForm& form = forms_[shard.variable];
    const int file = static_cast<int>(phase.paths.size());
    const ChunkGrid in_shard = form.chunks_of_shard();
    std::vector<zarr::ChunkPlace> places(static_cast<std::size_t>(in_shard.chunks()), zarr::not_stored);
    std::int64_t end = 0;
    for (std::size_t c = shard.first; c < shard.end; ++c) {
      begins[c] = end;
      files[c] = file;
      if (sources->encoded.bytes[c] == 0) continue;
      Index at = form.chunks().index_of(window.chunks[c].number);
      for (std::size_t d = 0; d < at.size(); ++d) at[d] %= in_shard.counts()[d];
      places[static_cast<std::size_t>(in_shard.number_of(at))] = {end, sources->encoded.bytes[c]};
      end += sources->encoded.bytes[c];
    }
    std::string path = fmt::format("{}/{}/{}", path_, description_.variables[shard.variable].name,
                                   form.file_of(form.shards().index_of(shard.number)));
    if (end == 0) {
      absent.push_back(std::move(path));
      continue;
    }
    phase.paths.push_back(std::move(path));
    if (file % resources_.comm.size() != resources_.comm.rank()) continue;
    const std::vector<std::byte>& index = sources->indexes.emplace_back(zarr::shard_index(places));
    extents.push_back(contiguous(file, {end, std::ssize(index)}, index.data()));
  }
  for (const EncodedChunks::Own& own : sources->encoded.own)
    extents.push_back(contiguous(files[own.at], {begins[own.at], std::ssize(own.bytes)}, own.bytes.data()));
  phase.plan = AccessPlan::for_writing(std::move(extents));
  phase.holds = sources;
  if (resources_.comm.rank() == 0) {
    for (const ShardOfVariable& shard : window.shards) {
      std::error_code error;
      const std::string metadata =
          published_steps_ < 0 ? path_ + "/zarr.json"
                               : fmt::format("{}/{}/zarr.json", path_, description_.variables[shard.variable].name);
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
    refuse_dataset(path_, "an earlier step could not be written", "mend the cause of the first error");
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

void ZarrOutput::write_shards(OutputCall& output_call, std::span<const ArrayPart> parts,
                              std::optional<std::int64_t> step, const Opening& opening) {
  const std::vector<Window> all = windows(step);
  if (all.empty()) (void)encoder_->encode(description_, {}, {}, 0, opening);  // only agrees
  for (std::size_t w = 0; w < all.size(); ++w) {
    const bool is_last = w + 1 == all.size();
    EncodedChunks encoded = encoder_->encode(description_, all[w].chunks, parts, step.value_or(0), opening);
    const std::int64_t number = phases_begun_++;
    OutputCall uncounted(nullptr);
    phases_->write(step && is_last ? output_call : uncounted,
                   {step.value_or(-1), [](std::int64_t, std::int64_t) { return calls_differ(); }}, [&] {
                     return phase_of(all[w], std::move(encoded), number,
                                     step && is_last ? std::optional(*step + 1) : std::nullopt);
                   });
  }
  if (!description_.has_steps()) return;  // write_complete_shards counts elements
  std::vector<std::int64_t> brought(description_.variables.size());
  for (const ArrayPart& part : parts) brought[description_.variable_named(part.variable)] += elements_of(part);
  account_.add_own(brought);
  if (step) ++steps_;
}

void ZarrOutput::publish(std::int64_t steps) {
  for (std::size_t v = 0; v < forms_.size(); ++v) {
    const Variable& variable = description_.variables[v];
    if (!is_text_new_ && !description_.has_steps(variable)) continue;
    const std::string folder = fmt::format("{}/{}", path_, variable.name);
    std::error_code error;
    fs::create_directory(folder, error);
    if (error) throw system_error(error.value(), "mkdir", {.file = folder});
    WholeTextFile(resources_, folder + "/zarr.json").finish_with(zarr::array_text(description_, v, forms_[v], steps));
  }
  WholeTextFile(resources_, path_ + "/zarr.json").finish_with(zarr::group_text(description_, forms_, steps));
  is_text_new_ = false;
  published_steps_ = steps;
}

void ZarrOutput::write_own(std::int64_t, std::span<const ArrayPart>) {
  refuse_dataset(path_, "arrays: one rank writes by itself into chunks, which ranks compress together",
                 "write the step on all ranks, or write netCDF");
}

void ZarrOutput::finish() { phases_->wait(); }

void ZarrOutput::wait() {
  perform([&] { finish(); });
}

void ZarrOutput::close() {
  is_closed_ = true;
  std::optional<Error> first = failure_;
  keep_first(first, attempt_together(resources_.comm, [&] { finish(); }));  // complete steps remain
  if (first) throw Error(*first);
  perform([&] {
    std::vector<ArrayPart> constant;
    run_and_agree(resources_.comm, [&] {
      for (const Pending& each : pending_) {
        if (description_.has_steps(description_.variables[description_.variable_named(each.part.variable)])) {
          refuse_dataset(path_, fmt::format("arrays: step {} is incomplete when the dataset is closed", steps_),
                         "complete the step with write_step");
        }
        constant.push_back(each.part);
      }
    });
    OutputCall uncounted(nullptr);
    if (!is_constant_written_) write_shards(uncounted, constant, std::nullopt, {});
    finish();
    run_on_rank(resources_.comm, 0, [&] {
      if (is_text_new_ || published_steps_ != steps_) publish(steps_);
    });
    account_for_lacking(resources_, path_, description_, account_, steps_ - first_step_);
  });
}

}  // namespace sill
