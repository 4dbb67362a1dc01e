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

/// The wanted bytes of the headers of consecutive traces of one file.
struct HeaderBlock {
  std::int64_t first_trace = 0;  ///< number of the first, from 0, counted through all files
  std::int64_t count = 0;
  int file = 0;  ///< index into the survey's files
  ByteOrder byte_order = ByteOrder::big;
  const std::byte* headers = nullptr;
  std::int64_t stride_bytes = 0;

  /// Local. The address byte 1 of trace `first_trace + i`'s header has or would have; only the bytes that were asked
  /// for are there.
  [[nodiscard]] const std::byte* header(std::int64_t i) const { return headers + i * stride_bytes; }
  /// Local. The same for keys and expressions.
  [[nodiscard]] segy::HeaderView view(std::int64_t i) const {
    return {header(i), byte_order, file + 1, first_trace + i + 1};
  }
};

/// Called by several threads at once, each block exactly once.
using HeaderVisitor = std::function<void(const HeaderBlock& block, int thread)>;

/// One or more files whose traces are numbered consecutively, from 0, in the order of the files.
///
///     SurveyReader reader(resources, {"line1.sgy", "line2.sgy"});
///     std::vector<float> samples(reader.samples_of(mine));
///     reader.read_samples(mine, samples);
class SurveyReader {
 public:
  /// Collective. `resources` outlive the reader. Where traces differ in length, the index kept beside a file is taken,
  /// or one is made (docs/index-file.md). `map` is what the user says that words mean, or nullptr; it is needed for
  /// the call alone. Errors: usage if there is no path or two lead to one file, or as `words_of_files`; io and input as
  /// `open_described` and `require_no_journal` (io/edit/journal_finding.hpp), unless rules say to ignore it; input if a
  /// file was cut, or if the files do not make one survey: kind, byte order, sample format, additional headers,
  /// interval, measurement system, layout stanza or (of one length) samples per trace differ, or traces differ in
  /// length in some only. `rules` say what is assumed of every file, from which grade on a finding refuses it, all such
  /// findings being named, and whether files may differ so; then layout stanzas alone may not, and `read_samples` has
  /// no meaning.
  SurveyReader(const Resources& resources, const std::vector<std::string>& paths, const segy::HeaderMap* map = nullptr,
               const InputRules& rules = {});

