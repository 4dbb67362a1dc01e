// The first index and the order of dimensions in messages, as in C or as in Fortran.
#pragma once

#include <algorithm>

namespace sill {

/// Local. Returns the index of a first element in messages made on this thread: 0, as in C++ and C, unless changed by
/// `count_from`.
[[nodiscard]] int first_index() noexcept;

/// Local. Returns `list`, which has one element per dimension of an array, slowest first, in the order that messages
/// made on this thread use: fastest first for a program in Fortran, otherwise unchanged.
template <class List>
[[nodiscard]] List in_order_of_language(List list) {
  if (first_index() == 1) std::reverse(list.begin(), list.end());
  return list;
}

/// Local. Makes messages of this thread count from `first`: 1 for a program in Fortran.
void count_from(int first) noexcept;

}  // namespace sill
