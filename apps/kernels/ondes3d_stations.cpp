#include "kernels/ondes3d_stations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>

#include "kernels/ondes3d_grid.hpp"
#include "kernels/time_loop.hpp"
#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/station/sac_file.hpp"
#include "sill/io/arrays/hdf5_contents.hpp"
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

constexpr std::int64_t sac_header_bytes = 632;
constexpr std::int64_t seed_record_bytes = 4096;
constexpr std::int64_t seed_samples = (seed_record_bytes - 128) / 4;

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

}  // namespace

double station_value(std::int64_t station, int component, std::int64_t step) {
  std::uint64_t bits = static_cast<std::uint64_t>(station * 1'000'003 + component) * 0x9E3779B97F4A7C15U +
                       static_cast<std::uint64_t>(step) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 29U)) * 0x94D049BB133111EBU;
  bits ^= bits >> 32U;
  const double fraction = static_cast<double>(static_cast<std::int64_t>(bits >> 11U) - (std::int64_t{1} << 52U));
  const std::uint64_t exponent = 1023 - 92 + (bits & 63U);  // of 2^-92 to 2^-29
  return fraction * std::bit_cast<double>(exponent << 52U);
}

StationOutput StationKernel::output(int ranks) const {
  const GridDecomposition grid = GridDecomposition::blocks({grid_x, grid_y}, ondes3d_parts(ranks));
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

std::string StationKernel::sizes() const {
  return fmt::format("{} stations, {} steps, a phase every {}", format_count(run_.stations), format_count(run_.steps),
                     format_count(run_.every));
}

KernelNumbers StationKernel::numbers() const {
  return {{"stations", run_.stations}, {"steps", run_.steps}, {"every", run_.every}};
}

std::string StationKernel::path(std::int64_t station) const {
  return fmt::format("{}/{}", folder(), station::file_name(station + 1));
}

bool StationKernel::is_of_channels() const { return run_.form != StationForm::text && run_.form != StationForm::sac; }

std::vector<std::string> StationKernel::paths() const {
  std::vector<std::string> paths;
  if (is_of_channels())
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

std::int64_t StationKernel::file_bytes() const {
  const std::int64_t channels = run_.stations * station::ondes3d_components;
  if (run_.form == StationForm::miniseed)
    return product_bytes(channels, product_bytes((run_.steps + seed_samples - 1) / seed_samples, seed_record_bytes));
  if (run_.form == StationForm::asdf) return product_bytes(channels, 4 * run_.steps);
  if (is_of_channels())
    return sum_bytes(run_.form == StationForm::segy ? 3600 : 0, product_bytes(channels, 240 + 4 * run_.steps));
  if (run_.form == StationForm::sac)
    return run_.stations * station::ondes3d_components * (sac_header_bytes + run_.steps * std::int64_t{sizeof(float)});
  const StationOutput all = output(1);
  std::int64_t bytes = 0;
  for (const station::Station& each : all.stations) {
    const station::StationFile file(each, all.interval_s, all.components, run_.steps, run_.count);
    bytes = sum_bytes(bytes, file.records(std::min(run_.every, run_.steps)).bytes_of({0, run_.steps}).end());
  }
  return bytes;
}

KernelCosts StationKernel::run(const Resources& resources) const {
  Communicator& comm = resources.comm;
  RunClock clock(comm);
  const StationOutput all = run_and_agree(comm, [&] { return output(comm.size()); });
  StationWriter writer(resources, all);
  if (run_.form == StationForm::asdf) run_and_agree(comm, [&] { attach_metadata(writer, all, comm); });
  std::vector<double> values = run_and_agree(comm, [&] { return std::vector<double>(writer.owned().size()); });
  clock.begin_loop();
  for (std::int64_t step = 1; step <= run_.steps; ++step) {
    compute(compute_ms());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = station_value(writer.owned()[i].station, writer.owned()[i].component, step);
    }
    clock.output([&] { writer.write_step(values); });
  }
  clock.output([&] { writer.close(); });
  clock.costs.phases = writer.phases();
  return clock.finish();
}

void StationKernel::attach_metadata(StationWriter& writer, const StationOutput& output,
                                    const Communicator& comm) const {
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
                                   station.position_m[1] / metres_per_degree, station.position_m[0] / metres_per_degree,
                                   station.position_m[2], station.number));
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

