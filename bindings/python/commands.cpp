#include "commands.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "apply.hpp"
#include "cli/help.hpp"
#include "cli/inputs.hpp"
#include "cli/program.hpp"
#include "communicator.hpp"
#include "errors.hpp"
#include "process.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/progress.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/store/ranged/ranged_store.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

/// An option or an argument of a command, as Python needs it.
struct Option {
  std::string name = {};  ///< as a keyword: "no_geometry"
  std::string flag = {};  ///< on the command line: "--no-geometry"; empty for an argument without a name
  std::string text = {};
  bool takes_value = true;
  bool is_list = false;  ///< may be given several times
};

// Python offers no groups of commands, such as `kernel`, and no `help`.
bool is_offered(const CLI::App& command) { return cli::commands_of(command).empty() && command.get_name() != "help"; }

cli::Program& table() {
  static cli::Program* const program = new cli::Program;  // never destroyed, because Python may still call it while the
                                                          // process ends
  return *program;
}

std::vector<std::string> names_of_commands() {
  std::vector<std::string> names;
  for (const CLI::App* command : cli::commands_of(table().parser()))
    if (is_offered(*command)) names.push_back(command->get_name());
  return names;
}

const CLI::App& command_named(const std::string& name) {
  for (const CLI::App* command : cli::commands_of(table().parser()))
    if (command->get_name() == name && is_offered(*command)) return *command;
  const std::vector<std::string> names = names_of_commands();
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw Error({.code = ErrorCode::usage,
               .problem = "there is no command " + name,
               .action = did_you_mean(nearest_names(name, known)) + "the commands are those of docs/commands.md",
               .system_error_number = static_cast<int>(Wrong::name)});
}

std::vector<Option> options_of(const std::string& command) {
  std::vector<Option> options;
  for (const CLI::Option* option : command_named(command).get_options()) {
    const std::vector<std::string>& names = option->get_lnames();
    const cli::OptionText text(*option);
    Option made{.text = text.text, .takes_value = text.takes_value, .is_list = option->get_expected_max() > 1};
    if (names.empty() || option->get_positional()) {
      made.name = option->get_name(true);
    } else {
      if (names.front() == "help") continue;
      made.name = names.front();
      std::ranges::replace(made.name, '-', '_');
      made.flag = "--" + names.front();
    }
    options.push_back(std::move(made));
  }
  return options;
}

/// A run of a command on a thread of its own, while the calling thread lets Python handle signals.
class Run {
 public:
  /// Local. `functions`: those of the operation `apply`, by name; `remote`: what opens URLs; `error`: of the arguments
  /// on this rank, which all ranks throw. Precondition: the GIL is held, also at the end.
  Run(std::unique_ptr<Communicator> comm, std::vector<std::string> arguments, nb::dict functions,
      const RangedFiles* remote, std::optional<Error> error)
      : comm_(std::move(comm)),
        arguments_(std::move(arguments)),
        functions_(std::move(functions)),
        remote_(remote),
        error_(std::move(error)) {}

