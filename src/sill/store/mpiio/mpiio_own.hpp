// The store of a file opened by MPI-IO: the independent transfers of a rank, and the calls that do not use MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/store/forwarding_store.hpp"
#include "sill/store/mpiio/mpiio_file.hpp"
#include "sill/store/mpiio/mpiio_types.hpp"

namespace sill {

/// A file opened twice: through MPI-IO, which moves bytes, and as a posix store, which reports sizes, allocates space
/// and syncs. The posix store also repeats transfers that fail in MPI-IO: they then succeed, or a system call reports
/// the cause and the byte. Messages of MPI do not report the cause: a full disk is an "input/output error".
class MpiioStore : public ForwardingStore {
 public:
  /// Local. Wraps the file without opening it in MPI yet. Precondition: `posix` is a store of the file `path`.
  /// `report`, which may be null, receives the hints when MPI opens the file.
  MpiioStore(std::unique_ptr<Store> posix, std::string path, bool writable, const MpiioHints& hints,
             MpiioHintReport* report);

  void submit(std::span<const Request> requests) override;
  void submit_strided(const StridedRead& read) override;
  // Items are read one by one by requests of this store.
  void submit_linked(std::span<LinkedRead> reads) override { Store::submit_linked(reads); }
  [[nodiscard]] bool follows_links() const override { return false; }
  [[nodiscard]] bool takes_extents() const override { return true; }
  void submit_extents(Operation operation, std::span<const Extent> extents) override;
  void close() override;

  /// Local. Returns the file opened for this rank only; opens it if needed.
  MpiFile& own();

 protected:
  [[nodiscard]] Store& posix() { return inner(); }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const MpiioHints& hints() const { return hints_; }
  void report_hints(const MpiFile& file) const;

 private:
  struct Call;
  void perform(Operation operation, const Call& call);
  void move_contiguous(Operation operation, const Extent& extent);

  std::string path_;
  bool writable_;
  MpiioHints hints_;
  MpiioHintReport* report_;
  std::optional<MpiFile> own_;
  std::vector<std::byte> buffer_;
};

/// The maximum number of runs per call of MPI-IO. ROMIO stores them in lists, with up to 800 bytes per run (measured).
inline constexpr std::int64_t runs_per_call = 64 * 1024;

}  // namespace sill