std::vector<std::int64_t> StationKernel::asdf_begins(const Resources& resources) const {
  const hdf5::FileContents contents = read_hdf5(resources, paths().front());
  std::map<std::string, std::int64_t> by_channel;
  for (std::size_t i = 0; i < contents.description.variables.size(); ++i) {
    const std::string& name = contents.description.variables[i].name;
    by_channel[name.substr(0, name.find("__"))] = contents.stored.variables[i].begin;
  }
  const StationOutput all = output(1);
  std::vector<std::int64_t> begins;
  for (const station::Station& each : all.stations) {
    for (const std::string& component : all.component_names)
      begins.push_back(by_channel[fmt::format("Waveforms/{}/{}..{}", each.code, each.code, component)]);
  }
  return begins;
}

// Computes the expected file independently of the code that wrote it.
std::string StationKernel::expected_text(const StationOutput& output, std::size_t s) const {
  const auto printed = [](const char* form, auto... values) {
    std::array<char, 1100> text{};
    const int length = std::snprintf(text.data(), text.size(), form, values...);
    return std::string(text.data(), static_cast<std::size_t>(length));
  };
  const station::Station& station = output.stations[s];
  const bool grows = run_.count == station::StepCount::grows;
  const int width = grows ? 1 : static_cast<int>(std::to_string(run_.steps).size());
  const auto header = [&](std::int64_t steps) {
    return printed("%d %f %f %f\n%*lld %f\n", station.number, station.position_m[0], station.position_m[1],
                   station.position_m[2], width, static_cast<long long>(steps), output.interval_s);
  };
  std::string text = header(std::min(run_.every, run_.steps));
  text.reserve(text.size() + static_cast<std::size_t>(run_.steps * output.components * station::value_bytes));
  for (std::int64_t step = 1; step <= run_.steps; ++step) {
    for (int c = 0; c < output.components; ++c) {
      text += printed("%15e", station_value(static_cast<std::int64_t>(s), c, step));
      text += c + 1 == output.components ? '\n' : ' ';
    }
  }
  const std::string last = header(run_.steps);
  return text.replace(0, last.size(), last);
}

// Sets the defined words of the header at their byte positions.
std::string StationKernel::expected_sac(const StationOutput& output, std::size_t s, std::size_t component) const {
  const auto count = static_cast<std::size_t>(run_.steps);
  std::string bytes(sac_header_bytes + count * sizeof(float), ' ');
  const auto put = [&bytes]<class T>(std::size_t byte, T value) {
    store(reinterpret_cast<std::byte*>(bytes.data()) + byte, value, ByteOrder::little);
  };
  for (std::size_t byte = 0; byte < 280; byte += 4) put(byte, -12345.0F);
  for (std::size_t byte = 280; byte < 440; byte += 4) put(byte, std::int32_t{-12345});
  for (std::size_t byte = 440; byte < 632; byte += 8)
    if (byte != 456) bytes.replace(byte, 8, "-12345  ");
  put(0, static_cast<float>(output.interval_s));
  put(20, 0.0F);
  put(24, static_cast<float>(static_cast<double>(count - 1) * output.interval_s));
  for (std::size_t i = 0; i < 3; ++i) put(160 + 4 * i, static_cast<float>(output.stations[s].position_m[i]));
  put(304, std::int32_t{6});
  put(316, static_cast<std::int32_t>(count));
  for (const auto& [byte, value] : std::initializer_list<std::pair<std::size_t, std::int32_t>>{
           {340, 1}, {344, 5}, {348, 9}, {420, 1}, {424, 0}, {428, 1}, {432, 0}})
    put(byte, value);
  bytes.replace(440, 8, fmt::format("{:<8}", output.stations[s].number));
  bytes.replace(600, 8, fmt::format("{:<8}", station::ondes3d_component_names[component]));
  for (std::size_t step = 0; step < count; ++step)
    put(sac_header_bytes + step * sizeof(float),
        static_cast<float>(station_value(static_cast<std::int64_t>(s), static_cast<int>(component),
                                         static_cast<std::int64_t>(step) + 1)));
  return bytes;
}

