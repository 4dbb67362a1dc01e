#include "sill/io/session/darshan_log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "sill/base/child_process.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/move/policy/policy.hpp"

namespace sill {
namespace {

using Json = nlohmann::json;

// A module of Darshan; the names of its counters begin with its prefix.
struct Module {
  const char* name;
  const char* prefix;
  std::vector<const char*> opens;
  std::vector<const char*> reads;
  std::vector<const char*> writes;
  const char* sizes;  // part of the names of the counters of request sizes; null: there are none
};

const std::array modules{Module{"MPI-IO",
                                "MPIIO_",
                                {"INDEP_OPENS", "COLL_OPENS"},
                                {"INDEP_READS", "COLL_READS", "SPLIT_READS", "NB_READS"},
                                {"INDEP_WRITES", "COLL_WRITES", "SPLIT_WRITES", "NB_WRITES"},
                                "SIZE_{}_AGG_{}"},
                         Module{"POSIX", "POSIX_", {"OPENS"}, {"READS"}, {"WRITES"}, "SIZE_{}_{}"},
                         Module{"STDIO", "STDIO_", {"OPENS"}, {"READS"}, {"WRITES"}, nullptr}};

// The upper limits of Darshan's classes of sizes; the last class has none.
constexpr std::array<std::pair<const char*, std::int64_t>, 10> size_classes{{{"0_100", 100},
                                                                             {"100_1K", 1 << 10},
                                                                             {"1K_10K", 10 << 10},
                                                                             {"10K_100K", 100 << 10},
                                                                             {"100K_1M", 1 << 20},
                                                                             {"1M_4M", 4 << 20},
                                                                             {"4M_10M", 10 << 20},
                                                                             {"10M_100M", 100 << 20},
                                                                             {"100M_1G", 1 << 30},
                                                                             {"1G_PLUS", std::int64_t{1} << 62}}};

constexpr const char* ask_pydarshan = R"(
import json, sys
try:
    import darshan.backend.cffi_backend as backend
except Exception as failure:
    sys.exit(f"PyDarshan: {failure}")
log = backend.log_open(sys.argv[1])
if not log["handle"]:
    sys.exit("no log")
plain = lambda value: value.item() if hasattr(value, "item") else str(value)
names = backend.log_get_name_records(log)
job = backend.log_get_job(log)
print(json.dumps({"ranks": int(job["nprocs"]), "seconds": float(job.get("run_time", 0))}))
for module in ("MPI-IO", "POSIX", "STDIO"):
    if module not in backend.log_get_modules(log):
        continue
    while (record := backend.log_get_record(log, module, dtype="dict")) is not None:
        counters = record["counters"] | record["fcounters"]
        entry = {"module": module, "file": names.get(record["id"], ""), "rank": record["rank"], "counters": counters}
        print(json.dumps(entry, default=plain))
)";

Error log_error(ErrorCode code, const std::string& path, std::string problem, std::string action) {
  return Error({.code = code, .problem = std::move(problem), .where = {.file = path}, .action = std::move(action)});
}

// The record of a file: of one rank, or of all ranks together (rank -1).
class Record {
 public:
  Record(const Json& json, const Module& of)
      : rank(json.at("rank").get<int>()),
        file(json.at("file").get<std::string>()),
        counters_(json.at("counters")),
        module_(&of) {}

  int rank;
  std::string file;

  [[nodiscard]] const Module& module() const { return *module_; }

  // Returns 0 for counters that are -1 or missing, which the version or the file does not have.
  [[nodiscard]] double value(const std::string& name) const {
    const auto found = counters_.find(module_->prefix + name);
    return found == counters_.end() ? 0 : std::max(0.0, found->get<double>());
  }
  [[nodiscard]] std::int64_t count(const std::vector<const char*>& names) const {
    double sum = 0;
    for (const char* each : names) sum += value(each);
    return static_cast<std::int64_t>(sum);
  }
  [[nodiscard]] std::int64_t count(const std::string& name) const { return static_cast<std::int64_t>(value(name)); }

