#include "sill/flow/run/flow_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/convert/file_header_conversion.hpp"
#include "sill/formats/segy/detect/extended_text.hpp"
#include "sill/survey/convert/convert.hpp"
#include "sill/survey/edit/text_history.hpp"
#include "sill/survey/output/finish_output.hpp"

namespace sill::flow {
namespace {

constexpr int sorting_code_byte = 3229;  // bytes 3229-3230
// Words for the traces per ensemble and the expected number of them, and the words of revision 2 that replace them.
constexpr std::array<std::pair<int, int>, 2> ensemble_bytes{{{3213, 3261}, {3227, 3293}}};

segy::FileForm form_in(std::optional<segy::Revision> revision, const SurveyReader& reader, const SurveyState& state,
                       segy::SampleFormat format, std::int64_t traces) {
  ConvertOptions as_input;
  as_input.sample_format = format;
  as_input.byte_order = state.order;
  as_input.revision = revision;
  segy::FileForm form = form_of_conversion(reader, as_input);
  form.samples = state.samples;
  form.interval_us = state.interval_us;
  form.traces = traces;
  form.sorting_code = state.sorting_code;
  segy::require_possible(form);
  return form;
}

segy::FileForm form_of(const SurveyReader& reader, const SurveyState& state, segy::SampleFormat format,
                       std::int64_t traces, FileUse use) {
  try {
    return form_in(std::nullopt, reader, state, format, traces);
  } catch (const Error& error) {
    const segy::Revision revision = segy::revision_of(reader.files().front());
    if (error.code() != ErrorCode::usage || state.kind == segy::FileKind::seismic_unix ||
        revision >= segy::Revision::rev2_0)
      throw;
    // Throws if this revision cannot store the file either.
    segy::FileForm form = form_in(segy::Revision::rev2_1, reader, state, format, traces);
    if (use == FileUse::next_pass) return form;
    // The advice of the error is for commands that can choose the revision.
    ErrorParts parts = error.parts();
    const bool is_of_format = segy::major_of(revision) < segy::first_revision_of(format);
    parts.action = fmt::format("convert the input with 'sill convert --revision 2.1' first{}",
                               is_of_format ? ", or give another --sample-format" : "");
    throw Error(std::move(parts));
  }
}

}  // namespace

FlowOutput::FlowOutput(const Resources& resources, const SurveyReader& reader, const SurveyState& state,
                       const std::string& output, segy::SampleFormat format, std::int64_t traces,
                       const FlowHistory& history, PartFile* part, FileUse use)
    : resources_(resources), reader_(reader), path_(output) {
  const segy::FileDescription& from = reader.files().front();
  const std::vector<std::byte> header = run_and_agree(resources.comm, [&] {
    form_ = form_of(reader, state, format, traces, use);
    if (form_.kind == segy::FileKind::seismic_unix) return std::vector<std::byte>{};
    segy::ConvertedFileHeader converted = segy::convert_file_header(reader.file_header(0), from, form_);
    std::ranges::move(converted.notes, std::back_inserter(notes_));
    const auto write = [&](int byte, int bytes, std::int64_t value) {
      segy::write_word(converted.bytes.data() + from.label_bytes + segy::text_header_bytes, byte - 3200,
                       {segy::WordKind::signed_integer, bytes}, form_.byte_order, {.number = value});
    };
    write(sorting_code_byte, 2, form_.sorting_code);
    for (const auto& [byte, long_byte] : ensemble_bytes) {
      if (!state.ensemble) break;
      const bool fits = *state.ensemble <= std::numeric_limits<std::int16_t>::max();
      write(byte, 2, fits ? *state.ensemble : 0);
      if (segy::major_of(form_.revision) >= 2) write(long_byte, 4, fits ? 0 : *state.ensemble);
    }
    add_lines(history, converted.bytes);
    return std::move(converted.bytes);
  });
  run_on_rank(resources.comm, 0, [&] { trailer_ = reader.file_trailer(0); });
  first_trace_byte_ = std::ssize(header);
  const std::int64_t trace_bytes = form_.trace_bytes();
  const std::int64_t trailer_bytes =
      form_.kind == segy::FileKind::segy ? from.trailers * std::int64_t{segy::text_header_bytes} : 0;
  writer_.emplace(resources, output, ItemList{first_trace_byte_, trace_bytes, traces}, SurveyWriter::Space::at_once,
                  trailer_bytes, part);
  writer_->write_header(header);
}

void FlowOutput::add_lines(const FlowHistory& history, std::vector<std::byte>& header) {
  if (history.place == History::extended) return add_extended_lines(history, header);
  if (history.place == History::none) return;
  const segy::FileDescription& from = reader_.files().front();
  const auto text =
      std::span(header).subspan(static_cast<std::size_t>(from.label_bytes)).first<segy::text_header_bytes>();
  if (history.lines.empty()) return;
  std::size_t added = 0;
  std::string problem = "all lines from 1 to 38 contain text";
  const std::optional<Error> error =
      attempt([&] { added = add_history(text, from.text_encoding, std::span(history.lines), from.path); });
  if (error) problem = error->parts().problem;
  if (added == history.lines.size()) return;
  notes_.push_back(
      fmt::format("the text header has no free line for '{}': {}; --history extended has room for all operations",
                  history.lines[added], problem));
}

// After the existing headers, but before the one that states that it is the last. Source: SEG-Y rev 1, bytes 3505-3506
// and section 6: a stanza begins with its name.
void FlowOutput::add_extended_lines(const FlowHistory& history, std::vector<std::byte>& header) {
  const segy::FileDescription& from = reader_.files().front();
  std::vector<std::string> lines{"((SILL: Flow))"};
  for (const std::string& line : history.lines)
    for (std::size_t at = 0; at < line.size(); at += segy::text_header_columns)
      lines.push_back(line.substr(at, segy::text_header_columns));
  std::vector<std::byte> added;
  for (std::size_t at = 0; at < lines.size(); at += segy::text_header_lines) {
    added.resize(added.size() + segy::text_header_bytes);
    segy::encode_text_header(
        std::span(lines).subspan(at, std::min<std::size_t>(segy::text_header_lines, lines.size() - at)),
        from.text_encoding == segy::TextEncoding::unknown ? segy::TextEncoding::ebcdic : from.text_encoding,
        std::span(added).last<segy::text_header_bytes>());
    ++added_headers_;
  }
  const bool has_end =
      form_.extended_text_bytes > 0 && segy::holds_end_text(std::span(header).last<segy::text_header_bytes>());
  header.insert(header.end() - (has_end ? segy::text_header_bytes : 0), added.begin(), added.end());
  form_.extended_text_bytes += std::ssize(added);
  segy::set_form_words(
      form_,
      std::span(header).subspan(static_cast<std::size_t>(from.label_bytes)).subspan<segy::text_header_bytes, 400>());
}

segy::Assumptions FlowOutput::assumptions() const {
  const segy::FileDescription& from = reader_.files().front();
  segy::Assumptions assume = reader_.assumptions();
  if (form_.samples != from.samples) assume.samples.reset();
  // The headers of the output state it, unless it is looked for where the map does not place it.
  const segy::MapWord* const dt = reader_.words().find("dt");
  constexpr int standard_byte = 117;
  if (form_.interval_us != from.interval_us || (dt != nullptr && dt->byte == standard_byte)) assume.interval_us.reset();
  if (form_.sample_format != from.sample_format) assume.format_code.reset();
  if (form_.revision != segy::revision_of(from)) assume.revision.reset();
  if (first_trace_byte_ != from.first_trace_byte) {
    assume.first_trace_byte.reset();
    assume.extended_text_headers.reset();
  }
  return assume;
}

void FlowOutput::finish(std::vector<std::string>& notes) {
  writer_->write_trailer(trailer_);
  segy::FileDescription meant = described_as(reader_.files().front(), form_, first_trace_byte_);
  meant.interval_us = form_.interval_us;
  meant.extended_text_headers += added_headers_;
  finish_output(resources_, reader_, *writer_, path_,
                {.file = std::move(meant),
                 .assume = assumptions(),
                 .problem = "the output would not be read as it was written, according to its headers"});
  std::ranges::copy(notes_, std::back_inserter(notes));
}

}  // namespace sill::flow
