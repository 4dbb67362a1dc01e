// What a file made of a survey's traces has before and after them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// What becomes other than in the first input. What is not given stays.
struct EndsChange {
  std::optional<int> sorting_code = {};       ///< bytes 3229-3230
  std::optional<std::int64_t> samples = {};   ///< bytes 3221-3222, and 3269-3272 where they count or must
  std::optional<bool> has_one_length = {};    ///< bytes 3503-3504 from revision 1
  std::optional<std::int64_t> traces = {};    ///< bytes 3513-3520 of revision 2, where they state a number
  std::optional<std::int64_t> trailers = {};  ///< bytes 3529-3532 of revision 2
  std::string history = {};                   ///< a line for the text header (survey/edit/text_history.hpp), or empty
};

/// The bytes before the first trace and after the last.
struct FileEnds {
  std::vector<std::byte> header;
  std::vector<std::byte> trailer;
  std::uint64_t stated_traces_before = 0;  ///< bytes 3513-3520 of revision 2, 0 if they state nothing
  std::uint64_t stated_traces_after = 0;
};

/// Collective. The bytes on rank 0, the numbers on every rank: those of the first input, with its words set to what is
/// true now; none of Seismic Unix. Bytes 3505-3506 are set to 0 where they state extended text headers that are not
/// there: that was decided by what follows, which other traces change. A sample format or a number of samples by which
/// the file was read, against what its words state, is what they state then. Errors: io; usage as `add_history`.
[[nodiscard]] FileEnds file_ends(Communicator& comm, const SurveyReader& reader, const EndsChange& change);

}  // namespace sill
