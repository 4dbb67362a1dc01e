// What joining local solutions and splitting them again share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/solution/ensight_case.hpp"
#include "sill/formats/solution/phase_index.hpp"
#include "sill/layout/range.hpp"
#include "sill/store/store.hpp"

namespace sill {

struct SolutionFiles {
  solution::PhaseIndex phase;
  std::int64_t files = 0;  ///< that were written
  std::int64_t bytes = 0;  ///< in them
};

/// The files that an operation reads and writes.
struct SolutionPaths {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

/// Local. An opener of what has the size that it must have. Errors: input for another.
[[nodiscard]] Opener of_size(Opener open, std::int64_t size_bytes);

/// Local. The bytes `range` of a file as text. Errors: io.
[[nodiscard]] std::string text_at(Store& store, ByteRange range);

/// Local. Newlines end the records, and are nowhere else. `first`: where in records, one after another, the part
/// begins; `at`: where in the file. Errors: input, with `action`, for what is no record.
void require_records(const solution::Form& form, const Store& store, std::int64_t at, std::int64_t first,
                     std::span<const std::byte> part, const std::string& action);

/// Local. The solution files of a phase.
[[nodiscard]] std::vector<std::string> solution_paths(const std::string& folder, const solution::PhaseIndex& phase);

/// Local. The files of a case, the case itself last.
[[nodiscard]] std::vector<std::string> case_files(const solution::EnsightCase& ensight);

/// Local. Calls `make(item, range, bytes)` for the parts of `range` that lie in items of `item_bytes`.
template <class Make>
void in_items(std::int64_t item_bytes, ByteRange range, std::span<std::byte> bytes, Make&& make) {
  for (std::int64_t done = 0; done < range.length;) {
    const std::int64_t item = (range.offset + done) / item_bytes;
    const std::int64_t at = (range.offset + done) % item_bytes;
    const std::int64_t length = std::min(item_bytes - at, range.length - done);
    make(item, ByteRange{at, length}, bytes.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(length)));
    done += length;
  }
}

}  // namespace sill
