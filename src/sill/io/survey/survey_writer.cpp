#include "sill/io/survey/survey_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/base/first_index.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/formats/file_ending.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

void require_simple(const segy::FileForm& form) {
  segy::require_possible(form);
  if (form.interval_us == 0.0)
    throw Error({.code = ErrorCode::usage,
                 .problem = "the file form states a sample interval of 0",
                 .clause = "SEG-Y rev 1, bytes 3217-3218",
                 .action = "state the interval between samples in microseconds: interval_us"});
  if (form.extended_text_bytes == 0 && form.trailers == 0 && !form.lengths_vary) return;
  throw Error(
      {.code = ErrorCode::usage,
       .problem = "a writer with a form cannot write extended text headers, trailers, or traces of different lengths",
       .action = "pass a table of traces, and write the bytes of the traces"});
}

// Returns the size of a file. Errors: usage if it is not a 64-bit number, or for a name of another format.
std::int64_t bytes_of_file(const std::string& target, const ItemList& traces, std::int64_t trailer_bytes) {
  require_survey_name(target);
  std::int64_t bytes = 0;
  if (traces.first_byte >= 0 && traces.item_bytes >= 0 && traces.count >= 0 && trailer_bytes >= 0 &&
      !__builtin_mul_overflow(traces.count, traces.item_bytes, &bytes) &&
      !__builtin_add_overflow(bytes, traces.first_byte, &bytes) &&
      !__builtin_add_overflow(bytes, trailer_bytes, &bytes)) {
    return bytes;
  }
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format(
                   "{} traces of {} bytes, with {} bytes before and {} after them, are too many for one file",
                   traces.count, traces.item_bytes, traces.first_byte, trailer_bytes),
               .where = {.file = target},
               .action = "give the sizes and the number of traces as 0 or more; write several files"});
}

// Collective. Errors: usage if a rank was given another file. Ranks with other sizes would write into other places.
void require_same_file(Communicator& comm, const std::string& target, const ItemList& traces, std::int64_t end_byte) {
  const auto text = [&] {
    return fmt::format("{}\n{} {} {} {}", target, traces.first_byte, traces.item_bytes, traces.count, end_byte);
  };
  require_same_on_all(comm, text, "the ranks were given different files, or different sizes of traces");
}

// Collective. Errors: usage if a rank was given another form.
void require_same_form(Communicator& comm, const segy::FileForm& form) {
  const auto text = [&] {
    return fmt::format("{} {} {} {} {} {} {} {} {} {} {}\n{}", static_cast<int>(form.kind),
                       static_cast<int>(form.byte_order), static_cast<int>(form.revision),
                       static_cast<int>(form.sample_format), form.samples, form.interval_us, form.traces,
                       form.additional_trace_headers, form.sorting_code, form.measurement_system,
                       static_cast<int>(form.text_encoding), fmt::join(form.text, "\n"));
  };
  require_same_on_all(comm, text, "the ranks were given different forms of a file");
}

}  // namespace

SurveyWriter::SurveyWriter(const Resources& resources, const std::string& target, const ItemList& traces, Space space,
                           std::int64_t trailer_bytes, PartFile* part)
    : resources_(resources),
      target_(target),
      traces_(traces),
      trailer_bytes_(trailer_bytes),
      file_(resources, target,
            (require_same_file(resources.comm, target, traces, trailer_bytes),
             run_and_agree(resources.comm,
                           [&] {
                             const std::int64_t bytes = bytes_of_file(target, traces, trailer_bytes);
                             return space == Space::at_once ? bytes : 0;
                           })),
            part) {}

