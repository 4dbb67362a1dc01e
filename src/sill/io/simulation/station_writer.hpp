// Writing what the receivers of a wave simulation record: files of stations, in output phases of several steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/station/channel_encoders.hpp"
#include "sill/formats/station/channel_file.hpp"
#include "sill/formats/station/station_file.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/growing_files.hpp"
#include "sill/io/simulation/output_lock.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// What files stations are written to.
enum class StationForm : std::uint8_t {
  text,      ///< as of Ondes3D: obs1.dat, obs2.dat, …, a station each (station::StationFile)
  sac,       ///< obs1.vx.sac, …, a component of a station each (station::SacFile)
  segy,      ///< stations.sgy, a shot gather (station::GatherFile)
  su,        ///< stations.su, the same in Seismic Unix
  miniseed,  ///< stations.mseed (station::MiniSeedFile)
};

/// What is recorded where, the same on all ranks.
struct StationOutput {
  std::string folder;  ///< of the files; made if it is not there
  StationForm form = StationForm::text;
  std::vector<station::Station> stations = {};
  int components = station::ondes3d_components;
  /// Of each, for names of SAC files, and in them and miniSEED; without it those of Ondes3D, or, of other than nine, 1,
  /// 2, ….
  std::vector<std::string> component_names = {};
  /// The rank that has component c (from 0) of station s: owners[s * components + c]. Components lie at staggered
  /// points of the grid, so those of a station may be of several ranks.
  std::vector<int> owners = {};
  double interval_s = 0.0;                                  ///< from one time step to the next
  std::int64_t final_steps = 0;                             ///< how many there can be
  std::int64_t steps_per_phase = 1;                         ///< after how many `write_step` begins an output phase
  station::StepCount count = station::StepCount::reserved;  ///< of text
  // Of SEG-Y, Seismic Unix: the number and, if it is known, the place of the source, in m. Of miniSEED: when the first
  // sample was, in microseconds since 1970, UTC.
  int shot = 1;
  std::optional<std::array<double, 3>> source_m = {};
  std::int64_t start_us = 0;
  /// How many steps of an earlier run the files keep, which this one goes on with; 0: it begins new files.
  std::int64_t continues_after = 0;
};

/// Station files (formats/station). Values are kept in memory; an output phase writes those of several time steps and
/// updates the headers, in files that stay open. Between phases the files are whole: the header states the steps.
///
///     StationWriter writer(resources, output);
///     for (...) writer.write_step(values_of(writer.owned()));
///     writer.close();
class StationWriter {
 public:
  /// A component of a station that this rank has.
  struct Owned {
    std::int64_t station = 0;  ///< from 0
    int component = 0;         ///< from 0
    friend bool operator==(const Owned&, const Owned&) = default;
  };

  /// Collective. Files of an earlier run are removed, and new ones appear with the first phase; or they keep their
  /// first steps (StationOutput::continues_after), and what is behind these is cut off. Until `close` no other run can
  /// begin in the folder. `resources` outlive the writer; their policy says how a phase is written. Errors: usage if
  /// `output` is not the same on all ranks, for owners or names that do not fit, and as the constructors of StationFile
  /// and SacFile; input if files that are gone on with are of other stations, or have fewer steps; io, also if another
  /// run writes stations into the folder: nothing of it has changed then.
  StationWriter(const Resources& resources, const StationOutput& output);
  StationWriter(const StationWriter&) = delete;
  StationWriter& operator=(const StationWriter&) = delete;

  /// Local. The order in which this rank brings its values: by station, then component.
  [[nodiscard]] std::span<const Owned> owned() const { return owned_; }

  /// Local. Keeps the values of one time step, one for each of `owned()`; the caller may change them afterwards. They
  /// cannot be lent: a phase writes those of several steps, and the program's variables hold those of one. What
  /// is wrong (another number of values, one beyond the range of floats in SAC files, more steps than `final_steps`, no
  /// memory) is thrown by the next collective call, on all ranks.
  void record(std::span<const double> values);

  /// Collective. `record`, and `flush` when `steps_per_phase` steps are kept. Only then do ranks talk. Errors: as
  /// `flush`.
  void write_step(std::span<const double> values);

  /// Collective. An output phase: buffered steps are written to the files, then counted in the headers, so that who
  /// reads meanwhile, or after the program was killed, finds all steps that a header counts (with Policy::async and
  /// several writers of a file some may be on their way). Nothing if nothing is kept. With Policy::async it returns
  /// when the ranks have talked. Errors: usage for what `record` noticed, and if ranks recorded different numbers of
  /// steps; io. After an error headers count, as far as the files can still be written, of the steps that are there for
  /// certain; further calls throw the same error.
  void flush();