  [[nodiscard]] std::int64_t traces() const { return traces_; }
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }
  [[nodiscard]] std::span<const segy::FileDescription> files() const { return files_; }
  /// The assumptions about every file.
  [[nodiscard]] const segy::Assumptions& assumptions() const { return assumptions_; }
  /// What names of trace header words mean in these files.
  [[nodiscard]] const segy::HeaderMap& words() const { return words_; }
  /// Local. Returns the file that holds trace `trace` of the survey.
  [[nodiscard]] int file_of(std::int64_t trace) const;
  /// Local. Returns where trace `trace` of the survey is, for errors.
  [[nodiscard]] Where where(std::int64_t trace) const;

  /// Local. Returns trace `trace` of the survey, whose headers are at `header`, for keys and expressions.
  [[nodiscard]] segy::HeaderView view(std::int64_t trace, const std::byte* header) const {
    const int file = file_of(trace);
    return {header, files_[static_cast<std::size_t>(file)].byte_order, file + 1, trace + 1};
  }

  /// Local. Whether all traces of all files have one length, headers and samples alike.
  [[nodiscard]] bool is_uniform() const { return is_uniform_; }
  /// Local. Bytes of one trace, headers and samples. Precondition: `is_uniform()`.
  [[nodiscard]] std::int64_t trace_bytes() const { return files_.front().trace_bytes; }
  /// Local. The files as a permutation takes them: items of different sizes unless `is_uniform()`.
  [[nodiscard]] std::span<const InputItems> inputs() const { return inputs_; }
  /// Local. Headers and samples of a trace.
  [[nodiscard]] segy::TraceShape shape_of(std::int64_t trace) const;
  /// Local. Where the traces of a file lie in it.
  [[nodiscard]] const segy::TraceTable& table(int file) const { return tables_[static_cast<std::size_t>(file)]; }
  /// Local. The same of each file.
  [[nodiscard]] std::span<const segy::TraceTable> tables() const { return tables_; }
  /// Local. Bytes of `traces`, headers and samples.
  [[nodiscard]] std::int64_t bytes_of(ItemRange traces) const;
  /// Local. Bytes of the longest trace, 0 without traces.
  [[nodiscard]] std::int64_t longest_trace_bytes() const;
  /// Local. Samples of `traces` together.
  [[nodiscard]] std::int64_t samples_of(ItemRange traces) const;

  /// Collective over `comm`, which may be of one rank. Errors: io if a file was changed, replaced, or edited since it
  /// was opened, as far as its size, its time and the journal beside it show: call it before an output is complete.
  void require_unchanged(Communicator& comm) const;

  /// Collective. Looks at the samples of about 100 traces of each file, the first time it is called
  /// (io/survey/sample_format_look.hpp); call it before samples are computed with. Errors: input, if they contradict
  /// the sample format that the file states, unless it was assumed; io.
  void require_sample_format() const;
  /// Collective. Returns what that finds in file `file`, if it is to be reported. Errors: io.
  [[nodiscard]] std::optional<Diagnostic> sample_format_finding(int file) const;

  /// Local. The bytes before the first trace of file `file`: tape label, text header, binary header, extended text
  /// headers; none of a Seismic Unix file. Errors: io.
  [[nodiscard]] std::vector<std::byte> file_header(int file) const;
  /// Local. The bytes after the last trace of file `file`: its data trailers. Errors: io.
  [[nodiscard]] std::vector<std::byte> file_trailer(int file) const;
  /// Local. Returns the bytes of file `file` between its last whole trace and its data trailers: the rest of a trace
  /// that was cut, if the rules accept damaged files; otherwise none. Errors: io.
  [[nodiscard]] std::vector<std::byte> cut_trace(int file) const;

  /// Local. Visits bytes `part` (from 0, within the headers) of the headers of `traces`, on `threads` threads, reading
  /// no other bytes. An empty `part` visits without reading. Errors: io; input if a trace has fewer headers; what
  /// `visit` throws.
  void scan_headers(ItemRange traces, ByteRange part, int threads, const HeaderVisitor& visit) const;

  /// Local. Whether the rules asked for stored words and the indexes of all files store each of `words`.
  [[nodiscard]] bool has_index_words(std::span<const segy::WordRef> words) const;
  /// Local. Visits `traces` as `scan_headers` does, with the words that the indexes store in place of headers, which
  /// are not read; no other bytes of a block are set. Precondition: `has_index_words`. Errors: io; input if an index is
  /// damaged or was replaced; what `visit` throws.
  void scan_index_words(ItemRange traces, int threads, const HeaderVisitor& visit) const;

  /// Local. Reads whole traces into `into`, which holds `bytes_of(traces)`. Errors: io.
  void read_own(ItemRange traces, std::span<std::byte> into) const;

  // The same of traces that exist, by their numbers, in any order: each run of consecutive ones is one request.
  /// Local. Bytes of `traces`, headers and samples.
  [[nodiscard]] std::int64_t bytes_of(std::span<const std::int64_t> traces) const;
  /// Local. Reads whole traces, in the order of `traces`, into `into`, which holds `bytes_of(traces)`. Errors: io.
  void read_own(std::span<const std::int64_t> traces, std::span<std::byte> into) const;
  /// Local. Reads the first `header_bytes`, which all traces have, of the headers of each into `into`, which holds as
  /// many for each; in one request where less than 16 KiB hold them all, with the samples between. Errors: io.
  void read_own_headers(std::span<const std::int64_t> traces, std::span<std::byte> into,
                        std::int64_t header_bytes = segy::trace_header_bytes) const;
  /// Local. Tells the system that these traces, or their headers as `read_own_headers` takes them, will be read soon.
  void will_need(std::span<const std::int64_t> traces) const;
  void will_need_headers(std::span<const std::int64_t> traces) const;
  /// Local. Reads their samples, one trace after another, as `read_samples` does. Precondition: `require_sample_format`
  /// was called. Errors: usage if it was not; io; input for a sample beyond the range of float.
  void read_own_samples(std::span<const std::int64_t> traces, std::span<float> into) const;

  /// Local. Reads sample `samples[i]` of trace `traces[i]`, in few bytes each. Preconditions: as of `read_own_samples`;
  /// the traces have these samples. Errors: likewise.
  void read_own_sample(std::span<const std::int64_t> traces, std::span<const std::int64_t> samples,
                       std::span<double> into) const;

  /// Collective. Every rank reads its `traces`, as the policy says; ranges of ranks may overlap or be empty.
  /// Errors: io; usage if `into` has not `bytes_of(traces)` bytes or the traces do not exist.
  void read(ItemRange traces, std::span<std::byte> into) const;

  /// Collective. Every rank reads the samples of its `traces` as floats, one trace after another, whatever the file's
  /// format and byte order: rounded to the nearest where a float has too few digits. Ranges of ranks may overlap or be
  /// empty. Also takes the bytes of the traces as memory. Errors: as `read`, with `into` of `samples_of(traces)`
  /// floats, and as `require_sample_format`; input for a sample beyond the range of float.
  void read_samples(ItemRange traces, std::span<float> into) const;

  /// Local. Reads the first 240 bytes of the headers of `traces` into `into`, which holds as many for each.
  /// Errors: io.
  void read_headers(ItemRange traces, std::span<std::byte> into) const;

  /// Local. Errors: usage if the survey has not all of these traces.
  void require_traces(ItemRange traces) const;

 private:
  void add_file(const std::string& path, std::unique_ptr<Store> store, const InputRules& rules);
  void require_whole_traces() const;
  void require_one_survey() const;
  void require_checked_format() const;
  void decode_samples(ItemRange traces, std::span<const std::byte> bytes, std::span<float> into) const;

  const Resources& resources_;
  segy::Assumptions assumptions_;
  std::vector<segy::FileDescription> files_;
  std::vector<std::string> paths_;
  std::vector<FileStamp> stamps_;
  std::vector<std::unique_ptr<Store>> stores_;
  std::vector<segy::TraceTable> tables_;
  std::vector<std::optional<IndexWords>> index_words_;  // of each file, if asked for
  std::vector<InputItems> inputs_;
  std::int64_t traces_ = 0;
  bool is_uniform_ = true;
  bool ignores_journals_ = false;
  segy::HeaderMap words_;
  mutable bool is_format_checked_ = false;  // by require_sample_format
  mutable std::optional<Mover> mover_;      // with the first collective read
};

}  // namespace sill
