// How messages name what a program names by an index: from where they count, in which order.
#pragma once

#include <algorithm>

namespace sill {

/// Local. The index of the first of several in messages made on this thread: 0, as in C++ and C, unless `count_from`
/// said otherwise.
[[nodiscard]] int first_index() noexcept;

/// Local. Returns what belongs to the dimensions of an array, the slowest first, in the order in which messages made on
/// this thread name them: the fastest first for a program in Fortran.
template <class List>
[[nodiscard]] List in_order_of_language(List list) {
  if (first_index() == 1) std::reverse(list.begin(), list.end());
  return list;
}

/// Local. Lets messages of this thread count from `first`: 1 for a program in Fortran.
void count_from(int first) noexcept;

}  // namespace sill
