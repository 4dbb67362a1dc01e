#include "kernels/kernel.hpp"

#include "sill/base/error.hpp"

namespace sill::kernels {
namespace {

[[noreturn]] void refuse_bytes() {
  throw usage_error("the files of the run would exceed 2^63 - 1 bytes", "choose smaller sizes");
}

}  // namespace

std::int64_t sum_bytes(std::int64_t a, std::int64_t b) {
  std::int64_t bytes = 0;
  if (__builtin_add_overflow(a, b, &bytes)) refuse_bytes();
  return bytes;
}

std::int64_t product_bytes(std::int64_t a, std::int64_t b) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(a, b, &bytes)) refuse_bytes();
  return bytes;
}

}  // namespace sill::kernels
