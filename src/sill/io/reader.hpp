// Reading one or more SEG-Y files as one survey.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/segy/file_description.hpp"
#include "sill/formats/segy/header_map.hpp"
#include "sill/io/resources.hpp"
#include "sill/layout/range.hpp"
#include "sill/move/mover.hpp"
#include "sill/move/permutation.hpp"

namespace sill {

/// The wanted bytes of the headers of consecutive traces of one file.
struct HeaderBlock {
  std::int64_t first_trace = 0;  ///< number of the first, from 0, counted through all files
  std::int64_t count = 0;
  int file = 0;  ///< index into the survey's files
  ByteOrder byte_order = ByteOrder::big;
  const std::byte* headers = nullptr;
  std::int64_t stride_bytes = 0;

  /// Local. The address byte 1 of trace `first_trace + i`'s header has or would have; only the bytes that were asked
  /// for are there.
  [[nodiscard]] const std::byte* header(std::int64_t i) const { return headers + i * stride_bytes; }
};

/// Called by several threads at once, each block exactly once.
using HeaderVisitor = std::function<void(const HeaderBlock& block, int thread)>;

/// One or more files whose traces are numbered through, from 0, in the order the files are given.
///
///     Reader reader(resources, {"line1.sgy", "line2.sgy"});
///     std::vector<std::byte> bytes(reader.bytes_of(mine));
///     reader.read(mine, bytes);
class Reader {
 public:
  /// Collective. `resources` outlive the reader. Errors: usage if there is no path; io and input as `open_described`;
  /// input if a file has a remainder after its last whole trace, or if the files do not make one survey: byte order,
  /// sample format, samples a trace, interval, measurement system or layout stanza differ. `map` is what the user says
  /// that words mean, or nullptr; it is needed for the call alone. Errors then: as `words_of_files`.
  Reader(const Resources& resources, const std::vector<std::string>& paths, const segy::HeaderMap* map = nullptr);

  [[nodiscard]] std::int64_t traces() const { return traces_; }
  /// Bytes of one trace, header and samples; the same in all files.
  [[nodiscard]] std::int64_t trace_bytes() const { return files_.front().trace_bytes; }
  [[nodiscard]] std::span<const segy::FileDescription> files() const { return files_; }
  /// What names of trace header words mean in these files.
  [[nodiscard]] const segy::HeaderMap& words() const { return words_; }
  /// Local. Which file holds trace `trace` (counted through).
  [[nodiscard]] int file_of(std::int64_t trace) const;
  /// Local. The files as a permutation takes them.
  [[nodiscard]] std::span<const InputItems> inputs() const { return inputs_; }
  /// Local. Where trace `trace` (counted through) is, for errors.
  [[nodiscard]] Where where(std::int64_t trace) const;

  /// Local. The bytes before the first trace of file `file`: text header, binary header, extended text headers.
  /// Errors: io.
  [[nodiscard]] std::vector<std::byte> file_header(int file) const;

  /// Local. Visits bytes `part` (from 0, within the 240) of the headers of `traces`, on `threads` threads, reading no
  /// other bytes. An empty `part` visits without reading. Errors: io, and what `visit` throws.
  void scan_headers(ItemRange traces, ByteRange part, int threads, const HeaderVisitor& visit) const;

  /// Local. Reads whole traces into `into`, which holds `traces.count * trace_bytes()`. Errors: io.
  void read_own(ItemRange traces, std::span<std::byte> into) const;

  /// Collective. Every rank reads its `traces`, as the policy says; ranges of ranks may overlap or be empty.
  /// Errors: io; usage if `into` has not `traces.count * trace_bytes()` bytes or the traces do not exist.
  void read(ItemRange traces, std::span<std::byte> into) const;

 private:
  void require_whole_traces() const;
  void require_one_survey() const;

  const Resources& resources_;
  std::vector<segy::FileDescription> files_;
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<Store>> stores_;
  std::vector<InputItems> inputs_;
  std::int64_t traces_ = 0;
  segy::HeaderMap words_;
  mutable std::optional<Mover> mover_;  // with the first collective read
};

}  // namespace sill
