// The output of a published program, as used by the command line and by measurements.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/session/dataset_layouts.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/output_lock.hpp"
#include "sill/layout/box.hpp"
#include "sill/store/meter_store.hpp"
#include "sill/store/store.hpp"

namespace sill::kernels {

/// The costs of a run, in seconds on the slowest rank.
struct KernelCosts {
  std::int64_t phases = 0;
  double setup_s = 0.0;       ///< before the time loop
  double loop_s = 0.0;        ///< the time loop and closing of the files
  double output_s = 0.0;      ///< share of `loop_s` for which the program waits for output: passing data, phases,
                              ///< closing
  double own_output_s = 0.0;  ///< time that this rank waited for output
  /// Additional figures for the report.
  std::vector<std::pair<std::string, std::int64_t>> more = {};
};

class Stopwatch {
 public:
  /// Local. Returns the seconds since construction.
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Measures a run of a kernel: its set-up, then its time loop with the output, in which the files are closed.
class RunClock {
 public:
  /// Local. Ends the set-up, which began with the construction.
  void begin_loop() { costs.setup_s = whole_.seconds(); }
  /// Calls `work`, and counts its time as output. Local or collective as `work`, like `phase`.
  template <class Work>
  void output(Work&& work) {
    const Stopwatch watch;
    work();
    costs.output_s += watch.seconds();
  }
  /// Calls `work`, an output phase.
  template <class Work>
  void phase(Work&& work) {
    output(work);
    ++costs.phases;
  }
  /// Collective. Ends the time loop. Returns the costs, in which each time is the maximum over all ranks, except
  /// `own_output_s`, which is the `output_s` of this rank.
  [[nodiscard]] KernelCosts finish(Communicator& comm);

  KernelCosts costs;
  double added_s = 0.0;  ///< time in the loop that the program does not need, which is not counted

