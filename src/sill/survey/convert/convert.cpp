#include "sill/survey/convert/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/convert/file_header_conversion.hpp"
#include "sill/formats/segy/samples/exact_sample.hpp"
#include "sill/formats/segy/samples/sample_codec.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/io/survey/survey_writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/convert/converted_traces.hpp"
#include "sill/survey/edit/renumbering.hpp"
#include "sill/survey/edit/text_history.hpp"
#include "sill/survey/output/finish_output.hpp"
#include "sill/survey/output/trace_stream.hpp"

namespace sill {
namespace {

constexpr int weighting_byte = 169;

std::vector<std::string> text_for(const segy::FileDescription& from, const segy::FileForm& form) {
  std::vector<std::string> text(5);
  text[0] = "CONVERTED FROM SEISMIC UNIX DATA BY SILL";
  text[2] = fmt::format("TRACES {}  SAMPLES A TRACE {}  INTERVAL {} US", form.traces, form.samples, form.interval_us);
  text[3] = fmt::format("SAMPLE FORMAT {}: {}", code_of(form.sample_format), name_of(form.sample_format));
  text[4] = fmt::format("BYTE ORDER {}, BEFORE {}", name_of(form.byte_order), name_of(from.byte_order));
  return segy::numbered_text(std::move(text), form.revision);
}

// The standard allows little-endian files starting with revision 2.0.
void note_byte_order(const segy::FileForm& form, ByteOrder before, const ConvertOptions& options,
                     std::vector<std::string>& notes) {
  if (form.kind == segy::FileKind::seismic_unix || form.revision >= segy::Revision::rev2_0) return;
  if (form.byte_order == ByteOrder::little)
    notes.push_back(
        fmt::format("the output is little-endian, which SEG-Y allows since revision 2.0; other programs may not read "
                    "it as revision {} (--byte-order big writes the byte order of this revision)",
                    name_of(form.revision)));
  else if (before == ByteOrder::little && options.revision && !options.byte_order)
    notes.push_back(
        fmt::format("the output is big-endian, the only byte order of SEG-Y revision {} (--byte-order little writes "
                    "little-endian anyway)",
                    name_of(form.revision)));
}

// Collective. Returns the largest magnitude of the finite samples. Errors: io.
segy::ExactSample largest_sample(const Resources& resources, const SurveyReader& reader) {
  resources.begin_stage("searching for the largest sample",
                        reader.bytes_of(block_of(reader.traces(), resources.comm.size(), resources.comm.rank())));
  const segy::FileDescription& file = reader.files().front();
  const segy::SampleFormat format = file.sample_format;
  // Doubles hold all other samples exactly, and non-negative doubles have the same order as their bits.
  const bool is_long = format == segy::SampleFormat::int64 || format == segy::SampleFormat::uint64;
  std::vector<std::uint64_t> of_threads(static_cast<std::size_t>(stream_threads(resources)));
  visit_traces(resources, reader, [&](ItemRange traces, std::span<const std::byte> in, int thread) {
    std::uint64_t& largest = of_threads[static_cast<std::size_t>(thread)];
    std::vector<double> values;
    for (std::int64_t trace = traces.first; trace < traces.end(); ++trace) {
      const segy::TraceShape shape = reader.shape_of(trace);
      const std::size_t header = static_cast<std::size_t>(shape.header_bytes());
      const std::size_t bytes = static_cast<std::size_t>(reader.bytes_of({trace, 1}));
      const auto samples = in.subspan(header, bytes - header);
      if (is_long) {
        for (std::size_t at = 0; at < samples.size(); at += 8)
          largest = std::max(
              largest, segy::exact_sample(segy::load_sample(&samples[at], format, file.byte_order), format).magnitude);
      } else {
        values.resize(static_cast<std::size_t>(shape.samples));
        segy::decode(samples, format, file.byte_order, values);
        for (const double each : values)
          if (std::isfinite(each)) largest = std::max(largest, std::bit_cast<std::uint64_t>(std::abs(each)));
      }
      in = in.subspan(bytes);
    }
  });
  constexpr std::uint64_t sign = 1ULL << 63U;  // inverted, it orders signed integers as unsigned ones
  const auto mine = static_cast<std::int64_t>(std::ranges::max(of_threads) ^ sign);
  const auto bits = static_cast<std::uint64_t>(all_reduce(resources.comm, mine, Reduction::max)) ^ sign;
  return segy::exact_sample(bits, is_long ? segy::SampleFormat::uint64 : segy::SampleFormat::ieee_double);
}

// Returns the largest integer of a format; 0 for other formats.
std::uint64_t largest_whole(segy::SampleFormat format) {
  switch (format) {
    case segy::SampleFormat::ibm_float:
    case segy::SampleFormat::ieee_float:
    case segy::SampleFormat::ieee_double:
    case segy::SampleFormat::fixed_point_gain:
    case segy::SampleFormat::fixed_point_gain_rev2: return 0;
    default: return segy::fit_sample({.kind = segy::ExactSample::Kind::infinite}, format).bits;
  }
}

// Returns N for a scale 2^N; nothing for another scale.
std::optional<int> power_of_two(double scale) {
  int exponent = 0;
  if (!(scale > 0.0) || std::frexp(scale, &exponent) != 0.5) return std::nullopt;
  return exponent - 1;
}

// Collective. Returns the factor of a scale. Errors: as largest_sample.
double factor_of(const Resources& resources, const SurveyReader& reader, const segy::FileForm& to,
                 const SampleScale& scale) {
  if (!scale.fit) return scale.factor;
  const segy::ExactSample largest = largest_sample(resources, reader);
  if (largest.magnitude == 0) return 1.0;
  // Both numbers are compared with their highest bits in the same place.
  const std::uint64_t limit = largest_whole(to.sample_format);
  const int shift = std::countl_zero(largest.magnitude);
  const int limit_shift = std::countl_zero(limit);
  const bool is_above = (largest.magnitude << shift) > (limit << limit_shift);
  return std::ldexp(1.0, std::min(shift - limit_shift - largest.exponent - (is_above ? 1 : 0), 1023));
}

// Adds N of a scale 2^N to the weighting factor of a trace. Source: SEG-Y rev 1, bytes 169-170.
HeaderChange weighting(double scale, const segy::FileForm& to) {
  const std::optional<int> power = power_of_two(scale);
  if (scale == 1.0 || !power || largest_whole(to.sample_format) == 0) return {};
  return [power = *power, order = to.byte_order](std::byte* headers, segy::TraceShape) {
    std::byte* const word = headers + weighting_byte - 1;
    const int factor = load<std::int16_t>(word, order) + power;
    if (!std::in_range<std::int16_t>(factor))
      throw Error(
          {.code = ErrorCode::input,
           .problem = fmt::format("the weighting factor of the scaled trace would be {}, beyond 16 bits", factor),
           .clause = "SEG-Y rev 1, trace header bytes 169-170",
           .action = "correct the word first (sill edit --set trwf=0), or choose another --scale"});
    store(word, static_cast<std::int16_t>(factor), order);
  };
}

// One conversion.
class Conversion {
 public:
  Conversion(const Resources& resources, const SurveyReader& reader, const ConvertOptions& options,
             ConvertResult& result)
      : resources_(resources),
        reader_(reader),
        result_(result),
        from_(reader.files().front()),
        rules_(scaled(options.samples, result.scale)),
        traces_(resources, reader, result.form, rules_, options.headers, result.notes,
                weighting(result.scale, result.form)),
        part_(options.part),
        renumber_(options.renumber),
        history_(options.history) {
    if (result.scale != 1.0 && result.form.kind == segy::FileKind::segy)
      history_ = fmt::format("{} SAMPLES TIMES {}", history_.empty() ? "SILL CONVERT" : history_, result.scale);
  }

