#include "cli/streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "sill/base/error.hpp"

namespace sill::cli {
namespace {

constexpr std::size_t copied_at_once_bytes = 1 << 20;

std::string folder_for_streams() {
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

// Copies all of `from` to `to`, at their positions.
void copy(int from, int to, const std::string& read_name, const std::string& written_name) {
  std::vector<char> buffer(copied_at_once_bytes);
  while (true) {
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(errno, "reading", {.file = read_name});
    if (got == 0) return;
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = ::write(to, buffer.data() + done, static_cast<std::size_t>(got - done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) throw system_error(errno, "writing", {.file = written_name});
      done += put;
    }
  }
}

}  // namespace

void Streams::require_alone() const {
  if (comm_.size() == 1) return;
  throw usage_error(
      "- means standard input or output, which a launcher of several ranks connects to only one rank, and not byte for "
      "byte",
      "name files, or run without the launcher");
}

std::string Streams::input() {
  require_alone();
  if (!input_path_.empty())
    throw usage_error("standard input (-) can be read only once", "write its data to a file, and name this file");
  if (::isatty(STDIN_FILENO) == 1)
    throw usage_error("- is standard input, which is a terminal",
                      "redirect a file to standard input: sill ... - < in.sgy");
  input_.emplace(folder_for_streams());
  copy(STDIN_FILENO, input_->descriptor(), "standard input", folder_for_streams());
  input_path_ = input_->path();
  return input_path_;
}

std::string Streams::output() {
  require_alone();
  if (::isatty(STDOUT_FILENO) == 1)
    throw usage_error("- is standard output, which is a terminal",
                      "redirect standard output: sill ... -o - | suximage");
  output_path_ = output_.emplace(folder_for_streams()).path();
  return output_path_;
}

std::string Streams::shown(std::string text) const {
  constexpr std::string_view open_files = "/proc/self/fd/";
  for (std::size_t at = 0; (at = text.find(open_files, at)) != text.npos;) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at + open_files.size()), text.size());
    const bool is_input = takes_input() && std::string_view(text).substr(at, end - at) == input_path_;
    // Other unnamed files contain data for the output.
    const std::string_view stream = is_input ? "standard input" : "standard output";
    if (is_input || takes_output()) text.replace(at, end - at, stream);
    at += stream.size();
  }
  // Without /proc the files have names.
  const auto replace_all = [&](const std::string& path, std::string_view stream) {
    for (std::size_t at = 0; !path.empty() && (at = text.find(path, at)) != text.npos; at += stream.size())
      text.replace(at, path.size(), stream);
  };
  replace_all(input_path_, "standard input");
  replace_all(output_path_, "standard output");
  return text;
}

void Streams::deliver() {
  if (output_path_.empty()) return;
  const int made = ::open(output_path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (made < 0) throw system_error(errno, "opening", {.file = output_path_});
  try {
    copy(made, STDOUT_FILENO, output_path_, "standard output");
  } catch (...) {
    ::close(made);
    throw;
  }
  ::close(made);
}

}  // namespace sill::cli
