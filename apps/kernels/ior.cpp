// Large blocks in equal transfers, as written by the benchmark IOR: measures the limit of a file system.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "kernels/kernels.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/move/mover.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill::kernels {
namespace {

// Returns a word of a file: every eight bytes are a number that encodes file and position.
std::uint64_t word_at(int file, std::int64_t word) {
  std::uint64_t bits =
      static_cast<std::uint64_t>(word) * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(file) * 0xBF58476D1CE4E5B9U;
  bits ^= bits >> 31U;
  return bits * 0x94D049BB133111EBU;
}

void fill_content(int file, ByteRange range, std::span<std::byte> bytes) {
  for (std::int64_t i = 0; i < range.length;) {
    const std::int64_t at = range.offset + i;
    std::uint64_t word = word_at(file, at / 8) >> (8 * (at % 8));
    const std::int64_t end = std::min(range.length, i + 8 - at % 8);
    for (; i < end; ++i, word >>= 8U) bytes[static_cast<std::size_t>(i)] = static_cast<std::byte>(word & 0xFFU);
  }
}

// An open file of the original program.
class Descriptor {
 public:
  Descriptor(const std::string& path, Meter& meter) : path_(path), meter_(meter) {
    const Stopwatch opening;
    descriptor_ = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0664);
    if (descriptor_ < 0) throw system_error(errno, "opening", {.file = path});
    meter_.count_open(opening.seconds());
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ >= 0) (void)::close(descriptor_);
  }

  void write(std::int64_t offset, std::span<const std::byte> bytes) {
    const Stopwatch writing;
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (written != std::ssize(bytes)) {
      throw system_error(written < 0 ? errno : ENOSPC, "pwrite", {.file = path_, .byte = offset});
    }
    meter_.count_writes(1, written, writing.seconds());
  }
  void close() {
    const Stopwatch closing;
    const int failed = ::close(descriptor_);
    descriptor_ = -1;
    if (failed != 0) throw system_error(errno, "closing", {.file = path_});
    meter_.count_close(closing.seconds());
  }

 private:
  std::string path_;
  Meter& meter_;
  int descriptor_ = -1;
};

class IorKernel final : public Kernel {
 public:
  IorKernel(KernelSetting setting, IorRun run, int ranks)
      : Kernel(std::move(setting), "ior"), run_(run), ranks_(ranks) {
    if (run_.block_bytes <= std::numeric_limits<std::int64_t>::max() / ranks_) return;
    throw usage_error(
        fmt::format("{} blocks of {} bytes exceed the largest size of files", ranks_, format_count(run_.block_bytes)),
        "give a smaller --block");
  }

  [[nodiscard]] std::string sizes() const override {
    return fmt::format("{} of {} in transfers of {}, {}", format_count(ranks_, "block"), exact_bytes(run_.block_bytes),
                       exact_bytes(run_.transfer_bytes), run_.is_shared ? "one file" : "a file each");
  }

  [[nodiscard]] KernelNumbers numbers() const override {
    return {
        {"block_bytes", run_.block_bytes}, {"transfer_bytes", run_.transfer_bytes}, {"shared", run_.is_shared ? 1 : 0}};
  }

  [[nodiscard]] std::vector<std::string> paths() const override {
    if (run_.is_shared) return {folder() + "/ior"};
    std::vector<std::string> paths;
    for (int rank = 0; rank < ranks_; ++rank) paths.push_back(fmt::format("{}/ior.{:08}", folder(), rank));
    return paths;
  }

