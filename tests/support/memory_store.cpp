#include "support/memory_store.hpp"

#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "sill/base/error.hpp"

namespace sill {
namespace {

class MemoryStore final : public Store {
 public:
  MemoryStore(std::string path, std::shared_ptr<MemoryFiles::File> file, bool writable)
      : path_(std::move(path)), file_(std::move(file)), writable_(writable) {}

  [[nodiscard]] const std::string& name() const override { return path_; }

  void submit(std::span<const Request> requests) override {
    for (const Request& request : requests) {
      if (request.operation == Operation::write) {
        write(request);
      } else {
        read(request);
      }
    }
  }

  void submit_strided(const StridedRead& read) override {
    const std::shared_lock lock(file_->mutex);
    for (std::int64_t i = 0; i < read.count; ++i) {
      copy_out(read.offset_bytes + i * read.stride_bytes, read.memory + i * read.length_bytes,
               static_cast<std::size_t>(read.length_bytes));
    }
  }

  [[nodiscard]] std::int64_t size_bytes() override {
    const std::shared_lock lock(file_->mutex);
    return static_cast<std::int64_t>(file_->bytes.size());
  }

  void allocate(std::int64_t size_bytes) override {
    require_writable(0);
    const std::unique_lock lock(file_->mutex);
    file_->bytes.resize(static_cast<std::size_t>(size_bytes));
  }

  void punch_hole(ByteRange /*bytes*/) override {}
  void sync() override {}
  void close() override {}

 private:
  void require_writable(std::int64_t at) const {
    if (!writable_) throw system_error(EBADF, "writing", {.file = path_, .byte = at});
  }

  void copy_out(std::int64_t from, std::byte* to, std::size_t length) const {
    const auto begin = static_cast<std::size_t>(from);
    if (begin + length > file_->bytes.size()) {
      throw Error({.code = ErrorCode::io,
                   .problem = "the file ends before the requested bytes",
                   .where = {.file = path_, .byte = static_cast<std::int64_t>(file_->bytes.size())}});
    }
    if (length > 0) std::memcpy(to, file_->bytes.data() + begin, length);
  }

  void read(const Request& request) {
    const std::shared_lock lock(file_->mutex);
    std::int64_t at = request.offset_bytes;
    for (const iovec& piece : request.memory) {
      copy_out(at, static_cast<std::byte*>(piece.iov_base), piece.iov_len);
      at += static_cast<std::int64_t>(piece.iov_len);
    }
  }

  void write(const Request& request) {
    require_writable(request.offset_bytes);
    const auto end = static_cast<std::size_t>(request.offset_bytes + length_of(request));
    {
      const std::unique_lock lock(file_->mutex);
      if (end > file_->bytes.size()) file_->bytes.resize(end);
    }
    const std::shared_lock lock(file_->mutex);
    auto at = static_cast<std::size_t>(request.offset_bytes);
    for (const iovec& piece : request.memory) {
      if (piece.iov_len > 0) std::memcpy(file_->bytes.data() + at, piece.iov_base, piece.iov_len);
      at += piece.iov_len;
    }
  }

  std::string path_;
  std::shared_ptr<MemoryFiles::File> file_;
  bool writable_;
};

}  // namespace

std::unique_ptr<Store> MemoryFiles::open(const std::string& path, OpenMode mode) {
  const std::unique_lock lock(mutex_);
  auto found = files_.find(path);
  if (mode == OpenMode::create) {
    if (found != files_.end()) throw system_error(EEXIST, "opening", {.file = path});
    found = files_.emplace(path, std::make_shared<File>()).first;
  } else if (found == files_.end() && mode == OpenMode::write_or_create) {
    found = files_.emplace(path, std::make_shared<File>()).first;
  } else if (found == files_.end()) {
    throw system_error(ENOENT, "opening", {.file = path});
  }
  return std::make_unique<MemoryStore>(path, found->second, mode != OpenMode::read);
}

std::vector<std::byte> MemoryFiles::bytes(const std::string& path) const {
  const std::shared_lock lock(mutex_);
  const auto found = files_.find(path);
  if (found == files_.end()) throw system_error(ENOENT, "opening", {.file = path});
  const std::shared_lock file_lock(found->second->mutex);
  return found->second->bytes;
}

void MemoryFiles::put(const std::string& path, std::vector<std::byte> bytes) {
  const std::unique_lock lock(mutex_);
  auto& file = files_[path];
  if (!file) file = std::make_shared<File>();
  const std::unique_lock file_lock(file->mutex);
  file->bytes = std::move(bytes);
}

}  // namespace sill
