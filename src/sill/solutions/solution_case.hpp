// Functions shared by joining local solutions and splitting them again.
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
  std::int64_t files = 0;  ///< number of files written
  std::int64_t bytes = 0;  ///< their bytes
};

/// The files that an operation reads and writes.
struct SolutionPaths {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

/// Local. Throws if the size of a file, `found_bytes`, differs from `size_bytes`. Errors: input.
void require_size(const std::string& path, std::int64_t found_bytes, std::int64_t size_bytes);

/// Local. Returns an opener for files that must have `size_bytes` bytes. Errors of the opener: input for another size.
[[nodiscard]] Opener of_size(Opener open, std::int64_t size_bytes);

/// Local. Returns how many inputs may be open at once in addition to the outputs.
[[nodiscard]] inline std::size_t max_open_inputs() { return safe_open_files() / 2; }

/// Local. Returns the bytes `range` of a file as text. Errors: io.
[[nodiscard]] std::string text_at(Store& store, ByteRange range);

/// Consecutive records of a file, all of one form.
struct Records {
  const solution::Form& form;
  std::int64_t offset_bytes = 0;  ///< of the first, in the file
  std::int64_t line = 1;          ///< line number of the first, for messages
  std::string_view action;        ///< advice for the user if a record is not a number
};

/// Local. Reads bytes `range` of the records and verifies that every record with a byte in `range` is a number; the
/// first and the last record are verified completely, including their bytes outside `range`. Precondition: bytes.size()
/// == range.length. Errors: input, with byte and line, if a record is not a number; io.
void read_records(Store& store, const Records& records, ByteRange range, std::span<std::byte> bytes);

/// Local. Returns the paths of the solution files of a phase.
[[nodiscard]] std::vector<std::string> solution_paths(const std::string& folder, const solution::PhaseIndex& phase);

/// Local. Returns the files of a case, the case itself last.
[[nodiscard]] std::vector<std::string> case_files(const solution::EnsightCase& ensight);

/// Local. Calls `make(item, range, bytes)` for each section of `range` that is in one item of `item_bytes`.
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
