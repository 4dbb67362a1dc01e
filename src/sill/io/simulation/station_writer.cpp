#include "sill/io/simulation/station_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <set>
#include <utility>

#include <unistd.h>

#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/formats/hdf5/hdf5_file.hpp"
#include "sill/formats/station/channel_encoders.hpp"
#include "sill/formats/station/sac_file.hpp"
#include "sill/io/simulation/continued_files.hpp"
#include "sill/store/posix/folder.hpp"

namespace sill {
namespace {

Error unequal_recorded_steps(std::int64_t min, std::int64_t max) {
  return Error(
      {.code = ErrorCode::usage,
       .problem = fmt::format("some ranks recorded {} time steps since the last output phase, others {}", min, max),
       .action = "record every time step on all ranks, including ranks without a component"});
}

std::vector<std::string> component_names_of(const StationOutput& output) {
  if (!output.component_names.empty()) return output.component_names;
  if (output.components == station::ondes3d_components)
    return {station::ondes3d_component_names.begin(), station::ondes3d_component_names.end()};
  std::vector<std::string> names;
  for (int c = 1; c <= output.components; ++c) names.push_back(fmt::format("{}", c));
  return names;
}

std::vector<std::string> paths_of(const StationOutput& output) {
  switch (output.form) {
    case StationForm::segy: return {output.folder + "/stations.sgy"};
    case StationForm::su: return {output.folder + "/stations.su"};
    case StationForm::miniseed: return {output.folder + "/stations.mseed"};
    case StationForm::asdf: return {output.folder + "/stations.h5"};
    case StationForm::text:
    case StationForm::sac: break;
  }
  std::vector<std::string> paths;
  for (std::int64_t i = 1; i <= std::ssize(output.stations); ++i) {
    if (output.form == StationForm::text)
      paths.push_back(fmt::format("{}/{}", output.folder, station::file_name(i)));
    else
      for (const std::string& component : component_names_of(output))
        paths.push_back(fmt::format("{}/{}", output.folder, station::sac_file_name(i, component)));
  }
  return paths;
}

// Removes the files of an earlier run, which may be longer. Each rank removes its share.
void remove_old(std::span<const std::string> paths, const Communicator& comm) {
  for (auto i = static_cast<std::size_t>(comm.rank()); i < paths.size(); i += static_cast<std::size_t>(comm.size()))
    remove_files(paths.subspan(i, 1));
}

}  // namespace

StationWriter::StationWriter(const Resources& resources, const StationOutput& output)
    : resources_(resources),
      steps_per_phase_(output.steps_per_phase),
      final_steps_(output.final_steps),
      form_(output.form) {
  Communicator& comm = resources_.comm;
  require_same(output);
  const std::vector<std::string> paths = run_and_agree(comm, [&] {
    require_sound(output);
    make_files(output);
    find_owned(output);
    const auto steps = static_cast<std::size_t>(std::min(steps_per_phase_, final_steps_));
    if (!owned_.empty() && steps > buffered_.max_size() / owned_.size()) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("the values of {} components in {} time steps exceed the memory",
                                          owned_.size(), steps),
                   .action = "write an output phase after fewer steps"});
    }
    if (form_ == StationForm::text)
      buffered_.reserve(owned_.size() * steps);
    else
      floats_.reserve(owned_.size() * steps);
    return paths_of(output);
  });
  run_on_rank(comm, 0, [&] {
    if (asdf_) hdf5::require_possible({}, {});
    make_folder(output.folder);
  });
  if (asdf_) path_ = paths.front();
  lock_.emplace(comm, output.folder, OutputOf::stations);
  written_steps_ = output.continues_after;
  if (written_steps_ > 0) continue_files(paths);
  MoverFiles files = run_and_agree(comm, [&] {
    if (written_steps_ == 0) remove_old(paths, comm);
    return resources_.files(paths, OpenMode::write_or_create);
  });
  growing_.emplace(
      resources_, std::move(files), [this](std::int64_t steps) { return headers_plan(steps); }, written_steps_);
  if (channels_ != nullptr && !asdf_ && written_steps_ > 0) clear_later_steps();
}

