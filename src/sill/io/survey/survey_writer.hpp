// Writing a SEG-Y or Seismic Unix file in parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/description/trace_table.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/output_file.hpp"
#include "sill/layout/item_list.hpp"

namespace sill {

/// A file of traces. Either the caller passes its bytes (headers and samples in the format and byte order of the file),
/// or the writer produces them: given a form, it writes the file headers and converts floats to samples.
///
///     segy::FileForm form{.samples = 1500, .interval_us = 2000.0, .traces = 40000};
///     SurveyWriter writer(resources, "out.sgy", form);
///     writer.write_samples(mine, headers, samples);
///     writer.finish();
class SurveyWriter {
 public:
  /// The time at which the space of the file is reserved: `at_once`, so that a full disk is detected before the work;
  /// or `as_written`, while the file grows.
  enum class Space { at_once, as_written };

  /// Collective. Creates a file of equal traces of `traces.item_bytes` each. `traces.first_byte` is the number of bytes
  /// before the first trace, `trailer_bytes` the number of bytes after the last trace. Every byte must then be written
  /// exactly once. `resources` outlive the writer. `part`: as in OutputFile. Errors: usage for sizes below 0, if the
  /// ranks pass different arguments, if the file would have 2^63 bytes or more, or for a name of another format
  /// (require_survey_name); io.
  SurveyWriter(const Resources& resources, const std::string& target, const ItemList& traces,
               Space space = Space::at_once, std::int64_t trailer_bytes = 0, PartFile* part = nullptr);

  /// Collective. Creates a file with traces at the positions in `table`, and `trailer_bytes` after the last one.
  /// Otherwise as the constructor for equal traces.
  SurveyWriter(const Resources& resources, const std::string& target, segy::TraceTable table,
               std::int64_t trailer_bytes, PartFile* part = nullptr);

  /// Collective. Creates a file of `form.traces` equal traces; writes the text header and the binary header. Only
  /// `write_samples` or `write` must then be called, for all traces. Errors: usage for values that the form cannot
  /// store, for an interval of 0, if the ranks pass different forms or files, and if the form has extended text
  /// headers, trailers, or varying lengths, which must be passed as bytes; io.
  SurveyWriter(const Resources& resources, const std::string& target, const segy::FileForm& form);

  /// Collective. Writes the bytes before the first trace; only the bytes of rank 0 are used. Errors: io; usage if rank
  /// 0 does not pass the number of bytes stated on construction.
  void write_header(std::span<const std::byte> header);
  /// Collective. Writes the bytes after the last trace; otherwise as `write_header`.
  void write_trailer(std::span<const std::byte> trailer);

  /// Collective. Writes the `traces` (from 0) of every rank from `bytes`. The ranges of the ranks must be disjoint; a
  /// range may be empty. Errors: io; usage if the ranges overlap or do not fit the file or `bytes`.
  void write(ItemRange traces, std::span<const std::byte> bytes);

  /// Collective. Writes for every rank the bytes `place` of the file, from `bytes`; otherwise as `write`. For traces
  /// whose positions the writer does not know. Precondition: bytes.size() == place.length.
  void write_bytes(ByteRange place, std::span<const std::byte> bytes);

  /// Collective. Writes the `traces` (from 0) of every rank from their headers (all headers of a trace, in the file's
  /// byte order, trace after trace) and their samples as floats, trace after trace. The samples are converted to the
  /// form's format: rounded to nearest, ties to even. For Seismic Unix, the writer sets the number of samples and the
  /// interval (115-118). The ranges of the ranks must be disjoint; a range may be empty. Needs additional memory for
  /// the bytes of the traces. Errors: as `write`; usage if the writer was made without a form; input for a sample that
  /// the format cannot store.
  void write_samples(ItemRange traces, std::span<const std::byte> headers, std::span<const float> samples);

  // The next functions take traces by their numbers, in any order.
  /// Collective. Writes the `traces` of every rank, in the order of `bytes`. If a rank lists a number several times,
  /// the last entry is used; different ranks must list different numbers. Errors: as `write`.
  void write(std::span<const std::int64_t> traces, std::span<const std::byte> bytes);
  /// Collective. Writes the `traces` of every rank from headers and samples as floats. Errors: as `write_samples`.
  void write_samples(std::span<const std::int64_t> traces, std::span<const std::byte> headers,
                     std::span<const float> samples);

  /// Local. Returns this rank's own handle, to read back the bytes that the rank wrote: see OutputFile::handle.
  [[nodiscard]] std::shared_ptr<Store> handle() { return file_.handle(); }
  /// Local. Returns the range of bytes of the file that contains `traces`.
  [[nodiscard]] ByteRange bytes_of(ItemRange traces) const {
    return table_ ? table_->bytes_of(traces) : traces_.bytes_of(traces);
  }
  /// Local. Returns the size of the longest trace in bytes, 0 without traces.
  [[nodiscard]] std::int64_t longest_trace_bytes() const {
    return table_ ? table_->longest_trace_bytes() : traces_.count > 0 ? traces_.item_bytes : 0;
  }
  /// Local. Returns the size of the complete file in bytes.
  [[nodiscard]] std::int64_t file_bytes() const { return bytes_of({traces_.count, 0}).offset + trailer_bytes_; }
  /// Local. Returns the mover that writes for all ranks.
  [[nodiscard]] Mover& mover() { return file_.mover(); }

  /// Local. Returns the path of the part file, which contains the bytes until `finish`.
  [[nodiscard]] const std::string& unfinished_path() const { return file_.unfinished_path(); }

  /// Collective. Makes the bytes written by every rank readable on all other ranks: see OutputFile::share.
  void share() { file_.share(); }

  /// Collective. Completes the file. Errors: as OutputFile::finish.
  void finish() { file_.finish(); }

 private:
  void require_traces(ItemRange traces) const;
  [[nodiscard]] std::vector<Extent> extents_of(std::span<const std::int64_t> traces,
                                               std::span<const std::byte> bytes) const;
  // Returns `count` traces as bytes; errors name the i-th one `number_of(i)`, from 0.
  [[nodiscard]] std::vector<std::byte> encoded(std::int64_t count, std::span<const std::byte> headers,
                                               std::span<const float> samples,
                                               const std::function<std::int64_t(std::int64_t i)>& number_of) const;

  void write_from_rank_0(ByteRange place, std::span<const std::byte> bytes, const char* what);

  const Resources& resources_;
  std::string target_;
  ItemList traces_;  // positions of equal traces; otherwise only the first byte and the number of traces
  std::optional<segy::TraceTable> table_;
  std::optional<segy::FileForm> form_;
  std::optional<segy::SampleConversion> conversion_;  // conversion of floats to the form's samples
  std::int64_t trailer_bytes_ = 0;
  OutputFile file_;
};

}  // namespace sill
