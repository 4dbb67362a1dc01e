#include "sill/store/meter_store.hpp"

#include <utility>

namespace sill {
namespace {

class MeterStore final : public Store {
 public:
  MeterStore(std::unique_ptr<Store> inner, Meter& meter) : inner_(std::move(inner)), meter_(meter) {}

  [[nodiscard]] const std::string& name() const override { return inner_->name(); }

  void submit(std::span<const Request> requests) override {
    inner_->submit(requests);
    for (const Request& request : requests) count(request.operation, length_of(request));
  }

  void submit_strided(const StridedRead& read) override {
    inner_->submit_strided(read);
    count(Operation::read, read.count * read.length_bytes);
  }

  // As strided reads: one request of the bytes that were wanted, however the store comes by them.
  void submit_linked(std::span<LinkedRead> reads) override {
    inner_->submit_linked(reads);
    for (const LinkedRead& read : reads) count(Operation::read, read.items * read.length_bytes);
  }
  [[nodiscard]] bool follows_links() const override { return inner_->follows_links(); }

  void submit_extents(Operation operation, std::span<const Extent> extents) override {
    if (!inner_->takes_extents()) return Store::submit_extents(operation, extents);
    inner_->submit_extents(operation, extents);
    count(operation, extents);
  }
  [[nodiscard]] bool takes_extents() const override { return inner_->takes_extents(); }

  [[nodiscard]] bool is_collective() const override { return inner_->is_collective(); }
  void submit_collective(Operation operation, std::span<const Extent> extents) override {
    inner_->submit_collective(operation, extents);
    count(operation, extents);
  }

  [[nodiscard]] std::int64_t size_bytes() override { return inner_->size_bytes(); }
  void allocate(std::int64_t size_bytes) override { inner_->allocate(size_bytes); }
  void discard(ByteRange bytes) override { inner_->discard(bytes); }
  void forget(ByteRange bytes) override { inner_->forget(bytes); }
  void will_need(ByteRange bytes) override { inner_->will_need(bytes); }
  void close() override { inner_->close(); }

  void sync() override {
    inner_->sync();
    ++meter_.syncs;
  }

 private:
  void count(Operation operation, std::int64_t bytes) {
    if (operation == Operation::read) {
      ++meter_.read_requests;
      meter_.read_bytes += bytes;
    } else {
      ++meter_.write_requests;
      meter_.written_bytes += bytes;
    }
  }
  void count(Operation operation, std::span<const Extent> extents) {
    std::int64_t bytes = 0;
    for (const Extent& extent : extents) bytes += extent.total_bytes();
    if (bytes > 0) count(operation, bytes);
  }

  std::unique_ptr<Store> inner_;
  Meter& meter_;
};

}  // namespace

std::unique_ptr<Store> metered(std::unique_ptr<Store> inner, Meter& meter) {
  if (!inner) return nullptr;
  ++meter.opens;
  return std::make_unique<MeterStore>(std::move(inner), meter);
}

Opener metered(Opener inner, Meter& meter) {
  return [inner = std::move(inner), &meter](const std::string& path, OpenMode mode) {
    return metered(inner(path, mode), meter);
  };
}

}  // namespace sill