 private:
  Json counters_;
  const Module* module_;
};

std::vector<SizeClass> sizes_of(const std::vector<Record>& records, const char* what) {
  std::vector<SizeClass> classes;
  std::int64_t from = 0;
  for (const auto& [name, end] : size_classes) {
    std::int64_t requests = 0;
    for (const Record& each : records) {
      const char* const sizes = each.module().sizes;
      if (sizes != nullptr) requests += each.count(fmt::format(fmt::runtime(sizes), what, name));
    }
    if (requests > 0) classes.push_back({from, end - 1, requests});
    from = end;
  }
  return classes;
}

// Returns the spread of a figure over ranks. For a file that all ranks share, each rank is assigned the mean.
RankSpread spread_over_ranks(const std::vector<Record>& records, int ranks, const auto& figure) {
  std::vector<double> of_ranks(static_cast<std::size_t>(ranks));
  double shared = 0;
  for (const Record& each : records) {
    if (each.rank < 0 || each.rank >= ranks) {
      shared += figure(each);
    } else {
      of_ranks[static_cast<std::size_t>(each.rank)] += figure(each);
    }
  }
  for (double& each : of_ranks) each += shared / ranks;
  return spread_of(of_ranks);
}

IoFigures figures_of(const std::vector<Record>& records, int ranks) {
  IoFigures figures;
  for (const Record& each : records) {
    figures.opens += each.count(each.module().opens);
    figures.read_requests += each.count(each.module().reads);
    figures.write_requests += each.count(each.module().writes);
    figures.read_bytes += each.count("BYTES_READ");
    figures.written_bytes += each.count("BYTES_WRITTEN");
    figures.syncs += each.count({"FSYNCS", "FDSYNCS", "SYNCS"});
    figures.open_s += each.value("F_META_TIME");
    figures.read_s += each.value("F_READ_TIME");
    figures.write_s += each.value("F_WRITE_TIME");
  }
  figures.read_sizes = sizes_of(records, "READ");
  figures.write_sizes = sizes_of(records, "WRITE");
  const auto spread = [&](const auto& figure) { return spread_over_ranks(records, ranks, figure); };
  figures.of_read_requests =
      spread([&](const Record& each) { return static_cast<double>(each.count(each.module().reads)); });
  figures.of_write_requests =
      spread([&](const Record& each) { return static_cast<double>(each.count(each.module().writes)); });
  figures.of_read_bytes = spread([](const Record& each) { return each.value("BYTES_READ"); });
  figures.of_written_bytes = spread([](const Record& each) { return each.value("BYTES_WRITTEN"); });
  figures.of_file_s = spread([](const Record& each) {
    return each.value("F_META_TIME") + each.value("F_READ_TIME") + each.value("F_WRITE_TIME");
  });
  return figures;
}

// Adds notes about facts that are not visible in the figures of a module.
void add_notes(const std::vector<Record>& records, const Module& module, const IoFigures& figures, int ranks,
               std::vector<std::string>& notes) {
  std::set<std::string> files;
  std::set<std::string> shared;
  std::int64_t unaligned = 0;
  std::int64_t alignment = 0;
  const Record* slowest = nullptr;
  const auto lag_of = [](const Record& each) {
    return each.value("F_SLOWEST_RANK_TIME") - each.value("F_FASTEST_RANK_TIME");
  };
  for (const Record& each : records) {
    files.insert(each.file);
    if (each.rank < 0 && ranks > 1) shared.insert(each.file);
    unaligned += each.count("FILE_NOT_ALIGNED");
    alignment = std::max(alignment, each.count("FILE_ALIGNMENT"));
    if (each.rank < 0 && (slowest == nullptr || lag_of(each) > lag_of(*slowest))) slowest = &each;
  }
  notes.push_back(fmt::format("{}: files: {}, {} of them used by all ranks", module.name,
                              format_count(std::ssize(files)), format_count(std::ssize(shared))));
  const std::int64_t requests = figures.read_requests + figures.write_requests;
  if (alignment > 0 && requests > 0) {
    notes.push_back(fmt::format("{}: {} of {} requests do not begin at a multiple of {} in the file", module.name,
                                format_count(unaligned), format_count(requests), format_bytes(alignment)));
  }
  const double all = figures.open_s + figures.read_s + figures.write_s;
  if (all > 0)
    notes.push_back(fmt::format("{}: opening, closing, seeking and the like took {:.0f} % of its time", module.name,
                                100 * figures.open_s / all));
  constexpr double noteworthy = 0.1;
  if (slowest != nullptr && lag_of(*slowest) > noteworthy * slowest->value("F_SLOWEST_RANK_TIME")) {
    notes.push_back(
        fmt::format("{}: with {} rank {} took {}, rank {} {}", module.name, slowest->file,
                    slowest->count("SLOWEST_RANK"), format_short_time(slowest->value("F_SLOWEST_RANK_TIME")),
                    slowest->count("FASTEST_RANK"), format_short_time(slowest->value("F_FASTEST_RANK_TIME"))));
  }
}

// Runs python3, and returns its output.
std::string printed_by_python(const std::string& path) {
  ChildEnd end = run_child({"python3", "-c", ask_pydarshan, path});
  if (end.status == 0) return std::move(end.printed);
  const std::string_view warned = trimmed(end.warned);
  const std::string_view reason = warned.substr(warned.rfind('\n') + 1);  // the last line of a traceback
  throw log_error(ErrorCode::io, path,
                  fmt::format("PyDarshan did not read the log{}{}", reason.empty() ? "" : ": ", echoed(reason, 200)),
                  "install PyDarshan for the python3 in PATH (pip install darshan), and give an intact log");
}

}  // namespace

