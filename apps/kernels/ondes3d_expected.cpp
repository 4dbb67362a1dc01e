#include "kernels/ondes3d_expected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/arrays/hdf5_contents.hpp"

namespace sill::kernels {
namespace {

// Computes the expected file independently of the code that wrote it.
std::string expected_text(const StationRun& run, const StationOutput& output, std::size_t s) {
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
      text += printed("%15e", varied_value(static_cast<std::int64_t>(s), c, step));
      text += c + 1 == output.components ? '\n' : ' ';
    }
  }
  const std::string last = header(run.steps);
  return text.replace(0, last.size(), last);
}

// Sets the defined words of the header at their byte positions.
std::string expected_sac(const StationRun& run, const StationOutput& output, std::size_t s, std::size_t component) {
  const auto count = static_cast<std::size_t>(run.steps);
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
        static_cast<float>(varied_value(static_cast<std::int64_t>(s), static_cast<int>(component),
                                        static_cast<std::int64_t>(step) + 1)));
  return bytes;
}

// Returns the channels of an ASDF file in the order of their first bytes, which the HDF5 library reads; 0: the file
// lacks the channel.
std::vector<std::pair<std::int64_t, std::int64_t>> asdf_channels(const Resources& resources, const std::string& path,
                                                                 const StationOutput& output) {
  const hdf5::FileContents contents = read_hdf5(resources, path);
  std::map<std::string, std::int64_t> begins;
  for (std::size_t i = 0; i < contents.description.variables.size(); ++i) {
    const std::string& name = contents.description.variables[i].name;
    begins[name.substr(0, name.find("__"))] = contents.stored.variables[i].begin;
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> channels;
  for (const station::Station& each : output.stations) {
    for (const std::string& component : output.component_names)
      channels.emplace_back(begins[fmt::format("Waveforms/{}/{}..{}", each.code, each.code, component)],
                            std::ssize(channels));
  }
  std::ranges::sort(channels);
  return channels;
}

// Adds the samples of a channel from step `first` on, with zeros after the last.
void add_channel(const StationRun& run, std::int64_t channel, std::int64_t first, std::int64_t count, ByteOrder order,
                 ExpectedContent& expected) {
  for (std::int64_t step = first; step < first + count; ++step) {
    const double value =
        varied_value(channel / station::ondes3d_components, channel % station::ondes3d_components, step);
    expected.add_value(step <= run.steps ? static_cast<float>(value) : 0.0F, order);
  }
}

// Headers are not compared: other tests read them.
void verify_channels(const Resources& resources, const StationRun& run, const StationOutput& output,
                     const std::string& path, std::int64_t file_bytes) {
  if (run.form == StationForm::asdf) {
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
    return require_content(path, size, [&](ExpectedContent& expected) {
      for (const auto& [begin, channel] : asdf_channels(resources, path, output)) {
        expected.skip_to(begin);
        add_channel(run, channel, 1, run.steps, ByteOrder::little, expected);
      }
      expected.skip_to(size);
    });
  }
  const bool is_seed = run.form == StationForm::miniseed;
  const ByteOrder order = run.form == StationForm::su ? ByteOrder::little : ByteOrder::big;
  const std::int64_t header = is_seed ? 128 : 240;
  const std::int64_t block = is_seed ? seed_samples : run.steps;
  require_content(path, file_bytes, [&](ExpectedContent& expected) {
    std::int64_t at = run.form == StationForm::segy ? 3600 : 0;
    for (std::int64_t first = 1; first <= run.steps; first += block) {
      for (std::int64_t channel = 0; channel < run.stations * station::ondes3d_components; ++channel) {
        expected.skip_to(at + header);
        add_channel(run, channel, first, block, order, expected);
        at += header + 4 * block;
      }
    }
  });
}

}  // namespace

void verify_stations(const Resources& resources, const StationRun& run, const StationOutput& output,
                     const std::vector<std::string>& paths, std::int64_t file_bytes) {
  Communicator& comm = resources.comm;
  if (is_of_channels(run.form))
    return run_on_rank(comm, 0, [&] { verify_channels(resources, run, output, paths.front(), file_bytes); });
  run_and_agree(comm, [&] {
    const std::size_t of_station = paths.size() / output.stations.size();
    for (auto f = static_cast<std::size_t>(comm.rank()); f < paths.size(); f += static_cast<std::size_t>(comm.size()))
      require_content(paths[f], run.form == StationForm::text
                                    ? expected_text(run, output, f)
                                    : expected_sac(run, output, f / of_station, f % of_station));
  });
}

}  // namespace sill::kernels
