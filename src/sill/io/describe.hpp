// Finding out what a file is.
#pragma once

#include <memory>
#include <string>

#include "sill/formats/segy/file_description.hpp"
#include "sill/io/resources.hpp"

namespace sill {

/// An input file: open on every rank, and described.
struct DescribedFile {
  std::unique_ptr<Store> store;
  segy::FileDescription description;
};

/// Collective. Opens `path` on every rank and describes it; rank 0 alone reads, the others hear what it read.
/// Errors: io (missing, not permitted, no regular file), input (damaged, unknown or not yet supported).
[[nodiscard]] DescribedFile open_described(const Resources& resources, const std::string& path);

}  // namespace sill
