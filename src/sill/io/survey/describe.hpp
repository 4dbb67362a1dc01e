// Determines the properties of a file.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// An input file: open on every rank, and described.
struct DescribedFile {
  std::unique_ptr<Store> store;
  segy::FileDescription description;
};

/// Collective. Opens files of surveys: as open_on_all_ranks, but the error of a dataset of arrays names the commands
/// for it.
[[nodiscard]] std::vector<std::unique_ptr<Store>> open_surveys(const Resources& resources,
                                                               std::span<const std::string> paths);

/// Collective. Opens `path` on every rank and describes it. Only rank 0 reads; the other ranks receive the bytes that
/// it read. Assumptions override what the file states. A journal of the file is a finding (`journal_diagnostic`).
/// Errors: io (missing, not permitted, not a regular file, not the same on all ranks), input (damaged, unknown or not
/// yet supported), usage (impossible assumptions).
[[nodiscard]] DescribedFile open_described(const Resources& resources, const std::string& path,
                                           const segy::Assumptions& assume = {}, bool ignores_journal = false);

/// Collective. Opens and describes a file for edits: as `open_described`, but a journal is not a finding.
[[nodiscard]] DescribedFile open_despite_journal(const Resources& resources, const std::string& path,
                                                 const segy::Assumptions& assume = {});

/// Collective. Describes a file that `open_surveys` opened at `path`, as `open_despite_journal` does.
[[nodiscard]] DescribedFile described(const Resources& resources, std::unique_ptr<Store> store, const std::string& path,
                                      const segy::Assumptions& assume);

}  // namespace sill
