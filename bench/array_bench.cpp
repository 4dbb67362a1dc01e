// Times datasets of a kernel, or a large array in chunks, in turns with another library, with the same requests on
// ready bytes or with a codec alone, on the same arrays: writing them, or reading them into slabs. Prints one line of
// JSON, made by rank 0. Run by script/bench.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "array_libraries.hpp"
#include "kernels/kernel.hpp"
#include "kernels/kernels.hpp"
#include "kernels/netcdf/flash_arrays.hpp"
#include "kernels/netcdf/gccom_arrays.hpp"
#include "replay.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/launch.hpp"
#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/arrays/dataset_writer.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/layout/grid_decomposition.hpp"
#include "sill/store/posix/counted_calls.hpp"
#include "sill/store/posix/posix_store.hpp"

namespace sill::bench {
namespace {

struct Options {
  std::string kernel = "gccom";
  std::string operation = "write";
  std::string library = "hdf5";
  std::string container = "netcdf";
  std::string codec = "none";
  int deflate = 1;
  std::int64_t megabytes = 1024;
  bool is_independent = false;
  bool is_nonblocking = false;
  std::size_t cut = 0;
  std::string policy = "auto";
  std::string folder = ".";
  int repeat = 9;
};

// The arrays of a kernel, and the parts that this rank has of them.
struct Subject {
  DatasetDescription description;
  std::int64_t steps = 0;
  std::function<std::vector<ArrayPart>()> once;
  std::function<std::vector<ArrayPart>(std::int64_t)> of_step = {};
  std::optional<Index> chunk = {};  // with a codec; a rank compares as much of the slowest dimension
};

Subject gccom(const Communicator& comm) {
  const kernels::GccomRun run;
  const Box mine = kernels::gccom_box(run.grid, comm.rank(), comm.size());
  const auto arrays = std::make_shared<kernels::GccomArrays>(mine, run.grid);
  return {kernels::gccom_description(run.grid), run.phases, [=] { return kernels::gccom_parts(*arrays, {}); },
          [=](std::int64_t step) { return kernels::gccom_parts(*arrays, step); }};
}

Subject flash(const Communicator& comm) {
  const kernels::FlashRun run;
  const auto arrays = std::make_shared<kernels::FlashArrays>(comm.rank() * run.blocks, run.blocks, run.zones);
  const auto unknowns = static_cast<std::int64_t>(kernels::flash_unknowns.size());
  return {kernels::flash_description(run.blocks * comm.size(), run.zones, unknowns, ElementType::f8), 0,
          [=] { return kernels::flash_parts(*arrays, unknowns, false); }};
}

// A smooth field with noise, of which zstd:3 makes about half: slabs of z.
Subject volume(const Communicator& comm, std::int64_t megabytes) {
  const Index shape{std::max<std::int64_t>(megabytes, comm.size()), 512, 512};
  const Box mine = GridDecomposition::blocks(shape, {comm.size(), 1, 1}).box_of(comm.rank());
  const auto values = std::make_shared<std::vector<float>>();
  values->reserve(static_cast<std::size_t>(mine.items()));
  std::array<float, 512> wave{};
  for (std::size_t i = 0; i < wave.size(); ++i) wave[i] = std::sin(0.0234375F * static_cast<float>(i));
  auto state = static_cast<std::uint32_t>(comm.rank() + 1);
  for (std::int64_t z = mine.first[0]; z < mine.first[0] + mine.count[0]; ++z) {
    for (const float of_y : wave) {
      const float of_plane = of_y * wave[static_cast<std::size_t>(z) % wave.size()];
      for (const float of_x : wave) {
        state = state * 1664525U + 1013904223U;
        const auto noise = static_cast<float>((state >> 24U) + (state >> 16U & 0xFFU)) / 64.0F;
        values->push_back(std::nearbyint(of_plane * of_x * 4096.0F + noise) / 4096.0F);
      }
    }
  }
  return {{.dimensions = {{"z", shape[0]}, {"y", shape[1]}, {"x", shape[2]}},
           .variables = {{"u", ElementType::f4, {"z", "y", "x"}}}},
          0,
          [=] {
            return std::vector<ArrayPart>{{"u", mine, values->data()}};
          },
          {},
          Index{std::min<std::int64_t>(128, shape[0] / comm.size()), 64, 64}};
}

Subject subject_of(const Options& options, const Communicator& comm) {
  if (options.kernel == "volume") return volume(comm, options.megabytes);
  return options.kernel == "gccom" ? gccom(comm) : flash(comm);
}

// Memory for slabs of all variables as f8, one slab for each rank.
struct Slabs {
  std::vector<std::vector<double>> values;
  std::vector<ArrayPart> once;
  std::vector<ArrayPart> of_step;

