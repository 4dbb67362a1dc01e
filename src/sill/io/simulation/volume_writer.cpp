#include "sill/io/simulation/volume_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <system_error>
#include <utility>

#include "sill/base/large_pages.hpp"
#include "sill/base/threads.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/node.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/io/simulation/continued_files.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

Error unequal_samples(std::int64_t min, std::int64_t max) {
  return Error(
      {.code = ErrorCode::usage,
       .problem = fmt::format("volume output: some ranks passed {} samples since the last batch, others {}", min, max),
       .action = "write every step on all ranks, including ranks without points"});
}

std::string in_words(const DistributedGrid& grid, const VolumeOptions& options) {
  std::string text =
      fmt::format("{}\n{} {} {} {} {} {} {} {}", options.prefix, options.components, options.steps_per_sample,
                  options.samples_per_file, options.first_step, options.continues_after,
                  static_cast<int>(options.order), static_cast<int>(options.surface), fmt::join(grid.shape, ","));
  for (const volume::Kept& kept : options.kept) text += fmt::format(" {},{},{}", kept.first, kept.last, kept.skip);
  return text;
}

void require_sound(const VolumeOptions& options) {
  constexpr std::string_view letters = "XYZ";
  const std::string& components = options.components;
  for (const char letter : components) {
    if (letters.find(letter) != std::string_view::npos &&
        std::count(components.begin(), components.end(), letter) == 1) {
      continue;
    }
    refuse_output("volume", fmt::format("components {:?}", components), "name some of X, Y and Z, each once");
  }
  if (components.empty()) refuse_output("volume", "no component", "name some of X, Y and Z");
  if (options.steps_per_sample < 1 || options.samples_per_file < 1 ||
      options.samples_per_file > std::numeric_limits<std::int64_t>::max() / options.steps_per_sample) {
    refuse_output(
        "volume",
        fmt::format("{} samples per file, every {} steps", options.samples_per_file, options.steps_per_sample),
        "give at least one of each");
  }
  if (options.first_step < 0 || options.continues_after < 0) {
    refuse_output("volume", fmt::format("the first step is {}", std::min(options.first_step, options.continues_after)),
                  "count steps from 0");
  }
}

}  // namespace

VolumeWriter::VolumeWriter(const Resources& resources, DistributedGrid grid, VolumeOptions options)
    : resources_(resources), grid_(std::move(grid)), options_(std::move(options)) {
  Communicator& comm = resources_.comm;
  require_same_on_all(
      comm, [&] { return in_words(grid_, options_); },
      "volume output: the ranks were given different grids or options");
  const DistributedPoints points = run_and_agree(comm, [&] {
    require_sound(options_);
    grid_ = sound_grid(std::move(grid_), "volume output");
    choose_points();
    const Index kept = shape_of(form_.kept);
    return DistributedPoints{fmt::format("{} points to store", fmt::join(kept, " x ")), whole(kept).items(),
                             part_.items()};
  });
  require_all_points(comm, {&points, 1}, "volume output");
  require_folder_of(comm, options_.prefix);
  run_and_agree(comm, [&] { take_memory(); });
  if (options_.continues_after > 0) continue_files();
  next_step_ = options_.continues_after > 0 ? options_.continues_after + 1 : options_.first_step;
  phases_.emplace(resources_, options_.prefix, resources_.memory());
}

void VolumeWriter::continue_files() {
  Communicator& comm = resources_.comm;
  const std::int64_t last = options_.continues_after;
  const std::int64_t per_batch = options_.steps_per_sample * options_.samples_per_file;
  buffered_samples_ = last % per_batch / options_.steps_per_sample;
  last_sample_step_ = last / options_.steps_per_sample * options_.steps_per_sample;
  if (buffered_samples_ > 0) unfinished_ = targets();
  run_on_rank(comm, 0, [&] {
    for (const std::string& path : unfinished_) {
      std::error_code error;
      const auto bytes = std::filesystem::file_size(path, error);
      if (!error && static_cast<std::int64_t>(bytes) == file_bytes(volume::FileForm{form_.kept, buffered_samples_}))
        continue;
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format(
                       "volume output continues after step {}, but the {} samples before this step are not in the file",
                       last, buffered_samples_),
                   .where = {.file = path},
                   .action = fmt::format("continue after a step that is a multiple of {}, or after the step at which "
                                         "the earlier run closed its output",
                                         per_batch)});
    }
    std::vector<std::string> names;
    for (const char component : options_.components) names.push_back(volume::file_name(options_.prefix, component, 0));
    remove_later_files(names, "", last);
  });
  if (unfinished_.empty()) return;
  Mover mover(comm, run_and_agree(comm, [&] { return resources_.files(unfinished_, OpenMode::read); }),
              resources_.policy, resources_.limits());
  mover.read(run_and_agree(comm, [&] { return AccessPlan::for_reading(batch_extents(buffered_samples_, {})); }));
  mover.close();
}

