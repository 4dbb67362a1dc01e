// Writes selected traces of a survey, complete or a window of their samples, into a new file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/store/part/part_file.hpp"
#include "sill/survey/output/file_ends.hpp"
#include "sill/survey/select/select_traces.hpp"

namespace sill {

struct WrittenTraces {
  std::int64_t traces = 0;
  std::int64_t samples = 0;           ///< samples per trace, if all traces have one length; otherwise samples of the
                                      ///< longest trace
  std::int64_t bytes = 0;             ///< size of the complete file
  std::int64_t deviating_traces = 0;  ///< traces that state a different number of samples than they have
  std::uint64_t stated_traces_before = 0;
  std::uint64_t stated_traces_after = 0;
};

/// Changes of headers in a file of selected traces.
struct OutputMarks {
  bool renumber = false;     ///< survey/edit/renumbering.hpp
  std::string history = {};  ///< a line that is added to the text header, or empty
  /// Changes the header of the trace with this index in the rank's list, in the byte order of the input; may be empty.
  /// Called by several threads.
  std::function<void(std::int64_t place, std::byte* header)> change = {};
};

/// Collective. Writes `chosen`, the share of this rank, to `output`, which appears when it is complete; file header and
/// trailers are copied from the first input. Traces may repeat and be in any order; with a window they must be in
/// ascending order. If the window takes only some samples of a trace, its headers state so: the number of samples
/// (115-116; in extension 1 bytes 137-140), if they stated one, and the delay (109-110); if all traces have one length,
/// the binary header, too. With `part`, which rank 0 created for `output`, the complete file remains in it, and the
/// caller gives it its name. Writes batch by batch, and uses up to 128 bytes per trace of a batch in addition to the
/// buffers, an eighth of the memory. Errors: usage, if the memory does not hold the longest trace; input at a trace
/// whose delay does not fit into its word, or which states a different length than it is read with if the file does not
/// promise one length; as `renumber_written` and `add_history`; io.
[[nodiscard]] WrittenTraces write_selected(const Resources& resources, const SurveyReader& reader,
                                           const std::string& output, const TraceList& chosen,
                                           const segy::TimeWindow* window, const OutputMarks& marks,
                                           PartFile* part = nullptr);

}  // namespace sill
