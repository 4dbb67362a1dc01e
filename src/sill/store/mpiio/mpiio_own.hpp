// The store of a file that MPI-IO opened: what a rank moves on its own, and the calls that are not MPI's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/store/mpiio/mpiio_file.hpp"
#include "sill/store/mpiio/mpiio_types.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// A file opened twice: through MPI-IO, which moves bytes, and as a posix store, which knows sizes and space, syncs,
/// and performs again what MPI-IO says it could not do: so it is done, or a system call says what is wrong at which
/// byte. MPI's texts do not ("input/output error" for a full disk).
class MpiioStore : public Store {
 public:
  /// `posix` is the same file. `report`, which may be null, is told of hints when MPI opens the file.
  MpiioStore(std::unique_ptr<Store> posix, std::string path, bool writable, const MpiioHints& hints,
             MpiioHintReport* report);

  [[nodiscard]] const std::string& name() const override { return posix_->name(); }
  void submit(std::span<const Request> requests) override;
  void submit_strided(const StridedRead& read) override;
  [[nodiscard]] bool takes_extents() const override { return true; }
  void submit_extents(Operation operation, std::span<const Extent> extents) override;
  [[nodiscard]] std::int64_t size_bytes() override { return posix_->size_bytes(); }
  void allocate(std::int64_t size_bytes) override { posix_->allocate(size_bytes); }
  void discard(ByteRange bytes) override { posix_->discard(bytes); }
  void sync() override { posix_->sync(); }
  void close() override;

  /// Local. Opens the file for this rank alone, unless it is.
  MpiFile& own();

 protected:
  [[nodiscard]] Store& posix() { return *posix_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const MpiioHints& hints() const { return hints_; }
  void report_hints(const MpiFile& file) const;

 private:
  struct Call;
  void perform(Operation operation, const Call& call);
  void move_contiguous(Operation operation, const Extent& extent);

  std::unique_ptr<Store> posix_;
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
