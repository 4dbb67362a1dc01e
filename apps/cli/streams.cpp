#include "cli/streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <random>
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

// All of `from` to `to`, at their positions.
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

Streams::~Streams() {
  if (input_ >= 0) ::close(input_);
  if (!output_path_.empty()) ::unlink(output_path_.c_str());  // left by a command that failed
}

void Streams::require_alone() const {
  if (comm_.size() == 1) return;
  throw Error({.code = ErrorCode::usage,
               .problem =
                   "- stands for standard input or output, which a launcher of several ranks passes on to one of "
                   "them, and not byte for byte",
               .action = "name files, or run without the launcher"});
}

std::string Streams::input() {
  require_alone();
  if (!input_path_.empty())
    throw Error({.code = ErrorCode::usage,
                 .problem = "standard input (-) can be read once",
                 .action = "write its data into a file, and name that"});
  if (::isatty(STDIN_FILENO) == 1)
    throw Error({.code = ErrorCode::usage,
                 .problem = "- is standard input, and that is a terminal",
                 .action = "send a file there: sill ... - < in.sgy"});
  const std::string folder = folder_for_streams();
  std::string name = folder + "/sill-input-XXXXXX";
  input_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (input_ < 0)
    throw system_error(errno, "making a file for standard input", {.file = folder}, "set TMPDIR to another folder");
  ::unlink(name.c_str());
  copy(STDIN_FILENO, input_, "standard input", folder);
  input_path_ = fmt::format("/proc/self/fd/{}", input_);
  return input_path_;
}

std::string Streams::output() {
  require_alone();
  if (::isatty(STDOUT_FILENO) == 1)
    throw Error({.code = ErrorCode::usage,
                 .problem = "- is standard output, and that is a terminal",
                 .action = "send it somewhere: sill ... -o - | suximage"});
  std::random_device random;
  output_path_ = fmt::format("{}/sill-output-{}-{:08x}", folder_for_streams(), ::getpid(), random());
  return output_path_;
}

std::string Streams::shown(std::string text) const {
  const auto name = [&text](const std::string& path, std::string_view stream) {
    for (std::size_t at = 0; !path.empty() && (at = text.find(path, at)) != text.npos;) {
      const std::size_t end = at + path.size();
      // A longer number is of another file.
      if (end < text.size() && text[end] >= '0' && text[end] <= '9') {
        at = end;
      } else {
        text.replace(at, path.size(), stream);
        at += stream.size();
      }
    }
  };
  name(input_path_, "standard input");
  name(output_path_, "standard output");
  return text;
}

void Streams::deliver() {
  if (output_path_.empty()) return;
  const int descriptor = ::open(output_path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw system_error(errno, "opening", {.file = output_path_});
  ::unlink(output_path_.c_str());
  const std::unique_ptr<const int, void (*)(const int*)> closing(&descriptor, [](const int* d) { ::close(*d); });
  copy(descriptor, STDOUT_FILENO, output_path_, "standard output");
}

}  // namespace sill::cli