  Slabs(const DatasetDescription& description, std::size_t cut, const std::optional<Index>& chunk,
        const Communicator& comm) {
    for (const Variable& variable : description.variables) {
      const Index shape = description.shape_of(variable);
      Index slabs(shape.size(), 1);
      slabs[std::min(cut, slabs.size() - 1)] = comm.size();
      Box box = GridDecomposition::blocks(shape, slabs).box_of(comm.rank());
      if (chunk) box.count[0] = std::min(box.count[0], chunk->front());
      values.emplace_back(static_cast<std::size_t>(box.items()));
      (description.has_steps(variable) ? of_step : once).emplace_back(variable.name, box, values.back().data());
    }
  }
};

struct Run {
  double seconds = 0.0;    // of the rank that took longest
  std::int64_t reads = 0;  // of all ranks
  std::int64_t writes = 0;
};

// What a run costs. The ranks begin what is timed together.
class Costs {
 public:
  explicit Costs(Communicator& comm) : comm_(comm) {
    const CountedCalls first = required_counted_calls();
    before_ = required_counted_calls();
    own_reads_ = before_.reads - first.reads;
  }

  void time(const std::function<void()>& work) {
    comm_.barrier();
    const kernels::Stopwatch watch;
    work();
    seconds_ += watch.seconds();
  }

  [[nodiscard]] Run all() {
    const CountedCalls after = required_counted_calls();
    Run run;
    run.seconds = 1e-9 * static_cast<double>(all_reduce(comm_, std::llround(seconds_ * 1e9), Reduction::max));
    run.reads = all_reduce(comm_, after.reads - before_.reads - own_reads_, Reduction::sum);
    run.writes = all_reduce(comm_, after.writes - before_.writes, Reduction::sum);
    return run;
  }

 private:
  Communicator& comm_;
  CountedCalls before_;
  std::int64_t own_reads_ = 0;  // that counting takes
  double seconds_ = 0.0;
};

class ArrayBench {
 public:
  ArrayBench(Communicator& comm, const Options& options)
      : comm_(comm),
        options_(options),
        subject_(run_and_agree(comm, [&] { return subject_of(options, comm); })),
        slabs_(subject_.description, options.cut, subject_.chunk, comm),
        ours_(options.folder + "/" + options.kernel + (options.container == "hdf5" ? ".h5" : ".nc")),
        theirs_(options.folder + "/" + options.kernel + ".theirs.h5") {}

