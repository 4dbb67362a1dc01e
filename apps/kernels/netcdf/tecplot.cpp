// The Tecplot output of a flow solver on a grid of bricks.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "kernels/awp_volume_arrays.hpp"
#include "kernels/kernels.hpp"
#include "kernels/netcdf/kernel_dataset.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/image/tecplot_file.hpp"
#include "sill/io/arrays/dataset_writer.hpp"
#include "sill/io/arrays/output/value_ranges.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill::kernels {
namespace {

// The data of a node: its coordinates, and six variables that change.
constexpr std::array<std::string_view, 9> node_variables{"X", "Y", "Z", "rho", "u", "v", "w", "p", "T"};
constexpr std::size_t coordinates = 3;
constexpr std::int64_t corners = 8;

// A file that is written with the requests of the original program.
class SeekingFile {
 public:
  SeekingFile(std::string path, bool creates, Meter& meter) : path_(std::move(path)), meter_(meter) {
    const Stopwatch opening;
    file_ = ::open(path_.c_str(), creates ? O_WRONLY | O_CREAT | O_TRUNC : O_WRONLY, 0666);
    if (file_ < 0) throw system_error(errno, "open", {.file = path_});
    meter_.count_open(opening.seconds());
  }
  SeekingFile(const SeekingFile&) = delete;
  SeekingFile& operator=(const SeekingFile&) = delete;
  ~SeekingFile() { ::close(file_); }

  void write(std::int64_t at, const void* bytes, std::size_t size) {
    if (::lseek(file_, at, SEEK_SET) != at || ::write(file_, bytes, size) != static_cast<ssize_t>(size))
      throw system_error(errno, "write", {.file = path_, .byte = at});
    meter_.count_writes(1, static_cast<std::int64_t>(size), 0);
  }

 private:
  std::string path_;
  Meter& meter_;
  int file_ = -1;
};

// One file per step with coordinates, nodes of bricks and six variables of 8 bytes. The ranks own complete lines of
// nodes along x, whose variables are interleaved in memory between ghost nodes.
class TecplotKernel final : public DatasetKernel {
 public:
  TecplotKernel(KernelSetting setting, TecplotRun run)
      : DatasetKernel(std::move(setting), "tecplot", Container::tecplot), run_(run) {
    if (run_.grid >= 2 && run_.grid <= 1290) return;  // 1290^3 < 2^31
    throw usage_error(fmt::format("a grid of {0} x {0} x {0} nodes cannot be written", run_.grid),
                      "give 2 to 1290 nodes in each direction");
  }

  [[nodiscard]] std::string sizes() const override {
    return fmt::format("{0} x {0} x {0} nodes, {1} variables", run_.grid, node_variables.size() - coordinates);
  }

  [[nodiscard]] KernelNumbers numbers() const override { return {{"grid", run_.grid}, {"steps", run_.steps}}; }

  [[nodiscard]] std::vector<std::string> paths_beside() const override {
    std::vector<std::string> texts;
    for (std::int64_t step = 0; run_.has_ascii && step < run_.steps; ++step)
      texts.push_back(fmt::format("{}/flow.{:06}.dat", folder(), step));
    return texts;
  }

  /// Collective. Writes with a DatasetWriter.
  void write(const Resources& resources, RunClock& clock) const override {
    const KernelDataset files = dataset();
    DatasetWriter writer(resources, files.path(), files.description, files.options());
    loop(resources, clock, [&](std::int64_t step, const Nodes& nodes) {
      std::vector<ArrayPart> parts;
      if (step == 0)
        parts.emplace_back("connectivity", Box{{nodes.my_bricks.first, 0}, {nodes.my_bricks.count, corners}},
                           nodes.connectivity.data());
      for (std::size_t v = step == 0 ? 0 : coordinates; v < node_variables.size() && !nodes.mine.empty(); ++v)
        parts.emplace_back(std::string(node_variables[v]), Box{{nodes.mine.first}, {nodes.mine.count}},
                           nodes.at(v, nodes.mine.first), Index{static_cast<std::int64_t>(node_variables.size())});
      writer.write_step(parts);
    });
    clock.output([&] { writer.close(); });
  }

