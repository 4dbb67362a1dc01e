#include "cli/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill::cli {
namespace {

// Writes all of the text. Returns 0 or the errno of the failure.
int write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd ready{descriptor, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

// For a pipe without a reader, opening fails immediately instead of waiting.
AppendedFile::AppendedFile(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666)) {
  if (descriptor_ < 0) {
    const int reason = errno;
    std::error_code unknown;
    throw system_error(
        reason, "opening", {.file = path},
        std::filesystem::is_fifo(path, unknown) ? "no process reads this pipe: start one, or name a file" : "");
  }
  (void)::fcntl(descriptor_, F_SETFL, O_APPEND);
}

AppendedFile::~AppendedFile() { ::close(descriptor_); }

void AppendedFile::append(std::string_view text) {
  if (const int failure = write_all(descriptor_, text); failure != 0)
    throw system_error(failure, "writing", {.file = path_});
}

std::string without_control(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t line = std::min(text.find_first_of("\n\t"), text.size());
    shown += echoed(text.substr(0, line), std::string::npos);
    if (line < text.size()) shown += text[line];
    text.remove_prefix(std::min(line + 1, text.size()));
  }
  return shown;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t numbers, std::string_view indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = fmt::format("{}{:<{}}", indent, row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) {
      line += i <= numbers ? fmt::format("  {:>{}}", row[i], widths[i]) : "  " + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

void print_text(std::string_view text) {
  const int failure = write_all(STDOUT_FILENO, text);
  if (failure == 0) return;
  throw system_error(failure, "writing", {.file = "standard output"},
                     "the text to print is lost; files that this command had completed are intact");
}

void warn_text(std::string_view text) noexcept { (void)write_all(STDERR_FILENO, text); }

}  // namespace sill::cli