  void run(const std::string& output) {
    std::vector<std::byte> header = file_header();
    run_and_agree(resources_.comm, [&] {
      if (history_.empty()) return;
      const std::int64_t label_bytes = std::ssize(header) - result_.form.header_bytes();
      add_history(std::span(header).subspan(static_cast<std::size_t>(label_bytes)).first<segy::text_header_bytes>(),
                  result_.form.kind == from_.kind ? from_.text_encoding : result_.form.text_encoding, history_, output);
    });
    const bool has_trailer = result_.form.kind == segy::FileKind::segy;
    const std::int64_t trailer_bytes = has_trailer ? from_.trailers * std::int64_t{segy::text_header_bytes} : 0;
    std::vector<std::byte> trailer;  // on rank 0
    run_on_rank(resources_.comm, 0, [&] {
      if (has_trailer) trailer = reader_.file_trailer(0);
    });
    segy::TraceTable table = run_and_agree(resources_.comm, [&] {
      return segy::TraceTable::joined(reader_.tables(), std::ssize(header), segy::bytes_of(result_.form.sample_format));
    });
    SurveyWriter writer(resources_, output, std::move(table), trailer_bytes, part_);
    result_.output_bytes = writer.bytes_of({reader_.traces(), 0}).offset + trailer_bytes;
    writer.write_header(header);
    resources_.begin_stage("converting traces", reader_.bytes_of(block_of(reader_.traces(), resources_.comm.size(),
                                                                          resources_.comm.rank())));
    stream_traces(resources_, reader_, writer,
                  [&](ItemRange traces, std::span<const std::byte> in, std::span<std::byte> out, int thread) {
                    traces_.transform(traces, in, out, thread);
                  });
    writer.write_trailer(trailer);
    conclude();
    run_and_agree(resources_.comm, [&] {
      require_signal(result_.samples, rules_, result_.form.sample_format, output,
                     result_.scale == 1.0 ? "give --scale fit, which uses the range of the format, or --scale FACTOR"
                                          : "choose a format of more bits, or another --scale");
    });
    if (renumber_) renumber_written(resources_, writer, reader_.traces(), result_.form.byte_order);
    // The headers state what was assumed of the input.
    finish_output(resources_, reader_, writer, output, {.file = described_as(from_, result_.form, std::ssize(header))});
  }

