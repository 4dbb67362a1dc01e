// sill convert: converts a survey to another format.
#include "sill/survey/convert/convert.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/detect/file_signs.hpp"
#include "sill/io/session/dataset_layouts.hpp"
#include "sill/survey/arrays/survey_from_arrays.hpp"
#include "sill/survey/arrays/survey_to_arrays.hpp"
#include "sill/survey/arrays/virtual_references.hpp"

namespace sill::cli {
namespace {

// The options of `sill convert` that concern arrays.
struct ArraysArguments {
  std::string dimensions;
  std::vector<std::string> codecs;
  std::string chunks;
  std::string references;  ///< of --virtual
  bool replaces = false;
};

SurveyToArraysOptions wanted_arrays(const std::string& output, const ArraysArguments& options) {
  SurveyToArraysOptions wanted{.output = output, .dimensions = options.dimensions, .replaces = options.replaces};
  for (const std::string& each : options.codecs) wanted.codecs.add(each);
  if (!options.chunks.empty()) wanted.chunk = parse_chunk(options.chunks);
  return wanted;
}

// Returns a name without slashes at its end: the ending names the format.
std::string without_slashes(const std::string& name) { return name.substr(0, name.find_last_not_of('/') + 1); }

// Converts one survey; returns the results for the report.
nlohmann::json one_to_arrays(Session& session, const InputsOfOutput& files, const ArraysArguments& options) {
  const double begin_s = session.seconds();
  const SurveyToArraysOptions wanted =
      run_and_agree(session.comm(), [&] { return wanted_arrays(files.output, options); });
  const InputSurvey reader(session, files.inputs);
  const SurveyToArraysResult result = survey_to_arrays(session.resources(), reader, wanted);
  const double seconds_s = session.seconds() - begin_s;
  std::string text = fmt::format("{} traces to {}\n  arrays   {}", format_count(result.traces), files.output,
                                 fmt::join(result.dimensions, " x "));
  if (result.holes > 0) text += fmt::format("\n  holes    {} positions without a trace", format_count(result.holes));
  text += fmt::format("\n  time     {} ({})", format_duration(seconds_s), format_rate(result.bytes, seconds_s));
  session.print(text);
  for (const std::string& note : result.notes) session.warn("note: " + note);
  if (std::ranges::any_of(wanted.codecs.variables, [](const auto& each) { return each.second.keep_bits > 0; }))
    session.warn("note: bitround rounds variables, so converting back gives other bytes than those of the file");
  if (result.inexact_samples > 0) {
    session.warn(fmt::format(
        "note: {} IBM floats have bytes that floats do not restore, such as floats that are not normalized; converting "
        "back writes the same values in other bytes",
        format_count(result.inexact_samples)));
  }
  return {{"file", files.output},
          {"traces", result.traces},
          {"dimensions", result.dimensions},
          {"holes", result.holes},
          {"inexact_samples", result.inexact_samples},
          {"bytes", result.bytes}};
}

int to_arrays(Session& session, const std::vector<std::string>& files, const std::string& output,
              const ArraysArguments& options) {
  // A folder of the name of an output is the output itself.
  const std::vector<InputsOfOutput> all = run_and_agree(session.comm(), [&] {
    return output.find('{') == std::string::npos ? std::vector<InputsOfOutput>{{files, output}}
                                                 : outputs_of(files, output);
  });
  std::vector<std::string> outputs;
  for (const InputsOfOutput& each : all) outputs.push_back(each.output);
  session.reserve_files(files, outputs);
  return session.finish_each_output(all, [&](const InputsOfOutput& each, Done& done) {
    nlohmann::json result = one_to_arrays(session, each, options);
    done.traces_in += result["traces"].get<std::int64_t>();
    done.traces_out = done.traces_in;
    return result;
  });
}

int to_references(Session& session, const std::vector<std::string>& files, const ArraysArguments& options) {
  session.reserve_files(files, {options.references});
  const InputSurvey reader(session, files);
  const ReferencesResult result = write_references(session.resources(), reader, options.dimensions, options.references);
  std::string text = fmt::format("references to {} traces in {}\n  arrays   {}", format_count(result.traces),
                                 options.references, fmt::join(result.dimensions, " x "));
  if (result.holes > 0) text += fmt::format("\n  holes    {} positions without a trace", format_count(result.holes));
  session.print(text);
  for (const std::string& note : result.notes) session.warn("note: " + note);
  return session.finish({.traces_in = result.traces,
                         .traces_out = result.traces,
                         .more = {{"dimensions", result.dimensions}, {"holes", result.holes}}});
}

int from_arrays(Session& session, const std::string& input, const std::string& given) {
  const std::string name = run_and_agree(session.comm(), [&] {
    if (given.ends_with('/')) throw usage_error("the output is a folder, but arrays become one file", "name the file");
    return given.find('{') == std::string::npos ? given : outputs_of({input}, given).front().output;
  });
  const std::string output = session.output(name);
  session.reserve_files({input}, {output});
  const SurveyFromArraysResult result = survey_from_arrays(session.resources(), input, output);
  std::string text = fmt::format("{} traces to {}", format_count(result.traces), name);
  std::int64_t changed_words = 0;
  std::string words;
  for (const auto& [word, count] : result.changed) {
    changed_words += count;
    words += fmt::format("{}{} ({})", words.empty() ? "" : ", ", word, format_count(count));
  }
  if (changed_words > 0)
    text += fmt::format("\n  words    {} differ from the header bytes in the dataset, which they replace: {}",
                        format_count(changed_words), words);
  text += fmt::format("\n  time     {} ({})", format_duration(session.seconds()),
                      format_rate(result.output_bytes, session.seconds()));
  session.print(text);
  if (result.inexact_samples > 0) {
    session.warn(fmt::format("note: {} samples have the values, but not the bytes, of the original file",
                             format_count(result.inexact_samples)));
  }
  return session.finish({.traces_in = result.traces,
                         .traces_out = result.traces,
                         .more = {{"changed_words", changed_words}, {"inexact_samples", result.inexact_samples}}});
}

// Returns true if the options or names are those of a conversion to arrays or from arrays.
bool concerns_arrays(const std::vector<std::string>& files, const std::string& output, const ArraysArguments& options) {
  const bool has_options = !options.dimensions.empty() || !options.codecs.empty() || !options.chunks.empty() ||
                           !options.references.empty() || options.replaces;
  return has_options || is_name_of_arrays(output) || (files.size() == 1 && is_name_of_arrays(files.front()));
}

// Collective. Converts a survey to arrays, or arrays to a survey. Precondition: concerns_arrays returns true.
int convert_arrays(Session& session, const std::vector<std::string>& files, const std::string& given,
                   const ArraysArguments& options) {
  const std::string output = is_name_of_arrays(given) ? without_slashes(given) : given;
  const bool reads_arrays = files.size() == 1 && is_name_of_arrays(files.front());
  run_and_agree(session.comm(), [&] {
    const ArraysArguments none{};
    const bool has_options = options.dimensions != none.dimensions || options.codecs != none.codecs ||
                             options.chunks != none.chunks || options.replaces;
    if (options.references.empty() == output.empty())
      throw usage_error(output.empty() ? "no output is named" : "--virtual and -o name two outputs",
                        "name the output with -o, or a file of references with --virtual");
    if (!options.references.empty()) {
      if (!options.codecs.empty() || !options.chunks.empty() || options.replaces)
        throw usage_error("--codec, --chunks and --force do not apply to references", "omit them");
      if (reads_arrays)
        throw usage_error("--virtual refers to samples of SEG-Y files, but the input is arrays", "name a SEG-Y file");
      return;
    }
    if (reads_arrays && is_name_of_arrays(output))
      throw usage_error("input and output are arrays", "copy arrays with sill arrays copy");
    if (reads_arrays && has_options)
      throw usage_error("--dimensions, --codec, --chunks and --force are options of a conversion to arrays",
                        "omit them");
    if (reads_arrays && (session.map() != nullptr || !session.rules().assume.empty()))
      throw usage_error("--map and --assume apply to SEG-Y files, but the input is arrays", "omit them");
    if (!reads_arrays && !is_name_of_arrays(output))
      throw usage_error("--dimensions, --codec, --chunks and --force are options of a conversion to arrays",
                        "name the output .zarr, .mdio, .nc, .nc4 or .h5, or omit them");
  });
  if (!options.references.empty()) return to_references(session, files, options);
  return reads_arrays ? from_arrays(session, without_slashes(files.front()), output)
                      : to_arrays(session, files, output, options);
}

struct ConvertArguments {
  std::vector<std::string> files;
  std::string output;
  std::string kind;
  std::string sample_format;
  std::string byte_order;
  std::string revision;
  std::string nonfinite = "refuse";
  std::string scale;
  bool clip = false;
  bool accept_loss = false;
  bool keep_181 = false;
  OutputOptions output_options;
  std::string memory;
  ArraysArguments arrays;
};

// An output name that ends with .su selects Seismic Unix, any other name SEG-Y.
segy::FileKind kind_of(const ConvertArguments& options, const std::string& output) {
  if (!options.kind.empty()) return options.kind == "su" ? segy::FileKind::seismic_unix : segy::FileKind::segy;
  return segy::has_name_of_su(output) ? segy::FileKind::seismic_unix : segy::FileKind::segy;
}

// Returns a line for the text header about the conversion.
std::string history_of(const ConvertArguments& options) {
  std::string text = "SILL CONVERT";
  const auto add = [&](std::string_view what, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", what, value);
  };
  add("TO", options.kind);
  add("SAMPLES", options.sample_format);
  add("BYTE ORDER", options.byte_order);
  add("REVISION", options.revision);
  if (options.clip) text += " CLIPPED";
  if (options.nonfinite == "zero") text += " NONFINITE TO ZERO";
  return text;
}

ConvertOptions wanted_of(const ConvertArguments& options) {
  ConvertOptions wanted;
  if (!options.sample_format.empty()) wanted.sample_format = segy::sample_format_from_name(options.sample_format);
  if (!options.byte_order.empty()) wanted.byte_order = options.byte_order == "big" ? ByteOrder::big : ByteOrder::little;
  if (!options.revision.empty()) wanted.revision = segy::parse_revision(options.revision);
  wanted.samples = {
      .clip = options.clip, .nonfinite_to_zero = options.nonfinite == "zero", .accept_loss = options.accept_loss};
  wanted.scale = sample_scale_from(options.scale);
  wanted.headers.keep_181 = options.keep_181;
  wanted.renumber = options.output_options.renumber;
  if (options.output_options.history) wanted.history = history_of(options);
  return wanted;
}

std::string form_text(const segy::FileForm& form) {
  return form.kind == segy::FileKind::seismic_unix
             ? fmt::format("Seismic Unix, {}-endian", name_of(form.byte_order))
             : fmt::format("SEG-Y revision {}, {}-endian, {}", segy::name_of(form.revision), name_of(form.byte_order),
                           segy::name_of(form.sample_format));
}

std::string summary_of(const ConvertResult& result, const std::string& output, const segy::FileDescription& from,
                       double seconds_s) {
  std::string text = fmt::format("{} traces to {}\n", format_count(result.form.traces), output);
  text += fmt::format("  from     {}, {}-endian, {}\n",
                      from.kind == segy::FileKind::seismic_unix
                          ? "Seismic Unix"
                          : fmt::format("SEG-Y revision {}.{}", from.revision_major, from.revision_minor),
                      name_of(from.byte_order), segy::name_of(from.sample_format));
  text += fmt::format("  to       {}\n", form_text(result.form));
  const segy::ConversionAccount& samples = result.samples;
  text += fmt::format("  samples  {}, {} rounded", format_count(samples.samples), format_count(samples.rounded));
  if (samples.rounded > 0) text += fmt::format(" (largest relative error {:.3g})", samples.largest_relative_error);
  if (samples.lost > 0)
    text += fmt::format(", {} become 0 or change by more than {:.0f} %", format_count(samples.lost),
                        100.0F * segy::lost_share);
  if (result.scale != 1.0) text += fmt::format(", all times {}", result.scale);
  if (samples.clipped > 0) text += fmt::format(", {} clipped", format_count(samples.clipped));
  if (samples.zeroed > 0) text += fmt::format(", {} set to zero", format_count(samples.zeroed));
  text += fmt::format("\n  time     {} ({})", format_duration(seconds_s), format_rate(result.output_bytes, seconds_s));
  return text;
}

// Errors: usage for options that arrays do not have.
void require_options_of_arrays(const ConvertArguments& options) {
  const bool has_others = !options.kind.empty() || !options.sample_format.empty() || !options.byte_order.empty() ||
                          !options.revision.empty() || !options.scale.empty() || options.nonfinite != "refuse" ||
                          options.clip || options.accept_loss || options.keep_181 || options.output_options.renumber ||
                          options.output_options.history;
  if (!has_others) return;
  throw usage_error("arrays store the survey unchanged: options that change traces do not apply",
                    "omit them, and convert the SEG-Y file before or after");
}

int run_convert(Session& session, const ConvertArguments& options) {
  run_and_agree(session.comm(), [&] { session.bound_memory(options.memory); });
  if (options.output.empty() || concerns_arrays(options.files, options.output, options.arrays)) {
    run_and_agree(session.comm(), [&] { require_options_of_arrays(options); });
    return convert_arrays(session, options.files, options.output, options.arrays);
  }
  ConvertOptions wanted;
  std::vector<InputsOfOutput> all;
  run_and_agree(session.comm(), [&] {
    wanted = wanted_of(options);
    all = outputs_of(options.files, options.output);
  });
  std::vector<std::string> outputs;
  for (InputsOfOutput& each : all) outputs.push_back(each.output = session.output(each.output));
  session.reserve_files(options.files, outputs);
  return session.finish_each_output(all, [&](const InputsOfOutput& each, Done& done) -> nlohmann::json {
    const double begin_s = session.seconds();
    wanted.output = each.output;
    wanted.kind = kind_of(options, each.output);
    const InputSurvey reader(session, each.inputs);
    const ConvertResult result = convert(session.resources(), reader, wanted);
    session.print(summary_of(result, all.size() == 1 ? options.output : each.output, reader.files().front(),
                             session.seconds() - begin_s));
    session.warn_of_lengths(result.deviating_traces);
    for (const std::string& note : result.notes) session.warn("note: " + note);
    done.traces_in += result.form.traces;
    done.traces_out += result.form.traces;
    done.words_changed.insert(done.words_changed.end(), result.notes.begin(), result.notes.end());
    return {{"deviating_traces", result.deviating_traces},
            {"samples", result.samples.samples},
            {"rounded", result.samples.rounded},
            {"lost", result.samples.lost},
            {"scale", result.scale},
            {"clipped", result.samples.clipped},
            {"zeroed", result.samples.zeroed},
            {"largest_relative_error", result.samples.largest_relative_error}};
  });
}

}  // namespace

void add_convert(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "convert", "Convert SEG-Y, Seismic Unix, sample formats, byte orders and arrays",
                  "  sill convert old.sgy -o new.sgy --sample-format ieee --revision 2.1\n"
                  "  sill convert line.sgy -o line.su                       to Seismic Unix\n"
                  "  sill convert cube.sgy -o cube.zarr --codec zstd        arrays for xarray (also .mdio, .nc, "
                  ".nc4, .h5)\n",
                  run_convert);
  add_inputs({parser, command}, "IN", options->files, "SEG-Y or Seismic Unix files, read as one survey");
  parser.add_option("-o,--output", options->output,
                    "Converted file, which appears when it is complete. " + each_output_grammar());
  add_choice(parser, "--to", options->kind, {"segy", "su"},
             "Format of the output. Default: su if its name ends with .su, otherwise segy. In Seismic Unix data bytes "
             "181-240 have other meanings: they are cleared, and the words that had values are reported");
  add_choice(parser, "--sample-format", options->sample_format, segy::sample_format_names(2),
             "Sample format of the output. Default: the format of the input, or ieee for Seismic Unix. Rounds to the "
             "nearest value, and halves to the even one");
  add_choice(
      parser, "--byte-order", options->byte_order, {"big", "little"},
      "Byte order of the output. Default: the order of the input; the order of this machine if SEG-Y is converted to "
      "Seismic Unix; big if Seismic Unix is converted to SEG-Y, or with --revision 0 or 1, which allow only big");
  add_choice(parser, "--revision", options->revision, {"0", "1", "2.0", "2.1"},
             "SEG-Y revision of the output. Default: the revision of the input, or 1 if the input is Seismic Unix. "
             "Information that an older revision cannot store is reported");
  parser.add_flag("--clip", options->clip,
                  "Replace samples that exceed the range of the sample format with the nearest value in that range; "
                  "without this option such samples are an error");
  parser
      .add_option("--scale", options->scale,
                  "Multiply samples by this factor or, with `fit`, by the largest power of 2 that makes all of them "
                  "fit into an integer format. The factor is recorded in the text header and, if it is 2^N, in bytes "
                  "169-170 of the traces")
      ->type_name("FACTOR|fit");
  parser.add_flag("--accept-loss", options->accept_loss,
                  "Write the output even if more than a tenth of the samples become 0 or change by more than 5 %");
  add_choice(
      parser, "--nonfinite", options->nonfinite, {"refuse", "zero"},
      "Treatment of NaN and infinite samples that the format cannot store: refuse them, or replace them with zero");
  parser.add_flag("--keep-181", options->keep_181,
                  "Copy bytes 181-240 between SEG-Y and Seismic Unix, with their meaning in SEG-Y");
  parser
      .add_option("--dimensions", options->arrays.dimensions,
                  "Dimensions of the traces as arrays, separated by commas: inline, crossline, shot, channel, header "
                  "words, NAME=EXPRESSION, or trace. Default: those of the detected geometry")
      ->type_name("NAME,...");
  parser.add_option(
      "--codec", options->arrays.codecs,
      "Compression of arrays in Zarr, HDF5 or netCDF-4, as in sill arrays copy: [VARIABLE=]CODEC. Default: none");
  parser.add_option(
      "--chunks", options->arrays.chunks,
      "Shape of the chunks of samples in Zarr, HDF5 and netCDF-4, such as 64x64x64. Default: chunks of at most 2 MiB "
      "in Zarr and with --codec, otherwise contiguous");
  parser
      .add_option("--virtual", options->arrays.references,
                  "Instead of an output, write references for xarray and kerchunk to the samples in the SEG-Y file "
                  "itself, which is not copied: JSON, for IEEE floats and integers")
      ->type_name("FILE");
  parser.add_flag("--force", options->arrays.replaces, "Replace an existing folder (.zarr, .mdio) with the same name");
  parser.add_option("--memory", options->memory, memory_text);
  add_output_options({parser, command}, options->output_options);
  add_map_option({parser, command});
}

}  // namespace sill::cli
