// The station output of Ondes3D as a kernel: a time loop that computes nothing and records at every receiver.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "kernels/awp_volume_arrays.hpp"
#include "kernels/kernels.hpp"
#include "kernels/ondes3d_expected.hpp"
#include "kernels/stdio_file.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/station/sac_file.hpp"
#include "sill/layout/grid_decomposition.hpp"

namespace sill::kernels {
namespace {

// The model of the paper: 104 km by 74 km, a point every 200 m.
constexpr std::int64_t grid_x = 520;
constexpr std::int64_t grid_y = 370;
constexpr double spacing_m = 200.0;
constexpr double interval_s = 0.008;

// The offset of each component from the corner of a cell, in x and y, as a fraction of a cell (FORMATS.md §1): vx vy vz
// txx tyy tzz txy txz tyz.
struct Staggering {
  double x;
  double y;
};
constexpr std::array<Staggering, station::ondes3d_components> staggering{
    {{0, 0}, {0.5, 0.5}, {0.5, 0}, {0.5, 0}, {0.5, 0}, {0.5, 0}, {0, 0.5}, {0, 0}, {0.5, 0.5}}};

constexpr double metres_per_degree = 111'195.0;  // the model begins at 0 degrees north, 0 degrees east
constexpr const char* xml_head = R"(<?xml version="1.0" encoding="UTF-8"?>)";

// Returns the position of a station, in cells. Every fourth station is where blocks of 2, 3, 4 or 6 ranks meet, between
// the points of different components.
std::array<double, 2> cell_of(std::int64_t number) {
  const auto spread = [&](double ratio) { return std::fmod(static_cast<double>(number) * ratio, 1.0); };
  const double x = 1 + spread(0.7548776662466927) * static_cast<double>(grid_x - 3);
  const double y = 1 + spread(0.5698402909980532) * static_cast<double>(grid_y - 3);
  if (number % 4 != 3) return {x, y};
  const std::int64_t twelfth = 1 + number / 4 % 11;
  const std::int64_t whole_x = (grid_x * twelfth + 11) / 12;
  const std::int64_t whole_y = (grid_y * (12 - twelfth) + 11) / 12;
  return {static_cast<double>(whole_x) + 0.25, static_cast<double>(whole_y) + 0.25};
}

// Returns the rank of the lower corner of the cell, between points of the component, that contains the station.
int owner_of(const GridDecomposition& grid, std::array<double, 2> cell, Staggering off) {
  return static_cast<int>(grid.part_holding({static_cast<std::int64_t>(std::floor(cell[0] - off.x)),
                                             static_cast<std::int64_t>(std::floor(cell[1] - off.y))}));
}

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

// The station files of Ondes3D.
class StationKernel final : public Kernel {
 public:
  StationKernel(KernelSetting setting, StationRun run) : Kernel(std::move(setting), run.kernel), run_(run) {}

  [[nodiscard]] std::string sizes() const override {
    return fmt::format("{}, {}, a phase every {}", format_count(run_.stations, "station"),
                       format_count(run_.steps, "step"), format_count(run_.every));
  }

  [[nodiscard]] KernelNumbers numbers() const override {
    return {{"stations", run_.stations}, {"steps", run_.steps}, {"every", run_.every}};
  }

  [[nodiscard]] std::vector<std::string> paths() const override {
    std::vector<std::string> paths;
    if (is_of_channels(run_.form))
      return {folder() + (run_.form == StationForm::segy       ? "/stations.sgy"
                          : run_.form == StationForm::su       ? "/stations.su"
                          : run_.form == StationForm::miniseed ? "/stations.mseed"
                                                               : "/stations.h5")};
    for (std::int64_t s = 0; s < run_.stations; ++s) {
      if (run_.form == StationForm::text)
        paths.push_back(path(s));
      else
        for (const char* const component : station::ondes3d_component_names)
          paths.push_back(fmt::format("{}/{}", folder(), station::sac_file_name(s + 1, component)));
    }
    return paths;
  }

