// The ASDF file of the station kernel: metadata of the model, and the places of the waveforms.
#include <fmt/format.h>

#include <map>
#include <vector>

#include "kernels/ondes3d_stations.hpp"
#include "sill/io/arrays/hdf5_contents.hpp"

namespace sill::kernels {
namespace {

constexpr double metres_per_degree = 111'195.0;  // the model begins at 0 degrees north, 0 degrees east

std::string station_xml(const station::Station& station) {
  const std::size_t dot = station.code.find('.');
  return fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<FDSNStationXML xmlns="http://www.fdsn.org/xml/station/1" schemaVersion="1.1">
<Source>sill kernel</Source><Created>1970-01-01T00:00:00Z</Created>
<Network code="{}"><Station code="{}"><Latitude>{:.7f}</Latitude><Longitude>{:.7f}</Longitude><Elevation>{}</Elevation>
<Site><Name>Station {} of a model</Name></Site></Station></Network>
</FDSNStationXML>
)",
      station.code.substr(0, dot), station.code.substr(dot + 1), station.position_m[1] / metres_per_degree,
      station.position_m[0] / metres_per_degree, station.position_m[2], station.number);
}

std::string quake_ml(const std::string& event) {
  return fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<q:quakeml xmlns:q="http://quakeml.org/xmlns/quakeml/1.2" xmlns="http://quakeml.org/xmlns/bed/1.2">
<eventParameters publicID="smi:local/sill"><event publicID="{}"/></eventParameters>
</q:quakeml>
)",
      event);
}

}  // namespace

void StationKernel::attach_metadata(StationWriter& writer, const StationOutput& output,
                                    const Communicator& comm) const {
  for (const StationWriter::Owned& each : writer.owned()) {
    if (each.component != 0) continue;
    const station::Station& station = output.stations[static_cast<std::size_t>(each.station)];
    writer.attach_text(fmt::format("Waveforms/{}/StationXML", station.code), station_xml(station));
  }
  if (comm.rank() != 0) return;
  writer.attach_text("QuakeML", quake_ml(output.labels.event_id));
  std::vector<double> positions_m;
  for (const station::Station& each : output.stations)
    positions_m.insert(positions_m.end(), each.position_m.begin(), each.position_m.end());
  writer.attach({"AuxiliaryData/Stations/Positions", ElementType::f8, {run_.stations, 3}},
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

}  // namespace sill::kernels
