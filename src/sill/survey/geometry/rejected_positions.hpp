// Decides whether the words of ensemble coordinates behave as coordinates. Revision 0 does not assign bytes 181-188,
// and programs have stored other values in them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/detect/byte_labels.hpp"
#include "sill/survey/geometry/geometry_reading.hpp"
#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill {

/// The circumference of the Earth, rounded up: the upper limit of lengths in a survey.
inline constexpr double longest_length_m = 4.1e7;
inline constexpr double longest_length_ft = 1.4e8;

/// Information in a file about its words of ensemble coordinates.
struct EnsembleWords {
  bool mapped = false;                       ///< the user's map, or the file's layout stanza, defines ensemble
                                             ///< coordinates: they are always used
  bool assigned = true;                      ///< the file's revision defines ensemble coordinates: revision 1 or later
  bool lines_mapped = false;                 ///< the user's map, or the layout stanza, defines iline or xline
  std::vector<segy::ByteLabel> labels = {};  ///< byte labels in the text header
};

/// Local. Returns the reason why the ensemble coordinates of these traces are not used as positions; nullopt if they
/// are used. Unless the user has mapped them, ensemble coordinates are not used if
/// - the text header states that their bytes contain other data;
/// - they are 0 in all these traces, and sources are not;
/// - one of the words varies and equals a number (line, ensemble, record, ...) in all these traces;
/// - they are the same in all traces, although the numbers of places vary or revision 0 leaves them unassigned;
/// - in more than half of the traces their distance from the midpoint of source and receiver exceeds the offset, and a
///   quarter of the spread of all sources and receivers;
/// - in more than half of the traces they exceed a whole turn, or the circumference of the Earth, and revision 0 leaves
///   them unassigned, or sources do not exceed it;
/// - they change in small integer steps as line numbers do, and neither the revision nor a source supports them.
[[nodiscard]] std::optional<RejectedPositions> rejected_ensemble(std::span<const LookedAt> looked,
                                                                 const EnsembleWords& said);

/// Local. Returns the reason why the words of lines (iline, xline) do not number lines in these traces; an empty text
/// if they number lines. Unless the words are mapped, they do not number lines if
/// - the text header states that bytes 189-196 contain coordinates and no line numbers;
/// - they exceed 100,000 and do not change by the steps of line numbers: both change between most traces, or the usual
///   steps of both are more than 10.
[[nodiscard]] std::string rejected_lines(std::span<const LookedAt> looked, const EnsembleWords& said);

}  // namespace sill