  /// Local. Runs the command and calls `progress` meanwhile, unless it is None. Errors: as the command; what `progress`
  /// or a signal handler raises, after the command was cancelled or, on several ranks, has completed. Precondition: the
  /// GIL is not held.
  int wait(const nb::object& progress) {
    std::jthread thread([this] { work(); });
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, std::chrono::milliseconds(5), [&] { return has_ended_; })) {
      lock.unlock();
      if (!raised_) look_up(progress);
      lock.lock();
    }
    lock.unlock();
    thread.join();
    if (!failed_ && !raised_) look_up(progress);  // shows the end, even of a short command
    // An error other than the cancellation is more informative than the exception that cancelled.
    if (failed_ && !(raised_ && is_cancellation(failed_))) std::rethrow_exception(failed_);
    if (raised_) std::rethrow_exception(raised_);
    return status_;
  }

  [[nodiscard]] const std::string& printed() const { return printed_; }
  [[nodiscard]] const std::string& warned() const { return warned_; }
  [[nodiscard]] const std::string& results() const { return results_; }

 private:
  void work() {
    try {
      const AppliedFunctions functions(functions_, &progress_);
      cli::Program program;
      run_and_agree(*comm_, [&] {
        if (error_) throw Error(*error_);
        try {
          program.parse(arguments_);
        } catch (const CLI::ParseError& failure) {
          throw program.usage_error(failure);
        }
      });
      status_ = cli::run_command(*comm_, program.command(), arguments_,
                                 {.print = [this](std::string_view text) { printed_ += text; },
                                  .warn = [this](std::string_view text) { warned_ += text; },
                                  .results = [this](std::string_view text) { results_ = text; },
                                  .progress = &progress_,
                                  .throws_errors = true,
                                  .remote = remote_},
                                 [](int) {});
      if (comm_->size() > 1) {  // a command prints on rank 0
        broadcast_all(*comm_, printed_, 0);
        broadcast_all(*comm_, results_, 0);
      }
    } catch (...) {
      failed_ = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    has_ended_ = true;
    ended_.notify_one();
  }

  void look_up(const nb::object& progress) {
    try {
      with_gil([&] {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        const char* const stage = progress_.stage;
        if (!progress.is_none() && *stage != '\0')
          (void)call_python(progress, nb::make_tuple(stage, progress_.done_bytes.load(), progress_.total_bytes.load()));
      });
    } catch (...) {
      raised_ = std::current_exception();
      // Ranks that are not cancelled would wait for this one: with several, the exception is raised afterwards.
      progress_.is_cancelled = comm_->size() == 1;
    }
  }

  static bool is_cancellation(const std::exception_ptr& failed) {
    try {
      std::rethrow_exception(failed);
    } catch (const Error& error) {
      return error.parts().system_error_number == ECANCELED;
    } catch (...) {
      return false;
    }
  }

  std::unique_ptr<Communicator> comm_;
  std::vector<std::string> arguments_;
  nb::dict functions_;
  const RangedFiles* remote_;
  std::optional<Error> error_;
  Progress progress_;
  std::string printed_;
  std::string warned_;
  std::string results_;
  int status_ = 0;
  std::exception_ptr failed_;  // of the command
  std::exception_ptr raised_;  // by Python
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
};

std::vector<std::string> strings_of(const std::vector<nb::bytes>& texts) {
  std::vector<std::string> strings;
  for (const nb::bytes& text : texts) strings.emplace_back(text.c_str(), text.size());
  return strings;
}

// Runs a command, and appends its warnings to `warnings`, even if it fails. Returns its exit code, what it printed,
// and its results in JSON.
std::tuple<int, nb::str, nb::str> run_command(const std::vector<nb::bytes>& given, const nb::object& progress,
                                              nb::list warnings, const nb::dict& functions, const nb::object& comm,
                                              const RangedFiles* remote, const Problem& problem) {
  std::vector<std::string> arguments = strings_of(given);
  arguments.insert(arguments.begin(), "sill");
  Run run(make_communicator(comm, Thread::other), std::move(arguments), functions, remote, error_of(problem));
  int status = 0;
  try {
    status = without_gil([&] { return run.wait(progress); });
  } catch (...) {
    warnings.append(path_str(run.warned()));
    throw;
  }
  warnings.append(path_str(run.warned()));
  return {status, path_str(run.printed()), path_str(run.results())};
}

std::vector<std::string> preset_names() {
  const auto names = segy::HeaderMap::preset_names();
  return {names.begin(), names.end()};
}

std::vector<nb::bytes> expanded(const std::vector<nb::bytes>& given) {
  const std::vector<std::string> patterns = strings_of(given);
  const std::vector<std::string> paths = without_gil([&] { return cli::expanded(*make_alone(), patterns); });
  std::vector<nb::bytes> list;
  for (const std::string& path : paths) list.emplace_back(path.data(), path.size());
  return list;
}

}  // namespace

void add_commands(nb::module_& module) {
  nb::class_<Option>(module, "Option")
      .def_ro("name", &Option::name)
      .def_ro("flag", &Option::flag)
      .def_ro("text", &Option::text)
      .def_ro("takes_value", &Option::takes_value)
      .def_ro("is_list", &Option::is_list)
      .def_prop_ro("is_positional", [](const Option& option) { return option.flag.empty(); });
  module.def("commands", &names_of_commands);
  module.def("options_of", &options_of);
  module.def("description_of", [](const std::string& command) { return command_named(command).get_description(); });
  module.def("run_command", &run_command, nb::arg("arguments"), nb::arg("progress").none(), nb::arg("warnings"),
             nb::arg("functions"), nb::arg("comm").none(), nb::arg("remote").none(), nb::arg("problem").none());
  module.def("require_one_writer", &require_one_writer, nb::arg("comm").none());
  module.def("expanded", &expanded);
  module.def("did_you_mean", [](const std::string& name, const std::vector<std::string>& known) {
    return did_you_mean(nearest_names(name, std::vector<std::string_view>(known.begin(), known.end())));
  });
  module.def("presets", &preset_names);
}

}  // namespace sill::python
