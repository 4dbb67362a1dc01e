// Writing chosen traces of a survey, whole or a window of their samples, into a file of their own.
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
  std::int64_t samples = 0;           ///< of each, where all have one length, else of the longest
  std::int64_t bytes = 0;             ///< of the whole file
  std::int64_t deviating_traces = 0;  ///< which state another number of samples than they have
  std::uint64_t stated_traces_before = 0;
  std::uint64_t stated_traces_after = 0;
};

/// What a file of chosen traces is given beside them.
struct OutputMarks {
  bool renumber = false;     ///< survey/edit/renumbering.hpp
  std::string history = {};  ///< a line for the text header, or empty
  /// Changes the header of the trace at this place of the rank's list, in the byte order of the input; may be empty.
  /// Called by several threads.
  std::function<void(std::int64_t place, std::byte* header)> change = {};
};

/// Collective. Writes `chosen`, the share of this rank, into `output`, which appears when it is complete; file header
/// and trailers are the first input's. Traces may repeat and be in any order, but with a window they ascend. Where that
/// takes part of a trace, its headers state so: samples (115-116; of extension 1 its bytes 137-140) where they stated a
/// number, and the delay (109-110); where all traces have one length, the binary header too. With `part`, made for
/// `output` on rank 0, the complete file stays in it, and the caller gives it its name. Writes batch by batch, with up
/// to 128 bytes per trace of a batch beside the buffers, an eighth of the memory. Errors: usage, if the memory does not
/// hold the longest trace; input at the trace whose delay its word cannot say, or which states another length than it
/// is read with where the file does not promise one; as `renumber_written` and `add_history`; io.
[[nodiscard]] WrittenTraces write_selected(const Resources& resources, const SurveyReader& reader,
                                           const std::string& output, const TraceList& chosen,
                                           const segy::TimeWindow* window, const OutputMarks& marks,
                                           PartFile* part = nullptr);

}  // namespace sill