bool is_darshan_log(const std::string& path) { return path.ends_with(".darshan"); }

IoReport darshan_report(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0) throw system_error(errno, "opening", {.file = path});
  return darshan_report_of(printed_by_python(path), path);
}

IoReport darshan_report_of(std::string_view lines, const std::string& path) {
  IoReport report{.nodes = 0, .policy = "direct"};
  std::map<std::string, std::vector<Record>> records;
  try {
    bool is_first = true;
    for (std::size_t end = lines.find('\n'); end != std::string_view::npos; end = lines.find('\n')) {
      const Json line = Json::parse(lines.substr(0, end));
      lines.remove_prefix(end + 1);
      if (std::exchange(is_first, false)) {
        report.ranks = std::max(1, line.at("ranks").get<int>());
        report.seconds = line.at("seconds").get<double>();
        continue;
      }
      const auto* const module = std::ranges::find(modules, line.at("module").get<std::string>(), &Module::name);
      if (module != modules.end()) records[module->name].emplace_back(line, *module);
    }
  } catch (const Json::exception& failure) {
    throw log_error(ErrorCode::input, path,
                    fmt::format("the output of PyDarshan for this log is not understood: {}", failure.what()),
                    "give a log of Darshan 3.2 or later");
  }
  std::vector<Record> of_files;  // without files that another module also counts
  for (const Module& module : modules) {
    const std::vector<Record>& of_module = records[module.name];
    const IoFigures figures = figures_of(of_module, report.ranks);
    if (!figures.has_any()) continue;
    report.outputs.push_back({module.name, Policy::parse("direct").text(), 1, figures});
    add_notes(of_module, module, figures, report.ranks, report.notes);
    if (module.name != std::string_view("MPI-IO")) of_files.insert(of_files.end(), of_module.begin(), of_module.end());
  }
  report.total = figures_of(of_files, report.ranks);
  return report;
}

}  // namespace sill
