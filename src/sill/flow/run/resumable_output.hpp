// The output of a flow that the next run resumes if this one is interrupted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/layout/range.hpp"
#include "sill/store/part/part_file.hpp"

namespace sill::flow {

/// A file that stays when a run is interrupted, and beside it a journal of its finished items. Both are locked while
/// this object lives. Items are what the last pass makes, traces or gathers, numbered from 0 in the order of the
/// output. docs/flow.md has the form of the journal.
class ResumableOutput {
 public:
  /// Collective. Resumes the output that an interrupted run left for `target`, or begins a new one if there is none.
  /// `run` names in lines, on rank 0, all that the output depends on. Errors: usage, naming the first line that
  /// differs, if the output was left by another flow; io, also if another process writes it. `resources` outlive this
  /// object.
  ResumableOutput(const Resources& resources, const std::string& target, const std::vector<std::string>& run);
  ResumableOutput(const ResumableOutput&) = delete;
  ResumableOutput& operator=(const ResumableOutput&) = delete;
  /// Local. Removes both files if nothing is finished.
  ~ResumableOutput();

  /// Local. The unfinished file, on rank 0; else nullptr.
  [[nodiscard]] PartFile* part() { return part_ ? &*part_ : nullptr; }

  /// Local. How many items an earlier run has finished, and what it had counted of them.
  [[nodiscard]] std::int64_t finished_before() const { return finished_before_; }
  [[nodiscard]] std::span<const double> counts_before() const { return counts_before_; }
  /// Local. The ranges of `items` that no earlier run has finished.
  [[nodiscard]] std::vector<ItemRange> unfinished(ItemRange items) const;

  /// Collective. Writes into the journal that `own` items of each rank, which may be none, are finished, and what was
  /// counted of all that are. Precondition: they are on stable storage. Errors: io.
  void add(ItemRange own, std::span<const double> counts);

  /// Collective. Gives the file, which is complete and closed, the name of the target, and removes the journal.
  /// Errors: io.
  void commit();

 private:
  // On rank 0.
  void adopt(const std::string& journal, const std::vector<std::string>& run);
  [[nodiscard]] bool take_finished(std::string_view line, std::int64_t& file_bytes);
  void append(const std::string& line);

  const Resources& resources_;
  std::optional<PartFile> part_;  // on rank 0, as the next
  std::optional<PartFile> journal_;
  std::int64_t journal_bytes_ = 0;
  bool stays_ = false;               // what is left is worth going on with
  std::vector<ItemRange> finished_;  // by an earlier run, in ascending order
  std::int64_t finished_before_ = 0;
  std::vector<double> counts_before_;
};

/// Local. Removes what an interrupted run left for `target`, if no process holds it.
void remove_resumable_output(const std::string& target);

}  // namespace sill::flow
