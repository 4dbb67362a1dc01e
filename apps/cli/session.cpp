#include "cli/session.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <iterator>
#include <mutex>

#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/file_ending.hpp"
#include "sill/formats/segy/detect/header_checks.hpp"
#include "sill/io/edit/edit_journal.hpp"
#include "sill/io/survey/file_words.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/io/survey/same_file.hpp"

namespace sill::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::string line_of(const Progress& progress, std::int64_t done_before, double seconds_s) {
  const std::int64_t total = progress.total_bytes;
  const std::int64_t done = progress.done_bytes;
  const char* const stage = progress.stage;
  if (total <= 0) return stage;
  const double rate = static_cast<double>(done - done_before) / seconds_s;
  std::string line =
      fmt::format("{}: {:3.0f} %", stage, 100.0 * static_cast<double>(done) / static_cast<double>(total));
  if (rate > 0.0) {
    line += fmt::format(", {}, {} left", format_rate(done - done_before, seconds_s),
                        format_duration(static_cast<double>(total - done) / rate));
  }
  return line;
}

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

void show(const std::stop_token& stop, const Progress& progress) {
  sigset_t all;
  sigfillset(&all);
  (void)::pthread_sigmask(SIG_BLOCK, &all, nullptr);  // signals are handled by the thread of the command
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  const char* stage = nullptr;
  Clock::time_point begun = Clock::now();
  std::int64_t done_before = 0;
  bool shown = false;
  wake.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
  while (!stop.stop_requested()) {
    if (progress.stage != stage) {
      stage = progress.stage;
      begun = Clock::now();
      done_before = progress.done_bytes;
    }
    const double seconds_s = std::chrono::duration<double>(Clock::now() - begun).count() + 1e-3;
    warn_text(fmt::format("\r\033[K{}", line_of(progress, done_before, seconds_s).substr(0, terminal_columns() - 1)));
    shown = true;
    wake.wait_for(lock, stop, std::chrono::milliseconds(250), [] { return false; });
  }
  if (shown) {
    warn_text("\r\033[K");
  }
}

// The command line takes precedence over the environment. The session writes the report, with the results of the
// command; `given.report` then names it.
IoOptions options_of(Communicator& comm, CommonOptions& given) {
  IoOptions options = settled(comm, {});
  if (given.report.empty()) given.report = options.report;
  options.report.clear();
  return run_and_agree(comm, [&] {
    if (!given.policy.empty()) options.policies = PolicySet(Policy::parse(given.policy));
    if (given.threads > 0) options.policies = options.policies.with_threads(given.threads);
    return options;
  });
}

std::string joined(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) text += (text.empty() ? "" : " ") + argument;
  return text;
}

}  // namespace

ProgressLine::ProgressLine(const Progress& progress, bool wanted) {
  if (!wanted || ::isatty(STDERR_FILENO) == 0) return;
  thread_ = std::jthread([&progress](const std::stop_token& stop) { show(stop, progress); });
}

Session::Session(Communicator& comm, const CommonOptions& options, const std::string& output,
                 std::vector<std::string> arguments, const Console& console)
    : options_(options),
      console_(console),
      io_(comm, options_of(comm, options_)),
      resources_(io_.resources(output)),
      progress_(console.progress != nullptr ? *console.progress : own_progress_),
      streams_(comm),
      arguments_(std::move(arguments)),
      line_(progress_, comm.rank() == 0 && console.progress == nullptr) {
  resources_.progress = &progress_;
  read_urls(resources_);
  for (const std::string& note : io_.notes()) warn(note);
  run_and_agree(comm, [&] {
    for (const std::string& text : options_.assume) rules_.assume.add(text);
  });
  if (options_.strict) rules_.stops_at = Grade::minor;
  rules_.ignores_journals = options_.ignores_journals;
  if (!options_.map.empty()) map_ = open_header_map(comm, options_.map);
}

Resources Session::resources_with(const Policy& policy, Meter& meter) {
  Policy taken = policy;
  if (options_.threads > 0) taken.threads = options_.threads;
  Resources other = io_.resources_with(taken, meter);
  other.memory_bytes = resources_.memory_bytes;
  other.progress = &progress_;
  read_urls(other);
  return other;
}

void Session::read_urls(Resources& resources) const {
  if (console_.remote != nullptr) resources.open = console_.remote->opener(resources.open, *resources.meter);
}

void Session::refuse_if_strict(const segy::FileDescription& file) const {
  if (options_.strict) segy::refuse_from({&file, 1}, rules_.stops_at);
}

