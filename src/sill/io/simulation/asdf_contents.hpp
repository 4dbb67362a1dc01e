// The metadata and the attached arrays of an ASDF file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/station/asdf_file.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/plan/extent.hpp"

namespace sill {

/// The parts of an ASDF file that are not samples. Every rank attaches its arrays; then rank 0 lays out the file, and
/// the ranks write their arrays to their places, rank 0 also the metadata.
class AsdfContents {
 public:
  /// Local. `file` outlives this object.
  explicit AsdfContents(station::AsdfFile& file) : file_(file) {}

  /// Local. Adds a copy of an array of this rank. Errors: usage if the file is laid out already, or cannot contain the
  /// array.
  void attach(hdf5::NewArray array, std::span<const std::byte> values);
  /// Local. Sets an attribute of an array that this rank attached, and replaces one of the same name. Errors: usage if
  /// it attached no such array, if the file is laid out already, or cannot contain the attribute.
  void attach_attribute(const std::string& path, const Attribute& attribute);

  [[nodiscard]] bool is_laid_out() const { return is_laid_out_; }
  /// Collective. Checks that the file at `path` states at least `steps` complete steps. Errors: input if it does not;
  /// io.
  void require_steps(const Resources& resources, const std::string& path, std::int64_t steps) const;
  /// Collective. Determines all places, also those of the channels of `file`. If `steps` > 0, the file at `path` exists
  /// and is to be continued after that many steps. Errors: usage as AsdfFile::lay_out; input if the existing file has
  /// other stations or arrays; io.
  void lay_out(const Resources& resources, const std::string& path, std::int64_t steps);

  /// Local. Appends this rank's metadata and arrays.
  void add_extents(std::vector<Extent>& extents) const;
  /// Local. Frees metadata and arrays, which are written.
  void clear();
  /// Local. Returns the first bytes of a file with `steps` complete steps; they remain until the next call.
  [[nodiscard]] Extent beginning(std::int64_t steps);

 private:
  void require_early() const;

  station::AsdfFile& file_;
  std::vector<hdf5::NewArray> arrays_;  // of this rank
  std::vector<FilePiece> pieces_;       // elements of `arrays_`; on rank 0, the metadata follow
  std::vector<std::byte> beginning_;
  bool is_laid_out_ = false;
};

}  // namespace sill
