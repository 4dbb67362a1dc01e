// Compares ways to write the output of a kernel by measurement.
#include "cli/kernel/kernel_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>

#include "cli/text_file.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/engines/parallel_netcdf.hpp"
#include "sill/move/policy/policy.hpp"
#include "sill/store/posix/counted_calls.hpp"

namespace sill::cli {
namespace {

// The median of repeated measurements and a confidence interval for the true median, without assumptions about their
// distribution.
struct Median {
  double value = 0.0;
  double min = 0.0;
  double max = 0.0;
};

// Returns the median, and the order statistics that cover the true median with a probability of at least 95 %; for
// fewer than six values, for which no such interval exists, the minimum and the maximum. Precondition: at least one
// value.
Median median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  Median result{.value = (values[(n - 1) / 2] + values[n / 2]) / 2, .min = values.front(), .max = values.back()};
  // The probability that the true median is outside values k + 1 to n - k is twice the probability of at most k heads
  // in n tosses.
  double chance = std::pow(0.5, static_cast<double>(n));
  double sum = chance;
  for (std::size_t k = 0; 2 * k < n && 2 * sum <= 0.05; ++k) {
    result.min = values[k];
    result.max = values[n - 1 - k];
    chance *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    sum += chance;
  }
  return result;
}

constexpr std::string_view original_name = "original";
constexpr std::string_view pnetcdf_name = "pnetcdf";

// The costs of one run, summed over all ranks except for the seconds of the loop.
struct RunCosts {
  double output_s = 0.0;
  double loop_s = 0.0;
  double open_s = 0.0;
  double write_s = 0.0;
  double close_s = 0.0;
  double prepare_s = 0.0;
  std::int64_t opens = 0;
  std::int64_t requests = 0;
  std::int64_t bytes = 0;
  std::optional<std::int64_t> system_writes = {};  // nullopt if the system does not count them
  std::string hints = {};                          // as PnetCDF reports them
};

// Sets an environment variable during its lifetime.
class VariableSet {
 public:
  VariableSet(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = ::getenv(name)) before_ = before;
    (void)::setenv(name, value.c_str(), 1);
  }
  VariableSet(const VariableSet&) = delete;
  VariableSet& operator=(const VariableSet&) = delete;
  ~VariableSet() {
    if (before_) {
      (void)::setenv(name_, before_->c_str(), 1);
    } else {
      (void)::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

RunCosts sum_of(Communicator& comm, const Meter& meter) {
  std::array<std::int64_t, 7> sums{meter.opens,    meter.write_requests, meter.written_bytes, meter.open_ns,
                                   meter.write_ns, meter.close_ns,       meter.prepare_ns};
  comm.all_reduce(sums, Reduction::sum);
  const auto seconds = [&](std::size_t i) { return 1e-9 * static_cast<double>(sums[i]); };
  return {.open_s = seconds(3),
          .write_s = seconds(4),
          .close_s = seconds(5),
          .prepare_s = seconds(6),
          .opens = sums[0],
          .requests = sums[1],
          .bytes = sums[2]};
}

// Every run starts in the same state: without files, and without data that the system has not yet written.
void clear(Session& session, const kernels::Kernel& kernel, const std::vector<std::string>& paths) {
  std::optional<OutputLock> lock;  // protects the files of another run that writes there
  if (kernel.locked_as()) lock.emplace(session.comm(), kernel.folder(), *kernel.locked_as());
  run_on_rank(session.comm(), 0, [&] {
    kernels::remove_files(paths);
    const int folder = ::open(kernel.folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) throw system_error(errno, "opening the folder", {.file = kernel.folder()});
    (void)::syncfs(folder);
    (void)::close(folder);
  });
}

RunCosts run_way(Session& session, const kernels::Kernel& kernel, const Way& way, bool verify) {
  Meter meter;
  const std::optional<CountedCalls> before = counted_calls();
  Resources resources = session.resources_with(way.policy.value_or(Policy{}), meter);
  resources.layouts = nullptr;  // the kernel has already used them
  MpiioHintReport hints;
  std::optional<VariableSet> variable;
  if (way.layouts) {
    resources.layouts = &*way.layouts;
    resources.hints = &hints;
    if (!way.hints.empty()) variable.emplace(pnetcdf_hints_variable, way.hints);
  }
  const kernels::KernelCosts costs = way.policy ? kernel.run(resources) : kernel.run_original(resources, meter);
  const std::optional<CountedCalls> after = counted_calls();
  if (!way.policy) kernel.count_formatting(resources, meter);
  RunCosts result = sum_of(session.comm(), meter);
  const bool is_counted = before && after;
  const std::int64_t calls =
      all_reduce(session.comm(), is_counted ? after->writes - before->writes : std::int64_t{0}, Reduction::sum);
  if (all_reduce(session.comm(), std::int64_t{is_counted}, Reduction::min) == 1) result.system_writes = calls;
  for (const MpiioHintReport::Line& line : hints.lines()) {
    if (!result.hints.empty()) result.hints += "; ";
    result.hints += text_of(line.hints);
  }
  result.output_s = costs.output_s;
  result.loop_s = costs.loop_s;
  if (verify) {
    Resources reading = session.resources();
    reading.layouts = nullptr;
    kernel.verify(reading);
  }
  return result;
}

std::vector<double> all(const std::vector<RunCosts>& runs, double RunCosts::*of) {
  std::vector<double> values;
  for (const RunCosts& run : runs) values.push_back(run.*of);
  return values;
}

// The times in the last columns of the table, with their names in the report.
struct ShownTime {
  const char* column;
  const char* name;
  double RunCosts::*of;
};
constexpr std::array<ShownTime, 4> shown_times{
    ShownTime{"open s", "open_s", &RunCosts::open_s}, ShownTime{"write s", "write_s", &RunCosts::write_s},
    ShownTime{"close s", "close_s", &RunCosts::close_s}, ShownTime{"prepare s", "prepare_s", &RunCosts::prepare_s}};

std::string seconds_text(double seconds) { return fmt::format("{:.4g}", seconds); }

nlohmann::json json_of(const Median& median) {
  return {{"median", median.value}, {"least", median.min}, {"most", median.max}};
}

}  // namespace

std::vector<std::string> ways_of_hints() {
  std::vector<std::string> ways{"auto", "pnetcdf"};
  const auto add = [&](const std::string& hints) { ways.push_back("pnetcdf:" + hints); };
  for (const char* const cb : {"automatic", "enable", "disable"}) {
    for (const char* const ds : {"automatic", "enable", "disable"}) {
      add(fmt::format("romio_cb_write={};romio_ds_write={}", cb, ds));
    }
  }
  const std::string aligned = "nc_var_align_size=65536;nc_header_align_size=512";
  const std::string striped = "cb_nodes=4;striping_unit=65536;striping_factor=4";
  add(aligned);
  add(striped);
  add(aligned + ";" + striped);
  add("nc_var_align_size=60004;nc_header_align_size=36");
  add("cb_buffer_size=65532;nc_record_align_size=60004");
  return ways;
}

bool has_original(const std::vector<std::string>& texts) {
  if (texts.empty()) return false;
  const std::vector<Way> ways = ways_of(texts);
  return std::any_of(ways.begin(), ways.end(), [](const Way& way) { return !way.policy; });
}

std::vector<Way> ways_of(const std::vector<std::string>& texts) {
  std::vector<std::string> found;
  for (const std::string& text : texts) {
    bool is_first = true;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const std::string part = text.substr(begin, end - begin);
      const bool is_axis = part.find('=') != std::string::npos && part.find(':') == std::string::npos;
      if (is_axis && !is_first) {
        found.back() += "," + part;
      } else {
        found.push_back(part);
      }
      is_first = false;
      begin = end + 1;
    }
  }
  std::vector<Way> ways;
  for (const std::string& text : found) {
    const auto refuse = [&](std::string problem) {
      throw usage_error(
          std::move(problem),
          "a way is `original`, `pnetcdf` or a policy, for example --against original,staged,stage=64K,elected");
    };
    if (std::ranges::find(ways, text, &Way::text) != ways.end()) {
      refuse(fmt::format("--against names \"{}\" twice", text));
    }
    if (text == original_name) {
      ways.push_back({text, std::nullopt});
    } else if (text.starts_with(std::string(original_name) + ",")) {
      refuse(fmt::format("--against: \"{}\": the original program has no policy", text));
    } else if (text == pnetcdf_name || text.starts_with(std::string(pnetcdf_name) + ":")) {
      const std::size_t colon = text.find(':');
      (void)ParallelNetcdf::version();  // before the first way runs
      ways.push_back({text, Policy::automatic(), DatasetLayouts::parse("container=pnetcdf"),
                      colon == std::string::npos ? "" : text.substr(colon + 1)});
    } else {
      ways.push_back({text, Policy::parse(text)});
      require_available(*ways.back().policy);
    }
  }
  if (ways.size() < 2) {
    throw usage_error("--against needs two or more ways, separated by commas");
  }
  return ways;
}

void compare_ways(Session& session, const kernels::Kernel& kernel, const KernelArguments& options, Done& done) {
  Communicator& comm = session.comm();
  const std::vector<Way> ways = run_and_agree(comm, [&] { return ways_of(options.against); });
  const std::vector<std::string> paths = run_and_agree(comm, [&] { return kernel.paths(); });
  run_and_agree(comm, [&] {
    for (const Way& way : ways) {
      if (!way.layouts || kernel.is_netcdf()) continue;
      throw usage_error(fmt::format("{} writes no netCDF files here, so PnetCDF cannot write them", kernel.name()),
                        "compare policies, or use the kernel gccom, subflow or flash");
    }
  });
  std::vector<std::vector<RunCosts>> runs(ways.size());
  std::vector<std::size_t> order(ways.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 generator;                                  // the same on all ranks
  for (int round = 0; round <= options.repeat; ++round) {  // the first round is a warm-up
    std::ranges::shuffle(order, generator);
    for (const std::size_t w : order) {
      clear(session, kernel, paths);
      const RunCosts costs = run_way(session, kernel, ways[w], options.verify);
      if (round > 0) runs[w].push_back(costs);
    }
  }

  std::vector<std::vector<double>> output;
  for (const auto& of_way : runs) output.push_back(all(of_way, &RunCosts::output_s));
  // For fewer than six runs there is no 95 % interval for the median.
  const std::string interval = options.repeat < 6 ? "[all]" : "[95 %]";
  std::vector<std::vector<std::string>> rows{
      {"way", "output s", interval, "times faster", interval, "loop s", "opens", "requests", "system writes", "bytes"}};
  for (const ShownTime& each : shown_times) rows[0].emplace_back(each.column);
  nlohmann::json stated = nlohmann::json::array();
  for (std::size_t w = 0; w < ways.size(); ++w) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < output[w].size(); ++i) ratios.push_back(output[0][i] / output[w][i]);
    const Median seconds = median_of(output[w]);
    const Median ratio = median_of(ratios);
    const Median loop = median_of(all(runs[w], &RunCosts::loop_s));
    const RunCosts& last = runs[w].back();
    rows.push_back({ways[w].text, seconds_text(seconds.value),
                    fmt::format("[{}, {}]", seconds_text(seconds.min), seconds_text(seconds.max)),
                    fmt::format("{:.2f}", ratio.value), fmt::format("[{:.2f}, {:.2f}]", ratio.min, ratio.max),
                    seconds_text(loop.value), format_count(last.opens), format_count(last.requests),
                    last.system_writes ? format_count(*last.system_writes) : "-", format_count(last.bytes)});
    stated.push_back({{"way", ways[w].text},
                      {"policy", ways[w].policy ? nlohmann::json(ways[w].policy->text()) : nlohmann::json()},
                      {"output_s", json_of(seconds)},
                      {"times_faster", json_of(ratio)},
                      {"loop_s", json_of(loop)},
                      {"opens", last.opens},
                      {"system_writes", last.system_writes ? nlohmann::json(*last.system_writes) : nlohmann::json()},
                      {"requests_written", last.requests},
                      {"bytes_written", last.bytes},
                      {"hints", last.hints},
                      {"outputs_s", output[w]}});
    for (const ShownTime& each : shown_times) {
      const Median median = median_of(all(runs[w], each.of));
      rows.back().push_back(seconds_text(median.value));
      stated.back()[each.name] = json_of(median);
    }
  }
  std::string hints;
  if (std::ranges::any_of(ways, [](const Way& way) { return way.layouts.has_value(); })) {
    hints = fmt::format("\nPnetCDF {}", ParallelNetcdf::version());
    done.more["pnetcdf_version"] = ParallelNetcdf::version();
  }
  for (std::size_t w = 0; w < ways.size(); ++w) {
    if (ways[w].hints.empty()) continue;
    const std::string& said = runs[w].back().hints;
    hints += fmt::format("\n{}: {}", ways[w].text, said.empty() ? "no information about hints" : said);
  }
  done.more.update({{"ways", stated}, {"repeat", options.repeat}});
  session.print(
      fmt::format("{}: {}, {}, {} runs of each way in random alternation{}\n{}Medians; \"times faster\" is the "
                  "median of the paired ratios of {} to each. Open, write, close and prepare (text, copies): summed "
                  "over threads and ranks. In the original, prepare is only the time to make its text, and is also "
                  "part of its write time. System writes: calls that the system counted.{}",
                  kernel.name(), kernel.sizes(), format_count(comm.size(), "rank"), options.repeat,
                  options.verify ? ", each verified" : "", aligned(rows, rows.front().size()), ways[0].text, hints));
}

}  // namespace sill::cli
