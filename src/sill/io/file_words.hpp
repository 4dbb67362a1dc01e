// What header words mean in a survey: the user's map over what its files say themselves.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/file_description.hpp"
#include "sill/formats/segy/header_map.hpp"
#include "sill/io/resources.hpp"

namespace sill {

/// Collective. The map that `name` stands for: a preset, else a file of TOML or JSON that rank 0 alone reads.
/// Errors: usage as HeaderMap::parse; io if the file cannot be read.
[[nodiscard]] segy::HeaderMap open_header_map(Communicator& comm, const std::string& name);

/// Collective. What names mean in the files: `user`'s map (or nullptr) over the layout stanza of the first file over
/// the standard. Rank 0 alone reads: the extended text headers, up to 4 MiB, and the headers of the first trace where
/// there are additional ones. What of a stanza cannot be taken becomes a diagnostic of its file.
/// Errors: io; input if the files have different stanzas; usage if the user's map does not fit.
[[nodiscard]] segy::HeaderMap words_of_files(const Resources& resources, std::span<const std::unique_ptr<Store>> stores,
                                             std::vector<segy::FileDescription>& files, const segy::HeaderMap* user);

}  // namespace sill
