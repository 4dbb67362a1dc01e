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

/// A file that remains when a run is interrupted, and next to it a journal of its finished items. Both are locked while
/// this object lives. Items are the traces or gathers that the last pass makes, numbered from 0 in the order of the
/// output. docs/flow.md describes the form of the journal.
class ResumableOutput {
 public:
  /// Collective. Resumes the output that an interrupted run left for `target`, or starts a new one if there is none.
  /// `run`, on rank 0, lists everything on which the output depends, in lines. Precondition: `resources` outlive this
  /// object. Errors: usage, with the first line that differs, if another flow left the output; io, also if another
  /// process writes it.
  ResumableOutput(const Resources& resources, const std::string& target, const std::vector<std::string>& run);
  ResumableOutput(const ResumableOutput&) = delete;
  ResumableOutput& operator=(const ResumableOutput&) = delete;
  /// Local. Removes both files if nothing is finished.
  ~ResumableOutput();

  /// Local. Returns the unfinished file on rank 0; otherwise nullptr.
  [[nodiscard]] PartFile* part() { return part_ ? &*part_ : nullptr; }

  /// Local. Return the number of items that earlier runs have finished; the counts of these items.
  [[nodiscard]] std::int64_t finished_before() const { return finished_before_; }
  [[nodiscard]] std::span<const double> counts_before() const { return counts_before_; }
  /// Local. Returns the ranges of `items` that no earlier run has finished.
  [[nodiscard]] std::vector<ItemRange> unfinished(ItemRange items) const;

  /// Collective. Records in the journal that the items `own` of each rank, which may be empty, are finished, and the
  /// counts of all finished items. Precondition: the items are on stable storage. Errors: io.
  void add(ItemRange own, std::span<const double> counts);

  /// Collective. Renames the file, which is complete and closed, to the target, and removes the journal. Errors: io.
  void commit();

 private:
  // Called only on rank 0.
  void adopt(const std::string& journal, const std::vector<std::string>& run);
  [[nodiscard]] bool take_finished(std::string_view line, std::int64_t& file_bytes);
  void append(const std::string& line);

  const Resources& resources_;
  std::optional<PartFile> part_;  // on rank 0, like the next member
  std::optional<PartFile> journal_;
  std::int64_t journal_bytes_ = 0;
  bool stays_ = false;               // the files remain, because some items are finished
  std::vector<ItemRange> finished_;  // by an earlier run, in ascending order
  std::int64_t finished_before_ = 0;
  std::vector<double> counts_before_;
};

/// Local. Removes the files that an interrupted run left for `target`, unless a process has locked them.
void remove_resumable_output(const std::string& target);

}  // namespace sill::flow
