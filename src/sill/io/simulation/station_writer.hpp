// Writing of the recordings of receivers in a wave simulation: files of stations, in output phases of several steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/station/asdf_file.hpp"
#include "sill/formats/station/channel_encoders.hpp"
#include "sill/formats/station/channel_file.hpp"
#include "sill/formats/station/station_file.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/asdf_contents.hpp"
#include "sill/io/simulation/growing_files.hpp"
#include "sill/io/simulation/output_lock.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// Formats of station files.
enum class StationForm : std::uint8_t {
  text,      ///< in the format of Ondes3D: obs1.dat, obs2.dat, …, one per station (station::StationFile)
  sac,       ///< obs1.vx.sac, …, one per component of a station (station::SacFile)
  segy,      ///< stations.sgy, a shot gather (station::GatherFile)
  su,        ///< stations.su, the same shot gather as a Seismic Unix file
  miniseed,  ///< stations.mseed (station::MiniSeedFile)
  asdf,      ///< stations.h5 (station::AsdfFile), an HDF5 file only after the last step
};

/// The output of stations, the same on all ranks.
struct StationOutput {
  std::string folder;  ///< folder of the files, created if it does not exist
  StationForm form = StationForm::text;
  std::vector<station::Station> stations = {};
  int components = station::ondes3d_components;
  /// Names of the components, for the names of SAC files, and in SAC and miniSEED files. If empty: the names of Ondes3D
  /// for nine components, otherwise 1, 2, …. ASDF needs names.
  std::vector<std::string> component_names = {};
  /// The rank that has component c (from 0) of station s: owners[s * components + c]. Components are at staggered
  /// points of the grid, so the components of a station may belong to several ranks.
  std::vector<int> owners = {};
  double interval_s = 0.0;                                  ///< time step
  std::int64_t final_steps = 0;                             ///< maximum number of time steps; for ASDF the number
  std::int64_t steps_per_phase = 1;                         ///< number of calls of `write_step` per output phase
  station::StepCount count = station::StepCount::reserved;  ///< text files only: `reserved` for a header of fixed size,
                                                            ///< otherwise the header grows with the number of steps
  // For SEG-Y and Seismic Unix: the number of the source and, if known, its position in m. For miniSEED and ASDF: the
  // time of the first sample, in microseconds since 1970, UTC. For ASDF: tag and event of the waveforms.
  int shot = 1;
  std::optional<std::array<double, 3>> source_m = {};
  std::int64_t start_us = 0;
  station::AsdfFile::Labels labels = {};
  /// Number of steps of an earlier run that the files retain and this run continues; 0: new files.
  std::int64_t continues_after = 0;
};

