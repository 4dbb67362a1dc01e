// Which sanitizers the tests are compiled with.
#pragma once

namespace sill::test {

#if defined(__has_feature)  // Clang
inline constexpr bool has_address_sanitizer = __has_feature(address_sanitizer);
inline constexpr bool has_thread_sanitizer = __has_feature(thread_sanitizer);
#else
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool has_address_sanitizer = true;
#else
inline constexpr bool has_address_sanitizer = false;
#endif
#ifdef __SANITIZE_THREAD__
inline constexpr bool has_thread_sanitizer = true;
#else
inline constexpr bool has_thread_sanitizer = false;
#endif
#endif

}  // namespace sill::test