  nlohmann::json run() {
    std::optional<DeflatedChunks> deflated;  // of another library
    if (options_.codec != "none") deflated = {*subject_.chunk, options_.deflate};
    const auto sill_writer = [&](const std::string& path) {
      DatasetOptions dataset{.existing = DatasetOptions::Existing::replace,
                             .container = container_named(options_.container)};
      if (options_.codec != "none") {
        dataset.codecs.add(options_.codec);
        dataset.chunk = subject_.chunk;
      } else if (options_.container != "netcdf" && subject_.steps > 0) {
        dataset.steps = subject_.steps;
      }
      return std::make_unique<DatasetWriter>(resources_, path, subject_.description, dataset);
    };
    const auto hdf5_writer = [&](const std::string& path) {
      return std::make_unique<Hdf5File>(comm_, path, subject_.description, !options_.is_independent, subject_.steps,
                                        deflated);
    };
    const auto netcdf4_writer = [&](const std::string& path) {
      return std::make_unique<Netcdf4File>(comm_, path, subject_.description, deflated);
    };
    const auto sill_reader = [&] { return std::make_unique<DatasetReader>(resources_, ours_); };
    const auto hdf5_reader = [&] {
      return std::make_unique<Hdf5File>(comm_, theirs_, subject_.description, !options_.is_independent);
    };
    const auto pnetcdf_reader = [&] {
      return std::make_unique<PnetcdfFile>(comm_, ours_, subject_.description, !options_.is_nonblocking);
    };
    const auto write_sill = [&] { return written(ours_, sill_writer); };
    const auto write_theirs = [&] {
      return options_.library == "netcdf4" ? written(theirs_, netcdf4_writer) : written(theirs_, hdf5_writer);
    };
    const auto read_sill = [&] { return read(sill_reader); };
    Trace trace;
    if (options_.library == "ready") resources_.open = recorded(open_posix, trace);
    (void)write_sill();
    resources_.open = open_posix;
    const std::int64_t bytes = static_cast<std::int64_t>(std::filesystem::file_size(ours_));
    comm_.barrier();  // the next run removes the file
    nlohmann::json result;
    if (options_.library == "ready") {
      result = in_turns(write_sill, [&] {
        remove(ours_);
        return timed([&] { replay(trace, {}); });
      });
    } else if (options_.library == "codec") {
      const auto compress =
          compression_of(options_.codec, subject_.once().front(), *subject_.chunk, resources_.threads());
      result = in_turns(write_sill, [&] { return timed(compress); });
    } else if (options_.library == "pnetcdf") {
      require_equal(*sill_reader(), *pnetcdf_reader());
      result = in_turns(read_sill, [&] { return read(pnetcdf_reader); });
    } else {
      (void)write_theirs();
      require_equal(*sill_reader(), *hdf5_reader());
      result = options_.operation == "write" ? in_turns(write_sill, write_theirs)
                                             : in_turns(read_sill, [&] { return read(hdf5_reader); });
    }
    comm_.barrier();
    for (const std::string& path : {ours_, theirs_}) remove(path);
    result.update({{"kernel", options_.kernel},
                   {"operation", options_.operation},
                   {"library", options_.library},
                   {"ranks", comm_.size()},
                   {"bytes", bytes}});
    return result;
  }

 private:
  // Makes a file anew. What is computed between the steps takes no time.
  template <class Open>
  Run written(const std::string& path, const Open& open) {
    remove(path);
    Costs costs(comm_);
    decltype(open(path)) file;
    costs.time([&] { file = open(path); });
    const std::vector<ArrayPart> once = subject_.once();
    costs.time([&] { file->write(once); });
    for (std::int64_t step = 0; step < subject_.steps; ++step) {
      const std::vector<ArrayPart> parts = subject_.of_step(step);
      costs.time([&] { file->write_step(parts); });
    }
    costs.time([&] { file->close(); });
    return costs.all();
  }

  Run timed(const std::function<void()>& work) {
    Costs costs(comm_);
    costs.time(work);
    return costs.all();
  }

  template <class Open>
  Run read(const Open& open) {
    Costs costs(comm_);
    costs.time([&] {
      const auto file = open();
      file->read(slabs_.once);
      for (std::int64_t step = 0; step < subject_.steps; ++step) file->read_step(step, slabs_.of_step);
      close(*file);
    });
    return costs.all();
  }

  template <class File>
  static void close(File& file) {
    if constexpr (requires { file.close(); }) file.close();
  }

  template <class Theirs>
  void require_equal(DatasetReader& ours, Theirs& theirs) {
    for (std::int64_t step = -1; step < subject_.steps; ++step) {
      const auto values_by = [&](auto& file) {
        for (std::vector<double>& values : slabs_.values) std::ranges::fill(values, 0.0);
        if (step < 0) {
          file.read(slabs_.once);
        } else {
          file.read_step(step, slabs_.of_step);
        }
        return slabs_.values;
      };
      const auto by_us = values_by(ours);
      const auto by_them = values_by(theirs);
      run_and_agree(comm_, [&] {
        if (by_us != by_them) throw Error({.code = ErrorCode::io, .problem = "the two read different values"});
      });
    }
    close(theirs);
  }