 private:
  Stopwatch whole_;
};

/// Local. Return a + b bytes; a * b bytes. Precondition: a and b are not negative. Errors: usage if the result exceeds
/// 2^63 - 1.
[[nodiscard]] std::int64_t sum_bytes(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t product_bytes(std::int64_t a, std::int64_t b);

/// Sizes, each with the name of its option.
using KernelNumbers = std::vector<std::pair<std::string, std::int64_t>>;

/// Local. Returns the sizes of a grid, and `more`.
[[nodiscard]] inline KernelNumbers grid_numbers(const Index& grid, const KernelNumbers& more) {
  KernelNumbers all{{"points_x", grid[0]}, {"points_y", grid[1]}, {"points_z", grid[2]}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// The settings of every kernel.
struct KernelSetting {
  std::string folder;       ///< folder of the files
  double compute_ms = 0.0;  ///< time for which a rank keeps a core busy per time step
};

/// The output of a published program. Its files depend only on its sizes, not on the policy, and on ranks only if the
/// published program has one file per rank.
class Kernel {
 public:
  /// Local. Makes the kernel of `sill kernel NAME`.
  Kernel(KernelSetting setting, std::string name) : setting_(std::move(setting)), name_(std::move(name)) {}
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& folder() const { return setting_.folder; }
  /// Local. Returns the kernel's sizes in words: "650 stations, 1,000 steps".
  [[nodiscard]] virtual std::string sizes() const = 0;
  /// Local. Returns the kernel's sizes, each with the name of its option, for the report.
  [[nodiscard]] virtual KernelNumbers numbers() const = 0;
  /// Local. Returns all files that a run leaves.
  [[nodiscard]] virtual std::vector<std::string> paths() const = 0;
  /// Local. Returns the type of the lock on the kernel's folder during writing, or nullopt if the folder is not locked
  /// (OutputLock).
  [[nodiscard]] virtual std::optional<OutputOf> locked_as() const { return std::nullopt; }
  /// Local. Sets the user's layouts of dataset files. Called before any other function. Kernels without datasets ignore
  /// it.
  virtual void use(const DatasetLayouts& /*layouts*/) {}
  /// Local. Returns true if PnetCDF can write the kernel's files.
  [[nodiscard]] virtual bool is_netcdf() const { return false; }
  /// Local. Returns files that a run may write in addition to `paths`; they contain no output of the original program.
  [[nodiscard]] virtual std::vector<std::string> paths_beside() const { return {}; }
  /// Local. Returns the total size of the files of `paths`, computed only from the sizes. Errors: usage if it exceeds
  /// 2^63 - 1.
  [[nodiscard]] virtual std::int64_t file_bytes() const = 0;

  // The functions below require that the folder exists.

  /// Collective. Writes the files through the library with `resources.policy`. Replaces files of an earlier run.
  /// Errors: as the library's writers.
  [[nodiscard]] KernelCosts run(const Resources& resources) const;
  /// Collective. Writes the files as the original program does, with its requests, counted in `meter`. Each output call
  /// of the program is counted as a request, even if stdio combines several calls for the system. Errors: io.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const;
  /// Collective. Formats as many values as the original program prints, in the same way, and counts the time in `meter`
  /// as time to prepare bytes. Does nothing if the original writes no text.
  virtual void count_formatting(const Resources& /*resources*/, Meter& /*meter*/) const {}
  /// Collective. Reads the files and compares them with their expected content, which is computed by code independent
  /// of the writers. Errors: input, with file and byte, for the first difference; io.
  virtual void verify(const Resources& resources) const = 0;

 protected:
  /// Collective. The work of `run`: sets up, calls `clock.begin_loop`, writes, and closes the files.
  virtual void write(const Resources& resources, RunClock& clock) const = 0;
  /// Collective. The work of `run_original`, in the same way.
  virtual void write_as_original(const Resources& resources, Meter& meter, RunClock& clock) const = 0;
  /// Local. Keeps a core busy, as the computation of a time step does.
  void compute() const;

 private:
  KernelSetting setting_;
  std::string name_;
};

/// Collective. Sends the bytes of `values`, a contiguous range, from this rank to `rank`, which calls `receive_from`.
template <class Values>
void send_to(Communicator& comm, int rank, const Values& values) {
  const Outgoing message{rank, std::as_bytes(std::span(values))};
  comm.exchange({&message, 1}, {});
}
/// Collective. Receives the bytes of `values` from `rank`, as many as it sends.
template <class Values>
void receive_from(Communicator& comm, int rank, Values& values) {
  const Incoming message{rank, std::as_writable_bytes(std::span(values))};
  comm.exchange({}, {&message, 1});
}

/// Local. Calls `visit` with the position of each row of the points `part` in an array of the points `stored`, which
/// contain them. Both have three dimensions.
template <class Visit>
void for_each_row(const Box& part, const Box& stored, const Visit& visit) {
  const Index strides = row_major_strides(stored.count, 1);
  for (std::int64_t i = part.first[0] - stored.first[0]; i < part.first[0] - stored.first[0] + part.count[0]; ++i) {
    for (std::int64_t j = part.first[1] - stored.first[1]; j < part.first[1] - stored.first[1] + part.count[1]; ++j)
      visit(offset_of({i, j, part.first[2] - stored.first[2]}, strides));
  }
}
/// Local. Copies the points `part` from an array of the points `stored` to `packed`, which is as large as the part.
template <class Value>
void pack(const Box& part, const Box& stored, std::span<const Value> array, std::vector<Value>& packed) {
  packed.clear();
  if (part.empty()) return;
  for_each_row(part, stored, [&](std::int64_t at) {
    packed.insert(packed.end(), array.begin() + at, array.begin() + at + part.count[2]);
  });
}
/// Local. Copies the packed points `part` into an array of the points `stored`.
template <class Value>
void unpack(const std::vector<Value>& packed, const Box& part, const Box& stored, std::vector<Value>& array) {
  if (part.empty()) return;
  auto next = packed.begin();
  for_each_row(part, stored, [&](std::int64_t at) {
    std::copy_n(next, part.count[2], array.begin() + at);
    next += part.count[2];
  });
}
/// Collective. Collects an array of `shape` in `all` on rank 0, which receives the blocks of the ranks one after
/// another, as programs without parallel output do. `box_of` returns the block of a rank. `values`: the points `stored`
/// of this rank, which contain its block. `packed`: a buffer, used again by the next call.
template <class Value>
void collect_on_root(Communicator& comm, const Index& shape, const std::function<Box(int rank)>& box_of,
                     const Box& stored, const std::vector<Value>& values, std::vector<Value>& all,
                     std::vector<Value>& packed) {
  const Box mine = box_of(comm.rank());
  const bool is_packed = mine == stored;
  if (!is_packed) pack(mine, stored, std::span<const Value>(values), packed);
  const std::vector<Value>& own = is_packed ? values : packed;
  if (comm.rank() != 0) {
    if (!mine.empty()) send_to(comm, 0, own);
    return;
  }
  unpack(own, mine, whole(shape), all);
  for (int rank = 1; rank < comm.size(); ++rank) {
    const Box box = box_of(rank);
    if (box.empty()) continue;
    packed.resize(static_cast<std::size_t>(box.items()));
    receive_from(comm, rank, packed);
    unpack(packed, box, whole(shape), all);
  }
}

/// Local. Returns a number that depends on all arguments: with any sign and various magnitudes, the same on every
/// machine. printf prints it with at most 12 characters.
[[nodiscard]] double varied_value(std::int64_t row, std::int64_t column, std::int64_t step);

/// Local. Returns the text that printf prints, of up to 1,100 characters.
template <class... Values>
[[nodiscard]] std::string printed(const char* form, Values... values) {
  std::array<char, 1100> text{};
  const int length = std::snprintf(text.data(), text.size(), form, values...);
  return {text.data(), static_cast<std::size_t>(length)};
}

/// Local. Removes files that exist. Errors: io.
void remove_files(const std::vector<std::string>& paths);

/// The expected content of a file, which the caller adds piece by piece from the first byte to the last. Errors of all
/// calls: input, with the first byte that differs; io.
class ExpectedContent {
 public:
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  template <class Value>
  void add_value(Value value, ByteOrder order = native_order) {
    std::array<std::byte, sizeof value> bytes;
    sill::store(bytes.data(), value, order);
    add(bytes);
  }
  /// Local. Adds zeros up to byte `end` of the file.
  void pad_to(std::int64_t end);
  /// Local. Accepts any bytes up to byte `end` of the file.
  void skip_to(std::int64_t end);

 private:
  friend void require_content(const std::string& path, std::int64_t size_bytes,
                              const std::function<void(ExpectedContent&)>& add_all);
  ExpectedContent(std::string path, std::int64_t size_bytes);
  void compare();

  std::string path_;
  std::unique_ptr<Store> store_;
  std::int64_t compared_ = 0;
  std::vector<std::byte> wanted_;  // the bytes after the compared ones
  std::vector<std::byte> found_;
};

/// Local. Compares a file with `size_bytes` bytes that `add_all` adds. Errors: input, with both sizes, if the file has
/// another size, or with the first byte that differs; io.
void require_content(const std::string& path, std::int64_t size_bytes,
                     const std::function<void(ExpectedContent&)>& add_all);
void require_content(const std::string& path, std::string_view text);

}  // namespace sill::kernels
