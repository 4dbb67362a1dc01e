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
    std::int64_t reads = 0;
    std::int64_t read = 0;
    std::int64_t written = 0;
    for (const Request& request : requests) {
      if (request.operation == Operation::read) {
        ++reads;
        read += length_of(request);
      } else {
        written += length_of(request);
      }
    }
    meter_.read_requests += reads;
    meter_.read_bytes += read;
    meter_.write_requests += static_cast<std::int64_t>(requests.size()) - reads;
    meter_.written_bytes += written;
  }

  void submit_strided(const StridedRead& read) override {
    inner_->submit_strided(read);
    ++meter_.read_requests;
    meter_.read_bytes += read.count * read.length_bytes;
  }

  [[nodiscard]] std::int64_t size_bytes() override { return inner_->size_bytes(); }
  void allocate(std::int64_t size_bytes) override { inner_->allocate(size_bytes); }
  void discard(ByteRange bytes) override { inner_->discard(bytes); }
  void forget(ByteRange bytes) override { inner_->forget(bytes); }
  void close() override { inner_->close(); }

  void sync() override {
    inner_->sync();
    ++meter_.syncs;
  }

 private:
  std::unique_ptr<Store> inner_;
  Meter& meter_;
};

}  // namespace

std::unique_ptr<Store> metered(std::unique_ptr<Store> inner, Meter& meter) {
  ++meter.opens;
  return std::make_unique<MeterStore>(std::move(inner), meter);
}

Opener metered(Opener inner, Meter& meter) {
  return [inner = std::move(inner), &meter](const std::string& path, OpenMode mode) {
    return metered(inner(path, mode), meter);
  };
}

}  // namespace sill
