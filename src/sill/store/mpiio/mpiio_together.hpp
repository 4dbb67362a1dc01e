// A file that several ranks have opened together by MPI-IO.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/store/mpiio/mpiio_own.hpp"
#include "sill/store/mpiio/mpiio_ranks.hpp"

namespace sill {

class MpiioTogether final : public MpiioStore {
 public:
  /// Local. Wraps the file without opening it in MPI yet. Precondition: `posix` is a store of the file `path`.
  MpiioTogether(std::unique_ptr<MpiRanks> ranks, std::unique_ptr<Store> posix, std::string path, bool writable,
                const MpiioHints& hints, MpiioHintReport* report);

  /// Collective. Opens the file for all ranks; returns false if another rank could not open it. Errors: as MpiFile.
  [[nodiscard]] bool open_shared();
  [[nodiscard]] bool is_collective() const override { return true; }
  void submit_collective(Operation operation, std::span<const Extent> extents) override;
  /// Collective. Closes the file on all ranks.
  void close() override;

 private:
  /// Summary of the extents that one rank passes to a collective call.
  struct Summary {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t bytes = 0;
    std::int64_t runs = 0;
  };
  [[nodiscard]] static Summary summary_of(std::span<const Extent> extents);
  // Collective. Fills `summaries_`, in ascending order of the first byte of ranks with bytes.
  void gather_summaries(const Summary& mine);
  [[nodiscard]] bool are_interleaved() const;

  [[nodiscard]] std::optional<Error> write_windows(std::span<const Extent> extents);
  [[nodiscard]] std::optional<Error> write_together(std::span<const Part> parts, ByteRange window);
  [[nodiscard]] MpiType pack(std::span<const Part> parts, std::int64_t base);
  [[nodiscard]] MpiType pack_runs(std::span<const Part> parts, std::int64_t base);

  std::unique_ptr<MpiRanks> ranks_;
  bool writable_;
  std::optional<MpiFile> shared_;
  std::vector<std::byte> packed_;  // the bytes that this rank passes for a window
  // Allocated when the file is opened, because a rank that later lacks memory still takes part in every call.
  std::vector<std::int64_t> numbers_;
  std::vector<Summary> summaries_;  // of all ranks
  std::vector<std::int64_t> sums_;  // of windows
};

}  // namespace sill
