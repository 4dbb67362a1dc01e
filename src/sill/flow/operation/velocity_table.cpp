#include "sill/flow/operation/velocity_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/files/whole_text_file.hpp"

namespace sill::flow {

std::int64_t VelocityTable::write(const Resources& resources, const std::string& location,
                                  const std::string& path) const {
  std::vector<Line> all = all_gather_all(resources.comm, std::span<const Line>(lines_));
  std::ranges::sort(all, {}, [](const Line& line) { return std::pair(line.location, line.time_s); });
  run_on_rank(resources.comm, 0, [&] {
    std::string text = fmt::format("{},time_s,velocity_m/s\n", location);
    for (const Line& line : all)
      text += fmt::format("{:.15g},{:.9g},{:.9g}\n", line.location, line.time_s, line.velocity);
    WholeTextFile file(resources, path);
    file.write(text);
    file.finish();
  });
  return std::ssize(all);
}

}  // namespace sill::flow
