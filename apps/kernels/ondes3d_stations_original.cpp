// The station output as the original program issues it: the measure of bytes and of time.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "kernels/ondes3d_stations.hpp"
#include "kernels/time_loop.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"

namespace sill::kernels {
namespace {

class PrintedFile {
 public:
  PrintedFile(const std::string& path, const char* mode, StationCosts& costs)
      : path_(path), file_(std::fopen(path.c_str(), mode)), costs_(costs) {
    if (file_ == nullptr) throw system_error(errno, "opening", {.file = path_});
    ++costs_.opens;
  }
  PrintedFile(const PrintedFile&) = delete;
  PrintedFile& operator=(const PrintedFile&) = delete;
  ~PrintedFile() {
    if (file_ != nullptr) (void)std::fclose(file_);
  }

  template <class... Values>
  void print(const char* form, Values... values) {
    if (std::fprintf(file_, form, values...) < 0) throw system_error(errno, "fprintf", {.file = path_});
    ++costs_.prints;
  }
  void close() {
    if (std::fclose(std::exchange(file_, nullptr)) != 0) throw system_error(errno, "closing", {.file = path_});
  }

 private:
  std::string path_;
  std::FILE* file_;
  StationCosts& costs_;
};

// The values that rank `owner` has, on rank 0.
void receive(Communicator& comm, int owner, std::span<const double> own, std::span<double> received) {
  const Outgoing send{.peer = 0, .bytes = std::as_bytes(own)};
  const Incoming receive{.peer = owner, .bytes = std::as_writable_bytes(received)};
  const bool is_sender = comm.rank() == owner;
  const bool is_receiver = comm.rank() == 0;
  if (is_sender || is_receiver) {
    comm.exchange({&send, is_sender ? std::size_t{1} : 0}, {&receive, is_receiver ? std::size_t{1} : 0});
  }
}

// `values`, component after component, each of the steps since the last phase.
void print_phase(const StationOutput& output, std::size_t s, const std::string& path, std::int64_t step, bool is_first,
                 std::span<const double> values, StationCosts& costs) {
  const station::Station& station = output.stations[s];
  PrintedFile head(path, is_first ? "w" : "r+", costs);
  head.print("%d %f %f %f\n", station.number, station.position_m[0], station.position_m[1], station.position_m[2]);
  head.print("%d %f\n", static_cast<int>(step), output.interval_s);
  head.close();
  PrintedFile records(path, "a+", costs);
  const auto components = static_cast<std::size_t>(output.components);
  const std::size_t steps = values.size() / components;
  for (std::size_t i = 0; i < steps; ++i) {
    for (std::size_t c = 0; c < components; ++c) {
      records.print(c + 1 == components ? "%15e\n" : "%15e ", values[c * steps + i]);
    }
  }
  records.close();
}

}  // namespace

StationCosts run_original_stations(const Resources& resources, const StationRun& run) {
  Communicator& comm = resources.comm;
  StationCosts costs;
  const Stopwatch whole;
  const StationOutput output = together(comm, [&] { return station_output(run, comm.size()); });
  on_rank(comm, 0, [&] {
    std::error_code failure;
    std::filesystem::create_directories(run.folder, failure);
    if (failure) throw system_error(failure.value(), "making the folder", {.file = run.folder});
  });
  const auto components = static_cast<std::size_t>(output.components);
  const auto every = static_cast<std::size_t>(std::min(run.every, run.steps));
  // What this rank has of each component, and, on rank 0, the components of one station.
  std::vector<double> kept = together(comm, [&] { return std::vector<double>(output.owners.size() * every); });
  std::vector<double> gathered = together(comm, [&] { return std::vector<double>(components * every); });
  costs.setup_s = whole.seconds();
  std::size_t kept_steps = 0;
  for (std::int64_t step = 1; step <= run.steps; ++step) {
    compute(run.compute_ms);
    for (std::size_t i = 0; i < output.owners.size(); ++i) {
      if (output.owners[i] != comm.rank()) continue;
      kept[i * every + kept_steps] =
          station_value(static_cast<std::int64_t>(i / components), static_cast<int>(i % components), step);
    }
    ++kept_steps;
    if (step % run.every != 0 && step != run.steps) continue;
    const Stopwatch phase;
    std::optional<Error> failure;
    for (std::size_t s = 0; s < output.stations.size(); ++s) {
      for (std::size_t c = 0; c < components; ++c) {
        const std::size_t i = s * components + c;
        receive(comm, output.owners[i], std::span(kept).subspan(i * every, kept_steps),
                std::span(gathered).subspan(c * kept_steps, kept_steps));
        ++costs.messages;
      }
      if (comm.rank() != 0 || failure) continue;
      failure = attempt([&] {
        print_phase(output, s, station_path(run, static_cast<std::int64_t>(s)), step, costs.phases == 0,
                    std::span(gathered).first(components * kept_steps), costs);
      });
    }
    agree(comm, failure);
    ++costs.phases;
    kept_steps = 0;
    costs.output_s += phase.seconds();
  }
  costs.loop_s = whole.seconds() - costs.setup_s;
  for (const station::Station& each : output.stations) {
    const station::StationFile file(each, output.interval_s, output.components, run.steps, station::StepCount::grows);
    costs.file_bytes += file.records(std::min(run.every, run.steps)).bytes_of({0, run.steps}).end();
  }
  for (double* const each : {&costs.setup_s, &costs.loop_s, &costs.output_s}) *each = longest_s(comm, *each);
  return costs;
}

}  // namespace sill::kernels