void StationWriter::continue_files(std::span<const std::string> paths) {
  if (asdf_) {
    blocks_ = 1;
    return asdf_->require_steps(resources_, path_, written_steps_);
  }
  if (channels_ != nullptr) {
    require_channels(resources_, paths.front(), *channels_, written_steps_);
    blocks_ = (written_steps_ + channels_->block_steps() - 1) / channels_->block_steps();
    run_on_rank(resources_.comm, 0, [&] {
      if (::truncate(paths.front().c_str(), channels_->file_bytes(written_steps_)) != 0)
        throw system_error(errno, "truncating the file of an earlier run", {.file = paths.front()});
    });
    return;
  }
  const std::vector<std::int64_t> begins = keep_steps(resources_, paths, files_, written_steps_);
  for (std::size_t i = 0; i < files_.size(); ++i) {
    records_.push_back(files_[i]->records(written_steps_));
    records_.back().first_byte = begins[i];
  }
  for (std::size_t i = 0; i < headed_.size(); ++i) headers_[i] = files_[headed_[i]]->header(written_steps_);
}

void StationWriter::clear_later_steps() {
  std::array<AccessPlan, 2> plans;
  const std::optional<Error> error = attempt([&] {
    plans[0] = headers_plan(written_steps_);
    std::vector<Extent> extents;
    const std::int64_t block = blocks_ - 1;
    const std::int64_t kept = written_steps_ - block * channels_->block_steps();
    const std::int64_t behind = channels_->record_bytes() - channels_->record_header_bytes() - 4 * kept;
    for (const ChannelRun& run : channel_runs_) {
      if (behind == 0 || asdf_) break;  // nobody reads an ASDF file before the last step
      extents.push_back({.offset_bytes = channels_->end_of(block, run.first) - behind,
                         .run_bytes = behind,
                         .steps = {{.count = run.count, .file_stride_bytes = channels_->record_bytes()}},
                         .encoder = &zeros_});
    }
    plans[1] = AccessPlan::for_writing(std::move(extents));
  });
  growing_->write(plans, {.error = error}, {written_steps_, written_steps_});
}

void StationWriter::require_sound(const StationOutput& output) const {
  const auto refuse = [](std::string problem, std::string action) {
    throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
  };
  if (output.folder.empty())
    refuse("no folder is named for the station files", "name a folder; `.` is the current folder");
  if (output.steps_per_phase < 1) {
    refuse(fmt::format("an output phase cannot have {} time steps", output.steps_per_phase),
           "write after at least 1 step");
  }
  if (output.continues_after < 0 || output.continues_after > output.final_steps) {
    refuse(
        fmt::format("a run of {} time steps cannot continue after step {}", output.final_steps, output.continues_after),
        "include the steps of the earlier run in the total number of steps");
  }
  const std::set<std::string> names(output.component_names.begin(), output.component_names.end());
  if (!names.empty() &&
      (std::ssize(output.component_names) != output.components || names.size() != output.component_names.size() ||
       names.contains("") ||
       std::ranges::any_of(names, [](const std::string& name) { return name.find('/') != name.npos; })))
    refuse(fmt::format("{} components cannot have these {} names", output.components, output.component_names.size()),
           "give each a different name, without slashes");
  const std::size_t components = output.stations.size() * static_cast<std::size_t>(std::max(output.components, 0));
  if (output.owners.size() != components) {
    refuse(fmt::format("{} owners are given for the {} components of {} stations", output.owners.size(), components,
                       output.stations.size()),
           "name the rank of each component of each station");
  }
  for (std::size_t i = 0; i < components; ++i) {
    if (output.owners[i] >= 0 && output.owners[i] < resources_.comm.size()) continue;
    refuse(fmt::format("component {} of station {} belongs to rank {}, which is not one of {}",
                       i % static_cast<std::size_t>(output.components) + 1,
                       output.stations[i / static_cast<std::size_t>(output.components)].number, output.owners[i],
                       resources_.comm.size()),
           "name a rank of the communicator");
  }
}

