// sill doctor: tests of MPI-IO, locks, clocks, limits and file systems.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/json_text.hpp"
#include "cli/session.hpp"
#include "sill/base/child_process.hpp"
#include "sill/base/error.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/launcher.hpp"
#include "sill/io/doctor/machine_tests.hpp"
#include "sill/store/posix/folder.hpp"
#include "sill/store/posix/mount.hpp"

namespace sill::cli {
namespace {

struct DoctorArguments {
  std::string folder = ".";
  std::string launch;
  std::vector<std::string> tests;
  std::optional<double> time_limit_s;
  bool here = false;
  bool json = false;
};

using Json = nlohmann::ordered_json;

constexpr double usual_time_limit_s = 30;

std::vector<const MachineTest*> chosen_tests(const DoctorArguments& options) {
  std::vector<const MachineTest*> chosen;
  std::vector<std::string_view> names;
  for (const MachineTest& each : machine_tests()) names.push_back(each.name);
  for (const std::string& name : options.tests) {
    const auto found = std::ranges::find(machine_tests(), name, &MachineTest::name);
    if (found == machine_tests().end())
      throw usage_error(fmt::format("unknown test `{}`", echoed(name)),
                        did_you_mean(nearest_names(name, names)) + fmt::format("tests: {}", fmt::join(names, ", ")));
  }
  for (const MachineTest& each : machine_tests())
    if (options.tests.empty() || std::ranges::find(options.tests, each.name) != options.tests.end())
      chosen.push_back(&each);
  return chosen;
}

// The folder for all files of the tests, which is removed in any case.
class TestFolder {
 public:
  explicit TestFolder(const std::string& folder) : path_(std::filesystem::absolute(folder) / ".sill-doctor-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) throw system_error(errno, "creating a folder", {.file = folder});
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() { (void)remove(); }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::error_code remove() const {
    std::error_code failure;
    std::filesystem::remove_all(path_, failure);
    return failure;
  }

 private:
  std::string path_;
};

// Signals wait until the object ends, so that the processes and files of a test can be removed first.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2}) sigaddset(&held_, signal);
    (void)::pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { (void)::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  [[nodiscard]] bool have_come() const {
    sigset_t pending;
    sigset_t mine;
    return ::sigpending(&pending) == 0 && sigandset(&mine, &pending, &held_) == 0 && sigisemptyset(&mine) == 0;
  }

 private:
  sigset_t held_{};
  sigset_t before_{};
};

// A test and its finding, as --json prints them. `ranks`: 0 if there was no job, or if it ended without a finding.
Json row_of(const MachineTest& test, const MachineFinding& finding, int ranks) {
  return {{"test", test.name},
          {"verdict", name_of(finding.verdict)},
          {"meaning", finding.meaning},
          {"remedy", finding.remedy},
          {"ranks", ranks}};
}

// Returns the row that a child process printed, among other text of a launcher; null if there is none.
Json row_in(const std::string& text, const MachineTest& test) {
  const std::size_t end = text.rfind('}');
  for (std::size_t at = text.find('{'); at < end && end != std::string::npos; at = text.find('{', at + 1)) {
    Json row = Json::parse(text.substr(at, end + 1 - at), nullptr, false);
    if (row.is_object() && row.value("test", "") == test.name && row.contains("verdict")) return row;
  }
  return nullptr;
}

// Returns the most informative line of standard error: that of an error of Sill, otherwise the first.
std::string reason_in(const std::string& warned) {
  constexpr std::string_view mark = "sill: error: ";
  std::size_t begin = warned.find(mark);
  begin = begin == std::string::npos ? warned.find_first_not_of("-\n ") : begin + mark.size();
  if (begin == std::string::npos) return "";
  return ": " + echoed(warned.substr(begin, warned.find('\n', begin) - begin), 200);
}

std::string end_of(const ChildEnd& end) {
  if (WIFSIGNALED(end.status))
    return fmt::format("the process ended by signal {} ({})", WTERMSIG(end.status), ::strsignal(WTERMSIG(end.status)));
  return fmt::format("the job ended with exit code {} and without a finding{}", WEXITSTATUS(end.status),
                     reason_in(end.warned));
}

class Examination {
 public:
  Examination(const DoctorArguments& options, const std::string& program)
      : options_(options),
        program_(program),
        limit_s_(options.time_limit_s.value_or(usual_time_limit_s)),
        folder_(options.folder) {}

