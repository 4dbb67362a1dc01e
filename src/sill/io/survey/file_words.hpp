// The meaning of header words in a survey: the user's map overrides what the files state.
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

/// Collective. Returns the map that `name` stands for: a preset, otherwise a file of TOML or JSON, which only rank 0
/// reads. Errors: usage as HeaderMap::parse; io if the file cannot be read.
[[nodiscard]] segy::HeaderMap open_header_map(Communicator& comm, const std::string& name);

/// Collective. Returns the meaning of names in the files. `user`'s map (or nullptr) overrides the layout stanza of the
/// first file, which overrides the standard. Only rank 0 reads: the extended text headers, up to 4 MiB, and the headers
/// of the first trace if there are additional ones. Entries of a stanza that cannot be used become diagnostics of the
/// file. Errors: io; input if the files have different stanzas; usage if the user's map does not fit.
[[nodiscard]] segy::HeaderMap words_of_files(const Resources& resources, std::span<const std::unique_ptr<Store>> stores,
                                             std::vector<segy::FileDescription>& files, const segy::HeaderMap* user);

/// Collective. Returns the layout stanza of a file, or nullopt if the file has no stanza. Only rank 0 reads, as in
/// `words_of_files`; entries that cannot be used become diagnostics of the file. Errors: io. Source: SEG-Y rev 2.1,
/// annex D8.
[[nodiscard]] std::optional<segy::LayoutStanza> layout_stanza_of(const Resources& resources, Store& store,
                                                                 segy::FileDescription& file);

}  // namespace sill
