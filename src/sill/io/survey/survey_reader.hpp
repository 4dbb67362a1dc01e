// Reading one or more SEG-Y or Seismic Unix files as one survey.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/description/trace_table.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/formats/segy/words/header_view.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/file_stamp.hpp"
#include "sill/io/survey/index_words.hpp"
#include "sill/io/survey/input_rules.hpp"
#include "sill/layout/range.hpp"
#include "sill/move/mover.hpp"
#include "sill/permute/permutation.hpp"

namespace sill {

/// The requested bytes of the headers of consecutive traces of one file.
struct HeaderBlock {
  std::int64_t first_trace = 0;  ///< number of the first trace, from 0, counted over all files
  std::int64_t count = 0;
  int file = 0;  ///< index into the survey's files
  ByteOrder byte_order = ByteOrder::big;
  const std::byte* headers = nullptr;
  std::int64_t stride_bytes = 0;

  /// Local. Returns the address of byte 1 of the header of trace `first_trace + i`. Only the requested bytes may be
  /// read.
  [[nodiscard]] const std::byte* header(std::int64_t i) const { return headers + i * stride_bytes; }
  /// Local. Returns the header of trace `first_trace + i` for keys and expressions.
  [[nodiscard]] segy::HeaderView view(std::int64_t i) const {
    return {header(i), byte_order, file + 1, first_trace + i + 1};
  }
};

/// A function that several threads call at the same time, exactly once for each block.
using HeaderVisitor = std::function<void(const HeaderBlock& block, int thread)>;

struct DescribedFile;

/// One or more files whose traces are numbered consecutively, from 0, in the order of the files.
///
///     SurveyReader reader(resources, {"line1.sgy", "line2.sgy"});
///     std::vector<float> samples(reader.samples_of(mine));
///     reader.read_samples(mine, samples);
class SurveyReader {
 public:
  /// Collective. Opens the files. `resources` outlive the reader. If traces differ in length, the index stored next to
  /// a file is used, or one is built (docs/index-file.md). `map` is the user's map of words, or nullptr; it is needed
  /// only during the call. `rules` define the assumptions about every file, the grade of findings that reject a file
  /// (the error lists all such findings), and whether files may differ: then only layout stanzas must be equal, and
  /// `read_samples` must not be called. Errors: usage if there is no path or two paths lead to one file, or as
  /// `words_of_files`; io and input as `open_described` and `require_no_journal` (io/edit/journal_finding.hpp), unless
  /// rules ignore the journal; input if a file is truncated, or if the files do not form one survey: if the kind, byte
  /// order, sample format, additional headers, interval, measurement system, layout stanza or (for traces of one
  /// length) samples per trace differ, or if only some files have traces of different lengths.
  SurveyReader(const Resources& resources, const std::vector<std::string>& paths, const segy::HeaderMap* map = nullptr,
               const InputRules& rules = {});

  [[nodiscard]] std::int64_t traces() const { return traces_; }
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }
  [[nodiscard]] std::span<const segy::FileDescription> files() const { return files_; }
  /// Local. Returns the assumptions about every file.
  [[nodiscard]] const segy::Assumptions& assumptions() const { return assumptions_; }
  /// Local. Returns the meaning of names of trace header words in these files.
  [[nodiscard]] const segy::HeaderMap& words() const { return words_; }
  /// Local. Returns the index of the file that contains trace `trace` of the survey.
  [[nodiscard]] int file_of(std::int64_t trace) const;
  /// Local. Returns the position of trace `trace` of the survey, for errors.
  [[nodiscard]] Where where(std::int64_t trace) const;

  /// Local. Returns trace `trace` of the survey, with its headers at `header`, for keys and expressions.
  [[nodiscard]] segy::HeaderView view(std::int64_t trace, const std::byte* header) const {
    const int file = file_of(trace);
    return {header, files_[static_cast<std::size_t>(file)].byte_order, file + 1, trace + 1};
  }

