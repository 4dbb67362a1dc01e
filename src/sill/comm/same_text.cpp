#include "sill/comm/same_text.hpp"

#include <array>
#include <cstdint>
#include <vector>

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

void require_same_on_all(Communicator& comm, const std::function<std::vector<NamedText>()>& texts,
                         std::string_view problem) {
  std::vector<NamedText> mine;
  std::vector<std::int64_t> least = run_and_agree(comm, [&] {
    mine = texts();
    std::vector<std::int64_t> hashes;
    for (const NamedText& each : mine) {
      const auto hash = static_cast<std::int64_t>(std::hash<std::string>()(each.text) >> 1U);
      hashes.insert(hashes.end(), {hash, -hash});
    }
    return hashes;
  });
  comm.all_reduce(least, Reduction::min);
  std::string differing;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (least[2 * i] != -least[2 * i + 1]) differing += (differing.empty() ? "" : ", ") + mine[i].name;
  }
  if (differing.empty()) return;
  run_and_agree(comm, [&] {
    throw Error({.code = ErrorCode::usage,
                 .problem = std::string(problem) + " " + differing,
                 .action = "give all ranks of the communicator the same"});
  });
}

}  // namespace sill