  /// Local. Returns the size of all files; for ASDF that of the samples.
  [[nodiscard]] std::int64_t file_bytes() const override {
    const std::int64_t channels = run_.stations * station::ondes3d_components;
    if (run_.form == StationForm::miniseed)
      return product_bytes(channels, product_bytes((run_.steps + seed_samples - 1) / seed_samples, seed_record_bytes));
    if (run_.form == StationForm::asdf) return product_bytes(channels, 4 * run_.steps);
    if (is_of_channels(run_.form))
      return sum_bytes(run_.form == StationForm::segy ? 3600 : 0, product_bytes(channels, 240 + 4 * run_.steps));
    if (run_.form == StationForm::sac) return product_bytes(channels, sac_header_bytes + 4 * run_.steps);
    const StationOutput all = output(1);
    std::int64_t bytes = 0;
    for (const station::Station& each : all.stations) {
      const station::StationFile file(each, all.interval_s, all.components, run_.steps, run_.count);
      bytes = sum_bytes(bytes, file.records(std::min(run_.every, run_.steps)).bytes_of({0, run_.steps}).end());
    }
    return bytes;
  }

  /// Collective. Writes with a StationWriter.
  void write(const Resources& resources, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    const StationOutput all = run_and_agree(comm, [&] { return output(comm.size()); });
    StationWriter writer(resources, all);
    if (run_.form == StationForm::asdf) run_and_agree(comm, [&] { attach_metadata(writer, all, comm); });
    std::vector<double> values = run_and_agree(comm, [&] { return std::vector<double>(writer.owned().size()); });
    clock.begin_loop();
    for (std::int64_t step = 1; step <= run_.steps; ++step) {
      compute();
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = varied_value(writer.owned()[i].station, writer.owned()[i].component, step);
      }
      clock.output([&] { writer.write_step(values); });
    }
    clock.output([&] { writer.close(); });
    clock.costs.phases = writer.phases();
  }

