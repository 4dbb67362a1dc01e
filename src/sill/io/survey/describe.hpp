// Finding out what a file is.
#pragma once

#include <memory>
#include <string>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// An input file: open on every rank, and described.
struct DescribedFile {
  std::unique_ptr<Store> store;
  segy::FileDescription description;
};

/// Collective. Opens `path` on every rank and describes it. Only rank 0 reads; the others receive what it read.
/// Assumptions replace what the file says. A journal beside it is a finding (`journal_diagnostic`).
/// Errors: io (missing, not permitted, no regular file, not the same on all ranks), input (damaged, unknown or not yet
/// supported), usage (assumptions that cannot be).
[[nodiscard]] DescribedFile open_described(const Resources& resources, const std::string& path,
                                           const segy::Assumptions& assume = {}, bool ignores_journal = false);

/// Collective. The same, for edits: a journal beside it is no finding.
[[nodiscard]] DescribedFile open_despite_journal(const Resources& resources, const std::string& path,
                                                 const segy::Assumptions& assume = {});

/// Collective. The same of a file that `open_on_all_ranks` opened at `path`.
[[nodiscard]] DescribedFile described(const Resources& resources, std::unique_ptr<Store> store, const std::string& path,
                                      const segy::Assumptions& assume);

}  // namespace sill