void VolumeWriter::choose_points() {
  const Index& shape = grid_.shape;
  for (std::size_t d = 0; d < 3; ++d) {
    form_.kept[d] = options_.kept[d];
    if (form_.kept[d].last == -1) form_.kept[d].last = shape[d] - 1;
  }
  form_.samples = options_.samples_per_file;
  // Does not depend on this rank's points, which may be a single row.
  const bool has_whole_rows = options_.order == PointOrder::x_fastest && form_.kept[0].skip == 1;
  is_buffered_ = options_.samples_per_file > 1 || !has_whole_rows;
  require_possible(form_, shape);
  require_countable_bytes();
  part_ = kept_within(form_.kept, from_surface(grid_.mine, shape[2], options_.surface));
  if (!part_.empty()) {
    sample_ = sample_of(form_.kept, part_, from_surface(grid_.stored, shape[2], options_.surface), options_.order,
                        options_.surface);
  }
}

// Checks that the bytes of a batch, and the bytes that any rank buffers, are 64-bit numbers.
void VolumeWriter::require_countable_bytes() const {
  const auto components = static_cast<std::int64_t>(options_.components.size());
  const std::int64_t copies = std::max<std::int64_t>(1, buffers());
  if (file_bytes(form_) <= std::numeric_limits<std::int64_t>::max() / components / copies) return;
  refuse_output("volume",
                fmt::format("{} samples of {} points, {} components of them and {} batches in memory are too large",
                            form_.samples, fmt::join(shape_of(form_.kept), " x "), components, copies),
                "store fewer samples per file or fewer points");
}

std::int64_t VolumeWriter::buffers() const {
  if (!is_buffered_) return 0;
  return resources_.policy.keeps_lent_memory() ? std::int64_t{resources_.policy.async} + 1 : 1;
}

std::int64_t VolumeWriter::kept_bytes() const {
  return buffers() * form_.samples * part_.items() * static_cast<std::int64_t>(options_.components.size()) *
         volume::value_bytes;
}

// Reports a lack of memory before the first step, not after a batch has begun.
void VolumeWriter::take_memory() {
  const std::int64_t bytes_per_sample =
      part_.items() * volume::value_bytes * static_cast<std::int64_t>(options_.components.size());
  const std::int64_t copies = buffers() * form_.samples;
  const auto refuse = [&] {
    throw Error({.code = ErrorCode::io,
                 .problem = fmt::format("volume output: no memory for {} samples of {} points, {} each", copies,
                                        part_.items(), format_bytes(bytes_per_sample)),
                 .action = "store fewer samples per file or fewer points, or use more ranks on more nodes",
                 .system_error_number = ENOMEM});
  };
  if (copies == 0 || part_.empty()) return;
  if (bytes_per_sample > memory_limit_bytes() / resources_.comm.ranks_on_node() / copies) refuse();
  try {
    const auto values = static_cast<std::size_t>(form_.samples * bytes_per_sample / volume::value_bytes);
    free_.reserve(static_cast<std::size_t>(buffers()));
    for (std::int64_t i = 0; i < buffers(); ++i) {
      free_.push_back(Values(new float[values]));
      prefer_large_pages(std::as_bytes(std::span(free_.back().get(), values)));
    }
  } catch (const std::bad_alloc&) {
    free_.clear();
    refuse();
  }
  filling_ = std::move(free_.back());
  free_.pop_back();
}

void VolumeWriter::write_step(std::int64_t step, const VectorField& field, Memory memory) {
  if (is_closed_) {
    agree(resources_.comm, attempt([] {
            refuse_output("volume", "a step is written after the writer was closed",
                          "close the writer after the last step");
          }));
  }
  OutputCall call(resources_.meter);
  // Counts calls, because all ranks must end a batch together, including ranks that passed a wrong step.
  const std::int64_t next = next_step_++;
  const bool is_sampled = next % options_.steps_per_sample == 0;
  if (!noticed_) {
    noticed_ = attempt([&] {
      if (step != next) {
        refuse_output("volume", fmt::format("this rank passes step {} instead of step {}", step, next),
                      "pass each step once, on all ranks, including steps without a sample");
      }
      if (!is_sampled) return;
      require_sample(field);
      if (is_buffered_) buffer_sample(field);
    });
  }
  if (!is_sampled) return;
  last_sample_step_ = next;
  ++buffered_samples_;
  if (next % (options_.steps_per_sample * options_.samples_per_file) != 0) return;
  end_batch(field, memory, call);
}