void StationWriter::make_files(const StationOutput& output) {
  if (form_ != StationForm::text && form_ != StationForm::sac) {
    station::Channels all{.interval_s = output.interval_s,
                          .final_steps = output.final_steps,
                          .start_us = output.start_us,
                          .shot = output.shot,
                          .source_m = output.source_m};
    const std::vector<std::string> names = component_names_of(output);
    for (const station::Station& each : output.stations) {
      for (int c = 0; c < output.components; ++c) all.list.push_back({each, c, names[static_cast<std::size_t>(c)]});
    }
    if (form_ == StationForm::asdf) {
      auto file = std::make_unique<station::AsdfFile>(std::move(all), output.labels);
      asdf_.emplace(*file);
      channels_ = std::move(file);
      return;
    }
    if (form_ == StationForm::miniseed) {
      channels_ = std::make_unique<station::MiniSeedFile>(std::move(all));
    } else {
      const auto kind = form_ == StationForm::segy ? segy::FileKind::segy : segy::FileKind::seismic_unix;
      channels_ = std::make_unique<station::GatherFile>(std::move(all), kind);
    }
    return;
  }
  for (const station::Station& each : output.stations) {
    if (form_ == StationForm::text) {
      files_.push_back(std::make_unique<station::StationFile>(each, output.interval_s, output.components,
                                                              output.final_steps, output.count));
      continue;
    }
    for (const std::string& component : component_names_of(output))
      files_.push_back(std::make_unique<station::SacFile>(each, component, output.interval_s, output.final_steps));
  }
}

// Ranks with different stations would overwrite each other's bytes.
void StationWriter::require_same(const StationOutput& output) const {
  Communicator& comm = resources_.comm;
  const auto text_of_all = [&] {
    std::string text =
        fmt::format("{}\n{} {} {} {} {:a} {} {} {}\n", output.folder, static_cast<int>(output.form),
                    fmt::join(output.component_names, "\n"), output.components, static_cast<int>(output.count),
                    output.interval_s, output.final_steps, output.steps_per_phase, output.continues_after) +
        fmt::format("{} {} {} {} {}\n", output.shot, output.start_us, output.labels.tag, output.labels.event_id,
                    output.source_m ? fmt::format("{:a}", fmt::join(*output.source_m, " ")) : "");
    for (const station::Station& each : output.stations) {
      text += fmt::format("{} {} {:a} {:a} {:a}\n", each.number, each.code, each.position_m[0], each.position_m[1],
                          each.position_m[2]);
    }
    text += fmt::format("{}", fmt::join(output.owners, " "));
    return text;
  };
  require_same_on_all(comm, text_of_all,
                      "the ranks were given different stations, owners, intervals or numbers of steps");
}

void StationWriter::find_owned(const StationOutput& output) {
  const auto components = static_cast<std::size_t>(output.components);
  const int rank = resources_.comm.rank();
  const std::size_t of_file = files() == 0 ? 0 : output.owners.size() / files();
  for (std::size_t file = 0; file < files(); ++file) {
    const std::size_t before = file * of_file;
    const std::span<const int> owners = std::span(output.owners).subspan(before, of_file);
    if (owners.front() == rank) headed_.push_back(file);
    for (std::size_t first = 0; first < of_file;) {
      std::size_t end = first + 1;
      if (owners[first] == rank) {
        while (end < of_file && owners[end] == rank) ++end;
        if (channels_ != nullptr) {
          channel_runs_.push_back(
              {static_cast<std::int64_t>(first), static_cast<std::int64_t>(end - first), owned_.size()});
        } else {
          runs_.push_back(Run(*files_[file], file, first, owned_.size(), end - first, end == of_file));
        }
        for (std::size_t c = before + first; c < before + end; ++c)
          owned_.push_back({static_cast<std::int64_t>(c / components), static_cast<int>(c % components)});
      }
      first = end;
    }
  }
  headers_.resize(headed_.size());
}

void StationWriter::Run::fill(ByteRange range, std::span<std::byte> bytes) const { form_.write(values_, range, bytes); }

