// Times datasets of a kernel in turns with parallel HDF5 or PnetCDF, on the same arrays: writing them, or reading them
// into slabs. Prints one line of JSON, made by rank 0. Run by script/bench.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "array_libraries.hpp"
#include "kernels/kernel.hpp"
#include "kernels/kernels.hpp"
#include "kernels/netcdf/flash_arrays.hpp"
#include "kernels/netcdf/gccom_arrays.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/launch.hpp"
#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/arrays/dataset_writer.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/layout/grid_decomposition.hpp"
#include "sill/store/posix/counted_calls.hpp"

namespace sill::bench {
namespace {

struct Options {
  std::string kernel = "gccom";
  std::string operation = "write";
  std::string library = "hdf5";
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

// Memory for slabs of all variables as f8, one slab for each rank.
struct Slabs {
  std::vector<std::vector<double>> values;
  std::vector<ArrayPart> once;
  std::vector<ArrayPart> of_step;

  Slabs(const DatasetDescription& description, std::size_t cut, const Communicator& comm) {
    for (const Variable& variable : description.variables) {
      const Index shape = description.shape_of(variable);
      Index slabs(shape.size(), 1);
      slabs[std::min(cut, slabs.size() - 1)] = comm.size();
      const Box box = GridDecomposition::blocks(shape, slabs).box_of(comm.rank());
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
        subject_(run_and_agree(comm, [&] { return options.kernel == "gccom" ? gccom(comm) : flash(comm); })),
        slabs_(subject_.description, options.cut, comm),
        stem_(options.folder + "/" + options.kernel) {}

  nlohmann::json run() {
    const auto sill_writer = [&](const std::string& path) {
      const DatasetOptions dataset{.existing = DatasetOptions::Existing::replace};
      return std::make_unique<DatasetWriter>(resources_, path, subject_.description, dataset);
    };
    const auto hdf5_writer = [&](const std::string& path) {
      return std::make_unique<Hdf5File>(comm_, path, subject_.description, !options_.is_independent, subject_.steps);
    };
    const auto sill_reader = [&] { return std::make_unique<DatasetReader>(resources_, stem_ + ".nc"); };
    const auto hdf5_reader = [&] {
      return std::make_unique<Hdf5File>(comm_, stem_ + ".h5", subject_.description, !options_.is_independent);
    };
    const auto pnetcdf_reader = [&] {
      return std::make_unique<PnetcdfFile>(comm_, stem_ + ".nc", subject_.description, !options_.is_nonblocking);
    };
    const auto write_sill = [&] { return written(stem_ + ".nc", sill_writer); };
    const auto write_hdf5 = [&] { return written(stem_ + ".h5", hdf5_writer); };
    const auto read_sill = [&] { return read(sill_reader); };
    (void)write_sill();
    nlohmann::json result;
    if (options_.library == "pnetcdf") {
      require_equal(*sill_reader(), *pnetcdf_reader());
      result = in_turns(read_sill, [&] { return read(pnetcdf_reader); });
    } else {
      (void)write_hdf5();
      require_equal(*sill_reader(), *hdf5_reader());
      result = options_.operation == "write" ? in_turns(write_sill, write_hdf5)
                                             : in_turns(read_sill, [&] { return read(hdf5_reader); });
    }
    const std::int64_t bytes = static_cast<std::int64_t>(std::filesystem::file_size(stem_ + ".nc"));
    comm_.barrier();
    for (const char* const end : {".nc", ".h5"}) remove(stem_ + end);
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
  std::string stem_;  // of the paths
};

int run(int argc, char** argv) {
  Options options;
  CLI::App parser("Times the datasets of a kernel beside parallel HDF5 or PnetCDF");
  parser.add_option("--kernel", options.kernel, "At its default sizes; of flash the checkpoint")
      ->check(CLI::IsMember({"gccom", "flash"}))
      ->capture_default_str();
  parser.add_option("--operation", options.operation, "write (beside hdf5 only) or read")
      ->check(CLI::IsMember({"write", "read"}))
      ->capture_default_str();
  parser.add_option("--library", options.library, "In turns with hdf5 or pnetcdf")
      ->check(CLI::IsMember({"hdf5", "pnetcdf"}))
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
