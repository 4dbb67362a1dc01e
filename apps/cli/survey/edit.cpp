// sill edit: header words and the text header, in place or into a new file.
#include "sill/survey/edit/edit.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/edit/edit_journal.hpp"
#include "sill/survey/edit/match_table.hpp"
#include "sill/survey/edit/text_history.hpp"

namespace sill::cli {
namespace {

struct EditArguments {
  std::vector<std::string> files;
  std::string output;
  std::vector<std::string> set;
  std::string where;
  std::vector<std::string> rescale;
  std::string from;
  std::string match;
  std::string missing = "error";
  std::string text;
  OutputOptions output_options;
  bool dry_run = false;
  bool recover = false;
  std::string journal_of;
};

void require_compatible_options(const EditArguments& options) {
  const auto refuse = [](const char* problem, const char* action) { throw usage_error(problem, action); };
  const bool edits = !options.set.empty() || !options.rescale.empty() || !options.text.empty() ||
                     options.output_options.renumber || options.output_options.history || !options.from.empty() ||
                     !options.output.empty() || options.dry_run || !options.where.empty();
  if (options.recover && edits)
    refuse("--recover undoes an interrupted edit, and cannot be combined with an edit", "give only --recover");
  if (!options.journal_of.empty() && !options.recover)
    refuse("--journal-of names the user whose interrupted edit --recover undoes", "give --recover, too");
  if (options.from.empty() != options.match.empty())
    refuse("--from and --match need each other: a table, and the words that find its rows",
           "write --from nav.csv --match fldr,tracf --set sx=x");
  if (options.from.empty() && options.missing != "error")
    refuse("--missing applies to rows of a table, but no table is given", "give --from TABLE, or omit --missing");
  if (!options.where.empty() && options.set.empty() && options.rescale.empty() && !options.output_options.renumber)
    refuse("--where selects traces, but no edit of traces is given", "give --set or --rescale, or omit --where");
  if (std::ranges::count(options.files, "-") > 0 && options.output.empty() && !options.dry_run)
    refuse("standard input (-) cannot be edited in place", "give -o OUT, or name a file");
}

// Returns a line for the text header about the edit.
std::string history_of(const EditArguments& options) {
  std::string text = "SILL EDIT";
  for (const std::string& set : options.set) text += " " + set;
  for (const std::string& rescale : options.rescale) text += " RESCALE " + rescale;
  if (options.output_options.renumber) text += " RENUMBER";
  if (!options.from.empty())
    text += fmt::format(" FROM {} MATCH {}", std::filesystem::path(options.from).filename().string(), options.match);
  if (!options.where.empty()) text += " WHERE " + options.where;
  return text;
}

std::string shown_text(const EditResult& result, const SurveyReader& reader) {
  std::string text;
  for (const ShownTrace& trace : result.shown) {
    text += fmt::format("trace {}", format_count(trace.trace + 1));
    if (reader.files().size() > 1) text += fmt::format(" ({})", reader.where(trace.trace).file);
    text += '\n';
    for (const std::string& line : trace.lines) text += fmt::format("  {}\n", line);
  }
  return text;
}

std::string summary_of(const EditResult& result, const EditArguments& options, const SurveyReader& reader, bool shows,
                       double seconds_s) {
  std::string text = shows ? shown_text(result, reader) : "";
  text += fmt::format("{} of {} traces selected, {} {}\n", format_count(result.chosen), format_count(result.traces),
                      format_count(result.changed), options.dry_run ? "would change" : "changed");
  if (!options.from.empty())
    text += fmt::format("  table    {} rows, {} without a trace; {} traces without a row\n", format_count(result.rows),
                        format_count(result.rows_not_found), format_count(result.without_row));
  if (result.text_lines > 0)
    text += fmt::format("  text     {} lines {}\n", result.text_lines, options.dry_run ? "would change" : "changed");
  if (options.dry_run) return text + "  written  nothing: a dry run";
  text += options.output.empty() ? fmt::format("  written  {} in place", format_bytes(result.bytes_changed))
                                 : fmt::format("  written  {}", options.output);
  return text + fmt::format("\n  time     {}", format_duration(seconds_s));
}

void report_undone(Session& session, const std::string& file, const UndoneEdit& done) {
  session.warn(fmt::format("{}: an earlier edit was interrupted after {} of its {} changes; it is undone", file,
                           format_count(done.changes_undone), format_count(done.changes)));
}

int recover(Session& session, const EditArguments& options) {
  run_and_agree(session.comm(), [&] {
    if (session.map() == nullptr && session.rules().assume.empty() && !session.rules().ignores_journals) return;
    throw usage_error(
        "--recover restores bytes, whatever they mean: --map, --assume and --ignore-journal have no effect",
        "give only --recover");
  });
  session.reserve_files(options.files, {});
  const EditLocks locks(session.resources(), options.files);
  std::int64_t undone = 0;
  for (const std::string& file : options.files) {
    const UndoneEdit done = undo_edit(session.resources(), file, Undoing::as_asked, options.journal_of);
    undone += done.changes_undone;
    session.print(done.was_there ? fmt::format("{}: the interrupted edit is undone; {} of its {} changes had been made",
                                               file, format_count(done.changes_undone), format_count(done.changes))
                                 : fmt::format("{}: no edit was interrupted", file));
    if (const std::optional<Diagnostic> found = journal_diagnostic(session.resources(), file, false))
      session.warn(fmt::format("note: {} ({}): {}", found->problem, found->where, found->action));
    if (done.is_copy)
      session.warn(fmt::format("note: {} is not the edited file, but a copy of it: its inode differs", file));
  }
  return session.finish({.more = {{"changes_undone", undone}}});
}

// The options, applied to the words of some files. The object must not be moved, because some members point to others.
struct Wanted {
  EditOptions edit;
  std::optional<MatchTable> table;