Extent StationWriter::Run::extent(std::span<const double> kept, std::span<const float> floats,
                                  std::int64_t values_per_step, const ItemList& records, ItemRange steps) {
  if (!kept.empty()) values_.first = kept.data() + first_value_;
  if (!floats.empty()) values_.floats = floats.data() + first_value_;
  values_.step_stride = values_per_step;
  Extent extent{.file = static_cast<int>(file_),
                .offset_bytes =
                    records.bytes_of(steps).offset + static_cast<std::int64_t>(first_component_) * form_.value_bytes(),
                .run_bytes = values_.components * form_.value_bytes(),
                .encoder = this};
  if (extent.run_bytes == records.item_bytes)
    extent.run_bytes *= steps.count;
  else
    extent.steps = {{.count = steps.count, .file_stride_bytes = records.item_bytes}};
  return extent;
}

template <class Work>
void StationWriter::attach_by(const std::string& path, Work&& work) {
  if (noticed_ || growing_->failure()) return;
  noticed_ = attempt([&] {
    if (!asdf_) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("'{}' is attached to station files that are not ASDF", echoed(path, 100)),
                   .action = "write ASDF files, which contain metadata and other arrays"});
    }
    work();
  });
}

void StationWriter::attach(const hdf5::NewArray& array, std::span<const std::byte> values) {
  attach_by(array.path, [&] { asdf_->attach(array, values); });
}

void StationWriter::attach_attribute(const std::string& path, const Attribute& attribute) {
  attach_by(path, [&] { asdf_->attach_attribute(path, attribute); });
}

void StationWriter::attach_text(const std::string& path, std::string_view text) {
  attach({.path = path, .shape = {std::ssize(text)}}, std::as_bytes(std::span(text)));
}

void StationWriter::lay_out() {
  asdf_->lay_out(resources_, path_, written_steps_);
  const station::ChannelFile& file = *channels_;
  for (const ChannelRun& run : std::exchange(channel_runs_, {})) {
    for (std::int64_t c = run.first; c < run.first + run.count; ++c) {
      const bool is_adjacent = c > run.first && file.begin_of(0, c) == file.end_of(0, c - 1);
      if (is_adjacent)
        ++channel_runs_.back().count;
      else
        channel_runs_.push_back({c, 1, run.first_value + static_cast<std::size_t>(c - run.first)});
    }
  }
  if (written_steps_ > 0) clear_later_steps();
}

void StationWriter::record(std::span<const double> values) {
  if (noticed_ || growing_->failure()) return;
  noticed_ = attempt([&] {
    if (values.size() != owned_.size()) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("{} values were recorded for the {} components that the rank has of all "
                                          "stations, in time step {}",
                                          values.size(), owned_.size(), written_steps_ + buffered_steps_ + 1),
                   .action = "record one value for each, in the order that `owned` gives"});
    }
    if (written_steps_ + buffered_steps_ == final_steps_) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("more than the announced {} time steps were recorded", final_steps_),
                   .action = "announce the largest possible number of time steps of the simulation"});
    }
    if (form_ == StationForm::text)
      buffered_.insert(buffered_.end(), values.begin(), values.end());
    else
      add_floats(values);
    ++buffered_steps_;
  });
}

void StationWriter::add_floats(std::span<const double> values) {
  const auto is_beyond = [](double value) { return std::isfinite(value) && !std::isfinite(static_cast<float>(value)); };
  const std::size_t before = floats_.size();
  int beyond = 0;
  floats_.resize(before + values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    floats_[before + i] = static_cast<float>(values[i]);
    beyond |= static_cast<int>(is_beyond(values[i]));
  }
  if (beyond == 0) return;
  floats_.resize(before);
  const auto found = std::ranges::find_if(values, is_beyond);
  const Owned& where = owned_[static_cast<std::size_t>(found - values.begin())];
  throw Error(
      {.code = ErrorCode::usage,
       .problem = fmt::format("{} exceeds the range of floats, the type of the files: component {} of station {} "
                              "(counted from 1) in time step {}",
                              *found, where.component + 1, where.station + 1, written_steps_ + buffered_steps_ + 1),
       .action = "scale the values, or write text"});
}

