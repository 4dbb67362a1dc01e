// What header words mean in a survey: the user's map over what its files say themselves.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/formats/segy/words/layout_stanza.hpp"
#include "sill/io/session/resources.hpp"

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

/// Collective. The layout stanza of a file, if it has one. Rank 0 alone reads, as in `words_of_files`; what cannot be
/// taken becomes a diagnostic of the file. Errors: io.
/// Source: SEG-Y rev 2.1, annex D8.
[[nodiscard]] std::optional<segy::LayoutStanza> layout_stanza_of(const Resources& resources, Store& store,
                                                                 segy::FileDescription& file);

}  // namespace sill
