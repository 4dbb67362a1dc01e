#include "sill/comm/same_text.hpp"

#include <array>
#include <cstdint>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"

namespace sill {

void require_same_on_all(Communicator& comm, const std::function<std::string()>& text, std::string_view problem,
                         std::string_view action) {
  const std::int64_t mine =
      run_and_agree(comm, [&] { return static_cast<std::int64_t>(std::hash<std::string>()(text()) >> 1U); });
  std::array<std::int64_t, 2> min_and_max{mine, -mine};
  comm.all_reduce(min_and_max, Reduction::min);
  if (min_and_max[0] == -min_and_max[1]) return;
  run_and_agree(comm, [&] {
    throw Error({.code = ErrorCode::usage, .problem = std::string(problem), .action = std::string(action)});
  });
}

}  // namespace sill
