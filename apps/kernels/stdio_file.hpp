// A file that an original program writes with stdio.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"
#include "sill/base/error.hpp"
#include "sill/store/meter_store.hpp"

namespace sill::kernels {

/// A file written with stdio, whose costs are added to a meter. Errors of all calls: io.
class StdioFile {
 public:
  /// Local. Opens the file as fopen does.
  StdioFile(std::string path, const char* mode, Meter& meter) : path_(std::move(path)), meter_(meter) {
    const Stopwatch opening;
    file_ = std::fopen(path_.c_str(), mode);
    if (file_ == nullptr) throw system_error(errno, "opening", {.file = path_});
    meter_.count_open(opening.seconds());
    writing_ = {};
  }
  StdioFile(const StdioFile&) = delete;
  StdioFile& operator=(const StdioFile&) = delete;
  ~StdioFile() {
    if (file_ != nullptr) (void)std::fclose(file_);
  }

  /// Local. Turns off the buffer of stdio: each call is then one system call.
  void unbuffer() { std::setvbuf(file_, nullptr, _IONBF, 0); }
  /// Local. Calls fseek, which is not counted.
  void seek(std::int64_t offset, int from) {
    if (std::fseek(file_, offset, from) != 0) throw system_error(errno, "fseek", {.file = path_});
  }
  /// Local. Writes bytes, and counts the request and its time. Seeks to `at` before if it is set.
  void write(const void* bytes, std::size_t size, std::optional<std::int64_t> at = {}) {
    const Stopwatch writing;
    if ((at && std::fseek(file_, *at, SEEK_SET) != 0) || std::fwrite(bytes, 1, size, file_) != size)
      throw system_error(errno, "fwrite", {.file = path_, .byte = at});
    meter_.count_writes(1, static_cast<std::int64_t>(size), writing.seconds());
  }
  /// Local. Writes bytes, or prints a text. The requests of these two functions, and the time from opening to closing
  /// as that of writing, are counted when the file is closed: measuring each would slow it down.
  void put(const void* bytes, std::size_t size) {
    if (std::fwrite(bytes, 1, size, file_) != size) throw system_error(errno, "fwrite", {.file = path_});
    count_later(size);
  }
  template <class... Values>
  void print(const char* form, Values... values) {
    const int bytes = std::fprintf(file_, form, values...);
    if (bytes < 0) throw system_error(errno, "fprintf", {.file = path_});
    count_later(static_cast<std::size_t>(bytes));
  }
  /// Local. Writes the buffer of stdio, counts the requests of `put` and `print`, and closes the file.
  void close() {
    const Stopwatch flushing;
    if (std::fflush(file_) != 0) throw system_error(errno, "fflush", {.file = path_});
    double seconds = last_count_ > 0 ? writing_.seconds() : flushing.seconds();
    count_last();
    for (std::size_t size = 0; size < later_.size(); ++size) {
      if (later_[size] == 0) continue;
      meter_.count_writes(later_[size], static_cast<std::int64_t>(size), std::exchange(seconds, 0.0));
    }
    if (seconds > 0.0) meter_.count_writes(0, 0, seconds);
    const Stopwatch closing;
    if (std::fclose(std::exchange(file_, nullptr)) != 0) throw system_error(errno, "closing", {.file = path_});
    meter_.count_close(closing.seconds());
  }

 private:
  // Mostly, one request is as large as the one before.
  void count_later(std::size_t size) {
    if (size != last_size_) count_last();
    last_size_ = size;
    ++last_count_;
  }
  void count_last() {
    if (last_size_ >= later_.size()) later_.resize(last_size_ + 1);
    later_[last_size_] += std::exchange(last_count_, 0);
  }

  std::string path_;
  Meter& meter_;
  std::FILE* file_ = nullptr;
  Stopwatch writing_;
  std::size_t last_size_ = 0;
  std::int64_t last_count_ = 0;
  std::vector<std::int64_t> later_;  // number of requests of each size that `close` counts
};

}  // namespace sill::kernels
