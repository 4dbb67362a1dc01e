// A survey as Python reads it: samples into arrays, columns of header words, file headers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/store/ranged/ranged_store.hpp"
#include "sill/survey/geometry/gathers.hpp"
#include "sill/survey/geometry/grid_traces.hpp"

namespace sill::python {

/// Traces by number, from 0: consecutive ones, or a list in any order.
using Traces = std::variant<ItemRange, std::span<const std::int64_t>>;

/// The options with which a survey is opened: the words of --map and --assume.
struct OpenOptions {
  std::vector<std::string> paths = {};
  std::string map = {};  ///< a preset or a file; empty: none
  std::vector<std::string> assume = {};
  const RangedFiles* remote = nullptr;  ///< opens URLs; may be null
  bool is_fixed = false;                ///< reading a file that was changed since is an error
};

/// Files that are open as one survey, in this process only. Several threads may use one object.
class Survey {
 public:
  /// Local. Opens the files. Errors: as SurveyReader and open_header_map.
  explicit Survey(const OpenOptions& options);

  [[nodiscard]] const SurveyReader& reader() const { return *reader_; }
  /// Local. Returns the resources of this survey: those of the process, with more threads if a file is remote.
  [[nodiscard]] const Resources& resources() const { return resources_; }
  /// Local. Checks that files that are opened with `is_fixed` have the sizes and times of the last change with which
  /// they were opened. Another file that took the name of one is no change, unless the survey has too many files to
  /// hold them open. All functions that read check the files that they read; those of single traces only if the last
  /// check was 10 ms ago. Errors: input.
  void require_unchanged() const { require_unchanged(ItemRange{0, std::ssize(opened_)}); }

  /// Local. Returns the number of samples of each trace. Errors: usage if traces differ in length.
  [[nodiscard]] std::int64_t samples_per_trace() const;

  /// Local. Reads the samples of `traces` in `format` and native byte order, one trace after another, on all cores.
  /// Number -1 in a list stands for no trace: its samples are NaN, or 0 in integer formats. Returns the values of
  /// `expressions` as `read_columns` does, from headers that are read together with the samples; if there are any, no
  /// number is -1. Errors: usage if a trace does not exist, or if `into` has another size; as
  /// SurveyReader::require_sample_format and read_own_samples; as `read_columns`.
  std::vector<Column> read_samples(const Traces& traces, segy::SampleFormat format, std::span<std::byte> into,
                                   std::span<const segy::Expression> expressions = {}) const;
  /// Local. Returns the first 240 bytes of the headers of each of `traces`. Errors: usage if a trace does not exist;
  /// io, also with ENOMEM.
  [[nodiscard]] std::vector<std::byte> read_headers(const Traces& traces) const;

  /// Local. Checks that samples can be read. Errors: as SurveyReader::require_sample_format.
  void require_sample_format() const;

  /// Local. Returns an expression of the survey's words. Errors: Wrong::name if `text` cannot be read.
  [[nodiscard]] segy::Expression expression(const std::string& text) const;
  /// Local. Returns a condition on the survey's words. Errors: Wrong::name if `text` is not a condition.
  [[nodiscard]] segy::Expression condition(const std::string& text) const;
  /// Local. Returns the values of expressions for `traces`, one column each. Reads the headers once, on all cores.
  /// Errors: as `read_headers`; input for a trace that has no value.
  [[nodiscard]] std::vector<Column> read_columns(const Traces& traces,
                                                 std::span<const segy::Expression> expressions) const;

  /// Local. Returns the lines of a post-stack grid and the traces at its bins. Reads all headers. Errors: as
  /// `require_grid`; io, with ENOMEM.
  [[nodiscard]] GridTraces grid() const;
  /// Local. Returns, for each of `numbers`, the sample nearest to `at_us` as `samples_at`; NaN for no trace (-1) and
  /// for traces without such a sample. Errors: as `samples_at` and SurveyReader::read_own_sample.
  [[nodiscard]] std::vector<float> read_slice(std::span<const std::int64_t> numbers, double at_us) const;

  /// Local. Returns sample `sample`, from 0, of each of `traces`, reading few bytes each; NaN for number -1, no trace.
  /// Errors: usage if a trace or the sample does not exist; as SurveyReader::read_own_sample.
  [[nodiscard]] std::vector<double> read_sample(const Traces& traces, std::int64_t sample) const;

  /// Local. Returns the lines of the text header of file `file` without the blanks at their ends; nothing for a file
  /// without one. Errors: usage if there is no such file; io.
  [[nodiscard]] std::string text(std::int64_t file) const;
  /// Local. Returns the 400 bytes of the binary header of file `file`, as stored; nothing for Seismic Unix data.
  /// Errors: as `text`.
  [[nodiscard]] std::vector<std::byte> binary_header(std::int64_t file) const;

 private:
  [[nodiscard]] std::optional<double> common_start_us() const;
  [[nodiscard]] std::int64_t count(const Traces& traces, std::int64_t lowest = 0) const;
  void require_unchanged(ItemRange files) const;
  void require_unchanged(const Traces& traces) const;
  [[nodiscard]] std::vector<std::byte> file_header(std::int64_t file) const;

  template <class Work>
  void for_pieces(const Traces& traces, std::int64_t bytes_per_trace, const Work& work) const;

  struct FileState {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    FileStamp stamp;

    friend bool operator==(const FileState&, const FileState&) = default;
  };
  // Returns the state of what `file` refers to, or if it is -1, of the file that is now called `path`.
  [[nodiscard]] static std::optional<FileState> state_of(const std::string& path, int file);
  // A file as it was opened. While its descriptor `file` is held, its state can be read after its name is gone.
  struct OpenedFile {
    OpenedFile(const std::string& path, bool is_held);
    OpenedFile(OpenedFile&& from) noexcept : file(std::exchange(from.file, -1)), was(from.was) {}
    OpenedFile& operator=(OpenedFile&&) = delete;
    ~OpenedFile();

    int file = -1;
    std::optional<FileState> was;
  };

  bool is_remote_;
  std::vector<OpenedFile> opened_;                             // the local files, empty unless they are fixed
  mutable std::vector<std::atomic<std::int64_t>> checked_ns_;  // time of the last check of each
  Resources resources_;
  std::unique_ptr<SurveyReader> reader_;
  mutable std::mutex format_check_;  // SurveyReader::require_sample_format is for one thread
  mutable std::once_flag starts_read_;
  mutable std::optional<double> common_start_us_;  // of the first samples, if all traces have the same
};

/// The gathers of a survey, which must outlive them.
class SurveyGathers {
 public:
  /// Local. Determines the gathers with equal `keys`, in the order of `then` within each. Errors: as segy::TraceKey and
  /// Gathers.
  SurveyGathers(const Survey& survey, const std::string& keys, const std::string& then);
  [[nodiscard]] const Gathers& all() const { return gathers_; }
  /// Local. Returns the keys one by one.
  [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }

 private:
  Gathers gathers_;
  std::vector<std::string> keys_;
};

}  // namespace sill::python
