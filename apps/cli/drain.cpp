// sill drain: copies the data that killed processes left in a burst buffer into their files.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/json_text.hpp"
#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/store/burst/left_logs.hpp"

namespace sill::cli {
namespace {

struct DrainArguments {
  std::string folder;
  bool json = false;
};

nlohmann::ordered_json json_of(const DrainedLogs& logs, int rank) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const DrainedFile& file : logs.files) {
    files.push_back({{"file", file.path}, {"runs", file.runs}, {"bytes", file.bytes}});
    if (!file.dropped.empty()) files.back()["dropped"] = file.dropped;
  }
  return {
      {"rank", rank}, {"drained", logs.drained}, {"in_use", logs.in_use}, {"files", files}, {"damaged", logs.damaged}};
}

std::string text_of(const nlohmann::ordered_json& nodes, const std::string& folder) {
  std::string text;
  std::int64_t drained = 0;
  for (const auto& node : nodes) {
    drained += node.at("drained").get<std::int64_t>();
    const auto in_use = node.at("in_use").get<std::int64_t>();
    if (in_use > 0) {
      text += fmt::format("{}: {} of running processes {} unchanged\n", folder,
                          in_use == 1 ? "a log" : fmt::format("{} logs", in_use), in_use == 1 ? "remains" : "remain");
    }
    for (const auto& file : node.at("files")) {
      const auto path = file.at("file").get<std::string>();
      const std::string bytes = format_bytes(file.at("bytes").get<std::int64_t>());
      text += file.contains("dropped")
                  ? fmt::format("{}: {} dropped: {}\n", path.empty() ? "a file without a name" : path, bytes,
                                file.at("dropped").get<std::string>())
                  : fmt::format("{}: {} written to this file\n", path, bytes);
    }
    for (const auto& segment : node.at("damaged"))
      text += fmt::format("{}: damaged: the data after the damage are dropped\n", segment.get<std::string>());
  }
  return text + fmt::format("{}: {} log{} drained", folder, format_count(drained), drained == 1 ? "" : "s");
}

int run_drain(Session& session, const DrainArguments& options) {
  session.reserve_files({}, {});
  Communicator& comm = session.comm();
  const std::span<const int> nodes = comm.node_of_ranks();
  const bool is_first_of_node =
      std::ranges::find(nodes, nodes[static_cast<std::size_t>(comm.rank())]) == nodes.begin() + comm.rank();
  std::string mine;
  bool is_whole = true;
  run_and_agree(comm, [&] {
    if (!is_first_of_node) return;
    const DrainedLogs logs = drain_left_logs(options.folder);
    is_whole = logs.is_whole();
    mine = json_of(logs, comm.rank()).dump() + "\n";
  });
  const std::vector<char> all = all_gather_all<char>(comm, mine);
  const std::int64_t lost = all_reduce(comm, is_whole ? 0 : 1, Reduction::max);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (auto at = all.begin(); at != all.end();) {
    const auto end = std::find(at, all.end(), '\n');
    list.push_back(nlohmann::ordered_json::parse(at, end));
    at = end + 1;
  }
  session.print(options.json ? json_text(nlohmann::ordered_json{{"nodes", list}}) : text_of(list, options.folder));
  return session.finish({}, lost > 0 ? 1 : 0);
}

}  // namespace

void add_drain(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "drain",
                  "Copy data from a burst buffer to files after a killed run\n"
                  "Run it on one rank of each node (docs/burst.md). Exit status 1: data had to be dropped.",
                  "  sill drain /local/scratch\n"
                  "  sill drain /dev/shm --json\n"
                  "  mpiexec -n 2 --map-by node sill drain /local/scratch\n",
                  run_drain);
  remove_mover_options(parser);
  parser.add_option("DIR", options->folder, "Folder of the burst buffer")->required();
  parser.add_flag("--json", options->json, "Print JSON");
}

}  // namespace sill::cli