SurveyWriter::SurveyWriter(const Resources& resources, const std::string& target, segy::TraceTable table,
                           std::int64_t trailer_bytes, PartFile* part)
    : resources_(resources),
      target_(target),
      traces_{table.bytes_of({0, 0}).offset, 0, table.traces()},
      table_(std::move(table)),
      trailer_bytes_(trailer_bytes),
      file_(resources, target,
            (require_same_file(resources.comm, target, traces_, table_->end_byte() + trailer_bytes),
             run_and_agree(resources.comm,
                           [&] {
                             require_survey_name(target);
                             return table_->end_byte() + trailer_bytes;
                           })),
            part) {}

SurveyWriter::SurveyWriter(const Resources& resources, const std::string& target, const segy::FileForm& form)
    : SurveyWriter(resources, target, (require_same_form(resources.comm, form), run_and_agree(resources.comm, [&] {
                                         require_simple(form);
                                         return ItemList{form.header_bytes(), form.trace_bytes(), form.traces};
                                       }))) {
  form_ = form;
  const std::vector<std::byte> header = run_and_agree(resources_.comm, [&] {
    conversion_.emplace(segy::SampleFormat::ieee_float, native_order, form.sample_format, form.byte_order,
                        segy::ConversionRules{});
    return form.kind == segy::FileKind::segy ? segy::make_file_header(form) : std::vector<std::byte>{};
  });
  write_header(header);
}

void SurveyWriter::write_from_rank_0(ByteRange place, std::span<const std::byte> bytes, const char* what) {
  const bool mine = resources_.comm.rank() == 0;
  run_on_rank(resources_.comm, 0, [&] {
    if (std::ssize(bytes) == place.length) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("{} of {} bytes was passed, but {} bytes were announced", what, bytes.size(),
                                        place.length)});
  });
  if (place.empty()) return;
  file_.write(mine ? std::vector<Extent>{contiguous(0, place, bytes.data())} : std::vector<Extent>{});
}

void SurveyWriter::write_header(std::span<const std::byte> header) {
  write_from_rank_0({0, traces_.first_byte}, header, "a file header");
}

void SurveyWriter::write_trailer(std::span<const std::byte> trailer) {
  write_from_rank_0({bytes_of({traces_.count, 0}).offset, trailer_bytes_}, trailer, "a trailer");
}

void SurveyWriter::require_traces(ItemRange traces) const {
  if (lies_in(traces, traces_.count)) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("{} traces starting at trace {} were passed, but the file has {}", traces.count,
                                      traces.first + first_index(), traces_.count),
               .action = fmt::format("count traces from {}, and write only the announced traces", first_index())});
}

void SurveyWriter::write(ItemRange traces, std::span<const std::byte> bytes) {
  const ByteRange place = run_and_agree(resources_.comm, [&] {
    require_traces(traces);
    const ByteRange of_traces = bytes_of(traces);
    if (std::ssize(bytes) != of_traces.length) {
      throw Error(
          {.code = ErrorCode::usage,
           .problem = fmt::format("{} traces starting at trace {} were passed in {} bytes, but they need {} bytes",
                                  traces.count, traces.first + first_index(), bytes.size(), of_traces.length),
           .action = "pass the bytes of all traces of the call"});
    }
    return of_traces;
  });
  write_bytes(place, bytes);
}

void SurveyWriter::write_bytes(ByteRange place, std::span<const std::byte> bytes) {
  file_.write({contiguous(0, place, bytes.data())});
}

std::vector<Extent> SurveyWriter::extents_of(std::span<const std::int64_t> traces,
                                             std::span<const std::byte> bytes) const {
  std::vector<std::int64_t> begins(traces.size());  // first byte of each trace in `bytes`
  std::int64_t needed = 0;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    require_traces({traces[i], 1});
    begins[i] = needed;
    needed += bytes_of({traces[i], 1}).length;
  }
  if (std::ssize(bytes) != needed)
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("{} traces were passed in {} bytes, but they need {} bytes", traces.size(),
                                        bytes.size(), needed),
                 .action = "pass the bytes of all traces of the call"});
  std::vector<std::size_t> order(traces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return traces[i]; });
  std::vector<Extent> extents;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t i = order[k];
    if (k + 1 < order.size() && traces[order[k + 1]] == traces[i]) continue;  // a later entry is used
    const ByteRange place = bytes_of({traces[i], 1});
    const std::byte* const from = bytes.data() + begins[i];
    if (!extents.empty()) {
      Extent& last = extents.back();
      if (last.offset_bytes + last.run_bytes == place.offset && last.memory + last.run_bytes == from) {
        last.run_bytes += place.length;
        continue;
      }
    }
    extents.push_back(contiguous(0, place, from));
  }
  return extents;
}

