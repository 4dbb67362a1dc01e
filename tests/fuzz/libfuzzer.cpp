// The entry that libFuzzer calls; SILL_FUZZ_TARGET is the name of the target that this program feeds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const sill::fuzz::Target& target : sill::fuzz::targets()) {
    if (target.name != std::string_view(SILL_FUZZ_TARGET)) continue;
    target.feed(std::as_bytes(std::span(data, size)));
    return 0;
  }
  std::abort();
}
