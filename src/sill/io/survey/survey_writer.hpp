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

/// A file of traces. Either the caller brings its bytes (headers and samples in the format and byte order of the file),
/// or the writer makes them: given a form, it writes the file headers and converts floats to samples.
///
///     segy::FileForm form{.samples = 1500, .interval_us = 2000.0, .traces = 40000};
///     SurveyWriter writer(resources, "out.sgy", form);
///     writer.write_samples(mine, headers, samples);
///     writer.finish();
class SurveyWriter {
 public:
  /// Whether the space of the file is taken at once, so that a full disk is noticed before the work, or as it is
  /// written.
  enum class Space { at_once, as_written };

  /// Collective. Equal traces of `traces.item_bytes`; `traces.first_byte` is the size of what comes before the first,
  /// `trailer_bytes` come after the last. Every byte must then be written exactly once. `resources` outlive the writer.
  /// `part`: as of OutputFile. Errors: usage for sizes below 0, if the file would have 2^63 bytes or more,
  /// or for a name of another format (require_survey_name); io.
  SurveyWriter(const Resources& resources, const std::string& target, const ItemList& traces,
               Space space = Space::at_once, std::int64_t trailer_bytes = 0, PartFile* part = nullptr);

  /// Collective. Traces where `table` has them, `trailer_bytes` after the last. Otherwise as above.
  SurveyWriter(const Resources& resources, const std::string& target, segy::TraceTable table,
               std::int64_t trailer_bytes, PartFile* part = nullptr);

  /// Collective. `form.traces` equal traces of a form; writes the text header and the binary header. Only
  /// `write_samples` or `write` remain to be called for all traces. Errors: usage, for what the form cannot hold, for
  /// an interval of 0, or if it has extended text headers, trailers, or lengths that vary, which come as bytes; io.
  SurveyWriter(const Resources& resources, const std::string& target, const segy::FileForm& form);

  /// Collective. Writes the bytes before the first trace; those of rank 0 count. Errors: io; usage if rank 0 does not
  /// bring as many bytes as were announced.
  void write_header(std::span<const std::byte> header);
  /// Collective. Writes the bytes after the last trace; otherwise as `write_header`.
  void write_trailer(std::span<const std::byte> trailer);

  /// Collective. Every rank writes its `traces` (from 0) from `bytes`; ranges of ranks are disjoint and may be empty.
  /// Errors: io; usage if the ranges overlap or do not fit the file or `bytes`.
  void write(ItemRange traces, std::span<const std::byte> bytes);

  /// Collective. Every rank writes the bytes of the file that are its `place`, from `bytes`; otherwise as above. For
  /// traces that the writer was not given one by one. Precondition: bytes.size() == place.length.
  void write_bytes(ByteRange place, std::span<const std::byte> bytes);

  /// Collective. Every rank writes its `traces` (from 0) from their headers (all of a trace's headers, as bytes of the
  /// file's byte order, trace after trace) and its samples as floats, trace after trace, which become samples of the
  /// form's format: rounded to the nearest, halves to even. Of Seismic Unix, samples and interval (115-118) are set.
  /// Ranges of ranks are disjoint and may be empty. Also takes the bytes of the traces as memory. Errors: as
  /// `write`; usage if the writer was made without a form; input for a sample that the format cannot hold.
  void write_samples(ItemRange traces, std::span<const std::byte> headers, std::span<const float> samples);

  // The same of traces by their numbers, in any order.
  /// Collective. Every rank writes its `traces`, in the order of `bytes`. Of a number that a rank names several times
  /// the last one counts; ranks name different ones. Errors: as `write`.
  void write(std::span<const std::int64_t> traces, std::span<const std::byte> bytes);
  /// Collective. The same from headers and samples as floats. Errors: as `write_samples`.
  void write_samples(std::span<const std::int64_t> traces, std::span<const std::byte> headers,
                     std::span<const float> samples);

  /// Local. Returns this rank's own handle, to read back what it wrote: see OutputFile::handle.
  [[nodiscard]] std::shared_ptr<Store> handle() { return file_.handle(); }
  /// Local. The bytes of the file that hold `traces`.
  [[nodiscard]] ByteRange bytes_of(ItemRange traces) const {
    return table_ ? table_->bytes_of(traces) : traces_.bytes_of(traces);
  }
  /// Local. Bytes of the longest trace, 0 without traces.
  [[nodiscard]] std::int64_t longest_trace_bytes() const {
    return table_ ? table_->longest_trace_bytes() : traces_.count > 0 ? traces_.item_bytes : 0;
  }
  /// Local. Bytes of the whole file.
  [[nodiscard]] std::int64_t file_bytes() const { return bytes_of({traces_.count, 0}).offset + trailer_bytes_; }
  /// Local. What writes for all ranks.
  [[nodiscard]] Mover& mover() { return file_.mover(); }

  /// Local. Where the bytes are until `finish`.
  [[nodiscard]] const std::string& unfinished_path() const { return file_.unfinished_path(); }

  /// Collective. What every rank has written can be read by every other from now on: see OutputFile::share.
  void share() { file_.share(); }

  /// Collective. Completes the file. Errors: as OutputFile::finish.
  void finish() { file_.finish(); }

 private:
  void require_traces(ItemRange traces) const;
  [[nodiscard]] std::vector<Extent> extents_of(std::span<const std::int64_t> traces,
                                               std::span<const std::byte> bytes) const;
  // `count` traces as bytes; `number_of(i)`, from 0, names the i-th in errors.
  [[nodiscard]] std::vector<std::byte> encoded(std::int64_t count, std::span<const std::byte> headers,
                                               std::span<const float> samples,
                                               const std::function<std::int64_t(std::int64_t i)>& number_of) const;

  void write_from_rank_0(ByteRange place, std::span<const std::byte> bytes, const char* what);

  const Resources& resources_;
  std::string target_;
  ItemList traces_;  // of equal traces; else only the first byte and the number of traces
  std::optional<segy::TraceTable> table_;
  std::optional<segy::FileForm> form_;
  std::optional<segy::SampleConversion> conversion_;  // from floats to the form's samples
  std::int64_t trailer_bytes_ = 0;
  OutputFile file_;
};

}  // namespace sill
