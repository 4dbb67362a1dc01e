// What joining local solutions and splitting them again share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/solution/ensight_case.hpp"
#include "sill/formats/solution/phase_index.hpp"
#include "sill/layout/range.hpp"
#include "sill/store/handle_cache.hpp"
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

/// Local. Errors: input if a file has another size than it must have.
void require_size(const std::string& path, std::int64_t found_bytes, std::int64_t size_bytes);

/// Local. An opener of what has the size that it must have. Errors: input for another.
[[nodiscard]] Opener of_size(Opener open, std::int64_t size_bytes);

/// Local. How many inputs may be open at once while the outputs take what is safe for files written.
[[nodiscard]] inline std::size_t max_open_inputs() { return safe_open_files() / 2; }

/// Local. The bytes `range` of a file as text. Errors: io.
[[nodiscard]] std::string text_at(Store& store, ByteRange range);

/// Records one after another in a file, all of a form.
struct Records {
  const solution::Form& form;
  std::int64_t offset_bytes = 0;  ///< of the first, in the file
  std::int64_t line = 1;          ///< that it is, for messages
  std::string_view action;        ///< what the user can do where one is no number
};

/// Local. Reads bytes `range` of such records and makes sure that each of which a byte is among them is a number; of
/// the first and the last, the bytes beyond `range` too. Precondition: bytes.size() == range.length. Errors: input,
/// with byte and line, where one is none; io.
void read_records(Store& store, const Records& records, ByteRange range, std::span<std::byte> bytes);

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
