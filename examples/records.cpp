// Works through tasks, whose results are texts of any size, and writes them compressed: records FILE
#include <iostream>
#include <span>
#include <string>

#include "sill/comm/launch.hpp"
#include "sill/io/records/records_writer.hpp"

// What a task finds: more for some than for others.
static std::string result_of(std::int64_t task) {
  std::string text = "<task number=\"" + std::to_string(task) + "\">";
  for (std::int64_t hit = 0; hit < task % 7; ++hit) text += "<hit>" + std::to_string(task * hit) + "</hit>";
  return text + "</task>\n";
}

int main(int count, char** values) try {
  if (count != 2) return std::cerr << "usage: records FILE\n", 2;
  sill::Launch launch;  // alone, or one of the ranks that mpiexec started
  const sill::Resources resources{.comm = launch.comm()};
  sill::RecordsWriter writer(resources, values[1], {});
  for (std::int64_t turn = 0; turn < 10; ++turn) {
    // 100 tasks a turn; which rank does which does not matter.
    for (std::int64_t task = 100 * turn; task < 100 * (turn + 1); ++task) {
      if (task % launch.comm().size() != launch.comm().rank()) continue;
      const std::string text = result_of(task);
      writer.put(task, std::as_bytes(std::span(text)));  // local
    }
    writer.write();  // collective: what has come without a gap, as far as it fills frames
  }
  writer.close();
} catch (const sill::Error& error) {  // the same on every rank
  std::cerr << error.what() << '\n';
  return static_cast<int>(error.code());
}
