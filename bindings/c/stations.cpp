// Station output for C.
#include <algorithm>
#include <array>

#include "memory.hpp"
#include "session.hpp"
#include "sill/io/simulation/station_writer.hpp"

using namespace sill;
using namespace sill::bindings;

struct sill_stations {
  sill_stations(std::shared_ptr<Session> session, const StationOutput& output)
      : held(std::move(session)), writer(held->io->resources("stations"), output) {}
  std::shared_ptr<Session> held;
  StationWriter writer;
};

namespace {

// Returns the texts between commas.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (std::size_t at = 0, comma = 0; comma != std::string::npos; at = comma + 1) {
    comma = text.find(',', at);
    parts.push_back(text.substr(at, comma == std::string::npos ? comma : comma - at));
  }
  return parts;
}

StationOutput station_output(const sill_station_output& output) {
  constexpr std::array forms{StationForm::text, StationForm::sac,      StationForm::segy,
                             StationForm::su,   StationForm::miniseed, StationForm::asdf};
  if (output.form < SILL_STATIONS_TEXT || output.form > SILL_STATIONS_ASDF)
    refuse("the form of the station files is " + std::to_string(output.form),
           "give one of SILL_STATIONS_TEXT to SILL_STATIONS_ASDF");
  StationOutput all{.folder = text_of(output.folder),
                    .form = forms[static_cast<std::size_t>(output.form)],
                    .components = output.components,
                    .interval_s = output.interval_s,
                    .final_steps = output.final_steps,
                    .steps_per_phase = output.steps_per_phase,
                    .count = output.count_grows != 0 ? station::StepCount::grows : station::StepCount::reserved,
                    .shot = output.shot,
                    .start_us = output.start_us,
                    .continues_after = output.continues_after};
  if (output.source_m != nullptr) all.source_m = {output.source_m[0], output.source_m[1], output.source_m[2]};
  if (output.stations < 0) {
    refuse("the number of stations is below 0 or, in Fortran, not the same in all arrays",
           "give a number, a position and owners for each station");
  }
  std::int64_t owners = 0;
  if (__builtin_mul_overflow(output.stations, std::max(output.components, 0), &owners)) {
    refuse(std::to_string(output.stations) + " stations of " + std::to_string(output.components) +
               " components exceed the memory",
           "give the number of stations");
  }
  if (output.stations > 0) (void)at(output.station, "the array of stations");
  for (const sill_station& each : elements(output.station, output.stations)) {
    all.stations.push_back(
        {.number = each.number, .position_m = {each.position_m[0], each.position_m[1], each.position_m[2]}});
  }
  if (owners > 0) (void)at(output.owners, "the array of owners");
  all.component_names = split(text_of(output.component_names));
  const std::vector<std::string> codes = split(text_of(output.codes));
  if (!codes.empty() && codes.size() != all.stations.size()) {
    refuse(std::to_string(codes.size()) + " codes are given for " + std::to_string(all.stations.size()) + " stations",
           "give a code for each station, with commas between them");
  }
  for (std::size_t s = 0; s < codes.size(); ++s) all.stations[s].code = codes[s];
  if (const std::string tag = text_of(output.tag); !tag.empty()) all.labels.tag = tag;
  all.labels.event_id = text_of(output.event_id);
  const std::span<const int> ranks = elements(output.owners, owners);
  all.owners.assign(ranks.begin(), ranks.end());
  return all;
}

StationWriter& writer_of(sill_stations* stations) { return object_of(stations, "the station output").writer; }
const StationWriter& writer_of(const sill_stations* stations) {
  return object_of(stations, "the station output").writer;
}

}  // namespace

extern "C" {

int sill_stations_open(sill_session* session, const sill_station_output* output, sill_stations** stations) {
  return opened(session, stations, [&] { return station_output(at(output, "what the stations are")); });
}

int sill_stations_owned(const sill_stations* stations, int64_t capacity, int64_t* station, int* component,
                        int64_t* count) {
  return status_of([&] {
    const std::span<const StationWriter::Owned> owned = writer_of(stations).owned();
    const auto shown = static_cast<std::size_t>(std::clamp<std::int64_t>(capacity, 0, std::ssize(owned)));
    for (std::size_t i = 0; i < shown; ++i) {
      if (station != nullptr) station[i] = owned[i].station;
      if (component != nullptr) component[i] = owned[i].component;
    }
    at(count, "the pointer for the number of values") = std::ssize(owned);
  });
}

int sill_stations_attach(sill_stations* stations, const char* path, int type, int dimensions, const int64_t* shape,
                         const void* values) {
  return status_of([&] {
    hdf5::NewArray array{.path = text_of(path), .type = element_type(type)};
    if (dimensions < 0) refuse("an array has " + std::to_string(dimensions) + " dimensions", "give 0 or more");
    if (dimensions > 0) (void)at(shape, "the shape of the array");
    std::int64_t bytes = bytes_of(array.type);
    for (const std::int64_t length : elements(shape, dimensions)) {
      array.shape.push_back(length);
      if (length < 0 || __builtin_mul_overflow(bytes, length, &bytes))
        refuse("a length of the array is " + std::to_string(length), "give the number of elements in each dimension");
    }
    const auto* const first = static_cast<const std::byte*>(values);
    if (bytes > 0) (void)at(first, "the array");
    writer_of(stations).attach(array, elements(first, bytes));
  });
}

int sill_stations_attach_text(sill_stations* stations, const char* path, const char* text) {
  return status_of([&] { writer_of(stations).attach_text(text_of(path), text_of(text)); });
}

int sill_stations_attach_attribute(sill_stations* stations, const char* path, const char* name, int type, int64_t count,
                                   const void* values) {
  return status_of(
      [&] { writer_of(stations).attach_attribute(text_of(path), attribute_of(name, type, count, values)); });
}

int sill_stations_attach_attribute_text(sill_stations* stations, const char* path, const char* name, const char* text) {
  return status_of([&] { writer_of(stations).attach_attribute_text(text_of(path), text_of(name), text_of(text)); });
}

int sill_stations_record(sill_stations* stations, const double* values, int64_t count) {
  return status_of([&] { writer_of(stations).record(elements(values, count)); });
}

int sill_stations_write_step(sill_stations* stations, const double* values, int64_t count) {
  return status_of([&] { writer_of(stations).write_step(elements(values, count)); });
}

int sill_stations_flush(sill_stations* stations) {
  return status_of([&] { writer_of(stations).flush(); });
}

int sill_stations_steps(const sill_stations* stations, int64_t* steps) {
  return status_of([&] { at(steps, "the pointer for the number of steps") = writer_of(stations).steps(); });
}

int sill_stations_phases(const sill_stations* stations, int64_t* phases) {
  return status_of([&] { at(phases, "the pointer for the number of phases") = writer_of(stations).phases(); });
}

int sill_stations_file_bytes(const sill_stations* stations, int64_t* bytes) {
  return status_of([&] { at(bytes, "the pointer for the number of bytes") = writer_of(stations).file_bytes(); });
}

int sill_stations_close(sill_stations** stations) {
  return status_of([&] { taken(stations, "the station output")->writer.close(); });
}

int sill_stations_free(sill_stations** stations) { return freed(stations, "the pointer to the station output"); }

}  // extern "C"
