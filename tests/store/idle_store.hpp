// What a store does that has nothing to do.
#pragma once

#include <string>
#include <utility>

#include "sill/store/store.hpp"

namespace sill::test {

/// Moves nothing and keeps nothing: for stand-ins, which say only what they do.
class IdleStore : public Store {
 public:
  explicit IdleStore(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] const std::string& name() const override { return name_; }
  void submit(std::span<const Request> /*requests*/) override {}
  void submit_strided(const StridedRead& /*read*/) override {}
  [[nodiscard]] std::int64_t size_bytes() override { return 0; }
  void allocate(std::int64_t /*size_bytes*/) override {}
  void punch_hole(ByteRange /*bytes*/) override {}
  void sync() override {}
  void close() override {}

 private:
  std::string name_;
};

}  // namespace sill::test