  Json examine(const MachineTest& test) {
    const bool is_launch = test.name == machine_tests().front().name;
    if (test.needs_ranks && options_.launch.empty())
      return not_run(test, "needs several ranks",
                     has_mpi() ? "sill doctor DIR --launch 'mpiexec -n 4'" : "use a build of Sill with MPI");
    if (test.needs_ranks && !is_launch && ranks_ == 0) return not_run(test, "the test `ranks` did not succeed", "");
    if (test.needs_ranks && ranks_ == 1)
      return not_run(test, "the launcher starts one rank only", "start at least two");
    Json row = run(test, ranks_ > 0 || test.needs_ranks);
    if (is_launch && row["verdict"] == name_of(Verdict::ok)) ranks_ = row["ranks"];
    return row;
  }

  void remove_folder() const {
    if (const std::error_code failure = folder_.remove())
      throw system_error(failure.value(), "removing the folder of the tests", {.file = folder_.path()}, "remove it");
  }

 private:
  static Json not_run(const MachineTest& test, std::string why, std::string remedy) {
    return row_of(test, {Verdict::not_run, std::move(why), std::move(remedy)}, 0);
  }

  Json run(const MachineTest& test, bool in_ranks) {
    // If the launcher is killed, its ranks end themselves a little later (--time-limit with --here).
    std::vector<std::string> command{program_,
                                     "doctor",
                                     folder_.path(),
                                     "--here",
                                     "--json",
                                     fmt::format("--test={}", test.name),
                                     fmt::format("--time-limit={}", limit_s_ + 10)};
    if (in_ranks) command.insert(command.begin(), {"sh", "-c", "exec " + options_.launch + " \"$@\"", "sh"});
    const ChildEnd end =
        run_child(command, std::chrono::duration<double>(limit_s_), [&] { return signals_.have_come(); });
    if (signals_.have_come()) throw Error({.problem = "stopped by a signal"});
    Json row = row_in(end.printed, test);
    if (row.is_object() && end.in_time) return row;
    MachineFinding finding{Verdict::fails, "", std::string(test.remedy)};
    if (end.in_time) {
      finding.meaning = end_of(end);
    } else {
      finding.verdict = Verdict::hangs;
      finding.meaning = fmt::format("still running after {} s", limit_s_);
      if (row.is_object()) finding.meaning += fmt::format(", with the finding: {}", row.value("meaning", ""));
    }
    return row_of(test, finding, 0);
  }

