// Verifies that a repaired file is read as intended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/diagnostic.hpp"
#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// The intended reading of a repaired file.
struct IntendedReading {
  const segy::FileDescription& before;  ///< description of the input
  const segy::FileForm& form;
  std::int64_t first_trace_byte = 0;
  std::optional<std::int64_t> samples = {};  ///< samples per trace; not set if traces differ in length, or if there are
                                             ///< no traces
  bool sets_interval_of_traces = false;      ///< bytes 117-118 were set to the interval of the file
  bool strict = false;                       ///< no finding of grade minor or worse may remain
  std::string written;                       ///< path of the written file
  std::int64_t written_bytes = 0;            ///< size of the written file in bytes
  std::string output;                        ///< final name of the file
};

/// Collective. Describes the file again, without assumptions, and returns the description. Errors: input if the file is
/// refused, is not read as intended, has a finding about its file header that the input did not have, or has a finding
/// about bytes 115-118 that were set; as `segy::refuse_from` if `strict`; io.
[[nodiscard]] segy::FileDescription proved_repair(const Resources& resources, const IntendedReading& intended);

/// Local. Returns the findings of grade minor or worse.
[[nodiscard]] std::vector<Diagnostic> left_findings(const segy::FileDescription& file);

}  // namespace sill
