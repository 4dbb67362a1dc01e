// sill check: finds anomalies in files.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "cli/check/check_report.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/json_text.hpp"
#include "cli/session.hpp"
#include "cli/view/picture_options.hpp"
#include "sill/base/html_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/edit/journal_finding.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/survey/check/check.hpp"
#include "sill/view/section.hpp"
#include "sill/view/section_drawing.hpp"
#include "sill/view/shown_traces.hpp"

namespace sill::cli {
namespace {

constexpr std::int64_t max_sections = 100;  // per page, each up to 200 kB

struct CheckArguments {
  std::vector<std::string> files;
  std::string json;
  std::string html;
  bool without_geometry = false;
};

// A side output: a file that appears when it is complete, or standard output.
void write_whole(Session& session, const std::string& path, const std::string& text) {
  if (path == "-") return session.print(text);
  run_on_rank(session.comm(), 0, [&] {
    WholeTextFile file(session.resources(), path);
    file.write(text + "\n");
    file.finish();
  });
}

// Throws if a file has a finding of that grade or worse. Errors: input.
void stop_at(Grade grade, std::span<const CheckedFile> files) {
  const auto stops = [&](const CheckedFile& file) { return file.result && file.result->worst() >= grade; };
  const auto first = std::ranges::find_if(files, stops);
  if (first == files.end()) return;
  const auto count = std::ranges::count_if(files, stops);
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("{} of {} file{} {} findings of grade {}{}, this one first: {}", count,
                                      files.size(), files.size() == 1 ? "" : "s", count == 1 ? "has" : "have",
                                      name_of(grade), grade == Grade::critical ? "" : " or worse",
                                      first->result->findings.front().diagnostic.problem),
               .where = {.file = first->path},
               .clause = first->result->findings.front().diagnostic.clause,
               .action = "see the findings"});
}

// Collective. Draws a picture of the file for the page, on rank 0: a small version of the picture of `sill view`.
// Returns true on rank 0 if there is a picture.
bool draw_section_of(Session& session, const std::string& path, CheckedFile& file) {
  const view::PictureStyle style{.page = {.width = 900, .height = 500}};
  const draw::FrameLayout layout = view::layout_of(style, view::top_rows_of("", false));
  bool has_picture = false;
  try {
    const SurveyReader reader(session.resources(), {path}, session.map(), session.rules());
    run_and_agree(session.comm(), [&] { reader.require_sample_format(); });
    view::SectionRequest request;
    request.max_rows = layout.height;
    request.traces = view::choose_shown_traces(session.resources(), reader, {}, view::max_traces_of(style, layout, 1));
    run_on_rank(session.comm(), 0, [&] {
      view::SectionReader shown(reader, nullptr, request);
      view::SectionDrawing drawing(shown, style);
      write_picture_element([&](const TextSink& svg) { drawing.write(draw::PictureForm::svg, svg); },
                            [&](std::string_view text) { file.section_element += text; });
      has_picture = true;
    });
  } catch (const Error& error) {
    require_known_to_all(session.comm(), error);
    file.no_section = error.parts().problem;
  }
  return has_picture;
}

int run_check(Session& session, const CheckArguments& options) {
  run_and_agree(session.comm(), [&] {
    if (options.json != "-" || options.html != "-") return;
    throw usage_error("--json - and --html - cannot both write to standard output", "give a file name to one of them");
  });
  std::vector<std::string> outputs;
  for (const std::string& output : {options.json, options.html})
    if (!output.empty() && output != "-") outputs.push_back(output);
  session.reserve_files(options.files, outputs);
  const bool prints_text = options.json != "-" && options.html != "-";
  std::vector<CheckedFile> files;
  bool has_picture = false;
  int failed = 0;  // exit code of the last file that could not be checked, or that has a journal of another user
  Done done;
  for (const std::string& path : options.files) {
    CheckedFile file{.path = path, .result = {}, .bars = {}, .error = {}};
    try {
      file.result = check(session.resources(), path,
                          {.assume = session.rules().assume,
                           .map = session.map(),
                           .ignores_journal = session.rules().ignores_journals,
                           .geometry = !options.without_geometry});
      file.bars = bars_of(file.result->amplitudes);
      file.result->amplitudes.histogram.reset();
      if (!options.html.empty() && std::ssize(options.files) <= max_sections)
        has_picture = draw_section_of(session, path, file) || has_picture;
      done.traces_in += file.result->file.traces;
      const FoundJournal journal = find_journal(session.resources(), path);
      if (journal.kind == JournalKind::foreign && !session.rules().ignores_journals) {
        session.print_error(foreign_journal_error(path, journal));
        failed = static_cast<int>(ErrorCode::io);
      }
    } catch (const Error& error) {
      // The other files are still checked, unless only some of the ranks know the error.
      failed = session.continue_after(error);
      file.error = error;
    }
    if (prints_text && file.result) session.print(text_of(*file.result));
    // With many files, only the data that are still needed are stored.
    if (file.result && options.json.empty() && options.html.empty()) {
      file.result->geometry.reset();
      file.result->text_header.clear();
      file.result->same_words.clear();
    }
    files.push_back(std::move(file));
  }
  if (has_picture) warn_of_font(session);
  if (prints_text && files.size() > 1) session.print(summary_of(files));
  if (!options.json.empty()) write_whole(session, options.json, json_text(json_of(files)));
  if (!options.html.empty()) write_whole(session, options.html, page_of(files));
  done.more["worst"] = name_of(worst_of(files));
  session.finish(done);
  if (failed == 0) run_and_agree(session.comm(), [&] { stop_at(session.rules().stops_at, files); });
  return failed;
}

}  // namespace

void add_check(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "check",
                  "Check files completely, and report everything that is odd\nReads all headers and samples.",
                  "  sill check line1.sgy\n"
                  "  sill check --strict line*.sgy                    exit status 3 for findings of grade minor "
                  "or worse\n"
                  "  sill check --json findings.json --html delivery.html delivery/*.sgy\n",
                  run_check);
  add_inputs({parser, command}, "FILE", options->files, "SEG-Y or Seismic Unix files, each checked separately");
  parser.add_option("--json", options->json, "Write all findings to this file; - is standard output (docs/check.md)");
  parser.add_option("--html", options->html,
                    "Write one self-contained page for all files to this file; - is standard output");
  parser.add_flag("--no-geometry", options->without_geometry,
                  "Skip the geometry check, which reads all headers once more");
  add_map_option({parser, command});
}

}  // namespace sill::cli
