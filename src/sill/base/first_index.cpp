#include "sill/base/first_index.hpp"

namespace sill {
namespace {

thread_local int first_of_thread = 0;

}  // namespace

int first_index() noexcept { return first_of_thread; }

void count_from(int first) noexcept { first_of_thread = first; }

}  // namespace sill
