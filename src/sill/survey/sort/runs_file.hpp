// Stores the traces of a survey in a file of sorted runs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/output_file.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/permute/runs.hpp"

namespace sill {

/// All traces of a survey in sorted runs (permute/runs.hpp). The file never gets a name and is removed with all other
/// unfinished files.
class RunsFile {
 public:
  /// Collective. Reads the survey once, in its own order, and writes the file next to `target`. `order` is as in
  /// RunJob, for traces of this rank's block. Stores a run for each thread in `memory_bytes` of this rank.
  /// Precondition: traces of one length. Errors: usage if the memory holds no trace; io; exceptions of `order`.
  RunsFile(const Resources& resources, const SurveyReader& reader, const std::string& target, std::int64_t memory_bytes,
           AfterReading inputs_after, const RunOrder& order);

  /// Collective. Returns the positions in the file of the traces `sources`, this rank's section of the final order;
  /// afterwards these traces can be read.
  [[nodiscard]] std::vector<std::int64_t> locate(std::span<const std::int64_t> sources);

  /// Local. Returns the file as one input. Precondition: `locate` was called.
  [[nodiscard]] const InputItems& items() const { return items_; }
  /// Local. Returns the size of a run in bytes, except for the last run of a rank.
  [[nodiscard]] std::int64_t run_bytes() const { return run_traces_ * trace_bytes_; }

 private:
  Resources resources_;
  std::int64_t trace_bytes_;
  std::int64_t run_traces_ = 0;
  OutputFile file_;
  RunLayout layout_;
  std::shared_ptr<Store> handle_;
  InputItems items_;
};

}  // namespace sill