  /// Collective. `flush`, and the files are closed, after syncing if the policy says so. Errors: as `flush`.
  void close();

  /// Local. Time steps that phases were begun for, and those of an earlier run.
  [[nodiscard]] std::int64_t steps() const { return written_steps_; }
  /// Local. Output phases so far.
  [[nodiscard]] std::int64_t phases() const { return phases_; }
  /// Local. Bytes of all files together, of the phases so far.
  [[nodiscard]] std::int64_t file_bytes() const;

 private:
  // Neighbouring components of a file that are this rank's: in each record one run of bytes.
  class Run : public Encoder {
   public:
    Run(const station::ReceiverFile& form, std::size_t file, std::size_t first_component, std::size_t first_value,
        std::size_t components, bool is_last)
        : form_(form), file_(file), first_component_(first_component), first_value_(first_value) {
      values_.components = static_cast<std::int64_t>(components);
      values_.end_record = is_last;
    }
    void fill(ByteRange range, std::span<std::byte> bytes) const override;
    [[nodiscard]] bool is_for_threads() const override { return true; }
    [[nodiscard]] std::size_t file() const { return file_; }
    // The extent of `steps`, whose values are `kept` or `floats`, `values_per_step` each; good until the next call.
    [[nodiscard]] Extent extent(std::span<const double> kept, std::span<const float> floats,
                                std::int64_t values_per_step, const ItemList& records, ItemRange steps);

   private:
    const station::ReceiverFile& form_;
    std::size_t file_;
    std::size_t first_component_;
    std::size_t first_value_;  // in a step
    station::Values values_;
  };

  // Neighbouring channels of a file of all that are this rank's.
  struct ChannelRun {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::size_t first_value = 0;  // in a step
  };

  void require_sound(const StationOutput& output) const;
  void require_same(const StationOutput& output) const;
  void make_files(const StationOutput& output);
  void find_owned(const StationOutput& output);
  // Errors: usage for a value beyond the range of floats; nothing is added then.
  void add_floats(std::span<const double> values);
  // Collective. Leaves what an earlier run wrote up to `written_steps_`.
  void continue_files(std::span<const std::string> paths);
  // Collective. Zeros in place of what an earlier run wrote of channels behind the last step that is kept.
  void clear_later_steps();
  [[nodiscard]] std::size_t files() const { return channels_ != nullptr ? 1 : files_.size(); }
  void add_records(std::vector<Extent>& extents);
  void add_channel_records(std::vector<Extent>& extents);
  // Headers of the blocks from `block` on, which count `steps`.
  void add_channel_headers(std::int64_t block, std::int64_t steps, std::vector<Extent>& extents);
  void add_headers(std::int64_t steps, std::vector<Extent>& extents);
  [[nodiscard]] AccessPlan headers_plan(std::int64_t steps);
  // Collective. Returns false if no step was kept.
  [[nodiscard]] bool perform();

  const Resources& resources_;
  std::int64_t steps_per_phase_;
  std::int64_t final_steps_;
  StationForm form_;
  std::vector<std::unique_ptr<const station::ReceiverFile>> files_;  // in the order of stations and components
  std::unique_ptr<const station::ChannelFile> channels_;             // in place of those
  std::vector<Owned> owned_;
  std::vector<Run> runs_;
  std::vector<ChannelRun> channel_runs_;
  station::Zeros zeros_;
  std::list<std::unique_ptr<Encoder>> encoders_;  // of the last plans of channels
  std::int64_t blocks_ = 0;                       // of channels that were begun
  std::vector<std::size_t> headed_;   // the files whose first component, and so whose header, is this rank's
  std::vector<std::string> headers_;  // of those, as they were written last
  std::vector<ItemList> records_;     // of each file, known from the first phase on
  std::vector<double> buffered_;      // of text
  std::vector<float> floats_;         // of the other forms, in their place
  std::int64_t buffered_steps_ = 0;
  std::int64_t written_steps_ = 0;
  std::int64_t phases_ = 0;
  std::optional<Error> noticed_;    // by `record`, on this rank
  std::optional<OutputLock> lock_;  // let go when no file is open
  std::optional<GrowingFiles> growing_;
};

}  // namespace sill
