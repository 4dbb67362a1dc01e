// What programs in C and in Fortran must write.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "io/surface_case.hpp"
#include "sill.h"
#include "sill/formats/array/cf_coordinate.hpp"
#include "sill/formats/hdf5/hdf5_file.hpp"
#include "sill/formats/segy/words/words.hpp"
#include "sill/io/arrays/dataset_writer.hpp"
#include "sill/io/records/records_writer.hpp"
#include "sill/io/simulation/solution_writer.hpp"
#include "sill/io/simulation/station_writer.hpp"
#include "sill/io/simulation/volume_writer.hpp"
#include "sill/io/survey/survey_writer.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill::test {

class BindingsCase : public SurfaceCase {
 protected:
  static constexpr std::array station_forms{StationForm::text, StationForm::sac, StationForm::segy, StationForm::su,
                                            StationForm::miniseed};

  // Collective. `write` writes stations into a folder in another language; StationWriter does the same.
  void expect_stations(StationForm form, const std::function<int(const std::string& to)>& write) {
    StationOutput output{.folder = folder / "of_cpp",
                         .form = form,
                         .components = 3,
                         .interval_s = 0.0625,
                         .final_steps = 1000,
                         .steps_per_phase = 4};
    output.shot = 3;
    output.source_m = {{12.5, -7.25, 100.0}};
    output.start_us = 1'000'000;
    for (int s = 0; s < 5; ++s) {
      output.stations.push_back({.number = s + 7, .position_m = {1000.5 * s, 1000.5 * s - 1, 1000.5 * s - 2}});
      for (int c = 0; c < 3; ++c) output.owners.push_back((s + c) % comm.size());
    }
    const Resources resources{.comm = comm};
    StationWriter writer(resources, output);
    std::vector<double> values(writer.owned().size());
    for (std::int64_t step = 1; step <= 12; ++step) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const StationWriter::Owned& of = writer.owned()[i];
        values[i] = static_cast<double>(100 * of.station + 10 * of.component) - 0.125 * static_cast<double>(step);
      }
      writer.write_step(values);
    }
    writer.close();
    EXPECT_EQ(write(folder / "of_other"), SILL_OK) << sill_last_error();
    comm.barrier();
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "of_cpp"))
      if (entry.path().extension() != ".lock") names.push_back("/" + entry.path().filename().string());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names.size(), form == StationForm::text ? 5U : form == StationForm::sac ? 15U : 1U);
    for (const std::string& name : names)
      expect_same_files({folder / "of_cpp" + name, folder / "of_other" + name}, 300);
    comm.barrier();
    if (comm.rank() == 0) {
      std::filesystem::remove_all(folder / "of_cpp");
      std::filesystem::remove_all(folder / "of_other");
    }
    comm.barrier();
  }

  // Collective. `write` writes an ASDF file in another language; StationWriter does the same.
  void expect_asdf(const std::function<int(const std::string& to)>& write) {
    StationOutput output{.folder = folder / "of_cpp",
                         .form = StationForm::asdf,
                         .components = 3,
                         .component_names = {"BXE", "BXN", "BXZ"},
                         .interval_s = 0.0625,
                         .final_steps = 8,
                         .steps_per_phase = 4};
    output.start_us = 1'356'998'400'000'000;
    output.labels = {.tag = "raw_1", .event_id = "smi:local/e"};
    for (int s = 0; s < 5; ++s) {
      output.stations.push_back({.number = s + 7, .code = s == 4 ? "IU.S4.10" : "IU.S" + std::to_string(s)});
      for (int c = 0; c < 3; ++c) output.owners.push_back((s + c) % comm.size());
    }
    StationWriter writer({.comm = comm}, output);
    if (comm.rank() == 0) {
      const std::array<double, 6> array{0, 1, 2, 3, 4, 5};
      writer.attach_text("Waveforms/IU.S4/StationXML", "<station/>");
      writer.attach({"AuxiliaryData/A/b", ElementType::f8, {2, 3}}, std::as_bytes(std::span(array)));
      constexpr std::array<std::int64_t, 2> shape{2, 3};
      writer.attach_attribute("AuxiliaryData/A/b", Attribute("shape", std::span(shape.data(), shape.size())));
      writer.attach_attribute_text("AuxiliaryData/A/b", "units", "m");
    }
    std::vector<double> values(writer.owned().size());
    for (int step = 1; step <= 8; ++step) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const StationWriter::Owned& of = writer.owned()[i];
        values[i] = static_cast<double>(100 * of.station + 10 * of.component) - 0.125 * step;
      }
      writer.write_step(values);
    }
    writer.close();
    EXPECT_EQ(write(folder / "of_other"), SILL_OK) << sill_last_error();
    expect_same_files({folder / "of_cpp/stations.h5", folder / "of_other/stations.h5"}, 512);
  }

  // Collective. `restart` is a run that goes on from the checkpoint that is there, in another decomposition each time.
  void expect_restarts(const std::function<int(const std::string& path, const ItemRange& mine, std::int64_t whole,
                                               double* state, double* step)>& restart) {
    constexpr std::int64_t whole = 1000;
    for (int run = 1; run <= 4; ++run) {
      const ItemRange mine = block_of(whole, comm.size(), (comm.rank() + run) % comm.size());
      std::vector<double> state(static_cast<std::size_t>(mine.count));
      double step = 0.0;
      EXPECT_EQ(restart(folder / "state.checkpoint", mine, whole, state.data(), &step), SILL_OK) << sill_last_error();
      EXPECT_EQ(step, run);
      for (std::size_t i = 0; i < state.size(); ++i)
        EXPECT_EQ(state[i], 0.5 * run * static_cast<double>(mine.first + static_cast<std::int64_t>(i)));
    }
    comm.barrier();
    if (comm.rank() == 0) {
      for (const char* const name : {"state.checkpoint.0.nc", "state.checkpoint.1.nc", ".state.checkpoint.sill-lock"})
        std::filesystem::remove(folder / name);
    }
    comm.barrier();
  }

  // Collective. `write` writes a dataset in another language; DatasetWriter does the same.
  void expect_dataset(const std::function<int(const std::string& path)>& write) {
    const Resources resources{.comm = comm};
    DatasetDescription description{
        .dimensions = {{"time", unlimited}, {"y", 5}, {"x", 12}},
        .variables = {{"depth", ElementType::f8, {"y"}},
                      {"u",
                       ElementType::f4,
                       {"time", "y", "x"},
                       {{"units", "m s-1"}, {"valid_range", std::span<const float>(std::array<float, 2>{0, 1000})}}},
                      {"node", ElementType::i4, {"time", "x"}}},
        .attributes = {{"title", "bindings"}}};
    // Times are brought, heights not.
    add_cf_coordinate(description, {.dimension = "time", .axis = "T", .units = "seconds since 2026-01-01 00:00:00"});
    add_cf_coordinate(description,
                      {.dimension = "y", .axis = "Z", .units = "m", .positive = "up", .standard_name = "height"});
    DatasetWriter writer(resources, folder / "of_cpp.nc", description, {.existing = DatasetOptions::Existing::replace});
    const bool is_first = comm.rank() == 0;
    std::vector<double> values{0, 0.5, 1, 1.5, 2};
    const auto of_first = [&](const ArrayPart& part) { return std::vector<ArrayPart>(is_first ? 1 : 0, part); };
    writer.write(of_first({"depth", {{0}, {5}}, values.data()}));
    for (std::int64_t step = 0; step < 3; ++step) {
      values.clear();
      std::vector<double> nodes;
      for (std::int64_t i = 0; i < 60; ++i) values.push_back(static_cast<double>(100 * step + i / 12 * 10 + i % 12));
      for (std::int64_t x = 0; x < 12; ++x) nodes.push_back(static_cast<double>(10 * step + x));
      std::vector<ArrayPart> parts = of_first({"u", {{0, 0}, {5, 12}}, values.data()});
      if (is_first) parts.emplace_back("node", Box{{0}, {12}}, nodes.data());
      const double time = 0.5 * static_cast<double>(step);
      if (is_first) parts.emplace_back("time", Box{}, &time);
      writer.write_step(parts);
    }
    writer.set_attribute({"valid_range", std::span<const float>(std::array<float, 2>{0, 299})}, "u");
    writer.set_attribute({"title", "bindings, complete"});
    writer.close();
    EXPECT_EQ(write(folder / "of_other.nc"), SILL_OK) << sill_last_error();
    expect_same_files({folder / "of_cpp.nc", folder / "of_other.nc"}, 512);
  }

  using WriteLayout = std::function<int(const std::string& path, const char* layout, const ItemRange& mine,
                                        std::int64_t whole, const double* values)>;
  // Collective. `write` writes datasets with a layout in another language; DatasetWriter does the same with options.
  void expect_layouts(const WriteLayout& write) {
    if (hdf5::build_version().empty()) GTEST_SKIP() << "built without HDF5";
    constexpr std::int64_t whole = 100;
    const ItemRange mine = block_of(whole, comm.size(), comm.rank());
    std::vector<double> values;
    for (std::int64_t x = mine.first; x < mine.end(); ++x) values.push_back(static_cast<double>(x / 10));
    const ChunkCodec deflate = ChunkCodec::parse("shuffle+deflate:4");
    const std::array<std::tuple<std::string, const char*, DatasetOptions>, 3> layouts{
        {{"c.h5",
          "chunks=16,codec=u=shuffle+deflate:4",
          {.codecs = {.variables = {{"u", deflate}}}, .chunk = Index{16}}},
         {"c.nc4", "codec=shuffle+deflate:4", {.codecs = {.all = deflate}}},
         {"r.h5", "steps=3;other:container=raw", {.steps = 3}}}};
    for (const auto& [name, layout, options] : layouts) {
      SCOPED_TRACE(layout);
      const Resources resources{.comm = comm};
      DatasetWriter writer(
          resources, folder / ("of_cpp_" + name),
          {.dimensions = {{"time", unlimited}, {"x", whole}}, .variables = {{"u", ElementType::f4, {"time", "x"}}}},
          options);
      std::vector<ArrayPart> parts;
      if (!values.empty()) parts.emplace_back("u", Box{{mine.first}, {mine.count}}, values.data());
      for (int step = 0; step < 2; ++step) writer.write_step(parts);
      writer.close();
      EXPECT_EQ(write(folder / ("of_other_" + name), layout, mine, whole, values.data()), SILL_OK) << sill_last_error();
      expect_same_files({folder / ("of_cpp_" + name), folder / ("of_other_" + name)}, 512);
    }
  }

  // What a program is given to write surfaces from.
  struct Surfaces {
    std::string prefix;
    std::array<std::int64_t, 12> boxes{};  // first and count of what is written, of what is stored
    std::int64_t step = 0;
    std::int64_t points = 0;
    bool has_displacement = false;
    std::array<const float*, 3> velocity{};
    std::array<const float*, 3> displacement{};
  };
  // Collective. `write` writes the planes of `three_planes`.
  void expect_surfaces(const Index& parts, int order, std::int64_t step,
                       const std::function<int(const Surfaces&)>& write) {
    const DistributedGrid grid = distributed(parts, 2);
    Surfaces all{.prefix = folder / "", .step = step, .points = grid.stored.items(), .has_displacement = step % 2 == 0};
    for (std::size_t d = 0; d < 3; ++d) {
      all.boxes[d] = grid.mine.first[d];
      all.boxes[3 + d] = grid.mine.count[d];
      all.boxes[6 + d] = grid.stored.first[d];
      all.boxes[9 + d] = grid.stored.count[d];
    }
    std::array<Field, 2> fields{field_of(grid, false, step), field_of(grid, true, step)};
    if (order == SILL_X_FASTEST) {
      for (Field& field : fields) {
        for (std::vector<float>& values : field.values) values = transformed(values, grid.stored.count);
      }
    }
    for (std::size_t c = 0; c < 3; ++c) {
      all.velocity[c] = fields[0].values[c].data();
      all.displacement[c] = fields[1].values[c].data();
    }
    EXPECT_EQ(write(all), SILL_OK) << sill_last_error();
    expect_files({step}, all.has_displacement);
  }

  // Collective. `write` writes 100 records as RecordsWriter does here.
  void expect_records(const std::function<int(const std::string& path)>& write) {
    EXPECT_EQ(write(folder / "r.gz"), SILL_OK) << sill_last_error();
    {
      const Resources resources{.comm = comm};
      RecordsWriter writer(resources, folder / "cpp.gz",
                           {.form = {.codec = records::Codec::bgzf, .level = 6}, .files = 2, .ids = 100});
      for (std::int64_t id = comm.rank(); id < 100; id += comm.size()) {
        const std::string text = "record " + std::to_string(id);
        writer.put(id, std::as_bytes(std::span(text)));
      }
      writer.close();
    }
    comm.barrier();
    for (const char* end : {".0.gz", ".0.gz.index", ".1.gz", ".1.gz.index"})
      expect_same_files({folder / (std::string("cpp") + end), folder / (std::string("r") + end)}, 100);
    comm.barrier();
  }

  // Collective. `write` writes volumes as VolumeWriter does here, from values of its own.
  void expect_volumes(PointOrder order, const std::function<int(const std::string& prefix)>& write) {
    DistributedGrid grid{.shape = {9, 8, 6}, .mine = whole({9, 8, 6})};
    grid.mine.first[1] = 8 * comm.rank() / comm.size();
    grid.mine.count[1] = 8 * (comm.rank() + 1) / comm.size() - grid.mine.first[1];
    const VolumeOptions options{.prefix = folder / "cpp_",
                                .components = "XZ",
                                .kept = {{{1, -1, 2}, {0, 6, 2}, {0, -1, 2}}},
                                .steps_per_sample = 2,
                                .samples_per_file = 2,
                                .order = order};
    const Resources resources{.comm = comm};
    VolumeWriter writer(resources, grid, options);
    for (std::int64_t step = 1; step <= 9; ++step) {
      std::array<std::vector<float>, 3> field;
      for (std::size_t c = 0; c < 3; ++c) {
        field[c].resize(static_cast<std::size_t>(grid.mine.items()));
        const Index strides = strides_of(grid.mine.count, order);
        for (std::int64_t x = 0; x < 9; ++x) {
          for (std::int64_t y = 0; y < grid.mine.count[1]; ++y) {
            for (std::int64_t z = 0; z < 6; ++z) {
              field[c][static_cast<std::size_t>(x * strides[0] + y * strides[1] + z * strides[2])] = static_cast<float>(
                  ((step * 3 + static_cast<std::int64_t>(c)) * 16 + x) * 256 + (grid.mine.first[1] + y) * 16 + z);
            }
          }
        }
      }
      writer.write_step(step, {field[0], field[1], field[2]});
    }
    writer.close();
    EXPECT_EQ(write(folder / "other_"), SILL_OK) << sill_last_error();
    comm.barrier();
    if (comm.rank() == 0) {
      std::size_t files = 0;
      for (const std::string& name : names_in(folder.path())) {
        if (!name.starts_with("cpp_")) continue;
        ++files;
        EXPECT_TRUE(bytes_of_file(folder / name) == bytes_of_file(folder / ("other_" + name.substr(4)))) << name;
      }
      EXPECT_EQ(files, 4U) << "two components, a full batch and half a one, and no others";
      EXPECT_EQ(names_in(folder.path()).size(), 2 * files);
    }
    remove_files();
  }

  // Collective. `write` writes solutions as SolutionWriter does here, from values of its own.
  void expect_solutions(solution::Files files, const std::function<int(const std::string& to)>& write) {
    const SolutionOutput output{.folder = folder / "of_cpp",
                                .my_problems = comm.rank() + 1,
                                .sub_elements = 3,
                                .dimensions = 2,
                                .files = files,
                                .chunk_align_bytes = files == solution::Files::shared ? 512 : 0};
    const Resources resources{.comm = comm};
    SolutionWriter writer(resources, output);
    const std::int64_t first = writer.problems().first;
    std::vector<solution::Element> elements;
    std::vector<double> values(static_cast<std::size_t>(20 * output.my_problems));
    for (std::int64_t i = 0; i < 9 * output.my_problems; ++i) {
      if (i % 9 == 0) elements.emplace_back();
      elements.back()[static_cast<std::size_t>(i % 9 / 3)][static_cast<std::size_t>(i % 3)] =
          static_cast<double>(9 * first + i) / 8;
    }
    writer.write_problem_files(elements, "order 2\n");
    for (std::int64_t step = 2; step <= 4; step += 2) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = (20.0 * static_cast<double>(first) + static_cast<double>(i)) / 16 - static_cast<double>(step);
      }
      writer.write_phase(step, values);
    }
    writer.close();
    EXPECT_EQ(write(folder / "of_other"), SILL_OK) << sill_last_error();
    comm.barrier();
    if (comm.rank() == 0) {
      const auto all_in = [&](const std::string& root) {
        std::map<std::string, Bytes> all;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
          if (entry.is_regular_file()) {
            all[std::filesystem::relative(entry.path(), root).string()] = bytes_of_file(entry.path().string());
          }
        }
        return all;
      };
      const std::map<std::string, Bytes> wanted = all_in(folder / "of_cpp");
      EXPECT_GE(wanted.size(), 5U);
      EXPECT_TRUE(all_in(folder / "of_other") == wanted);
      for (const char* name : {"of_cpp", "of_other"}) std::filesystem::remove_all(folder / name);
    }
    comm.barrier();
  }

  [[nodiscard]] static std::vector<segy::FileForm> survey_forms() {
    const std::vector<std::string> text{"C 1 MADE BY A TEST", "C 2 OF WRITERS"};
    return {{.samples = 50, .interval_us = 2000.0, .traces = 23, .text = text},
            {.byte_order = ByteOrder::little,
             .revision = segy::Revision::rev2_1,
             .sample_format = segy::SampleFormat::int16,
             .samples = 31,
             .interval_us = 500.5,
             .traces = 11,
             .text_encoding = segy::TextEncoding::ascii,
             .text = text},
            {.kind = segy::FileKind::seismic_unix,
             .byte_order = ByteOrder::little,
             .revision = segy::Revision::rev0,
             .samples = 20,
             .interval_us = 4000.0,
             .traces = 9}};
  }

  // Collective. A survey of such a form, written by SurveyWriter.
  [[nodiscard]] std::string made_survey(const segy::FileForm& form) {
    const std::string path = folder / "survey";
    const Resources resources{.comm = comm};
    SurveyWriter writer(resources, path, form);
    const ItemRange mine = block_of(form.traces, comm.size(), comm.rank());
    std::vector<std::byte> headers(static_cast<std::size_t>(mine.count) * 240);
    std::vector<float> samples;
    for (std::int64_t i = 0; i < mine.count; ++i) {
      const auto set = [&](const char* word, std::int64_t value) {
        segy::write_word(&headers[static_cast<std::size_t>(i) * 240], *segy::find_trace_word(word), form.byte_order,
                         {value});
      };
      set("tracl", mine.first + i + 1);
      set("cdp", 100 - i);
      set("trid", 1);
      set("ns", form.samples);
      set("dt", static_cast<std::int64_t>(form.interval_us));
      for (std::int64_t s = 0; s < form.samples; ++s) samples.push_back(static_cast<float>((mine.first + i) * 40 - s));
    }
    writer.write_samples(mine, headers, samples);
    writer.finish();
    return path;
  }

  // Collective. The files are equal, and not small.
  void expect_same_files(const std::vector<std::string>& paths, std::size_t min_bytes = 1000) {
    comm.barrier();
    if (comm.rank() == 0) {
      const Bytes first = bytes_of_file(paths.front());
      EXPECT_GE(first.size(), min_bytes);
      for (const std::string& path : paths) EXPECT_TRUE(bytes_of_file(path) == first) << path;
    }
    comm.barrier();
  }

 private:
  // Values at [x][y][z] as values at [z][y][x].
  [[nodiscard]] static std::vector<float> transformed(const std::vector<float>& values, const Index& count) {
    std::vector<float> transformed(values.size());
    std::size_t at = 0;
    for (std::int64_t x = 0; x < count[0]; ++x) {
      for (std::int64_t y = 0; y < count[1]; ++y) {
        for (std::int64_t z = 0; z < count[2]; ++z) {
          transformed[static_cast<std::size_t>((z * count[1] + y) * count[0] + x)] = values[at++];
        }
      }
    }
    return transformed;
  }
};

}  // namespace sill::test
