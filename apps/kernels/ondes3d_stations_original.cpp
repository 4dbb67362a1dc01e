// The station output with the requests of the original program: the reference for bytes and time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/ondes3d_stations.hpp"
#include "kernels/stdio_file.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/station/sac_file.hpp"

namespace sill::kernels {
namespace {

// Receives the values of rank `owner` on rank 0.
void receive(Communicator& comm, int owner, std::span<const double> own, std::span<double> received) {
  const Outgoing send{.peer = 0, .bytes = std::as_bytes(own)};
  const Incoming receive{.peer = owner, .bytes = std::as_writable_bytes(received)};
  const bool is_sender = comm.rank() == owner;
  const bool is_receiver = comm.rank() == 0;
  if (is_sender || is_receiver) {
    comm.exchange({&send, is_sender ? std::size_t{1} : 0}, {&receive, is_receiver ? std::size_t{1} : 0});
  }
}

}  // namespace

// `values`: component by component, each with the steps since the last phase.
void StationKernel::print_phase(const StationOutput& output, std::size_t s, std::int64_t step, bool is_first,
                                std::span<const double> values, Meter& meter) const {
  const std::string file = path(static_cast<std::int64_t>(s));
  const station::Station& station = output.stations[s];
  StdioFile head(file, is_first ? "w" : "r+", meter);
  head.print("%d %f %f %f\n", station.number, station.position_m[0], station.position_m[1], station.position_m[2]);
  head.print("%d %f\n", static_cast<int>(step), output.interval_s);
  head.close();
  StdioFile records(file, "a+", meter);
  const auto components = static_cast<std::size_t>(output.components);
  const std::size_t steps = values.size() / components;
  for (std::size_t i = 0; i < steps; ++i) {
    for (std::size_t c = 0; c < components; ++c) {
      records.print(c + 1 == components ? "%15e\n" : "%15e ", values[c * steps + i]);
    }
  }
  records.close();
}

// Does the same for SAC: each component has a file, whose header is written again.
void StationKernel::append_sac(const StationOutput& output, std::size_t s, std::int64_t step, bool is_first,
                               std::span<const double> values, Meter& meter) const {
  const auto components = static_cast<std::size_t>(output.components);
  const std::size_t steps = values.size() / components;
  for (std::size_t c = 0; c < components; ++c) {
    const char* const component = station::ondes3d_component_names[c];
    const std::string file =
        fmt::format("{}/{}", folder(), station::sac_file_name(static_cast<std::int64_t>(s) + 1, component));
    const station::SacFile form(output.stations[s], component, output.interval_s, run_.steps);
    std::vector<float> samples(values.begin() + static_cast<std::ptrdiff_t>(c * steps),
                               values.begin() + static_cast<std::ptrdiff_t>((c + 1) * steps));
    const std::string header = form.header(step);
    StdioFile to(file, is_first ? "w+" : "r+", meter);
    to.write(header.data(), header.size());
    to.seek(0, SEEK_END);
    to.write(samples.data(), 4 * steps);
    to.close();
  }
}

KernelCosts StationKernel::run_original(const Resources& resources, Meter& meter) const {
  Communicator& comm = resources.comm;
  std::int64_t messages = 0;
  RunClock clock(comm);
  const OutputLock lock(comm, folder(), OutputOf::stations);
  const StationOutput output = run_and_agree(comm, [&] { return this->output(comm.size()); });
  const auto components = static_cast<std::size_t>(output.components);
  const auto every = static_cast<std::size_t>(std::min(run_.every, run_.steps));
  // The values that this rank has recorded of each component since the last phase, and, on rank 0, the values of one
  // station.
  std::vector<double> recorded = run_and_agree(comm, [&] { return std::vector<double>(output.owners.size() * every); });
  std::vector<double> received = run_and_agree(comm, [&] { return std::vector<double>(components * every); });
  clock.begin_loop();
  std::size_t buffered_steps = 0;
  for (std::int64_t step = 1; step <= run_.steps; ++step) {
    compute(compute_ms());
    for (std::size_t i = 0; i < output.owners.size(); ++i) {
      if (output.owners[i] != comm.rank()) continue;
      recorded[i * every + buffered_steps] =
          station_value(static_cast<std::int64_t>(i / components), static_cast<int>(i % components), step);
    }
    ++buffered_steps;
    if (step % run_.every != 0 && step != run_.steps) continue;
    clock.phase([&] {
      std::optional<Error> failure;
      for (std::size_t s = 0; s < output.stations.size(); ++s) {
        for (std::size_t c = 0; c < components; ++c) {
          const std::size_t i = s * components + c;
          receive(comm, output.owners[i], std::span(recorded).subspan(i * every, buffered_steps),
                  std::span(received).subspan(c * buffered_steps, buffered_steps));
          ++messages;
        }
        if (comm.rank() != 0 || failure) continue;
        failure = attempt([&] {
          const std::span<const double> values = std::span(received).first(components * buffered_steps);
          if (run_.form == StationForm::sac) return append_sac(output, s, step, clock.costs.phases == 0, values, meter);
          print_phase(output, s, step, clock.costs.phases == 0, values, meter);
        });
      }
      agree(comm, failure);
      buffered_steps = 0;
    });
  }
  clock.costs.more = {{"messages", messages}};
  return clock.finish();
}

// Rank 0 formats all values.
void StationKernel::count_formatting(const Resources& resources, Meter& meter) const {
  const auto components = static_cast<std::size_t>(output(1).components);
  run_on_rank(resources.comm, 0, [&] {
    std::array<char, 40> text{};
    const PrepareTimer timer(&meter);
    for (std::int64_t step = 1; step <= run_.steps; ++step) {
      for (std::size_t c = 0; c < components; ++c) {
        const double value = station_value(0, static_cast<int>(c), step);
        const char* const form = c + 1 == components ? "%15e\n" : "%15e ";
        for (std::int64_t station = 0; station < run_.stations; ++station)
          (void)std::snprintf(text.data(), text.size(), form, value);
      }
    }
  });
}

}  // namespace sill::kernels