  /// Collective. Writes on every rank, which opens the file of a step, seeks to the position of each of its values and
  /// writes the value; rank 0 writes each field of the header.
  void write_as_original(const Resources& resources, Meter& meter, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    const DatasetDescription description = dataset().description;
    loop(resources, clock, [&](std::int64_t step, const Nodes& nodes) {
      std::vector<image::ValueRange> ranges(description.variables.size());
      for (std::size_t v = 0; v < node_variables.size(); ++v) {
        for (std::int64_t node = nodes.mine.first; node < nodes.mine.first + nodes.mine.count; ++node) {
          ranges[v + 1].add({*nodes.at(v, node), *nodes.at(v, node)});
        }
      }
      join(comm, ranges);
      const image::TecplotFile layout = image::tecplot_file_of(description, {ranges, static_cast<double>(step)});
      const std::string path = paths()[static_cast<std::size_t>(step)];
      std::optional<SeekingFile> file;
      run_on_rank(comm, 0, [&] {
        file.emplace(path, true, meter);
        const std::string& header = layout.file.texts.front().bytes;
        constexpr std::size_t field = 4;
        for (std::size_t at = 0; at < header.size(); at += field)
          file->write(static_cast<std::int64_t>(at), header.data() + at, field);
      });
      run_and_agree(comm, [&] {
        if (!file) file.emplace(path, false, meter);
        for (std::size_t v = 0; v < node_variables.size(); ++v) {
          for (std::int64_t node = nodes.mine.first; node < nodes.mine.first + nodes.mine.count; ++node)
            file->write(*layout.file.begins[v + 1] + 8 * node, nodes.at(v, node), 8);
        }
        for (std::int64_t brick = 0; brick < nodes.my_bricks.count; ++brick)
          file->write(*layout.file.begins[0] + 4 * corners * (nodes.my_bricks.first + brick),
                      nodes.connectivity.data() + brick * corners, 4 * corners);
        file.reset();
      });
    });
  }

