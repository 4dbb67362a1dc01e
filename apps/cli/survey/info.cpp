// sill info: describes a file.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/json_text.hpp"
#include "cli/session.hpp"
#include "cli/survey/geometry_text.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/detect/float_words.hpp"
#include "sill/formats/segy/detect/header_checks.hpp"
#include "sill/formats/segy/detect/text_words.hpp"
#include "sill/io/edit/journal_finding.hpp"
#include "sill/io/survey/describe.hpp"
#include "sill/io/survey/file_words.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/io/survey/sample_format_look.hpp"
#include "sill/survey/geometry/geometry.hpp"

namespace sill::cli {
namespace {

struct InfoArguments {
  std::vector<std::string> files;
  bool json = false;
  bool geometry = false;
};

std::string stored_revision_of(const segy::FileDescription& file) {
  return fmt::format("{}.{}", file.revision_major, file.revision_minor);
}

std::string shown_revision_of(const segy::FileDescription& file) {
  if (file.revision_major != 0 || file.revision == 0) return stored_revision_of(file);
  return fmt::format("{}.0, stored as {}", file.revision, stored_revision_of(file));
}

// Returns the number of traces, or null if it is unknown.
nlohmann::ordered_json json_count(std::int64_t traces) {
  return traces < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(traces);
}

nlohmann::ordered_json json_of(const segy::FileDescription& file, std::int64_t stanza_words) {
  nlohmann::ordered_json diagnostics = nlohmann::ordered_json::array();
  for (const Diagnostic& found : file.diagnostics) {
    diagnostics.push_back({{"grade", name_of(found.grade)},
                           {"problem", found.problem},
                           {"where", found.where},
                           {"clause", found.clause},
                           {"action", found.action}});
  }
  nlohmann::ordered_json evidence = nlohmann::ordered_json::array();
  for (const segy::Evidence& known : file.evidence) {
    evidence.push_back({{"subject", known.subject}, {"decided", known.decided}, {"by", known.by}});
    if (!known.runner_up.empty()) evidence.back()["runner_up"] = known.runner_up;
  }
  return {{"file", file.path},
          {"format", name_of(file.kind)},
          {"revision", file.kind == segy::FileKind::segy ? nlohmann::ordered_json(stored_revision_of(file))
                                                         : nlohmann::ordered_json()},
          {"byte_order", name_of(file.byte_order)},
          {"text_encoding", name_of(file.text_encoding)},
          {"sample_format", segy::code_of(file.sample_format)},
          {"traces", json_count(file.traces)},
          {"lengths_vary", file.lengths_vary},
          {"samples", file.samples},
          {"interval", file.interval_us},
          {"interval_unit", "us"},
          {"interval_us", file.interval_us},
          {"extended_text_headers", file.extended_text_headers},
          {"additional_trace_headers", file.additional_trace_headers},
          {"layout_stanza_words", stanza_words},
          {"trailers", file.trailers},
          {"tape_label", file.label_bytes > 0},
          {"first_trace_byte", file.first_trace_byte},
          {"domain", name_of(file.domain)},
          {"measurement_system", file.measurement_system},
          {"coordinate_unit", file.coordinate_unit},
          {"padding_bytes", file.padding_bytes},
          {"evidence", evidence},
          {"diagnostics", diagnostics}};
}

std::string text_of(const segy::FileDescription& file, std::int64_t stanza_words) {
  std::string text = file.path + "\n";
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<24}{}\n", name, value);
  };
  const bool is_segy = file.kind == segy::FileKind::segy;
  row("format", is_segy ? fmt::format("SEG-Y revision {}", shown_revision_of(file)) : std::string(name_of(file.kind)));
  row("size", fmt::format("{} ({} bytes)", format_bytes(file.file_bytes), format_count(file.file_bytes)));
  row("byte order", std::string(name_of(file.byte_order)));
  if (is_segy) {
    if (file.label_bytes > 0) row("tape label", fmt::format("{} bytes", file.label_bytes));
    row("text header", std::string(segy::name_of(file.text_encoding)));
    row("extended text headers", fmt::format("{}", file.extended_text_headers));
  }
  row("sample format", fmt::format("{}: {}", segy::code_of(file.sample_format), segy::name_of(file.sample_format)));
  row("traces", file.traces < 0 ? "not counted: their lengths differ (`sill index` counts and stores them)"
                                : format_count(file.traces));
  row("samples per trace", file.lengths_vary ? "as each trace header states" : format_count(file.samples));
  row("interval", fmt::format("{} us", file.interval_us));
  row("first trace at byte", format_count(file.first_trace_byte));
  if (!file.lengths_vary) row("bytes per trace", format_count(file.trace_bytes));
  if (file.additional_trace_headers > 0)
    row("additional headers", fmt::format("{} per trace", file.additional_trace_headers));
  if (stanza_words > 0) row("layout stanza", fmt::format("states the positions of {} words", stanza_words));
  if (file.trailers > 0) row("data trailers", format_count(file.trailers));
  if (is_segy) row("sorting code", fmt::format("{}", file.sorting_code));
  if (file.padding_bytes > 0) row("padding at the end", format_bytes(file.padding_bytes));
  text += "  evidence\n";
  for (const segy::Evidence& known : file.evidence) {
    text += fmt::format("    {:<22}{}: {}\n", known.subject, known.decided, known.by);
    if (!known.runner_up.empty()) text += fmt::format("    {:<22}not {}\n", "", known.runner_up);
  }
  for (const Diagnostic& found : file.diagnostics) {
    text += fmt::format("  {}: {}\n    where:  {}\n", name_of(found.grade), found.problem, found.where);
    if (!found.clause.empty()) text += fmt::format("    clause: {}\n", found.clause);
    text += fmt::format("    done:   {}\n", found.action);
  }
  text.pop_back();
  return text;
}