double Session::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::vector<std::string> Session::inputs(const std::vector<std::string>& given) {
  std::vector<std::string> files = expanded(comm(), given);
  for (std::string& file : files) file = input(file);
  for (const std::string& list : given)
    if (names_list(list)) lists_.push_back(list.substr(1));
  note_names(files);
  return files;
}

std::string Session::input(const std::string& given) {
  return given == "-" ? run_and_agree(comm(), [&] { return streams_.input(); }) : given;
}

std::string Session::reserved_input(const std::string& given, const std::vector<std::string>& outputs) {
  const std::string file = input(given);
  reserve_files({file}, outputs);
  return file;
}

std::string Session::output(const std::string& given) {
  if (given == "-") return run_and_agree(comm(), [&] { return streams_.output(); });
  run_and_agree(comm(), [&] { require_survey_name(given); });
  return given;
}

Error Session::shown(const Error& error) const {
  ErrorParts parts = error.parts();
  for (std::string* const text : {&parts.where.file, &parts.problem, &parts.action}) *text = streams_.shown(*text);
  Error renamed(std::move(parts));
  if (error.agreed()) renamed.set_agreed(error.parts().rank, resources_.comm.size());
  return renamed;
}

std::vector<std::string> Session::side_outputs() const {
  std::vector<std::string> paths;
  for (const std::string& side : {options_.log, options_.report})
    if (!side.empty()) paths.push_back(side);
  return paths;
}

void Session::bound_memory(const std::string& text) {
  if (text.empty()) return;
  resources_.memory_bytes = parse_bytes(text, "--memory");
  if (resources_.memory_bytes > 0) return;
  throw usage_error("--memory must be more than 0", "give a size such as 512M");
}

void Session::reserve_files(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  std::vector<std::string> taken = with_kept_beside(inputs);
  taken.insert(taken.end(), lists_.begin(), lists_.end());
  const auto presets = segy::HeaderMap::preset_names();
  const std::string map_name = segy::detail::lower_case(options_.map);
  if (map_ && std::ranges::find(presets, map_name) == presets.end()) taken.push_back(options_.map);
  std::vector<std::string> reserved = outputs;
  for (const std::string& side : side_outputs()) reserved.push_back(side);
  require_other_files(resources(), reserved, taken);
  taken.insert(taken.end(), reserved.begin(), reserved.end());
  note_names(taken);
  reserved_ = std::move(taken);
  run_on_rank(comm(), 0, [&] {
    if (!options_.log.empty()) log_.emplace(options_.log);
    if (!options_.report.empty()) report_.emplace(resources_, options_.report);
    log(fmt::format("{}   (version {}, {} ranks, {})", joined(arguments_), SILL_VERSION, comm().size(),
                    resources_.policy.text()));
  });
}

// Control characters in names are escaped, including newlines in file names; standard streams are shown by their names.
void Session::note_names(std::span<const std::string> names) {
  std::ranges::copy_if(names, std::back_inserter(escaped_names_),
                       [](const std::string& name) { return name.find_first_of("\n\t") != name.npos; });
}

std::string Session::shown_text(std::string text) const {
  text = streams_.shown(std::move(text));
  for (const std::string& name : escaped_names_) {
    const std::string escaped = echoed(name, std::string::npos);
    for (std::size_t at = 0; (at = text.find(name, at)) != text.npos; at += escaped.size())
      text.replace(at, name.size(), escaped);
  }
  return without_control(text);
}

void Session::print(const std::string& unnamed) {
  const std::string text = shown_text(unnamed);
  line_.stop();
  run_on_rank(comm(), 0, [&] {
    log(text);
    (streams_.takes_output() ? console_.warn : console_.print)(text + "\n");
  });
}

void Session::print_from_first_rank(const std::function<std::string()>& make) {
  std::string text;
  run_on_rank(comm(), 0, [&] { text = make(); });
  print(text);
}

void Session::warn(const std::string& text) {
  if (!is_first_rank()) return;
  line_.stop();
  console_.warn(fmt::format("sill: {}\n", shown_text(text)));
  (void)attempt([&] { log(text); });
}

int Session::continue_after(const Error& error) {
  require_known_to_all(comm(), error);
  if (error.parts().system_error_number == ECANCELED) throw Error(error);
  print_error(error);
  return static_cast<int>(error.code());
}