  /// Local. Returns true if all traces of all files have the same number of header bytes and of samples.
  [[nodiscard]] bool is_uniform() const { return is_uniform_; }
  /// Local. Returns the size of one trace, headers and samples, in bytes. Precondition: `is_uniform()` is true.
  [[nodiscard]] std::int64_t trace_bytes() const { return files_.front().trace_bytes; }
  /// Local. Returns the files as inputs of a permutation: items of different sizes unless `is_uniform()`.
  [[nodiscard]] std::span<const InputItems> inputs() const { return inputs_; }
  /// Local. Returns the sizes of the headers and samples of a trace.
  [[nodiscard]] segy::TraceShape shape_of(std::int64_t trace) const;
  /// Local. Returns the positions of the traces in a file.
  [[nodiscard]] const segy::TraceTable& table(int file) const { return tables_[static_cast<std::size_t>(file)]; }
  /// Local. Returns the positions of the traces in each file.
  [[nodiscard]] std::span<const segy::TraceTable> tables() const { return tables_; }
  /// Local. Returns the size of `traces` in bytes, headers and samples.
  [[nodiscard]] std::int64_t bytes_of(ItemRange traces) const;
  /// Local. Returns the size of the longest trace in bytes, 0 without traces.
  [[nodiscard]] std::int64_t longest_trace_bytes() const;
  /// Local. Returns the total number of samples of `traces`.
  [[nodiscard]] std::int64_t samples_of(ItemRange traces) const;

  /// Collective over `comm`, which may have one rank. Checks the size, the time of the last change and the journal of
  /// each file. Call it before an output is completed. Errors: io if a file was changed, replaced, or edited since it
  /// was opened.
  void require_unchanged(Communicator& comm) const;

  /// Collective. Checks the samples of about 100 traces of each file, in the first call only
  /// (io/survey/sample_format_look.hpp); call it before computing with samples. Errors: input if the samples contradict
  /// the sample format that the file states, unless it was assumed; io.
  void require_sample_format() const;
  /// Collective. Returns the finding of `require_sample_format` for file `file`, or nullopt if there is none. Errors:
  /// io.
  [[nodiscard]] std::optional<Diagnostic> sample_format_finding(int file) const;

  /// Local. Returns the bytes before the first trace of file `file`: tape label, text header, binary header, extended
  /// text headers; no bytes for a Seismic Unix file. Errors: io.
  [[nodiscard]] std::vector<std::byte> file_header(int file) const;
  /// Local. Returns the bytes after the last trace of file `file`: its data trailers. Errors: io.
  [[nodiscard]] std::vector<std::byte> file_trailer(int file) const;
  /// Local. Returns the bytes of file `file` between its last complete trace and its data trailers: the rest of a
  /// truncated trace, if the rules accept damaged files; otherwise no bytes. Errors: io.
  [[nodiscard]] std::vector<std::byte> cut_trace(int file) const;

  /// Local. Visits the bytes `part` (from 0, within the headers) of the headers of `traces`, on `threads` threads,
  /// without reading other bytes. If `part` is empty, visits without reading. Errors: io; input if a trace has fewer
  /// headers; any error that `visit` throws.
  void scan_headers(ItemRange traces, ByteRange part, int threads, const HeaderVisitor& visit) const;

  /// Local. Returns true if the rules request stored words and the indexes of all files store each of `words`.
  [[nodiscard]] bool has_index_words(std::span<const segy::WordRef> words) const;
  /// Local. Visits `traces` as `scan_headers` does, with words from the indexes in place of headers, which are not
  /// read. Other bytes of a block are not set. Precondition: `has_index_words` returns true. Errors: io; input if an
  /// index is damaged or was replaced; any error that `visit` throws.
  void scan_index_words(ItemRange traces, int threads, const HeaderVisitor& visit) const;

  /// Local. Reads complete traces into `into`, which has `bytes_of(traces)` bytes. Errors: io.
  void read_own(ItemRange traces, std::span<std::byte> into) const;