  const DoctorArguments& options_;
  std::string program_;
  double limit_s_;
  HeldSignals signals_;
  TestFolder folder_;
  int ranks_ = 0;  // that work together, under the launcher
};

std::string text_of(const Json& row) {
  const auto word = [&](const char* key) { return row.at(key).get<std::string>(); };
  std::string text = fmt::format("  {:<20}{:<9}{}\n", word("test"), word("verdict"), word("meaning"));
  if (!word("remedy").empty()) text += fmt::format("{:31}to do: {}\n", "", word("remedy"));
  return text;
}

// Returns the exit code.
int code_of(const Json& rows) {
  for (const Json& row : rows)
    if (row["verdict"] == name_of(Verdict::fails) || row["verdict"] == name_of(Verdict::hangs)) return 1;
  return 0;
}

// Runs one test in the processes of this command.
int run_here(Session& session, const DoctorArguments& options) {
  Communicator& comm = session.comm();
  const std::vector<const MachineTest*> tests = run_and_agree(comm, [&] {
    if (options.tests.size() != 1) throw usage_error("--here runs one test", "name it with --test");
    return chosen_tests(options);
  });
  std::optional<TestFolder> folder;
  run_on_rank(comm, 0, [&] { folder.emplace(options.folder); });
  std::string path = folder ? folder->path() : "";
  broadcast_all(comm, path, 0);
  if (options.time_limit_s) (void)::alarm(static_cast<unsigned>(*options.time_limit_s));
  const MachineFinding finding = run_machine_test(*tests.front(), session.resources(), path);
  const Json row = row_of(*tests.front(), finding, comm.size());
  session.print(options.json ? json_text(row) : text_of(row));
  comm.barrier();
  return session.finish({}, code_of(Json::array({row})));
}

// Runs all chosen tests, each in a child process.
Json examine_all(const DoctorArguments& options, const std::string& program) {
  const std::vector<const MachineTest*> tests = chosen_tests(options);
  require_writable_folder(options.folder);
  Examination examination(options, program);
  const MachineTest& launch = machine_tests().front();
  Json all = Json::array();
  // Whether the launcher works decides how the others are run.
  if (!options.launch.empty() || tests.front() == &launch) all.push_back(examination.examine(launch));
  for (const MachineTest* const test : tests)
    if (test != &launch) all.push_back(examination.examine(*test));
  examination.remove_folder();
  return all;
}

int run_all(Session& session, const DoctorArguments& options, const std::string& program) {
  const Json all = examine_all(options, program);
  const Mount mount = mount_of(options.folder);
  if (options.json) {
    session.print(json_text(Json{{"folder", options.folder},
                                 {"file_system", mount.file_system},
                                 {"mount", mount.point},
                                 {"mpi", mpi_library()},
                                 {"launch", options.launch},
                                 {"tests", all}}));
  } else {
    std::string text = fmt::format("{}: {} at {}, {}\n", options.folder, mount.file_system, mount.point, mpi_library());
    for (const Json& each : all) text += text_of(each);
    text.pop_back();
    session.print(text);
  }
  return session.finish({}, code_of(all));
}

int run_doctor(Session& session, const DoctorArguments& options) {
  session.reserve_files({}, {});
  run_and_agree(session.comm(), [&] {
    if (session.program().empty())
      throw usage_error("doctor tests the program in child processes", "run `sill doctor` in a shell");
    if (session.comm().size() > 1 && !options.here)
      throw usage_error("doctor starts the ranks of its tests itself",
                        "start it as one process, with --launch 'mpiexec -n 4'");
  });
  return options.here ? run_here(session, options) : run_all(session, options, session.program());
}

}  // namespace

void add_doctor(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "doctor",
                  "Test MPI-IO, locks, clocks, limits and file systems for faults\n"
                  "Exit status 1: a test fails or hangs. Writes only to a folder that it removes (docs/doctor.md).",
                  "  sill doctor /scratch/me\n"
                  "  sill doctor /scratch/me --launch 'mpiexec -n 4'\n"
                  "  sill doctor . --launch 'srun -n 4' --test flock,rename,attributes --json\n",
                  run_doctor);
  remove_mover_options(parser);
  std::string names;
  for (const MachineTest& each : machine_tests()) names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
  parser.add_option("DIR", options->folder, "Folder whose file system is tested")->capture_default_str();
  parser
      .add_option("--launch", options->launch,
                  "Command that starts ranks, such as 'mpiexec -n 4'; without it tests of several ranks are not run")
      ->type_name("COMMAND");
  parser.add_option("--test", options->tests, "Run only these tests, separated by commas: " + names)
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  parser
      .add_option("--time-limit", options->time_limit_s,
                  "Seconds after which a test is ended and counts as hanging. Default: 30; no limit with --here")
      ->type_name("SECONDS")
      ->check(NumberRange(1.0, 86400.0));
  parser.add_flag(
      "--here", options->here,
      "Run one test in the processes of this command, not in child processes, for example under a debugger");
  parser.add_flag("--json", options->json, "Print JSON");
  command.output = "files";
}

}  // namespace sill::cli