  [[nodiscard]] std::int64_t file_bytes() const override { return ranks_ * run_.block_bytes; }
  /// Collective. Writes one transfer of each rank per phase, collectively.
  void write(const Resources& resources, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    const std::vector<std::string> files = new_files(comm);
    std::vector<std::byte> bytes = transfer_buffer(comm);
    Mover mover(comm, resources.files(files, OpenMode::write_or_create), resources.policy, resources.limits());
    clock.begin_loop();
    std::optional<Error> failure;  // of writes that ranks perform independently
    for (std::int64_t number = 0; number < transfers() && !failure; ++number) {
      compute();
      const auto plan_of = [&](int rank) {
        const Place place = place_of(rank, number);
        return AccessPlan::for_writing({contiguous(place.file, place.bytes, bytes.data())});
      };
      const Place mine = place_of(comm.rank(), number);
      fill_content(mine.file, mine.bytes, bytes);
      clock.phase([&] {
        OutputCall call(resources.meter);
        if (mover.writes_own()) {
          const std::span<const std::byte> transfer(bytes);
          failure = attempt([&] {
            mover.write_own(mine.file, mine.bytes.offset, transfer.first(static_cast<std::size_t>(mine.bytes.length)));
          });
        } else {
          mover.write(plan_of(comm.rank()), plan_of);
        }
        call.completes_phase();
      });
    }
    clock.output([&] {
      const OutputCall call(resources.meter);
      agree(comm, failure);
      mover.close();
    });
  }

  /// Collective. Writes on every rank independently, one pwrite per transfer.
  void write_as_original(const Resources& resources, Meter& meter, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    const std::vector<std::string> files = new_files(comm);
    std::vector<std::byte> bytes = transfer_buffer(comm);
    clock.begin_loop();
    Stopwatch closing;
    run_and_agree(comm, [&] {
      std::optional<Descriptor> file;
      clock.output([&] { file.emplace(files[static_cast<std::size_t>(place_of(comm.rank(), 0).file)], meter); });
      for (std::int64_t number = 0; number < transfers(); ++number) {
        compute();
        const Place mine = place_of(comm.rank(), number);
        fill_content(mine.file, mine.bytes, bytes);
        clock.phase([&] {
          file->write(mine.bytes.offset, std::span(bytes).first(static_cast<std::size_t>(mine.bytes.length)));
        });
      }
      closing = {};
      file->close();
    });
    clock.costs.output_s += closing.seconds();  // IOR's time ends when the last rank has closed its file
  }

  void verify(const Resources& resources) const override {
    Communicator& comm = resources.comm;
    run_and_agree(comm, [&] {
      const std::vector<std::string> files = paths();
      const auto each = file_bytes() / std::ssize(files);
      for (std::size_t f = 0; f < files.size(); ++f) {
        if (static_cast<int>(f) % comm.size() != comm.rank()) continue;
        require_content(files[f], each, [&](ExpectedContent& expected) {
          std::vector<std::byte> block(std::size_t{1} << 20);
          for (std::int64_t at = 0; at < each; at += std::ssize(block)) {
            block.resize(static_cast<std::size_t>(std::min(std::int64_t{1} << 20, each - at)));
            fill_content(static_cast<int>(f), {at, std::ssize(block)}, block);
            expected.add(block);
          }
        });
      }
    });
  }

 private:
  // Collective. Returns the paths, whose old files are removed.
  [[nodiscard]] std::vector<std::string> new_files(Communicator& comm) const {
    std::vector<std::string> files = run_and_agree(comm, [&] { return paths(); });
    run_on_rank(comm, 0, [&] { remove_files(files); });
    return files;
  }
  [[nodiscard]] std::vector<std::byte> transfer_buffer(Communicator& comm) const {
    return run_and_agree(comm, [&] { return std::vector<std::byte>(static_cast<std::size_t>(run_.transfer_bytes)); });
  }

  // The position of transfer `number` of the block of `rank`.
  struct Place {
    int file = 0;
    ByteRange bytes;
  };
  [[nodiscard]] Place place_of(int rank, std::int64_t number) const {
    const std::int64_t in_block = number * run_.transfer_bytes;
    const std::int64_t length = std::min(run_.transfer_bytes, run_.block_bytes - in_block);
    if (run_.is_shared) return {0, {rank * run_.block_bytes + in_block, length}};
    return {rank, {in_block, length}};
  }

  [[nodiscard]] std::int64_t transfers() const {
    return run_.block_bytes / run_.transfer_bytes + (run_.block_bytes % run_.transfer_bytes > 0 ? 1 : 0);
  }

  IorRun run_;
  int ranks_;
};

}  // namespace

std::unique_ptr<Kernel> make_ior_kernel(KernelSetting setting, IorRun run, int ranks) {
  return std::make_unique<IorKernel>(std::move(setting), run, ranks);
}

}  // namespace sill::kernels