int run_info(Session& session, const InfoArguments& options) {
  run_and_agree(session.comm(), [&] {
    if (session.map() == nullptr || options.geometry) return;
    throw usage_error("without --geometry, --map does not change the output of info", "add --geometry, or omit --map");
  });
  session.reserve_files(options.files, {});
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  Done done;
  std::optional<Error> refused;  // the last error; it ends the command
  for (const std::string& path : options.files) {
    try {
      DescribedFile opened =
          open_described(session.resources(), path, session.rules().assume, session.rules().ignores_journals);
      segy::FileDescription& file = opened.description;
      std::optional<segy::TraceTable> table;
      if (file.lengths_vary) {
        // Reads only an existing index: building one would read all headers of the file.
        StoredIndex kept = read_index_file(session.resources(), *opened.store, file);
        if (kept.index) file.traces = kept.index->table.traces();
        if (kept.index) table = std::move(kept.index->table);
        if (kept.diagnostic) file.diagnostics.push_back(*kept.diagnostic);
      } else {
        table.emplace(file);
      }
      if (const std::optional<Diagnostic> found =
              look_at_sample_format(session.resources(), *opened.store, file, table ? &*table : nullptr,
                                    session.rules().assume.format_code.has_value()))
        file.diagnostics.push_back(*found);
      const std::optional<segy::LayoutStanza> stanza = layout_stanza_of(session.resources(), *opened.store, file);
      if (!stanza) {
        segy::report_text_words(file, session.map());
        segy::report_float_words(file, session.map());
      }
      const std::int64_t stanza_words = stanza ? std::ssize(stanza->words) : 0;
      done.traces_in += std::max<std::int64_t>(0, file.traces);
      if (options.json) all.push_back(json_of(file, stanza_words));
      if (!options.json) session.print(text_of(file, stanza_words));
      if (options.geometry) {
        const SurveyReader reader(
            session.resources(), {path}, session.map(),
            {.assume = session.rules().assume, .ignores_journals = session.rules().ignores_journals});
        const SurveyGeometry geometry = find_geometry(session.resources(), reader);
        if (options.json) all.back()["geometry"] = geometry_json(geometry);
        if (!options.json) session.print(geometry_text(geometry));
      }
      if (!session.rules().ignores_journals) require_no_journal(session.resources(), path);
      run_and_agree(session.comm(), [&] {
        session.refuse_if_strict(file);
        segy::refuse_critical(file, {.file = path});
      });
    } catch (const Error& error) {
      // The other files are still reported.
      require_known_to_all(session.comm(), error);
      if (refused) session.print_error(*refused);
      refused = error;
    }
  }
  if (options.json && !all.empty()) {
    const auto& shown = options.files.size() == 1 ? all[0] : all;
    session.print(json_text(shown));
  }
  if (refused) throw Error(*refused);
  return session.finish(done);
}

}  // namespace

void add_info(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] = add_command(
      program, commands, "info",
      "Show the format of a file, and report what is odd about it\nReads headers and a few samples; --geometry also "
      "infers lines, fold and positions from all headers.",
      "  sill info line1.sgy\n"
      "  sill info cube.sgy --geometry     kind, order, lines, fold, corners, bin size\n"
      "  sill info --strict line*.sgy      exit status 3 if any file is odd\n",
      run_info);
  add_inputs({parser, command}, "FILE", options->files, "SEG-Y or Seismic Unix files");
  parser.add_flag("--json", options->json, "Print JSON: an object for one file, an array for several");
  parser.add_flag("--geometry", options->geometry,
                  "Also read the headers of all traces, and print the survey geometry inferred from them");
  add_map_option({parser, command});
}

}  // namespace sill::cli
