// Values as bytes, to be sent to other ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sill {

/// Appends values to a message, in the byte order of the machine.
class Packer {
 public:
  void number(std::int64_t value) { add(std::as_bytes(std::span(&value, 1))); }
  void maybe(const std::optional<std::int64_t>& value) {
    number(value ? 1 : 0);
    number(value.value_or(0));
  }
  /// Appends a vector or a string.
  template <class List>
  void list(const List& values) {
    static_assert(std::is_trivially_copyable_v<typename List::value_type>);
    number(static_cast<std::int64_t>(values.size()));
    add(std::as_bytes(std::span(values)));
  }
  void texts(const std::vector<std::string>& values) {
    number(static_cast<std::int64_t>(values.size()));
    for (const std::string& each : values) list(each);
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void add(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  std::vector<std::byte> bytes_;
};

/// Returns the values of a message in the order in which a Packer appended them.
class Unpacker {
 public:
  /// `bytes` outlive the object.
  explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::int64_t number() {
    std::int64_t value = 0;
    take(std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  [[nodiscard]] std::optional<std::int64_t> maybe() {
    const bool is_present = number() != 0;
    const std::int64_t value = number();
    return is_present ? std::optional(value) : std::nullopt;
  }
  template <class List>
  [[nodiscard]] List list() {
    List values;
    values.resize(static_cast<std::size_t>(number()));
    take(std::as_writable_bytes(std::span(values)));
    return values;
  }
  [[nodiscard]] std::string text() { return list<std::string>(); }
  [[nodiscard]] std::vector<std::string> texts() {
    std::vector<std::string> values(static_cast<std::size_t>(number()));
    for (std::string& each : values) each = text();
    return values;
  }

 private:
  void take(std::span<std::byte> into) {
    if (!into.empty()) std::memcpy(into.data(), bytes_.data(), into.size());
    bytes_ = bytes_.subspan(into.size());
  }

  std::span<const std::byte> bytes_;
};

}  // namespace sill
