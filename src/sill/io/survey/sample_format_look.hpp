// A look at some samples: whether they can be of the format that the file states.
#pragma once

#include <optional>

#include "sill/base/diagnostic.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/description/trace_table.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Collective. Reads 100 traces spread over the file, 1 MiB of each at most, and returns what is to be reported of the
/// sample format: segy::sample_format_diagnostic. Rank 0 alone reads. `table` holds where the traces lie, on rank 0;
/// without one the first 100 traces are read, each leading to the next. Returns nothing for formats that no rule is
/// for, and of files without traces. Errors: io.
[[nodiscard]] std::optional<Diagnostic> look_at_sample_format(const Resources& resources, Store& store,
                                                              const segy::FileDescription& file,
                                                              const segy::TraceTable* table, bool is_assumed);

}  // namespace sill
