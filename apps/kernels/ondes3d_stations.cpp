#include "kernels/ondes3d_stations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "kernels/time_loop.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/layout/grid_decomposition.hpp"
#include "sill/store/posix_store.hpp"

namespace sill::kernels {
namespace {

// The model of the paper: 104 km by 74 km, a point every 200 m.
constexpr std::int64_t grid_x = 520;
constexpr std::int64_t grid_y = 370;
constexpr double spacing_m = 200.0;
constexpr double interval_s = 0.008;

// By how much of a cell each component lies off the corner, in x and y (FORMATS.md §1): vx vy vz txx tyy tzz txy txz
// tyz.
struct Staggering {
  double x;
  double y;
};
constexpr std::array<Staggering, station::ondes3d_components> staggering{
    {{0, 0}, {0.5, 0.5}, {0.5, 0}, {0.5, 0}, {0.5, 0}, {0.5, 0}, {0, 0.5}, {0, 0}, {0.5, 0.5}}};

// As near to a square as the ranks allow, x by y.
Index parts_of(int ranks) {
  auto x = static_cast<std::int64_t>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % x != 0) --x;
  return {ranks / x, x};
}

// Where a station lies, in cells. Every fourth lies where blocks of 2, 3, 4 or 6 ranks meet, between the points of
// different components.
std::array<double, 2> cell_of(std::int64_t number) {
  const auto spread = [&](double ratio) { return std::fmod(static_cast<double>(number) * ratio, 1.0); };
  const double x = 1 + spread(0.7548776662466927) * static_cast<double>(grid_x - 3);
  const double y = 1 + spread(0.5698402909980532) * static_cast<double>(grid_y - 3);
  if (number % 4 != 3) return {x, y};
  const std::int64_t twelfth = 1 + number / 4 % 11;
  return {static_cast<double>((grid_x * twelfth + 11) / 12) + 0.25,
          static_cast<double>((grid_y * (12 - twelfth) + 11) / 12) + 0.25};
}

// The rank of the lower corner of the cell between points of the component that the station lies in.
int owner_of(const GridDecomposition& grid, std::array<double, 2> cell, Staggering off) {
  return static_cast<int>(grid.part_holding({static_cast<std::int64_t>(std::floor(cell[0] - off.x)),
                                             static_cast<std::int64_t>(std::floor(cell[1] - off.y))}));
}

// What verifies a file, apart from all that wrote it.
std::string expected_text(const StationOutput& output, const StationRun& run, std::size_t s) {
  const auto printed = [](const char* form, auto... values) {
    std::array<char, 1100> text{};
    const int length = std::snprintf(text.data(), text.size(), form, values...);
    return std::string(text.data(), static_cast<std::size_t>(length));
  };
  const station::Station& station = output.stations[s];
  const bool grows = run.count == station::StepCount::grows;
  const int width = grows ? 1 : static_cast<int>(std::to_string(run.steps).size());
  const auto header = [&](std::int64_t steps) {
    return printed("%d %f %f %f\n%*lld %f\n", station.number, station.position_m[0], station.position_m[1],
                   station.position_m[2], width, static_cast<long long>(steps), output.interval_s);
  };
  std::string text = header(std::min(run.every, run.steps));
  text.reserve(text.size() + static_cast<std::size_t>(run.steps * output.components * station::value_bytes));
  for (std::int64_t step = 1; step <= run.steps; ++step) {
    for (int c = 0; c < output.components; ++c) {
      text += printed("%15e", station_value(static_cast<std::int64_t>(s), c, step));
      text += c + 1 == output.components ? '\n' : ' ';
    }
  }
  const std::string last = header(run.steps);
  return text.replace(0, last.size(), last);
}

void verify_file(const std::string& path, const std::string& expected) {
  const std::unique_ptr<Store> store = open_posix(path, OpenMode::read);
  const auto refuse = [&](std::string problem, std::optional<std::int64_t> byte) {
    throw Error({.code = ErrorCode::input, .problem = std::move(problem), .where = {.file = path, .byte = byte}});
  };
  const auto size = static_cast<std::int64_t>(expected.size());
  if (store->size_bytes() != size) {
    refuse(fmt::format("the file has {} bytes instead of {}", store->size_bytes(), size), std::nullopt);
  }
  std::string found(expected.size(), '\0');
  read_at(*store, 0, std::as_writable_bytes(std::span(found)));
  const auto [at, other] = std::mismatch(found.begin(), found.end(), expected.begin());
  if (at == found.end()) return;
  refuse(fmt::format("the file does not hold what was computed: {:?} instead of {:?}",
                     found.substr(static_cast<std::size_t>(at - found.begin()), 16),
                     expected.substr(static_cast<std::size_t>(at - found.begin()), 16)),
         at - found.begin());
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

StationOutput station_output(const StationRun& run, int ranks) {
  const GridDecomposition grid = GridDecomposition::blocks({grid_x, grid_y}, parts_of(ranks));
  StationOutput output{.folder = run.folder,
                       .interval_s = interval_s,
                       .final_steps = run.steps,
                       .steps_a_phase = run.every,
                       .count = run.count};
  for (std::int64_t s = 0; s < run.stations; ++s) {
    const std::array<double, 2> cell = cell_of(s);
    output.stations.push_back(
        {.number = static_cast<int>(s + 1), .position_m = {cell[0] * spacing_m, cell[1] * spacing_m, 0.0}});
    for (const Staggering off : staggering) output.owners.push_back(owner_of(grid, cell, off));
  }
  return output;
}

StationCosts run_stations(const Resources& resources, const StationRun& run) {
  Communicator& comm = resources.comm;
  StationCosts costs;
  const Stopwatch whole;
  StationWriter writer(resources, together(comm, [&] { return station_output(run, comm.size()); }));
  std::vector<double> values = together(comm, [&] { return std::vector<double>(writer.owned().size()); });
  costs.setup_s = whole.seconds();
  for (std::int64_t step = 1; step <= run.steps; ++step) {
    compute(run.compute_ms);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = station_value(writer.owned()[i].station, writer.owned()[i].component, step);
    }
    const Stopwatch output;
    writer.write_step(values);
    costs.output_s += output.seconds();
  }
  const Stopwatch closing;
  writer.close();
  costs.output_s += closing.seconds();
  costs.loop_s = whole.seconds() - costs.setup_s;
  costs.phases = writer.phases();
  costs.file_bytes = writer.file_bytes();
  for (double* const each : {&costs.setup_s, &costs.loop_s, &costs.output_s}) *each = longest_s(comm, *each);
  return costs;
}

std::string station_path(const StationRun& run, std::int64_t station) {
  return fmt::format("{}/{}", run.folder, station::file_name(station + 1));
}

void verify_stations(const Resources& resources, const StationRun& run) {
  Communicator& comm = resources.comm;
  together(comm, [&] {
    const StationOutput output = station_output(run, comm.size());
    for (std::int64_t s = comm.rank(); s < run.stations; s += comm.size()) {
      verify_file(station_path(run, s), expected_text(output, run, static_cast<std::size_t>(s)));
    }
  });
}

}  // namespace sill::kernels
