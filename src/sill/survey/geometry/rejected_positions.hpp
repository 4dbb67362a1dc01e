// Whether the words of ensemble coordinates behave as coordinates. Bytes 181-188 are unassigned in revision 0, and
// programs have put other things there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/detect/byte_labels.hpp"
#include "sill/survey/geometry/geometry_reading.hpp"
#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill {

/// The circumference of the Earth, rounded up: no length in a survey is more.
inline constexpr double longest_length_m = 4.1e7;
inline constexpr double longest_length_ft = 1.4e8;

/// What a file says about its words of ensemble coordinates.
struct EnsembleWords {
  bool mapped = false;        ///< the user's map, or the file's layout stanza, has placed them: always used
  bool assigned = true;       ///< the file's revision has them: from 1 up
  bool lines_mapped = false;  ///< the same of iline or xline
  std::vector<segy::ByteLabel> labels = {};  ///< of the text header
};

/// Local. Why the ensemble coordinates of these traces are not used as positions, or nothing. They are not, unless the
/// user has mapped them, where
/// - the text header states that their bytes hold something else;
/// - they are 0 in all these traces, and sources are not;
/// - one of the words is the same as a number (line, ensemble, record, ...) in all these traces and varies;
/// - they are the same in all traces, though the numbers of places vary, or revision 0 leaves them unassigned;
/// - in more than half of the traces they are farther from the midpoint of source and receiver than these are from each
///   other, and than a quarter of the spread of all sources and receivers;
/// - in more than half of the traces they are beyond a whole turn, or the circumference of the Earth, and revision 0
///   leaves them unassigned, or sources are not beyond it;
/// - they count in small whole steps as line numbers do, and neither the revision nor a source speaks for them.
[[nodiscard]] std::optional<RejectedPositions> rejected_ensemble(std::span<const LookedAt> looked,
                                                                 const EnsembleWords& said);

/// Local. Why the words of lines do not number lines in these traces, or empty. They do not, unless they are mapped, if
/// - the text header states that bytes 189-196 hold coordinates and no lines;
/// - they are beyond 100,000 and do not go by the steps of line numbers: both change from most traces to the next, or
///   the usual steps of both are more than 10.
[[nodiscard]] std::string rejected_lines(std::span<const LookedAt> looked, const EnsembleWords& said);

}  // namespace sill