  template <class Ours, class Theirs>
  nlohmann::json in_turns(const Ours& ours, const Theirs& theirs) {
    nlohmann::json result;
    const auto add = [&](const std::string& side, const Run& run) {
      result[side + "_s"].push_back(run.seconds);
      result[side + "_reads"].push_back(run.reads);
      result[side + "_writes"].push_back(run.writes);
    };
    (void)ours();
    (void)theirs();
    for (int i = 0; i < options_.repeat; ++i) {
      if (i % 2 == 0) add("ours", ours());
      add("theirs", theirs());
      if (i % 2 == 1) add("ours", ours());
    }
    return result;
  }

  void remove(const std::string& path) {
    run_on_rank(comm_, 0, [&] { std::filesystem::remove(path); });
  }

  Communicator& comm_;
  const Options& options_;
  Resources resources_{.comm = comm_, .policy = Policy::parse(options_.policy)};
  Subject subject_;
  Slabs slabs_;
  std::string ours_;  // the paths
  std::string theirs_;
};

int run(int argc, char** argv) {
  Options options;
  CLI::App parser("Times datasets beside other libraries");
  parser
      .add_option("--kernel", options.kernel, "At its default sizes; of flash the checkpoint; volume: one array of f4")
      ->check(CLI::IsMember({"gccom", "flash", "volume"}))
      ->capture_default_str();
  parser
      .add_option("--operation", options.operation, "write (not beside pnetcdf) or read (not beside what only writes)")
      ->check(CLI::IsMember({"write", "read"}))
      ->capture_default_str();
  parser
      .add_option("--library", options.library,
                  "In turns with hdf5, pnetcdf or netcdf4; ready: the same requests on ready bytes; codec: compression "
                  "of the chunks of the volume alone")
      ->check(CLI::IsMember({"hdf5", "pnetcdf", "netcdf4", "ready", "codec"}))
      ->capture_default_str();
  parser.add_option("--container", options.container, "Of Sill")
      ->check(CLI::IsMember({"netcdf", "hdf5", "netcdf4"}))
      ->capture_default_str();
  parser
      .add_option("--codec", options.codec, "Of Sill, of the chunks of the volume: none, deflate:LEVEL or zstd:LEVEL")
      ->capture_default_str();
  parser.add_option("--deflate", options.deflate, "With --codec: the level of deflate of hdf5 and netcdf4")
      ->capture_default_str();
  parser.add_option("--megabytes", options.megabytes, "Size of the volume")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  parser.add_flag("--independent", options.is_independent, "HDF5 moves data independently, not collectively");
  parser.add_flag("--nonblocking", options.is_nonblocking, "PnetCDF reads all variables of a step at once");
  parser.add_option("--cut", options.cut, "The dimension that is cut into slabs to read; 0: the slowest")
      ->capture_default_str();
  parser.add_option("--policy", options.policy, "Of Sill")->capture_default_str();
  parser.add_option("--folder", options.folder, "Where to write")->capture_default_str();
  parser.add_option("--repeat", options.repeat, "Pairs of runs")->capture_default_str();
  CLI11_PARSE(parser, argc, argv);
  Launch launch;
  try {
    if (options.operation == "write" && options.library == "pnetcdf") {
      throw Error({.code = ErrorCode::usage,
                   .problem = "writing beside PnetCDF is not measured here",
                   .action = "take sill kernel --against pnetcdf"});
    }
    if (options.operation == "read" && options.library != "hdf5" && options.library != "pnetcdf") {
      throw Error({.code = ErrorCode::usage, .problem = "reading is measured beside hdf5 and pnetcdf only"});
    }
    if (options.kernel != "volume" && (options.codec != "none" || options.library == "codec" ||
                                       options.library == "ready" || options.library == "netcdf4")) {
      throw Error(
          {.code = ErrorCode::usage, .problem = "codecs, netcdf4 and ready bytes are measured with --kernel volume"});
    }
    const nlohmann::json result = ArrayBench(launch.comm(), options).run();
    if (launch.comm().rank() == 0) fmt::print("{}\n", result.dump());
    return 0;
  } catch (const Error& error) {
    if (launch.comm().rank() == 0 || !error.agreed()) fmt::print(stderr, "{}\n", error.what());
    if (!error.agreed()) launch.abort(static_cast<int>(error.code()));
    return static_cast<int>(error.code());
  }
}

}  // namespace
}  // namespace sill::bench

int main(int argc, char** argv) { return sill::bench::run(argc, argv); }
