// Numbers for properties, over their whole range from the first case on.
#pragma once

#include <gtest/gtest.h>  // before RapidCheck's header for it
#include <rapidcheck.h>

#include <cstdint>
#include <type_traits>

namespace sill::test {

/// Local. A number from `least` to `most`. RapidCheck's own ranges begin small and are whole only in the last case.
template <class T = std::int64_t>
[[nodiscard]] T any_number(std::type_identity_t<T> least, std::type_identity_t<T> most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(least, static_cast<T>(most + 1)));
}

}  // namespace sill::test