  // The next functions take existing traces by their numbers, in any order; each run of consecutive ones is one
  // request.
  /// Local. Returns the size of `traces` in bytes, headers and samples.
  [[nodiscard]] std::int64_t bytes_of(std::span<const std::int64_t> traces) const;
  /// Local. Reads complete traces, in the order of `traces`, into `into`, which has `bytes_of(traces)` bytes. Errors:
  /// io.
  void read_own(std::span<const std::int64_t> traces, std::span<std::byte> into) const;
  /// Local. Reads the first `header_bytes` bytes of the headers of each trace into `into`, which has `header_bytes` per
  /// trace. If the headers of a run of consecutive traces are within 16 KiB of the file, one request reads them with
  /// the samples between them. Errors: io; input if a trace has fewer headers.
  void read_own_headers(std::span<const std::int64_t> traces, std::span<std::byte> into,
                        std::int64_t header_bytes = segy::trace_header_bytes) const;
  /// Local. Inform the system that these traces, or their headers as in `read_own_headers`, will be read soon.
  void will_need(std::span<const std::int64_t> traces) const;
  void will_need_headers(std::span<const std::int64_t> traces) const;
  /// Local. Reads the samples of `traces`, one trace after another, as `read_samples` does. Precondition:
  /// `require_sample_format` was called. Errors: usage if it was not; io; input for a sample outside the range of
  /// float.
  void read_own_samples(std::span<const std::int64_t> traces, std::span<float> into) const;
  /// Local. Reads the samples of `traces` as another format in native byte order; `into` has its bytes. Values are
  /// rounded to nearest, ties to even. `headers` gets equally many bytes of the headers of each trace.
  /// Precondition and errors: as above, for samples outside the range of `format`; input if a trace has fewer headers.
  void read_own_samples(std::span<const std::int64_t> traces, segy::SampleFormat format, std::span<std::byte> into,
                        std::span<std::byte> headers = {}) const;

  /// Local. Reads sample `samples[i]` of trace `traces[i]` for each i, reading few bytes each. Preconditions: as
  /// `read_own_samples`; the traces have these samples. Errors: as `read_own_samples`.
  void read_own_sample(std::span<const std::int64_t> traces, std::span<const std::int64_t> samples,
                       std::span<double> into) const;

  /// Collective. Reads the `traces` of every rank, as the policy defines; ranges of ranks may overlap or be empty.
  /// Errors: io; usage if the size of `into` is not `bytes_of(traces)` bytes or the traces do not exist.
  void read(ItemRange traces, std::span<std::byte> into) const;

  /// Collective. Reads the samples of the `traces` of every rank as floats, one trace after another, from any format
  /// and byte order: rounded to nearest where a float has too few digits. Ranges of ranks may overlap or be empty.
  /// Needs additional memory for the bytes of the traces. Errors: as `read`, with `into` of `samples_of(traces)`
  /// floats, and as `require_sample_format`; input for a sample outside the range of float.
  void read_samples(ItemRange traces, std::span<float> into) const;

  /// Local. Reads the first 240 bytes of the headers of `traces` into `into`, which has 240 bytes per trace. Errors:
  /// io.
  void read_headers(ItemRange traces, std::span<std::byte> into) const;

  /// Local. Checks that the survey has all `traces`. Errors: usage if a trace does not exist.
  void require_traces(ItemRange traces) const;

 private:
  void add_file(const std::string& path, DescribedFile file, const InputRules& rules);
  void require_whole_traces() const;
  void require_one_survey() const;
  void require_checked_format() const;
  void require_headers(std::size_t file, ItemRange in_file, ByteRange part) const;
  void decode_samples(ItemRange traces, std::span<const std::byte> bytes, segy::SampleFormat format,
                      std::span<std::byte> into) const;

  const Resources& resources_;
  segy::Assumptions assumptions_;
  std::vector<segy::FileDescription> files_;
  std::vector<std::string> paths_;
  std::vector<FileStamp> stamps_;
  std::vector<std::unique_ptr<Store>> stores_;
  std::vector<segy::TraceTable> tables_;
  std::vector<std::optional<IndexWords>> index_words_;  // words of each file, if requested
  std::vector<InputItems> inputs_;
  std::int64_t traces_ = 0;
  bool is_uniform_ = true;
  bool ignores_journals_ = false;
  segy::HeaderMap words_;
  mutable bool is_format_checked_ = false;  // set by require_sample_format
  mutable std::optional<Mover> mover_;      // created by the first collective read
};

}  // namespace sill
