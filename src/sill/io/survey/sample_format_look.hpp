// Checks from some samples whether they can have the sample format that the file states.
#pragma once

#include <optional>

#include "sill/base/diagnostic.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/description/trace_table.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Collective. Reads 100 traces distributed over the file, at most 1 MiB of each, and returns the finding of
/// segy::sample_format_diagnostic about the sample format. Only rank 0 reads. On rank 0, `table` contains the positions
/// of the traces; without a table, the first 100 traces are read, following each trace to the next. For a remote file
/// with a table, only the first 128 KiB of samples are read if they contain enough values. Returns nullopt if there is
/// no finding, for formats without a rule, and for files without traces. Errors: io.
[[nodiscard]] std::optional<Diagnostic> look_at_sample_format(const Resources& resources, Store& store,
                                                              const segy::FileDescription& file,
                                                              const segy::TraceTable* table, bool is_assumed);

}  // namespace sill