void StationWriter::write_step(std::span<const double> values) {
  record(values);
  if (noticed_ || growing_->failure()) ++buffered_steps_;  // so that this rank enters the next phase with the others
  if (buffered_steps_ >= steps_per_phase_) flush();
}

void StationWriter::flush() {
  OutputCall call(resources_.meter);
  if (perform()) call.completes_phase();
}

void StationWriter::close() {
  std::optional<Error> first;
  if (!growing_->failure()) first = attempt_together(resources_.comm, [&] { flush(); });
  const OutputCall closing(resources_.meter);
  keep_first(first, attempt_together(resources_.comm, [&] { growing_->close(); }));
  if (asdf_ && !first && written_steps_ < final_steps_) {
    first = attempt_together(resources_.comm, [&] {
      run_and_agree(resources_.comm, [&] {
        throw Error({.code = ErrorCode::usage,
                     .problem = fmt::format("the file has {} of {} time steps, and is not readable before the last",
                                            written_steps_, final_steps_),
                     .where = {.file = path_},
                     .action = "continue this run after these steps, or announce the steps that the run has"});
      });
    });
  }
  lock_.reset();
  if (first) throw Error(*first);
}

std::int64_t StationWriter::file_bytes() const {
  if (channels_ != nullptr) return channels_->file_bytes(written_steps_);
  std::int64_t bytes = 0;
  for (const ItemList& of_station : records_) bytes += of_station.bytes_of({0, written_steps_}).end();
  return bytes;
}

void StationWriter::add_channel_records(std::vector<Extent>& extents) {
  const station::ChannelFile& file = *channels_;
  const std::int64_t header = file.record_header_bytes();
  const std::int64_t steps_end = written_steps_ + buffered_steps_;
  const auto stride = static_cast<std::int64_t>(owned_.size());
  for (std::int64_t first = written_steps_; first < steps_end;) {
    const std::int64_t block = first / file.block_steps();
    const std::int64_t within = first % file.block_steps();
    const std::int64_t steps = std::min(steps_end - first, file.block_steps() - within);
    for (const ChannelRun& run : channel_runs_) {
      const float* const values =
          floats_.data() + (first - written_steps_) * stride + static_cast<std::int64_t>(run.first_value);
      encoders_.push_back(std::make_unique<station::ChannelSamples>(values, stride, steps, file.byte_order()));
      extents.push_back({.offset_bytes = file.begin_of(block, run.first) + header + 4 * within,
                         .run_bytes = 4 * steps,
                         .steps = {{.count = run.count, .file_stride_bytes = file.record_bytes()}},
                         .encoder = encoders_.back().get()});
      // The file has the full length of its blocks after the first step.
      const std::int64_t rest = file.record_bytes() - header - 4 * (within + steps);
      if (block < blocks_ || run.first + run.count < file.channels() || rest == 0) continue;
      extents.push_back(
          {.offset_bytes = file.end_of(block, file.channels() - 1) - rest, .run_bytes = rest, .encoder = &zeros_});
    }
    first += steps;
  }
}

void StationWriter::add_channel_headers(std::int64_t block, std::int64_t steps, std::vector<Extent>& extents) {
  const station::ChannelFile& file = *channels_;
  if (block == 0 && !headed_.empty() && !file.file_header().empty()) {
    const std::vector<std::byte>& bytes = file.file_header();
    extents.push_back(contiguous(0, {0, std::ssize(bytes)}, bytes.data()));
  }
  for (; block < blocks_; ++block) {
    const std::int64_t counted = std::clamp<std::int64_t>(steps - block * file.block_steps(), 0, file.block_steps());
    for (const ChannelRun& run : channel_runs_) {
      encoders_.push_back(std::make_unique<station::ChannelHeaders>(file, block, run.first, counted));
      extents.push_back({.offset_bytes = file.begin_of(block, run.first),
                         .run_bytes = file.record_header_bytes(),
                         .steps = {{.count = run.count, .file_stride_bytes = file.record_bytes()}},
                         .encoder = encoders_.back().get()});
    }
  }
}

