// The store of a file that MPI-IO opened: what a rank moves on its own, and the calls that are not MPI's.
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

/// A file opened twice: through MPI-IO, which moves bytes, and as a posix store, which knows sizes and space, syncs,
/// and performs again what MPI-IO says it could not do: so it is done, or a system call says what is wrong at which
/// byte. MPI's texts do not ("input/output error" for a full disk).
class MpiioStore : public ForwardingStore {
 public:
  /// `posix` is the same file. `report`, which may be null, receives the hints when MPI opens the file.
  MpiioStore(std::unique_ptr<Store> posix, std::string path, bool writable, const MpiioHints& hints,
             MpiioHintReport* report);

  void submit(std::span<const Request> requests) override;
  void submit_strided(const StridedRead& read) override;
  // Items are read by requests of this store, one by one.
  void submit_linked(std::span<LinkedRead> reads) override { Store::submit_linked(reads); }
  [[nodiscard]] bool follows_links() const override { return false; }
  [[nodiscard]] bool takes_extents() const override { return true; }
  void submit_extents(Operation operation, std::span<const Extent> extents) override;
  void close() override;

  /// Local. Opens the file for this rank alone, unless it is.
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

/// The most runs that one call of MPI-IO is given: ROMIO keeps lists of them, of up to 800 bytes a run measured.
inline constexpr std::int64_t runs_per_call = 64 * 1024;

}  // namespace sill
