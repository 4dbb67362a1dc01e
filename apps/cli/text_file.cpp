#include "cli/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <span>

#include "sill/base/error.hpp"
#include "sill/store/part_file.hpp"
#include "sill/store/posix_store.hpp"

namespace sill::cli {
namespace {

void write_all(int descriptor, std::string_view text, const std::string& name) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error(errno, "writing", {.file = name});
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void append_text(const std::string& path, std::string_view text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) throw system_error(errno, "opening", {.file = path});
  try {
    write_all(descriptor, text, path);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  if (::close(descriptor) != 0) throw system_error(errno, "close", {.file = path});
}

void replace_text(const std::string& path, std::string_view text) {
  PartFile part(path);
  const auto store = open_posix(part.path(), OpenMode::write);
  write_at(*store, 0, std::as_bytes(std::span(text.data(), text.size())));
  store->close();
  part.commit(false);
}

void print_text(std::string_view text) { write_all(STDOUT_FILENO, text, "standard output"); }

}  // namespace sill::cli
