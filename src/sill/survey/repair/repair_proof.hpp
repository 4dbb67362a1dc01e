// Whether a repaired file is read as it was meant to be.
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

/// What a repaired file is to be like.
struct IntendedReading {
  const segy::FileDescription& before;  ///< of the input
  const segy::FileForm& form;
  std::int64_t first_trace_byte = 0;
  std::optional<std::int64_t> samples = {};  ///< of all traces; nothing where they differ in length, or there are none
  bool sets_interval_of_traces = false;      ///< bytes 117-118 were made what counts
  bool strict = false;                       ///< no finding of grade minor or worse may be left
  std::string written;                       ///< where the file is
  std::int64_t written_bytes = 0;            ///< its size
  std::string output;                        ///< what it will be called
};

/// Collective. Describes the file anew, with nothing assumed. Errors: input if it is refused, is not read as intended,
/// has a finding about its file header that the input had not, or one about bytes 115-118 that were set; as
/// `segy::refuse_from` if `strict`; io.
[[nodiscard]] segy::FileDescription proved_repair(const Resources& resources, const IntendedReading& intended);

/// Local. The findings of grade minor or worse.
[[nodiscard]] std::vector<Diagnostic> left_findings(const segy::FileDescription& file);

}  // namespace sill
