// Descriptions of datasets for properties, and texts that were damaged.
#pragma once

#include <gtest/gtest.h>  // before RapidCheck's header for it
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "store/thrown.hpp"

namespace sill::image_test {

/// Local. Extremes, infinities, NaN of both signs, zeros, and any bits. A NaN is one that C makes: text holds no other.
template <class T>
[[nodiscard]] T any_number() {
  using Limits = std::numeric_limits<T>;
  const bool is_edge = *rc::gen::weightedElement<bool>({{1, true}, {2, false}});
  if constexpr (std::is_floating_point_v<T>) {
    if (is_edge) {
      return *rc::gen::element<T>(Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(),
                                  Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min(), T(-0.0),
                                  T(0.1));
    }
  } else if (is_edge) {
    return *rc::gen::element<T>(Limits::min(), Limits::max(), T{0}, T{1});
  }
  const std::uint64_t bits = *rc::gen::arbitrary<std::uint64_t>() * 0x9E3779B97F4A7C15U;  // exponents of every size
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T value = std::bit_cast<T>(static_cast<Bits>(bits));
    return std::isnan(value) ? Limits::quiet_NaN() : value;
  } else {
    return static_cast<T>(bits);
  }
}

/// Local. What XML escapes or folds, and characters of one to four bytes in UTF-8.
[[nodiscard]] inline std::string any_text() {
  std::string text;
  const auto pieces = *rc::gen::inRange(0, 8);
  for (int i = 0; i < pieces; ++i) {
    text += *rc::gen::element<std::string>("a", "Z9", " ", "\"", "<", "&", ">", "'", "\n", "\t", "\r", "]]>", "&amp;",
                                           "&#10;", "-->", "{}", "\\n", ", ", "\xC3\xA4", "\xE6\xB0\xB4",
                                           "\xF0\x9F\x8C\x8A");
  }
  return text;
}

/// Local. A name of netCDF without spaces, another one for each number.
[[nodiscard]] inline std::string any_name(std::size_t number) {
  return *rc::gen::element<std::string>("u", "_v", "9", "\xC3\xA4", "a&b<", "x\"y'", "p,q;r", "level.") +
         std::to_string(number);
}

[[nodiscard]] inline std::vector<Attribute> any_attributes() {
  std::vector<Attribute> attributes;
  const auto count = *rc::gen::inRange<std::size_t>(0, 4);
  while (attributes.size() < count) {
    const std::string name = any_name(attributes.size());
    visit_type(static_cast<ElementType>(*rc::gen::inRange(0, 11)), [&](auto of_type) {
      using T = decltype(of_type);
      if constexpr (std::is_same_v<T, char>) {
        attributes.emplace_back(name, std::string_view(any_text()));
      } else {
        std::vector<T> numbers(*rc::gen::inRange<std::size_t>(0, 4));
        for (T& each : numbers) each = any_number<T>();
        attributes.emplace_back(name, std::span<const T>(numbers));
      }
    });
  }
  return attributes;
}

inline const std::vector<ElementType> number_types{ElementType::i1, ElementType::i2, ElementType::i4, ElementType::i8,
                                                   ElementType::u1, ElementType::u2, ElementType::u4, ElementType::u8,
                                                   ElementType::f4, ElementType::f8};

/// Local. Variables of these types with up to 4 dimensions, besides an unlimited one that some have.
[[nodiscard]] inline DatasetDescription any_description(const std::vector<ElementType>& types) {
  DatasetDescription description;
  const auto fixed = *rc::gen::inRange<std::size_t>(0, 5);
  for (std::size_t d = 0; d < fixed; ++d) {
    description.dimensions.push_back({any_name(d), *rc::gen::inRange<std::int64_t>(1, 6)});
  }
  const bool grows = *rc::gen::arbitrary<bool>();
  const std::vector<Dimension> of_space = description.dimensions;
  if (grows) {
    const auto at = *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(fixed) + 1);
    description.dimensions.insert(description.dimensions.begin() + at, {"time", unlimited});
  }
  const auto variables = *rc::gen::inRange<std::size_t>(0, 5);
  for (std::size_t v = 0; v < variables; ++v) {
    Variable variable{.name = any_name(v), .type = *rc::gen::elementOf(types)};
    if (grows && *rc::gen::arbitrary<bool>()) variable.dimensions.emplace_back("time");
    const auto count = *rc::gen::inRange<std::size_t>(0, 5);
    for (std::size_t d = 0; d < count && fixed > 0; ++d) {
      // Mostly in their order, as those of a grid are.
      const bool in_order = d < fixed && *rc::gen::weightedElement<bool>({{4, true}, {1, false}});
      variable.dimensions.push_back(of_space[in_order ? d : *rc::gen::inRange<std::size_t>(0, fixed)].name);
    }
    variable.attributes = any_attributes();
    description.variables.push_back(std::move(variable));
  }
  description.attributes = any_attributes();
  return description;
}

/// Local. A text some of whose bytes are others, were put in or left out, one of whose numbers is one that nobody
/// expects, or whose end is missing.
[[nodiscard]] inline std::string damaged(std::string text) {
  const auto changes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < changes && !text.empty(); ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 5)) {
      case 0: text[at] = *rc::gen::arbitrary<char>(); break;
      case 1:
        text.insert(at, *rc::gen::element<std::string>("<", "\"", " ", "=", "-", "0", "<a>", "</a>", "&#27;"));
        break;
      case 2: text.erase(at, *rc::gen::inRange<std::size_t>(1, 30)); break;
      case 3: text.resize(at); break;
      default: {
        const std::size_t first = std::min(text.find_first_of("0123456789", at), text.size());
        const std::size_t end = std::min(text.find_first_not_of("0123456789", first), text.size());
        text.replace(first, end - first,
                     *rc::gen::element<std::string>("", "-1", "+1", " 1", "0", "0x7", "1e9", "x", "2147483648",
                                                    "1152921504606846976", "9223372036854775807",
                                                    "-9223372036854775808", "99999999999999999999"));
      }
    }
  }
  return text;
}

/// Local. Whether `work` ends well or by an error of the input with a message of bounded length.
template <class Work>
[[nodiscard]] bool is_done_or_refused(Work&& work) {
  const std::optional<Error> error = test::thrown(work);
  return !error || (error->code() == ErrorCode::input && error->parts().problem.size() < 10'000);
}

/// Local. Whether `work` is refused with that code and, among others, these words; if not, `said` is what was said.
template <class Work>
[[nodiscard]] bool is_refused(ErrorCode code, std::string_view words, Work&& work, std::string& said) {
  const std::optional<Error> error = test::thrown(work);
  said = error ? error->what() : "nothing was refused";
  return error && error->code() == code && said.find(words) != std::string::npos;
}

/// Local. The text with `to` in every place of `from`.
[[nodiscard]] inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace sill::image_test