int Session::finish_each_output(const std::vector<InputsOfOutput>& all,
                                const std::function<nlohmann::json(const InputsOfOutput&, Done&)>& work) {
  Done done;
  nlohmann::json files = nlohmann::json::array();
  int failed = 0;
  for (const InputsOfOutput& each : all) {
    try {
      files.push_back(work(each, done));
      if (all.size() > 1) files.back()["file"] = each.output;
    } catch (const Error& error) {
      if (all.size() == 1) throw;
      failed = continue_after(error);
    }
  }
  done.more = all.size() == 1 ? files.front() : nlohmann::json{{"files", files}};
  return finish(done, failed);
}

void Session::print_error(const Error& error) {
  printed_error_ = shown(error);
  warn(fmt::format("error: {}", error.what()));
}

void Session::print_last_error(const Error& error) {
  if (!console_.throws_errors) return print_error(error);
  if (is_first_rank()) (void)attempt([&] { log(fmt::format("error: {}", error.what())); });
}

void Session::warn_of_lengths(std::int64_t deviating_traces) {
  if (deviating_traces == 0) return;
  warn(fmt::format("{} trace{} another number of samples (bytes 115-116) or of headers than Sill uses",
                   format_count(deviating_traces), deviating_traces == 1 ? " states" : "s state"));
}

void Session::log(const std::string& text) {
  if (log_)
    log_->append(fmt::format("{:%Y-%m-%d %H:%M:%S} {}\n", fmt::localtime(std::time(nullptr)), shown_text(text)));
}

void Session::report_diagnostics(std::span<const segy::FileDescription> files) {
  for (const segy::FileDescription& file : files) {
    for (const Diagnostic& found : file.diagnostics) {
      const std::string text =
          fmt::format("{}: {}: {} ({}): {}", file.path, name_of(found.grade), found.problem, found.where, found.action);
      if (found.grade != Grade::info) {
        warn(text);
      } else {
        (void)attempt([&] { log(text); });
      }
    }
  }
}

int Session::finish(const Done& done, int exit_code) {
  line_.stop();
  streams_.deliver();
  const ReportForm form = form_of_report(options_.report);
  IoReport stated = io_.report(form);
  stated.threads = resources_.threads();
  run_on_rank(comm(), 0, [&] {
    // The notes of profiles were printed at the start of the session.
    for (std::size_t n = io_.notes().size(); n < stated.notes.size(); ++n) warn("note: " + stated.notes[n]);
    for (const StripingReport::Line& line : stated.striping) warn(fmt::format("{}: {}", line.first, line.text));
    log(fmt::format("done in {}", format_duration(seconds())));
    if (console_.results) {
      nlohmann::json results = results_of(done);
      results["cost"] = nlohmann::json::parse(stated.json());
      console_.results(results.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
    }
    if (!report_) return;
    try {
      switch (form) {
        case ReportForm::table: report_->write(shown_text(table_of(done, stated))); break;
        case ReportForm::page: report_->write(stated.page(joined(arguments_), table_of(done, stated))); break;
        case ReportForm::json: report_->write(streams_.shown(json_of(done, stated))); break;
      }
      report_->finish();
    } catch (const Error& error) {
      ErrorParts parts = error.parts();
      parts.problem = "the report could not be written: " + parts.problem;
      parts.action = "everything else is complete; " + parts.action;
      throw Error(parts);
    }
  });
  return exit_code;
}

nlohmann::json Session::results_of(const Done& done) const {
  nlohmann::json results = {{"command", joined(arguments_)},      {"version", SILL_VERSION},
                            {"policy", resources_.policy.text()}, {"traces_in", done.traces_in},
                            {"traces_out", done.traces_out},      {"words_changed", done.words_changed}};
  results.update(done.more);
  return results;
}

std::string Session::json_of(const Done& done, const IoReport& stated) const {
  nlohmann::json report = nlohmann::json::parse(stated.json());
  report.update(results_of(done));
  return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string Session::table_of(const Done& done, const IoReport& stated) const {
  std::string text = fmt::format("{}\nversion {}, {}\n", joined(arguments_), SILL_VERSION, format_duration(seconds()));
  if (done.traces_in > 0 || done.traces_out > 0) {
    text += fmt::format("{} traces in, {} out\n", format_count(done.traces_in), format_count(done.traces_out));
  }
  for (const auto& [key, value] : done.more.items()) {
    if (value.is_primitive())
      text += fmt::format("{}: {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text + stated.table();
}

}  // namespace sill::cli