// Headers are not compared: other tests read them.
void StationKernel::verify_channels(const Resources& resources) const {
  const std::string path = paths().front();
  std::ifstream file(path, std::ios::binary);
  const bool is_seed = run_.form == StationForm::miniseed;
  const bool is_asdf = run_.form == StationForm::asdf;
  const ByteOrder order = run_.form == StationForm::su || is_asdf ? ByteOrder::little : ByteOrder::big;
  const std::int64_t header = is_seed ? 128 : is_asdf ? 0 : 240;
  const std::vector<std::int64_t> begins = is_asdf ? asdf_begins(resources) : std::vector<std::int64_t>();
  const std::int64_t block = is_seed ? seed_samples : run_.steps;
  const std::int64_t record = is_seed ? seed_record_bytes : header + 4 * run_.steps;
  const std::int64_t channels = run_.stations * station::ondes3d_components;
  std::vector<std::byte> bytes(static_cast<std::size_t>(record));
  std::int64_t at = run_.form == StationForm::segy ? 3600 : 0;
  file.seekg(at);
  for (std::int64_t first = 0; first < run_.steps; first += block) {
    for (std::int64_t channel = 0; channel < channels; ++channel, at += record) {
      if (is_asdf) file.seekg(at = begins[static_cast<std::size_t>(channel)]);
      file.read(reinterpret_cast<char*>(bytes.data()), record);
      const std::int64_t held = std::min(block, run_.steps - first);
      for (std::int64_t step = 0; step < block && file; ++step) {
        const auto byte = static_cast<std::size_t>(header + 4 * step);
        const double value = station_value(channel / station::ondes3d_components,
                                           static_cast<int>(channel % station::ondes3d_components), first + step + 1);
        const float expected = step < held ? static_cast<float>(value) : 0.0F;
        if (load<float>(bytes.data() + byte, order) == expected) continue;
        throw Error({.code = ErrorCode::input,
                     .problem = fmt::format("channel {} has {} in time step {}, not {}", channel,
                                            load<float>(bytes.data() + byte, order), first + step + 1, expected),
                     .where = {.file = path, .byte = at + static_cast<std::int64_t>(byte)}});
      }
      if (!file) throw Error({.code = ErrorCode::input, .problem = "the file ends early", .where = {.file = path}});
    }
  }
  if (!is_asdf && file.get() != std::char_traits<char>::eof())
    throw Error({.code = ErrorCode::input, .problem = "the file is longer than expected", .where = {.file = path}});
}

void StationKernel::verify(const Resources& resources) const {
  Communicator& comm = resources.comm;
  if (is_of_channels()) return run_on_rank(comm, 0, [&] { verify_channels(resources); });
  run_and_agree(comm, [&] {
    const StationOutput all = output(comm.size());
    const std::vector<std::string> files = paths();
    const std::size_t of_station = files.size() / all.stations.size();
    for (auto f = static_cast<std::size_t>(comm.rank()); f < files.size(); f += static_cast<std::size_t>(comm.size())) {
      const std::string expected =
          run_.form == StationForm::text ? expected_text(all, f) : expected_sac(all, f / of_station, f % of_station);
      require_content(files[f], std::ssize(expected), [&](ByteRange range, std::span<std::byte> bytes) {
        std::ranges::copy(
            std::as_bytes(std::span(expected)).subspan(static_cast<std::size_t>(range.offset), bytes.size()),
            bytes.begin());
      });
    }
  });
}

std::unique_ptr<Kernel> make_station_kernel(KernelSetting setting, StationRun run) {
  return std::make_unique<StationKernel>(std::move(setting), run);
}

}  // namespace sill::kernels