  // Collective. Resolves the options. Errors: usage; input, of the table.
  Wanted(Session& session, const EditArguments& options, const SurveyReader& reader, EditOptions given,
         const std::optional<CsvFile>& csv)
      : edit(std::move(given)) {
    std::vector<int> used;
    run_and_agree(session.comm(), [&] {
      edit.headers.assignments = segy::parse_assignments(
          options.set, reader.words(), csv ? csv->columns() : std::span<const segy::ExpressionColumn>());
      for (const std::string& rescale : options.rescale)
        edit.headers.rescalings.push_back(segy::Rescaling::parse(rescale, reader.words()));
      if (!options.where.empty()) edit.headers.where = segy::Expression::parse_condition(options.where, reader.words());
      if (csv) used = segy::place_columns(edit.headers.assignments, csv->columns());
      if (csv && used.empty())
        throw usage_error("no column of the table is used", "write --set sx=x, where x is a column");
    });
    if (csv) {
      table.emplace(session.resources(), *csv, options.match, reader.words(), used);
      edit.headers.table = &*table;
    }
    require_edit(session.resources(), reader, edit);
  }
  Wanted(const Wanted&) = delete;
  Wanted& operator=(const Wanted&) = delete;
};

// Throws errors of the options before an interrupted edit is undone: nothing is written for a command that cannot be
// executed. A file that cannot be read because it is half edited may be readable after the edit is undone.
void refuse_early(Session& session, const EditArguments& options, const EditOptions& given,
                  const std::optional<CsvFile>& csv) {
  InputRules rules = session.rules();
  rules.despite_journals = true;
  std::optional<SurveyReader> reader;
  try {
    reader.emplace(session.resources(), options.files, session.map(), rules);
  } catch (const Error& error) {
    require_known_to_all(session.comm(), error);
    if (error.code() == ErrorCode::usage) throw;
    return;
  }
  const Wanted wanted(session, options, *reader, given, csv);
}

int run_edit(Session& session, const EditArguments& options) {
  if (options.recover) return recover(session, options);
  Resources& resources = session.resources();
  std::vector<std::string> inputs = options.files;
  for (const std::string& side : {options.from, options.text})
    if (!side.empty()) inputs.push_back(side);
  EditOptions given;
  given.output = options.dry_run ? options.output : session.output(options.output);
  given.dry_run = options.dry_run;
  given.keep_without_row = options.missing == "keep";
  given.headers.renumber = options.output_options.renumber;
  if (options.output_options.history) given.history = history_of(options);
  session.reserve_files(
      inputs, given.output.empty() || options.dry_run ? std::vector<std::string>{} : std::vector{given.output});
  if (!options.text.empty()) given.text = read_text_lines(resources, session.input(options.text));
  std::optional<CsvFile> csv;
  if (!options.from.empty()) csv.emplace(resources, session.input(options.from));
  std::optional<EditLocks> locks;
  if (options.output.empty() && !options.dry_run) {
    run_and_agree(session.comm(), [&] {
      if (!session.rules().ignores_journals) return;
      throw usage_error(
          "--ignore-journal is only for reading: an edit in place needs the name of the journal for its own journal",
          "write a new file with -o, or omit --ignore-journal");
    });
    expect_change_in_place();
    locks.emplace(resources, options.files);
    given.locks = &*locks;
    if (any_journal(resources, options.files)) {
      refuse_early(session, options, given, csv);
      for (const std::string& file : options.files)
        if (const UndoneEdit done = undo_edit(resources, file, Undoing::before_an_edit); done.was_there)
          report_undone(session, file, done);
    }
  }
  const InputSurvey reader(session, options.files);
  const Wanted parsed(session, options, reader, std::move(given), csv);
  const EditOptions& wanted = parsed.edit;
  const EditResult result = edit(resources, reader, wanted);
  // A scalar changes the meaning of other words; this is always shown.
  const bool sets_scalar = TraceEdit(reader, wanted.headers).sets_scalar();
  session.print(summary_of(result, options, reader, options.dry_run || sets_scalar, session.seconds()));
  for (const std::string& note : result.notes) session.warn("note: " + note);
  Done done;
  done.traces_in = result.traces;
  done.traces_out = result.traces;
  for (const segy::Assignment& assignment : wanted.headers.assignments)
    done.words_changed.push_back(fmt::format("{}={}", assignment.target(), assignment.value.text()));
  done.more = {
      {"chosen", result.chosen},           {"changed", result.changed}, {"bytes_changed", result.bytes_changed},
      {"text_lines", result.text_lines},   {"rows", result.rows},       {"rows_not_found", result.rows_not_found},
      {"without_row", result.without_row}, {"dry_run", options.dry_run}};
  return session.finish(done);
}

}  // namespace

void add_edit(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "edit",
                  "Edit header words and the text header\nEdits in place, with a journal that undoes an interrupted "
                  "edit, or into a new file.",
                  "  sill edit line.sgy --set 'scalco=-100' --where 'trace>=10' --dry-run\n"
                  "  sill edit line.sgy --from nav.csv --match fldr,tracf --set 'true(sx)=x'\n"
                  "  sill edit line.sgy --recover                            after an interruption\n",
                  run_edit);
  add_inputs({parser, command}, "FILE", options->files, "SEG-Y or Seismic Unix files, read as one survey");
  parser.add_option("-o,--output", options->output,
                    "New file, which appears when it is complete. Without it the files are edited in place: only "
                    "values that differ are changed, and a journal next to each file protects the edit");
  parser
      .add_option(
          "--set", options->set,
          "Set words, WORD=VALUE,..., or true values, true(WORD)=VALUE, by the scalar of the trace; every VALUE is "
          "computed from the headers before the edit (`sill help expressions`)")
      ->allow_extra_args(false);
  parser.add_option("--where", options->where, "Condition that selects the traces to change. Default: all");
  parser
      .add_option("--rescale", options->rescale,
                  "Set a scalar, and all words that it scales so that their true values stay exactly the same: "
                  "coordinates=SCALAR (bytes 71-72) or elevations=SCALAR (bytes 69-70)")
      ->allow_extra_args(false);
  parser.add_option(
      "--from", options->from,
      "Read a table of comma-separated values, whose first line names the columns; --set can use the columns");
  parser.add_option(
      "--match", options->match,
      "Words that identify the row of a trace: fldr,tracf or, if the columns have other names, fldr=FFID,tracf=CHAN");
  add_choice(parser, "--missing", options->missing, {"error", "keep"},
             "Treatment of selected traces without a row in the table: end with an error (error), or leave them "
             "unchanged (keep)");
  parser.add_option("--text", options->text,
                    "Set the text header from a file: at most 40 lines of 80 characters, or the output of `sill text`. "
                    "Lines that are the same as in the output of `sill text` keep their bytes");
  add_output_options({parser, command}, options->output_options);
  parser.add_flag("--dry-run", options->dry_run,
                  "Show the number of changes, and five traces before and after the edit, and write nothing");
  parser.add_flag("--recover", options->recover, "Undo an interrupted edit with its journal");
  parser
      .add_option("--journal-of", options->journal_of,
                  "With --recover: restore your file with the journal of this user, who is neither you nor the owner "
                  "of the file")
      ->type_name("USER");
  add_map_option({parser, command});
  command.check = [options] { require_compatible_options(*options); };
}

}  // namespace sill::cli
