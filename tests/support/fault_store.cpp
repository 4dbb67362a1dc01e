#include "support/fault_store.hpp"

#include <algorithm>
#include <atomic>
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
      if (struck(call_of(request.operation)) && !is_put_off(request.operation)) {
        if (fault_.kind == Fault::Kind::is_short) move_half(request);
        fail(request.operation, request.offset_bytes);
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
      fail(Operation::read, read.offset_bytes);
    }
    inner_->submit_strided(read);
  }

  void submit_extents(Operation operation, std::span<const Extent> extents) override {
    if (!inner_->takes_extents()) return Store::submit_extents(operation, extents);
    if (is_struck(operation, extents)) {
      const std::vector<Extent> half = half_of(extents);
      if (!half.empty()) inner_->submit_extents(operation, half);
      fail(operation, extents.front().offset_bytes);
    }
    inner_->submit_extents(operation, extents);
  }
  [[nodiscard]] bool takes_extents() const override { return inner_->takes_extents(); }

  [[nodiscard]] bool is_collective() const override { return inner_->is_collective(); }
  void submit_collective(Operation operation, std::span<const Extent> extents) override {
    if (is_struck(operation, extents)) {
      inner_->submit_collective(operation, half_of(extents));  // the other ranks wait for this one
      fail(operation, extents.front().offset_bytes);
    }
    inner_->submit_collective(operation, extents);
  }

  [[nodiscard]] std::int64_t size_bytes() override { return inner_->size_bytes(); }

  void allocate(std::int64_t size_bytes) override {
    if (struck(Fault::Call::allocate)) fail("reserving", 0);
    inner_->allocate(size_bytes);
  }
  void discard(ByteRange bytes) override { inner_->discard(bytes); }
  void forget(ByteRange bytes) override { inner_->forget(bytes); }
  void will_need(ByteRange bytes) override { inner_->will_need(bytes); }
  void sync() override {
    if (struck(Fault::Call::sync) || is_due_.exchange(false)) fail("fsync", 0);
    inner_->sync();
  }
  void close() override {
    inner_->close();
    if (struck(Fault::Call::close) || is_due_.exchange(false)) fail("close", 0);
  }

 private:
  [[nodiscard]] bool struck(Fault::Call call) { return call == fault_.call && ++fault_.seen == fault_.nth; }

  static Fault::Call call_of(Operation operation) {
    return operation == Operation::read ? Fault::Call::read : Fault::Call::write;
  }

  // Whether what strikes now is to show later.
  [[nodiscard]] bool is_put_off(Operation operation) {
    const bool later = fault_.kind == Fault::Kind::late && operation == Operation::write;
    if (later) is_due_ = true;
    return later;
  }

  [[noreturn]] void fail(Operation operation, std::int64_t at) const {
    fail(operation == Operation::read ? "reading" : "writing", at);
  }

  // A call that brings nothing is none.
  [[nodiscard]] bool is_struck(Operation operation, std::span<const Extent> extents) {
    return !extents.empty() && struck(call_of(operation)) && !is_put_off(operation);
  }

  // What is moved before the call fails.
  [[nodiscard]] std::vector<Extent> half_of(std::span<const Extent> extents) const {
    if (fault_.kind != Fault::Kind::is_short) return {};
    std::vector<Extent> half(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(extents.size() / 2));
    Extent cut = extents[extents.size() / 2];
    if (cut.steps.empty()) {
      cut.run_bytes /= 2;
    } else {
      cut.steps.front().count /= 2;
    }
    if (cut.total_bytes() > 0) half.push_back(std::move(cut));
    return half;
  }

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
  std::atomic<bool> is_due_{false};
};

}  // namespace

std::unique_ptr<Store> faulty(std::unique_ptr<Store> inner, Fault& fault) {
  if (!inner) return nullptr;
  return std::make_unique<FaultStore>(std::move(inner), fault);
}

Opener faulty(Opener inner, Fault& fault) {
  return [inner = std::move(inner), &fault](const std::string& path, OpenMode mode) -> std::unique_ptr<Store> {
    if (fault.call == Fault::Call::open && ++fault.seen == fault.nth) {
      throw system_error(fault.errno_value, "opening", {.file = path});
    }
    return faulty(inner(path, mode), fault);
  };
}

}  // namespace sill
