// The base class of stores that wrap another store.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "sill/store/store.hpp"

namespace sill {

/// Forwards every call to the store that it wraps; a derived class overrides only the calls that it changes. Extents
/// and links that the wrapped store does not support become requests to this store, so that an overridden `submit`
/// receives them.
class ForwardingStore : public Store {
 public:
  /// Local. Wraps `inner`. Precondition: `inner` is not null.
  explicit ForwardingStore(std::unique_ptr<Store> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] const std::string& name() const override { return inner_->name(); }
  void submit(std::span<const Request> requests) override { inner_->submit(requests); }
  void submit_strided(const StridedRead& read) override { inner_->submit_strided(read); }
  void submit_linked(std::span<LinkedRead> reads) override {
    if (!inner_->follows_links()) return Store::submit_linked(reads);
    inner_->submit_linked(reads);
  }
  [[nodiscard]] bool follows_links() const override { return inner_->follows_links(); }
  void submit_extents(Operation operation, std::span<const Extent> extents) override {
    if (!inner_->takes_extents()) return Store::submit_extents(operation, extents);
    inner_->submit_extents(operation, extents);
  }
  [[nodiscard]] bool takes_extents() const override { return inner_->takes_extents(); }
  [[nodiscard]] bool is_collective() const override { return inner_->is_collective(); }
  void submit_collective(Operation operation, std::span<const Extent> extents) override {
    inner_->submit_collective(operation, extents);
  }
  [[nodiscard]] std::int64_t size_bytes() override { return inner_->size_bytes(); }
  void allocate(std::int64_t size_bytes) override { inner_->allocate(size_bytes); }
  void punch_hole(ByteRange bytes) override { inner_->punch_hole(bytes); }
  void drop_cache(ByteRange bytes) override { inner_->drop_cache(bytes); }
  void will_need(std::span<const ByteRange> ranges) override { inner_->will_need(ranges); }
  void sync() override { inner_->sync(); }
  void close() override { inner_->close(); }

 protected:
  [[nodiscard]] Store& inner() { return *inner_; }
  [[nodiscard]] const Store& inner() const { return *inner_; }
  /// Local. Destroys the wrapped store. Only a destructor may call it.
  void destroy_inner() { inner_.reset(); }

 private:
  std::unique_ptr<Store> inner_;
};

}  // namespace sill