/// Writes station files (formats/station). Values are buffered in memory; an output phase writes the values of several
/// time steps and updates the headers, in files that stay open. Between phases the files are valid: the header states
/// the number of steps. An ASDF file becomes valid with its last step.
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

  /// Collective. Opens the output. For new files, files of an earlier run are removed, and the first phase creates new
  /// ones. For a continued run (StationOutput::continues_after) the files retain their first steps, and later steps are
  /// cut off. Until `close` no other run can begin in the folder. `resources` outlive the writer; their policy controls
  /// how a phase is written. Errors: usage if `output` is not the same on all ranks, for invalid owners or component
  /// names, and as the constructors of StationFile and SacFile; input if files to be continued have other stations, or
  /// fewer steps; io, also if another run is writing stations into the folder: then nothing in the folder has changed.
  StationWriter(const Resources& resources, const StationOutput& output);
  StationWriter(const StationWriter&) = delete;
  StationWriter& operator=(const StationWriter&) = delete;

  /// Local. Returns the order in which this rank passes its values: by station, then component.
  [[nodiscard]] std::span<const Owned> owned() const { return owned_; }

  /// Local. Adds a copy of an array to an ASDF file: a document of the caller, or other data
  /// (AsdfFile::require_attachable).
  /// One rank attaches each array, before the first output phase. A continued run attaches the same arrays again.
  /// Errors (another form, a path or a shape that ASDF does not allow, a second array with the path) are thrown by the
  /// next collective call, on all ranks.
  void attach(const hdf5::NewArray& array, std::span<const std::byte> values);
  /// Local. Sets an attribute of auxiliary data that this rank attached. Errors: as `attach`.
  void attach_attribute(const std::string& path, const Attribute& attribute);
  void attach_attribute_text(const std::string& path, const std::string& name, std::string_view text) {
    attach_attribute(path, {name, text});
  }
  /// Local. Adds a document: QuakeML, Waveforms/NET.STA/StationXML. Errors: as `attach`.
  void attach_text(const std::string& path, std::string_view text);

  /// Local. Buffers the values of one time step, one for each element of `owned()`; the caller may change them after
  /// the call. Values cannot be lent, because a phase writes several steps, and the program's variables contain only
  /// one. Errors (another number of values, a value outside the range of floats in files of floats, more steps than
  /// `final_steps`, no memory) are thrown by the next collective call, on all ranks.
  void record(std::span<const double> values);

  /// Collective. Calls `record`, and also `flush` if `steps_per_phase` steps are buffered. Ranks communicate only in
  /// `flush`. Errors: as `flush`.
  void write_step(std::span<const double> values);

  /// Collective. Writes an output phase: buffered steps are written to the files, and then counted in the headers. So a
  /// reader, during the run or after the program was killed, finds all steps that a header counts (with Policy::async
  /// and several writers of a file some may still be in progress). Does nothing if no step is buffered. With
  /// Policy::async it returns when the ranks have communicated. Errors: usage for errors of `record`, and if ranks
  /// recorded different numbers of steps; io. After an error headers count, if the files can still be written, the
  /// steps that the files certainly contain; further calls throw the same error.
  void flush();

  /// Collective. Calls `flush`, and closes the files, after syncing them if the policy requires it. Errors: as `flush`;
  /// usage if an ASDF file lacks some of its `final_steps` steps: no program can read it until a run continues it.
  void close();

  /// Local. Returns the number of time steps in phases begun so far, including the steps of an earlier run.
  [[nodiscard]] std::int64_t steps() const { return written_steps_; }
  /// Local. Returns the number of output phases so far.
  [[nodiscard]] std::int64_t phases() const { return phases_; }
  /// Local. Returns the size of all files together after the phases so far, in bytes.
  [[nodiscard]] std::int64_t file_bytes() const;

 private:
  // Local. Performs `work`, which attaches to `path`, unless an earlier call failed; the next collective call throws
  // its error.
  template <class Work>
  void attach_by(const std::string& path, Work&& work);
  // Neighbouring components of a file that belong to this rank: one run of bytes in each record.
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
    // Returns the extent of `steps`, whose values are `kept` or `floats`, `values_per_step` each; valid until the next
    // call.
    [[nodiscard]] Extent extent(std::span<const double> kept, std::span<const float> floats,
                                std::int64_t values_per_step, const ItemList& records, ItemRange steps);

   private:
    const station::ReceiverFile& form_;
    std::size_t file_;
    std::size_t first_component_;
    std::size_t first_value_;  // index of its first value in a step
    station::Values values_;
  };

  // Neighbouring channels, in the file of all channels, that belong to this rank.
  struct ChannelRun {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::size_t first_value = 0;  // index of its first value in a step
  };

  void require_sound(const StationOutput& output) const;
  void require_same(const StationOutput& output) const;
  void make_files(const StationOutput& output);
  void find_owned(const StationOutput& output);
  // Appends to `floats_`. Errors: usage for a value outside the range of floats; nothing is appended then.
  void add_floats(std::span<const double> values);
  // Collective. Truncates the files of an earlier run after `written_steps_` steps.
  void continue_files(std::span<const std::string> paths);
  // Collective. Writes zeros over the steps of channels of an earlier run that are not retained.
  void clear_later_steps();
  [[nodiscard]] std::size_t files() const { return channels_ != nullptr ? 1 : files_.size(); }
  void add_records(std::vector<Extent>& extents);
  void add_channel_records(std::vector<Extent>& extents);
  // Collective. Lays out an ASDF file before its first phase.
  void lay_out();
  // Appends the headers of the blocks starting at `block`, for a count of `steps`.
  void add_channel_headers(std::int64_t block, std::int64_t steps, std::vector<Extent>& extents);
  void add_headers(std::int64_t steps, std::vector<Extent>& extents);
  [[nodiscard]] AccessPlan headers_plan(std::int64_t steps);
  // Collective. Writes the phase; returns false if no step was buffered.
  [[nodiscard]] bool perform();

  const Resources& resources_;
  std::int64_t steps_per_phase_;
  std::int64_t final_steps_;
  StationForm form_;
  std::vector<std::unique_ptr<const station::ReceiverFile>> files_;  // in the order of stations and components
  std::unique_ptr<const station::ChannelFile> channels_;             // replaces `files_` for channels
  std::optional<AsdfContents> asdf_;                                 // of `channels_`, if it is an ASDF file
  std::string path_;                                                 // of an ASDF file
  std::vector<Owned> owned_;
  std::vector<Run> runs_;
  std::vector<ChannelRun> channel_runs_;
  station::Zeros zeros_;
  std::list<std::unique_ptr<Encoder>> encoders_;  // encoders of the last plans for channels
  std::int64_t blocks_ = 0;                       // blocks of channels begun so far
  std::vector<std::size_t> headed_;   // files whose first component, and therefore header, belongs to this rank
  std::vector<std::string> headers_;  // headers of these files, as last written
  std::vector<ItemList> records_;     // records of each file, known after the first phase
  std::vector<double> buffered_;      // values for text files
  std::vector<float> floats_;         // values for the other forms
  std::int64_t buffered_steps_ = 0;
  std::int64_t written_steps_ = 0;
  std::int64_t phases_ = 0;
  std::optional<Error> noticed_;    // error of `record`, on this rank
  std::optional<OutputLock> lock_;  // released when no file is open
  std::optional<GrowingFiles> growing_;
};

}  // namespace sill
