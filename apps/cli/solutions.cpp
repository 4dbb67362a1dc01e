// sill solutions: joins the files of local solutions to one case for ParaView, and splits it again.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/solutions/join_solutions.hpp"
#include "sill/solutions/split_solutions.hpp"

namespace sill::cli {
namespace {

void report_solutions(Session& session, const SolutionFiles& done, const std::string& what, const std::string& where) {
  const solution::Form& form = done.phase.form;
  session.print(fmt::format("step {}: {} local problems of {} points and {} {} {} {} in {} files ({})", done.phase.step,
                            format_count(form.problems), format_count(solution::points_of(form.sub_elements)),
                            form.dimensions, form.dimensions == 1 ? "dimension" : "dimensions", what, where,
                            format_count(done.files), format_bytes(done.bytes)));
  Done report;
  report.more = {{"step", done.phase.step},       {"problems", form.problems}, {"sub_elements", form.sub_elements},
                 {"dimensions", form.dimensions}, {"files", done.files},       {"bytes", done.bytes}};
  session.finish(report);
}

void require_folder(const std::string& folder) {
  if (!folder.empty()) return;
  throw usage_error("the folder of the output has no name", "name it with -o; \".\" is the current folder");
}

// Makes sure that no input is an output, and that log and report are not among these files.
void reserve_files(Session& session, const SolutionPaths& paths) {
  std::vector<std::string> outputs = paths.outputs;
  for (const std::string& side : session.side_outputs()) outputs.push_back(side);
  require_other_files(session.resources(), outputs, paths.inputs);
  session.reserve_files({}, {});
}

void add_join(CLI::App& solutions, Commands& commands) {
  const auto [parser, command] =
      add_command(solutions, commands, "join",
                  "Make an EnSight case from the local solutions of one output phase\nParaView opens such a case.",
                  "  sill solutions join out -o all.case\n"
                  "  sill solutions join out --step 100 -o step100.case\n"
                  "  mpiexec -n 4 sill solutions join out -o all.case\n");
  auto options = std::make_shared<JoinSolutionsOptions>();
  parser
      .add_option("FOLDER", options->folder, "Output folder of a simulation, with a description of each local problem")
      ->required();
  parser
      .add_option("-o,--output", options->target,
                  "The case, NAME.case, with NAME.geo, and NAME.solution_1 and so on, one per component of the "
                  "solution. They appear when all are complete")
      ->required();
  parser.add_option("--step", options->step, "Join the output phase of this step; may be omitted if there is only one")
      ->check([](const std::string& text) {
        return text.starts_with('-') ? "\"" + text + "\" is not a step: steps are numbered from 0" : std::string();
      });
  command.run = [options](Session& session) {
    reserve_files(session, paths_of_join(session.resources(), *options));
    report_solutions(session, join_solutions(session.resources(), *options), "joined to", options->target);
    return 0;
  };
}

void add_split_solutions(CLI::App& solutions, Commands& commands) {
  const auto [parser, command] =
      add_command(solutions, commands, "split", "Write the solution files that a case was made from, byte for byte",
                  "  sill solutions split all.case -o out\n"
                  "  sill solutions split step100.case -o /scratch/out\n"
                  "  mpiexec -n 4 sill solutions split all.case -o out\n");
  struct Arguments {
    std::string case_path;
    std::string folder;
  };
  auto options = std::make_shared<Arguments>();
  parser.add_option("CASE", options->case_path, "An EnSight case that `sill solutions join` made")->required();
  parser
      .add_option("-o,--output", options->folder,
                  "Output folder, created if missing, with one folder per local problem; the index of the output phase "
                  "appears when all files are complete")
      ->required();
  command.check = [options] { require_folder(options->folder); };
  command.run = [options](Session& session) {
    reserve_files(session, paths_of_split(session.resources(), options->case_path, options->folder));
    report_solutions(session, split_solutions(session.resources(), options->case_path, options->folder), "split into",
                     options->folder);
    return 0;
  };
}

}  // namespace

void add_solutions(CLI::App& program, Commands& commands) {
  CLI::App& solutions =
      *program.add_subcommand("solutions", "Join and split local solutions of multiscale simulations");
  solutions.require_subcommand(1);
  solutions.footer("`sill solutions join --help` describes a command and gives examples.");
  add_join(solutions, commands);
  add_split_solutions(solutions, commands);
}

}  // namespace sill::cli