 private:
  // The lines of a rank, with a plane of ghost nodes on both sides.
  struct Nodes {
    Nodes(const Communicator& comm, std::int64_t grid) {
      const ItemRange lines = block_of(grid * grid, comm.size(), comm.rank());
      mine = {lines.first * grid, lines.count * grid};
      first_stored = std::max<std::int64_t>(0, mine.first - grid * grid);
      const std::int64_t end = std::min(grid * grid * grid, mine.first + mine.count + grid * grid);
      values.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, end - first_stored)) * node_variables.size());
      const std::int64_t bricks = (grid - 1) * (grid - 1) * (grid - 1);
      my_bricks = block_of(bricks, comm.size(), comm.rank());
      connectivity.resize(static_cast<std::size_t>(my_bricks.count * corners));
    }
    [[nodiscard]] const double* at(std::size_t variable, std::int64_t node) const {
      return values.data() + static_cast<std::size_t>(node - first_stored) * node_variables.size() + variable;
    }

    ItemRange mine;
    std::int64_t first_stored = 0;
    std::vector<double> values;
    ItemRange my_bricks;
    std::vector<std::int32_t> connectivity;
  };

  [[nodiscard]] std::vector<KernelDataset> datasets() const override {
    const std::int64_t n = run_.grid;
    DatasetDescription description{.dimensions = {{"time", unlimited},
                                                  {"node", n * n * n},
                                                  {"brick", (n - 1) * (n - 1) * (n - 1)},
                                                  {"corner", corners}},
                                   .variables = {{"connectivity", ElementType::i4, {"brick", "corner"}}},
                                   .attributes = {{"title", "flow solver"}}};
    for (std::size_t v = 0; v < node_variables.size(); ++v) {
      const bool has_steps = v >= coordinates;
      description.variables.push_back(
          {std::string(node_variables[v]), ElementType::f8,
           has_steps ? std::vector<std::string>{"time", "node"} : std::vector<std::string>{"node"}});
    }
    return {{folder() + "/flow",
             Container::tecplot,
             std::move(description),
             run_.steps,
             {},
             [this](std::size_t v, std::int64_t step, std::int64_t element) {
               return v == 0 ? static_cast<double>(corner(element / corners, element % corners))
                             : value(v - 1, element, step);
             }}};
  }

  // Returns the file of a step as text, computed from the same values by other code.
  [[nodiscard]] std::string ascii_of(std::int64_t step) const {
    const std::int64_t n = run_.grid;
    const std::int64_t bricks = (n - 1) * (n - 1) * (n - 1);
    std::string text = "TITLE = \"flow solver\"\nVARIABLES =";
    for (const std::string_view each : node_variables) text += fmt::format(" \"{}\"", each);
    text +=
        fmt::format("\nZONE T=\"grid\", N={}, E={}, DATAPACKING=BLOCK, ZONETYPE=FEBRICK, STRANDID=1, SOLUTIONTIME={}\n",
                    n * n * n, bricks, step);
    for (std::size_t v = 0; v < node_variables.size(); ++v) {
      for (std::int64_t node = 0; node < n * n * n; ++node) text += fmt::format("{}\n", value(v, node, step));
    }
    for (std::int64_t brick = 0; brick < bricks; ++brick) {
      for (std::int64_t c = 0; c < corners; ++c) text += fmt::format("{} ", corner(brick, c) + 1);
      text += '\n';
    }
    return text;
  }

  [[nodiscard]] double value(std::size_t variable, std::int64_t node, std::int64_t step) const {
    const std::int64_t n = run_.grid;
    const std::array<std::int64_t, 3> point{node % n, node / n % n, node / n / n};
    if (variable < coordinates) return 0.5 * static_cast<double>(point[variable]);
    return double{volume_value(point[0], point[1], point[2], static_cast<std::int64_t>(variable), step)} / 3;
  }

  [[nodiscard]] std::int32_t corner(std::int64_t brick, std::int64_t number) const {
    const std::int64_t n = run_.grid;
    const std::int64_t m = n - 1;
    const std::int64_t node = (brick / m / m * n + brick / m % m) * n + brick % m;
    const std::int64_t in_plane = number % 4;
    return static_cast<std::int32_t>(node + (in_plane == 1 || in_plane == 2 ? 1 : 0) + (in_plane >= 2 ? n : 0) +
                                     (number >= 4 ? n * n : 0));
  }

  // Calls `write` for each step with the data of this rank.
  template <class Write>
  void loop(const Resources& resources, RunClock& clock, Write&& write) const {
    Nodes nodes = run_and_agree(resources.comm, [&] { return Nodes(resources.comm, run_.grid); });
    for (std::int64_t i = 0; i < nodes.my_bricks.count * corners; ++i)
      nodes.connectivity[static_cast<std::size_t>(i)] = corner(nodes.my_bricks.first + i / corners, i % corners);
    clock.begin_loop();
    for (std::int64_t step = 0; step < run_.steps; ++step) {
      for (std::size_t i = 0; i < nodes.values.size(); ++i) {
        const auto node = nodes.first_stored + static_cast<std::int64_t>(i / node_variables.size());
        nodes.values[i] = value(i % node_variables.size(), node, step);
      }
      compute();
      clock.phase([&] { write(step, nodes); });
      const std::vector<std::string> texts = paths_beside();
      if (texts.empty()) continue;
      run_on_rank(resources.comm, 0, [&] {
        WholeTextFile text(resources, texts[static_cast<std::size_t>(step)]);
        text.write(ascii_of(step));
        text.finish();
      });
    }
  }

  TecplotRun run_;
};

}  // namespace

std::unique_ptr<Kernel> make_tecplot_kernel(KernelSetting setting, TecplotRun run) {
  return std::make_unique<TecplotKernel>(std::move(setting), run);
}

}  // namespace sill::kernels