void VolumeWriter::require_sample(const VectorField& field) const {
  for (const char component : options_.components) {
    const std::size_t values = field[static_cast<std::size_t>(component - 'X')].size();
    if (static_cast<std::int64_t>(values) == grid_.stored.items()) continue;
    refuse_output(
        "volume",
        fmt::format("component {} has {} values, the rank stores {}", component, values, points_text(grid_.stored)),
        "give a value for each stored point");
  }
}

// Stores component after component, each with all samples of a batch.
void VolumeWriter::buffer_sample(const VectorField& field) {
  if (part_.empty()) return;
  constexpr std::int64_t min_points = 1 << 18;  // minimum for which starting a thread is useful
  const std::int64_t points = part_.items();
  const auto components = std::ssize(options_.components);
  const std::int64_t rows = part_.count[1];
  const int threads = points * components < min_points ? 1 : resources_.threads();
  // More tasks than threads, because threads may progress at different speeds.
  const std::int64_t parts = threads == 1 ? 1 : std::min<std::int64_t>(rows, 4 * threads);
  parallel_for(threads, components * parts, [&](std::int64_t task, int /*thread*/) {
    const PrepareTimer timer(resources_.meter);
    const std::int64_t component = task / parts;
    const char letter = options_.components[static_cast<std::size_t>(component)];
    copy_sample(sample_, block_of(rows, parts, task % parts), field[static_cast<std::size_t>(letter - 'X')].data(),
                filling_.get() + (component * form_.samples + buffered_samples_) * points);
  });
}

void VolumeWriter::end_batch(const VectorField& field, Memory memory, OutputCall& call) {
  const std::int64_t samples = std::exchange(buffered_samples_, 0);
  const std::optional<Error> noticed = std::exchange(noticed_, std::nullopt);
  const auto prepare = [&] {
    if (noticed) throw Error(*noticed);
    OutputPhase phase;
    if (samples == 0) return phase;
    phase.paths = targets();
    phase.plan = AccessPlan::for_writing(batch_extents(samples, field));
    // Requests that continue after the call use the values themselves, or otherwise copies.
    if (is_buffered_ && (buffers() > 1 || resources_.policy.async == 0)) {
      const auto lent = std::make_shared<Lent>(nullptr, free_);
      lent->values = std::move(filling_);
      phase.holds = lent;
    }
    phase.begun = [this] { ++batches_; };
    if (!unfinished_.empty()) {
      std::erase_if(unfinished_, [&](const std::string& each) { return std::ranges::count(phase.paths, each) > 0; });
      phase.publish = [old = std::exchange(unfinished_, {})] { remove_files(old); };
    }
    return phase;
  };
  const auto take_back = [&] {
    if (!is_buffered_ || filling_ != nullptr || free_.empty()) return;
    filling_ = std::move(free_.back());
    free_.pop_back();
  };
  OutputCall nothing(nullptr);
  try {
    phases_->write(samples > 0 ? call : nothing, {samples, &unequal_samples}, prepare,
                   is_buffered_ ? Memory::lent : memory);
  } catch (...) {
    take_back();
    throw;
  }
  take_back();
}

std::vector<Extent> VolumeWriter::batch_extents(std::int64_t samples, const VectorField& field) const {
  if (part_.empty()) return {};
  const std::int64_t points = part_.items();
  const volume::FileForm form{form_.kept, samples};
  std::vector<Extent> extents;
  for (std::size_t i = 0; i < options_.components.size(); ++i) {
    const float* const from =
        is_buffered_ ? filling_.get() + static_cast<std::int64_t>(i) * form_.samples * points
                     : field[static_cast<std::size_t>(options_.components[i] - 'X')].data() + sample_.first;
    const Index together{1, part_.count[0], part_.count[0] * part_.count[1]};
    extents.push_back(extent_of(static_cast<int>(i), form, {0, samples}, part_, from,
                                {is_buffered_ ? together : sample_.strides, points}));
  }
  return extents;
}

std::vector<std::string> VolumeWriter::targets() const {
  std::vector<std::string> names;
  for (const char component : options_.components) {
    names.push_back(volume::file_name(options_.prefix, component, last_sample_step_));
  }
  return names;
}

void VolumeWriter::wait() {
  const OutputCall call(resources_.meter);
  phases_->wait();
}

void VolumeWriter::close() {
  if (std::exchange(is_closed_, true)) return;
  OutputCall call(resources_.meter);
  std::optional<Error> first = attempt_together(resources_.comm, [&] { end_batch({}, Memory::copied, call); });
  keep_first(first, attempt_together(resources_.comm, [&] { phases_->wait(); }));
  if (first) throw Error(*first);
}

std::int64_t VolumeWriter::batch_bytes() const {
  return file_bytes(form_) * static_cast<std::int64_t>(options_.components.size());
}

}  // namespace sill
