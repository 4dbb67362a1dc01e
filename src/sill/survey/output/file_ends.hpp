// The bytes before and after the traces of an output file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// New values of words of the first input's file header. Words without a new value are unchanged.
struct EndsChange {
  std::optional<int> sorting_code = {};       ///< bytes 3229-3230
  std::optional<std::int64_t> samples = {};   ///< bytes 3221-3222, and bytes 3269-3272 if these apply or are needed
  std::optional<bool> has_one_length = {};    ///< bytes 3503-3504, revision 1 or later
  std::optional<std::int64_t> traces = {};    ///< bytes 3513-3520 of revision 2, if they state a number
  std::optional<std::int64_t> trailers = {};  ///< bytes 3529-3532 of revision 2
  std::string history = {};                   ///< a line for the text header (survey/edit/text_history.hpp), or empty
};

/// The bytes before the first trace and after the last.
struct FileEnds {
  std::vector<std::byte> header;
  std::vector<std::byte> trailer;
  std::uint64_t stated_traces_before = 0;  ///< bytes 3513-3520 of revision 2, 0 if not stated
  std::uint64_t stated_traces_after = 0;
};

/// Collective. Returns the bytes on rank 0 and the numbers on every rank. The bytes are copied from the first input,
/// and the words in `change` are set to their new values; Seismic Unix files have no such bytes. Bytes 3505-3506 are
/// set to 0 if they state extended text headers that do not exist, because the reader inferred their absence from the
/// traces that follow, and other traces may not show it. If the file was read with a sample format or a number of
/// samples that its words do not state, the words are set to the value used. Errors: io; usage as `add_history`.
[[nodiscard]] FileEnds file_ends(Communicator& comm, const SurveyReader& reader, const EndsChange& change);

}  // namespace sill