  /// Collective. Writes from rank 0, which receives one message per component and station, opens each file twice per
  /// phase, and prints value by value. For SAC it opens the file of each component once per phase, and writes values
  /// and header.
  void write_as_original(const Resources& resources, Meter& meter, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    std::int64_t messages = 0;
    const OutputLock lock(comm, folder(), OutputOf::stations);
    const StationOutput output = run_and_agree(comm, [&] { return this->output(comm.size()); });
    const auto components = static_cast<std::size_t>(output.components);
    const auto every = static_cast<std::size_t>(std::min(run_.every, run_.steps));
    // The values that this rank has recorded of each component since the last phase, and, on rank 0, the values of one
    // station.
    std::vector<double> recorded =
        run_and_agree(comm, [&] { return std::vector<double>(output.owners.size() * every); });
    std::vector<double> received = run_and_agree(comm, [&] { return std::vector<double>(components * every); });
    clock.begin_loop();
    std::size_t buffered_steps = 0;
    for (std::int64_t step = 1; step <= run_.steps; ++step) {
      compute();
      for (std::size_t i = 0; i < output.owners.size(); ++i) {
        if (output.owners[i] != comm.rank()) continue;
        recorded[i * every + buffered_steps] =
            varied_value(static_cast<std::int64_t>(i / components), static_cast<int>(i % components), step);
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
            if (run_.form == StationForm::sac)
              return append_sac(output, s, step, clock.costs.phases == 0, values, meter);
            print_phase(output, s, step, clock.costs.phases == 0, values, meter);
          });
        }
        agree(comm, failure);
        buffered_steps = 0;
      });
    }
    clock.costs.more = {{"messages", messages}};
  }

  // Rank 0 formats all values.
  void count_formatting(const Resources& resources, Meter& meter) const override {
    const auto components = static_cast<std::size_t>(output(1).components);
    run_on_rank(resources.comm, 0, [&] {
      std::array<char, 40> text{};
      const PrepareTimer timer(&meter);
      for (std::int64_t step = 1; step <= run_.steps; ++step) {
        for (std::size_t c = 0; c < components; ++c) {
          const double value = varied_value(0, static_cast<int>(c), step);
          const char* const form = c + 1 == components ? "%15e\n" : "%15e ";
          for (std::int64_t station = 0; station < run_.stations; ++station)
            (void)std::snprintf(text.data(), text.size(), form, value);
        }
      }
    });
  }

  void verify(const Resources& resources) const override {
    Communicator& comm = resources.comm;
    const StationOutput all = run_and_agree(comm, [&] { return output(comm.size()); });
    const std::vector<std::string> files = run_and_agree(comm, [&] { return paths(); });
    verify_stations(resources, run_, all, files, file_bytes());
  }
  [[nodiscard]] std::optional<OutputOf> locked_as() const override { return OutputOf::stations; }

 private:
  [[nodiscard]] StationOutput output(int ranks) const {
    const GridDecomposition grid = GridDecomposition::blocks({grid_x, grid_y}, near_square(ranks));
    StationOutput output{.folder = folder(),
                         .form = run_.form,
                         .interval_s = interval_s,
                         .final_steps = run_.steps,
                         .steps_per_phase = run_.every,
                         .count = run_.count};
    for (std::int64_t s = 0; s < run_.stations; ++s) {
      const std::array<double, 2> cell = cell_of(s);
      output.stations.push_back(
          {.number = static_cast<int>(s + 1), .position_m = {cell[0] * spacing_m, cell[1] * spacing_m, 0.0}});
      for (const Staggering off : staggering) output.owners.push_back(owner_of(grid, cell, off));
    }
    if (run_.form != StationForm::asdf) return output;
    output.labels.event_id = "smi:local/sill/event";
    output.component_names = {"VX0", "VY0", "VZ0", "TXX", "TYY", "TZZ", "TXY", "TXZ", "TYZ"};
    for (station::Station& each : output.stations)
      each.code = fmt::format("X{}.{}", each.number / 100'000, each.number % 100'000);
    return output;
  }

  [[nodiscard]] std::string path(std::int64_t station) const {
    return fmt::format("{}/{}", folder(), station::file_name(station + 1));
  }

  // Attaches the metadata of an ASDF file: StationXML of the stations whose first component this rank has, QuakeML, and
  // the positions of the stations.
  void attach_metadata(StationWriter& writer, const StationOutput& output, const Communicator& comm) const {
    for (const StationWriter::Owned& each : writer.owned()) {
      if (each.component != 0) continue;
      const station::Station& station = output.stations[static_cast<std::size_t>(each.station)];
      const std::size_t dot = station.code.find('.');
      writer.attach_text(fmt::format("Waveforms/{}/StationXML", station.code),
                         fmt::format(R"({}
<FDSNStationXML xmlns="http://www.fdsn.org/xml/station/1" schemaVersion="1.1">
<Source>sill kernel</Source><Created>1970-01-01T00:00:00Z</Created>
<Network code="{}"><Station code="{}"><Latitude>{:.7f}</Latitude><Longitude>{:.7f}</Longitude><Elevation>{}</Elevation>
<Site><Name>Station {} of a model</Name></Site></Station></Network>
</FDSNStationXML>
)",
                                     xml_head, station.code.substr(0, dot), station.code.substr(dot + 1),
                                     station.position_m[1] / metres_per_degree,
                                     station.position_m[0] / metres_per_degree, station.position_m[2], station.number));
    }
    if (comm.rank() != 0) return;
    writer.attach_text("QuakeML", fmt::format(R"({}
<q:quakeml xmlns:q="http://quakeml.org/xmlns/quakeml/1.2" xmlns="http://quakeml.org/xmlns/bed/1.2">
<eventParameters publicID="smi:local/sill"><event publicID="{}"/></eventParameters>
</q:quakeml>
)",
                                              xml_head, output.labels.event_id));
    std::vector<double> positions_m;
    for (const station::Station& each : output.stations)
      positions_m.insert(positions_m.end(), each.position_m.begin(), each.position_m.end());
    writer.attach({"AuxiliaryData/Stations/Positions", ElementType::f8, {run_.stations, 3}, {{"units", "m"}}},
                  std::as_bytes(std::span(positions_m)));
  }

  // `values`: component by component, each with the steps since the last phase.
  void print_phase(const StationOutput& output, std::size_t s, std::int64_t step, bool is_first,
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
  void append_sac(const StationOutput& output, std::size_t s, std::int64_t step, bool is_first,
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

  StationRun run_;
};

}  // namespace

std::unique_ptr<Kernel> make_station_kernel(KernelSetting setting, StationRun run) {
  return std::make_unique<StationKernel>(std::move(setting), run);
}

}  // namespace sill::kernels