void SurveyWriter::write(std::span<const std::int64_t> traces, std::span<const std::byte> bytes) {
  file_.write(run_and_agree(resources_.comm, [&] { return extents_of(traces, bytes); }));
}

std::vector<std::byte> SurveyWriter::encoded(std::int64_t count, std::span<const std::byte> headers,
                                             std::span<const float> samples,
                                             const std::function<std::int64_t(std::int64_t i)>& number_of) const {
  if (!form_)
    throw Error({.code = ErrorCode::usage,
                 .problem = "a writer that was opened without a form can only write bytes",
                 .action = "open it with a form, or write the traces as bytes"});
  const std::int64_t header_bytes =
      std::int64_t{segy::trace_header_bytes} * (std::int64_t{1} + form_->additional_trace_headers);
  if (std::ssize(headers) != count * header_bytes || std::ssize(samples) != count * form_->samples)
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format(
                     "{} traces were passed in {} bytes of headers and {} samples, but each trace has {} and {}", count,
                     headers.size(), samples.size(), header_bytes, form_->samples)});
  std::vector<std::byte> all(static_cast<std::size_t>(count * traces_.item_bytes));
  run_on_threads(resources_.threads(), [&](int thread) {
    const ItemRange own = block_of(count, resources_.threads(), thread);
    segy::ConversionAccount account;
    for (std::int64_t i = own.first; i < own.end(); ++i) {
      const auto trace = std::span(all).subspan(static_cast<std::size_t>(i * traces_.item_bytes),
                                                static_cast<std::size_t>(traces_.item_bytes));
      const auto of_header = static_cast<std::size_t>(header_bytes);
      std::ranges::copy(headers.subspan(static_cast<std::size_t>(i) * of_header, of_header), trace.begin());
      if (form_->kind == segy::FileKind::seismic_unix) {
        // Nothing else in the file states these values.
        sill::store(trace.data() + 114, static_cast<std::uint16_t>(form_->samples), form_->byte_order);
        sill::store(trace.data() + 116, static_cast<std::uint16_t>(form_->interval_us), form_->byte_order);
      }
      const auto own_samples =
          samples.subspan(static_cast<std::size_t>(i * form_->samples), static_cast<std::size_t>(form_->samples));
      try {
        conversion_->convert(std::as_bytes(own_samples), trace.subspan(of_header), account);
      } catch (const Error& error) {
        throw_at(error, {.file = target_, .item = number_of(i) + 1, .item_word = "trace"});
      }
    }
  });
  return all;
}

void SurveyWriter::write_samples(ItemRange traces, std::span<const std::byte> headers, std::span<const float> samples) {
  const std::vector<std::byte> bytes = run_and_agree(resources_.comm, [&] {
    require_traces(traces);
    return encoded(traces.count, headers, samples, [&](std::int64_t i) { return traces.first + i; });
  });
  write(traces, bytes);
}

void SurveyWriter::write_samples(std::span<const std::int64_t> traces, std::span<const std::byte> headers,
                                 std::span<const float> samples) {
  const std::vector<std::byte> bytes = run_and_agree(resources_.comm, [&] {
    return encoded(std::ssize(traces), headers, samples,
                   [&](std::int64_t i) { return traces[static_cast<std::size_t>(i)]; });
  });
  write(traces, bytes);
}

}  // namespace sill
