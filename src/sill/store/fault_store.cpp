#include "sill/store/fault_store.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"

namespace sill {
namespace {

class FaultStore final : public Store {
 public:
  FaultStore(std::unique_ptr<Store> inner, Fault& fault) : inner_(std::move(inner)), fault_(fault) {}

  [[nodiscard]] const std::string& name() const override { return inner_->name(); }

  void submit(std::span<const Request> requests) override {
    for (const Request& request : requests) {
      const bool reading = request.operation == Operation::read;
      if (struck(reading ? Fault::Call::read : Fault::Call::write)) {
        if (fault_.kind == Fault::Kind::is_short) move_half(request);
        fail(reading ? "reading" : "writing", request.offset_bytes);
      }
      inner_->submit({&request, 1});
    }
  }

  void submit_strided(const StridedRead& read) override {
    if (struck(Fault::Call::read)) {
      if (fault_.kind == Fault::Kind::is_short) {
        StridedRead half = read;
        half.count /= 2;
        if (half.count > 0) inner_->submit_strided(half);
      }
      fail("reading", read.offset_bytes);
    }
    inner_->submit_strided(read);
  }

  [[nodiscard]] std::int64_t size_bytes() override { return inner_->size_bytes(); }

  void allocate(std::int64_t size_bytes) override {
    if (struck(Fault::Call::allocate)) fail("reserving", 0);
    inner_->allocate(size_bytes);
  }
  void discard(ByteRange bytes) override { inner_->discard(bytes); }
  void forget(ByteRange bytes) override { inner_->forget(bytes); }
  void sync() override {
    if (struck(Fault::Call::sync)) fail("fsync", 0);
    inner_->sync();
  }
  void close() override {
    inner_->close();
    if (struck(Fault::Call::close)) fail("close", 0);
  }

 private:
  [[nodiscard]] bool struck(Fault::Call call) { return call == fault_.call && ++fault_.seen == fault_.nth; }

  [[noreturn]] void fail(const std::string& call, std::int64_t at) const {
    throw system_error(fault_.errno_value, call, {.file = name(), .byte = at});
  }

  void move_half(const Request& request) {
    std::int64_t left = length_of(request) / 2;
    std::vector<iovec> pieces;
    for (iovec piece : request.memory) {
      piece.iov_len = std::min(piece.iov_len, static_cast<std::size_t>(left));
      left -= static_cast<std::int64_t>(piece.iov_len);
      if (piece.iov_len > 0) pieces.push_back(piece);
    }
    const Request half{request.operation, request.offset_bytes, pieces};
    inner_->submit({&half, 1});
  }

  std::unique_ptr<Store> inner_;
  Fault& fault_;
};

}  // namespace

Opener faulty(Opener inner, Fault& fault) {
  return [inner = std::move(inner), &fault](const std::string& path, OpenMode mode) -> std::unique_ptr<Store> {
    if (fault.call == Fault::Call::open && ++fault.seen == fault.nth) {
      throw system_error(fault.errno_value, "opening", {.file = path});
    }
    return std::make_unique<FaultStore>(inner(path, mode), fault);
  };
}

}  // namespace sill
