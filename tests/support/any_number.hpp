// Numbers for properties, over their whole range from the first case on.
#pragma once

#include <gtest/gtest.h>  // before RapidCheck's header for it
#include <rapidcheck.h>

#include <cstdint>
#include <type_traits>

namespace sill::test {

/// Local. A number from `min` to `max`. RapidCheck's own ranges begin small and are whole only in the last case.
template <class T = std::int64_t>
[[nodiscard]] T any_number(std::type_identity_t<T> min, std::type_identity_t<T> max) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(min, static_cast<T>(max + 1)));
}

}  // namespace sill::test
