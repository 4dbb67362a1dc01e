// From where messages count what a program names by an index.
#pragma once

namespace sill {

/// Local. The index of the first of several in messages made on this thread: 0, as in C++ and C, unless `count_from`
/// said otherwise.
[[nodiscard]] int first_index() noexcept;

/// Local. Lets messages of this thread count from `first`: 1 for a program in Fortran.
void count_from(int first) noexcept;

}  // namespace sill
