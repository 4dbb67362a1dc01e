#include "cli/progress_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string>

#include "cli/text_file.hpp"
#include "sill/base/units.hpp"

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

}  // namespace

ProgressLine::ProgressLine(const Progress& progress, bool wanted) {
  if (!wanted || ::isatty(STDERR_FILENO) == 0) return;
  thread_ = std::jthread([&progress](const std::stop_token& stop) { show(stop, progress); });
}

}  // namespace sill::cli
