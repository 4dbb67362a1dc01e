#include "support/fault_store.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/store/forwarding_store.hpp"

namespace sill {
namespace {

class FaultStore final : public ForwardingStore {
 public:
  FaultStore(std::unique_ptr<Store> inner, Fault& fault) : ForwardingStore(std::move(inner)), fault_(fault) {}

  void submit(std::span<const Request> requests) override {
    for (const Request& request : requests) {
      if (struck(call_of(request.operation)) && !is_put_off(request.operation)) {
        if (fault_.kind == Fault::Kind::is_short) move_half(request);
        fail(request.operation, request.offset_bytes);
      }
      inner().submit({&request, 1});
    }
  }

  void submit_strided(const StridedRead& read) override {
    if (struck(Fault::Call::read)) {
      if (fault_.kind == Fault::Kind::is_short) {
        StridedRead half = read;
        half.count /= 2;
        if (half.count > 0) inner().submit_strided(half);
      }
      fail(Operation::read, read.offset_bytes);
    }
    inner().submit_strided(read);
  }

  // Items are read by requests of this store, one by one.
  void submit_linked(std::span<LinkedRead> reads) override { Store::submit_linked(reads); }
  [[nodiscard]] bool follows_links() const override { return false; }

  void submit_extents(Operation operation, std::span<const Extent> extents) override {
    if (!inner().takes_extents()) return Store::submit_extents(operation, extents);
    if (is_struck(operation, extents)) {
      const std::vector<Extent> half = half_of(extents);
      if (!half.empty()) inner().submit_extents(operation, half);
      fail(operation, extents.front().offset_bytes);
    }
    inner().submit_extents(operation, extents);
  }

  void submit_collective(Operation operation, std::span<const Extent> extents) override {
    if (is_struck(operation, extents)) {
      inner().submit_collective(operation, half_of(extents));  // the other ranks wait for this one
      fail(operation, extents.front().offset_bytes);
    }
    inner().submit_collective(operation, extents);
  }

  void allocate(std::int64_t size_bytes) override {
    if (struck(Fault::Call::allocate)) fail("reserving", 0);
    inner().allocate(size_bytes);
  }
  void sync() override {
    if (struck(Fault::Call::sync) || is_due_.exchange(false)) fail("fsync", 0);
    inner().sync();
  }
  void close() override {
    inner().close();
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
    inner().submit({&half, 1});
  }

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