 private:
  static segy::ConversionRules scaled(segy::ConversionRules rules, double scale) {
    rules.scale = scale;
    return rules;
  }

  // Returns the bytes before the first trace: the first input's, or new ones if it has none.
  std::vector<std::byte> file_header() {
    return run_and_agree(resources_.comm, [&] {
      note_other_files();
      if (result_.form.kind == segy::FileKind::seismic_unix) {
        if (from_.kind == segy::FileKind::segy)
          result_.notes.emplace_back(
              "Seismic Unix data has no file header: text headers and binary header are omitted");
        if (from_.trailers > 0) result_.notes.emplace_back("the data trailers are omitted");
        return std::vector<std::byte>{};
      }
      if (from_.kind == segy::FileKind::seismic_unix) return segy::make_file_header(result_.form);
      segy::ConvertedFileHeader converted = segy::convert_file_header(reader_.file_header(0), from_, result_.form);
      std::ranges::move(converted.notes, std::back_inserter(result_.notes));
      return std::move(converted.bytes);
    });
  }

  // Adds notes about elements of the other inputs that have no place in the output.
  void note_other_files() {
    const auto others = reader_.files().subspan(1);
    if (others.empty() || from_.kind == segy::FileKind::seismic_unix) return;
    std::int64_t trailers = 0;
    for (const segy::FileDescription& file : others) trailers += file.trailers;
    result_.notes.push_back(fmt::format("the file headers of {} other inputs are omitted", others.size()));
    if (trailers > 0) result_.notes.push_back(fmt::format("{} data trailers of other inputs are omitted", trailers));
  }

  // Adds the counts of the threads of all ranks.
  void conclude() {
    TurnedAccount account = traces_.conclude();
    result_.samples = account.samples;
    result_.deviating_traces = account.deviating_traces;
    std::ranges::move(account.notes, std::back_inserter(result_.notes));
  }

