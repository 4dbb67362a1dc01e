// Values as bytes, to be sent to other ranks.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace sill {

/// Numbers, enumerators and structures of them; not what refers to memory of this rank.
template <class Value>
concept Packable = std::is_trivially_copyable_v<Value> && !std::is_pointer_v<Value> && !std::ranges::view<Value> &&
                   !requires(Value value) {
  value.has_value();
};

/// Appends values to a message, in the byte order of the machine.
class Packer {
 public:
  /// Appends Packable values, texts, and vectors and optionals of all these.
  template <class... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  /// Appends the number of elements. Their members are appended next.
  template <class List>
  void size(const List& list) {
    put(list.size());
  }
  /// Appends whether there is a value. Returns it: its members are appended next; null: there is none.
  template <class Value>
  const Value* maybe(const std::optional<Value>& value) {
    put(value.has_value());
    return value ? &*value : nullptr;
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  template <class Value>
  void put(const Value& value) {
    if constexpr (Packable<Value>) {
      add(std::as_bytes(std::span(&value, 1)));
    } else if constexpr (requires { value.has_value(); }) {
      if (const auto* const found = maybe(value)) put(*found);
    } else {
      size(value);
      if constexpr (Packable<typename Value::value_type>)
        add(std::as_bytes(std::span(value)));
      else
        for (const auto& each : value) put(each);
    }
  }
  void add(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  std::vector<std::byte> bytes_;
};

/// Sets values to those of a message. The same calls with values of the same types packed them: a function with the
/// message as a template parameter packs and unpacks.
class Unpacker {
 public:
  /// `bytes` outlive the object.
  explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  template <class List>
  void size(List& list) {
    list.resize(next<std::size_t>());
  }
  template <class Value>
  Value* maybe(std::optional<Value>& value) {
    value.reset();
    return next<bool>() ? &value.emplace() : nullptr;
  }
  template <class Value>
  [[nodiscard]] Value next() {
    Value value{};
    get(value);
    return value;
  }

 private:
  template <class Value>
  void get(Value& value) {
    if constexpr (Packable<Value>) {
      take(std::as_writable_bytes(std::span(&value, 1)));
    } else if constexpr (requires { value.has_value(); }) {
      if (auto* const found = maybe(value)) get(*found);
    } else {
      size(value);
      if constexpr (Packable<typename Value::value_type>)
        take(std::as_writable_bytes(std::span(value)));
      else
        for (auto& each : value) get(each);
    }
  }
  void take(std::span<std::byte> into) {
    if (!into.empty()) std::memcpy(into.data(), bytes_.data(), into.size());
    bytes_ = bytes_.subspan(into.size());
  }

  std::span<const std::byte> bytes_;
};

}  // namespace sill
