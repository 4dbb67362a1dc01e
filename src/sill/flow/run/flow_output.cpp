#include "sill/flow/run/flow_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/convert/file_header_conversion.hpp"
#include "sill/survey/convert/convert.hpp"
#include "sill/survey/edit/text_history.hpp"
#include "sill/survey/output/finish_output.hpp"

namespace sill::flow {
namespace {

constexpr int sorting_code_byte = 3229;  // bytes 3229-3230

segy::FileForm form_of(const SurveyReader& reader, const SurveyState& state, segy::SampleFormat format,
                       std::int64_t traces) {
  ConvertOptions as_input;
  as_input.sample_format = format;
  as_input.byte_order = state.order;
  segy::FileForm form = form_of_conversion(reader, as_input);
  form.samples = state.samples;
  form.interval_us = state.interval_us;
  form.traces = traces;
  form.sorting_code = state.sorting_code;
  segy::require_possible(form);
  return form;
}

}  // namespace

FlowOutput::FlowOutput(const Resources& resources, const SurveyReader& reader, const SurveyState& state,
                       const std::string& output, segy::SampleFormat format, std::int64_t traces,
                       const std::vector<std::string>& history, PartFile* part)
    : resources_(resources), reader_(reader), path_(output) {
  const segy::FileDescription& from = reader.files().front();
  const std::vector<std::byte> header = run_and_agree(resources.comm, [&] {
    form_ = form_of(reader, state, format, traces);
    if (form_.kind == segy::FileKind::seismic_unix) return std::vector<std::byte>{};
    segy::ConvertedFileHeader converted = segy::convert_file_header(reader.file_header(0), from, form_);
    std::ranges::move(converted.notes, std::back_inserter(notes_));
    segy::write_word(converted.bytes.data() + from.label_bytes + segy::text_header_bytes, sorting_code_byte - 3200,
                     {segy::WordKind::signed_integer, 2}, form_.byte_order,
                     {.number = std::int64_t{form_.sorting_code}});
    const auto text =
        std::span(converted.bytes).subspan(static_cast<std::size_t>(from.label_bytes)).first<segy::text_header_bytes>();
    for (const std::string& line : history) {
      try {
        add_history(text, from.text_encoding, line, from.path);
      } catch (const Error& error) {
        notes_.push_back(fmt::format("the text header has no line for '{}': {}", line, error.parts().problem));
        break;
      }
    }
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

void FlowOutput::finish(std::vector<std::string>& notes) {
  writer_->write_trailer(trailer_);
  segy::FileDescription meant = described_as(reader_.files().front(), form_, first_trace_byte_);
  meant.interval_us = form_.interval_us;
  finish_output(resources_, reader_, *writer_, path_,
                {.file = std::move(meant),
                 .assume = reader_.assumptions(),
                 .problem = "the output would not be read as it was written"});
  std::ranges::copy(notes_, std::back_inserter(notes));
}

}  // namespace sill::flow