  const Resources& resources_;
  const SurveyReader& reader_;
  ConvertResult& result_;
  const segy::FileDescription& from_;
  segy::ConversionRules rules_;
  ConvertedTraces traces_;
  PartFile* part_;
  bool renumber_;
  std::string history_;
};

}  // namespace

SampleScale sample_scale_from(const std::string& text) {
  SampleScale scale{.factor = 1.0, .fit = text == "fit"};
  if (scale.fit || text.empty()) return scale;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, scale.factor);
  if (error != std::errc() || stopped != end || !std::isfinite(scale.factor) || scale.factor == 0.0)
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("--scale is {:?}", text),
                 .action = "give a factor other than 0, or fit"});
  return scale;
}

void require_scale(const SampleScale& scale, segy::SampleFormat to) {
  if (!scale.fit || largest_whole(to) > 0) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("--scale fit needs an integer format, but the output has {}", name_of(to)),
               .action = "give an integer format with --sample-format, or omit --scale"});
}

segy::FileForm form_of_conversion(const SurveyReader& reader, const ConvertOptions& options) {
  const segy::FileDescription& from = reader.files().front();
  segy::FileForm form;
  form.kind = options.kind.value_or(from.kind);
  const auto refuse = [](const char* problem, const char* action) {
    throw Error({.code = ErrorCode::usage, .problem = problem, .action = action});
  };
  if (options.revision && form.kind == segy::FileKind::seismic_unix)
    refuse("Seismic Unix data has no revision", "omit --revision");
  if (options.headers.keep_181 && form.kind == from.kind)
    refuse("bytes 181-240 are only cleared in conversions between SEG-Y and Seismic Unix, so --keep-181 has no effect",
           "omit --keep-181");
  const bool makes_su = form.kind == segy::FileKind::seismic_unix && from.kind != form.kind;
  const bool leaves_su = form.kind == segy::FileKind::segy && from.kind != form.kind;
  form.sample_format = options.sample_format.value_or(makes_su ? segy::SampleFormat::ieee_float : from.sample_format);
  const bool is_big_endian =
      from.byte_order == ByteOrder::pairwise || (options.revision && *options.revision < segy::Revision::rev2_0);
  const ByteOrder as_input = is_big_endian ? ByteOrder::big : from.byte_order;
  form.byte_order = options.byte_order.value_or(makes_su ? native_order : leaves_su ? ByteOrder::big : as_input);
  form.revision = options.revision.value_or(leaves_su ? segy::Revision::rev1 : revision_of(from));
  form.samples = from.samples;
  form.interval_us = from.interval_us;
  form.traces = reader.traces();
  form.lengths_vary = !reader.is_uniform();
  form.additional_trace_headers = from.additional_trace_headers;
  if (form.kind == segy::FileKind::segy) {
    form.extended_text_bytes =
        from.kind == segy::FileKind::segy ? from.first_trace_byte - from.label_bytes - segy::file_header_bytes : 0;
    form.carries_old_texts = options.carries_old_texts && from.revision == 0 && form.revision == segy::Revision::rev0;
    form.trailers = from.trailers;
  }
  form.sorting_code = from.sorting_code;
  form.measurement_system = from.measurement_system;
  segy::require_possible(form);
  if (leaves_su) form.text = text_for(from, form);
  return form;
}

ConvertResult convert(const Resources& resources, const SurveyReader& reader, const ConvertOptions& options) {
  require_other_file(resources, options.output, with_kept_beside(reader.paths()));
  require_text_header(resources.comm, options.history, options.kind.value_or(reader.files().front().kind));
  ConvertResult result;
  result.form = run_and_agree(resources.comm, [&] {
    const segy::FileForm form = form_of_conversion(reader, options);
    require_scale(options.scale, form.sample_format);
    return form;
  });
  reader.require_sample_format();
  note_byte_order(result.form, reader.files().front().byte_order, options, result.notes);
  result.scale = factor_of(resources, reader, result.form, options.scale);
  const auto conversion =
      run_and_agree(resources.comm, [&] { return std::make_unique<Conversion>(resources, reader, options, result); });
  conversion->run(options.output);
  return result;
}

}  // namespace sill