void StationWriter::add_records(std::vector<Extent>& extents) {
  if (records_.empty()) {
    for (const auto& file : files_) records_.push_back(file->records(buffered_steps_));
  }
  for (Run& run : runs_) {
    extents.push_back(run.extent(buffered_, floats_, static_cast<std::int64_t>(owned_.size()), records_[run.file()],
                                 {written_steps_, buffered_steps_}));
  }
}

void StationWriter::add_headers(std::int64_t steps, std::vector<Extent>& extents) {
  for (std::size_t i = 0; i < headed_.size(); ++i) {
    std::string& header = headers_[i];
    const std::size_t size_before = header.size();
    header = files_[headed_[i]]->header(steps);
    // If a header had grown into the record after it and is short again, this restores the blanks of the record.
    if (header.size() < size_before) header.resize(size_before, ' ');
    extents.push_back(contiguous(static_cast<int>(headed_[i]), {0, static_cast<std::int64_t>(header.size())},
                                 reinterpret_cast<const std::byte*>(header.data())));
  }
}

AccessPlan StationWriter::headers_plan(std::int64_t steps) {
  std::vector<Extent> extents;
  if (asdf_) {
    if (resources_.comm.rank() == 0) extents.push_back(asdf_->beginning(steps));
  } else if (channels_ == nullptr) {
    add_headers(steps, extents);
  } else if (channels_->counts_steps()) {
    add_channel_headers(std::min(steps, written_steps_) / channels_->block_steps(), steps, extents);
  }
  return AccessPlan::for_writing(std::move(extents));
}

// Writes records before headers, so that no header counts steps that are missing, and so that each plan writes one
// range of a file: a gap between two ranges would need space in the stages. In new files of stations header and records
// are adjacent, and are written together.
bool StationWriter::perform() {
  const std::int64_t steps = written_steps_ + buffered_steps_;
  const bool is_new = written_steps_ == 0;
  if (asdf_ && !asdf_->is_laid_out() && !growing_->failure() &&
      all_reduce(resources_.comm, buffered_steps_, Reduction::max) > 0)
    keep_first(noticed_, attempt_together(resources_.comm, [&] { lay_out(); }));
  // No program reads an ASDF file whose steps may still be in progress.
  const std::int64_t counted = asdf_ ? growing_->countable(steps) : steps;
  std::array<AccessPlan, 2> plans;
  Opening opening{.error = noticed_, .equal = buffered_steps_, .unequal = &unequal_recorded_steps};
  if (!opening.error && buffered_steps_ > 0) {
    opening.error = attempt([&] {
      std::vector<Extent> extents;
      if (channels_ != nullptr) {
        encoders_.clear();
        add_channel_records(extents);
        if (asdf_) asdf_->add_extents(extents);
        plans[0] = AccessPlan::for_writing(std::exchange(extents, {}));
        blocks_ = (steps + channels_->block_steps() - 1) / channels_->block_steps();
        if (is_new && !asdf_) add_channel_headers(0, steps, extents);
        plans[1] = is_new && !asdf_ ? AccessPlan::for_writing(std::move(extents)) : headers_plan(counted);
        return;
      }
      if (is_new) add_headers(steps, extents);
      add_records(extents);
      plans[0] = AccessPlan::for_writing(std::move(extents));
      if (!is_new) plans[1] = headers_plan(steps);
    });
  }
  const bool is_one_plan = channels_ != nullptr ? !is_new && !channels_->counts_steps() : is_new;
  growing_->write(std::span(plans).first(buffered_steps_ == 0 ? 0 : is_one_plan ? 1 : 2), opening, {steps, counted});
  if (buffered_steps_ == 0) return false;
  if (asdf_) asdf_->clear();
  written_steps_ = steps;
  buffered_.clear();
  floats_.clear();
  buffered_steps_ = 0;
  ++phases_;
  return true;
}

}  // namespace sill
