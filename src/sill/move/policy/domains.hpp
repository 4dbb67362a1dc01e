// Determines which rank performs the requests of which range of which file: pure functions of the policy and of the
// data that ranks hold.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sill/layout/range.hpp"
#include "sill/move/policy/policy.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// The access of a rank to a file: all that other ranks need to choose who performs its requests.
struct AccessSummary {
  int file = 0;
  int rank = 0;
  ByteRange bounding_range;
  std::int64_t bytes = 0;
  std::int64_t pieces = 0;         ///< number of contiguous pieces in the plan
  std::int64_t covered_bytes = 0;  ///< of the bounding range, without gaps between extents; 0: unknown

  friend constexpr bool operator==(const AccessSummary&, const AccessSummary&) = default;
};

/// Local. Returns the summaries of one rank, ascending by file.
[[nodiscard]] std::vector<AccessSummary> access_summaries(const AccessPlan& plan, int rank);

/// Local. Calls `visit(of_file)` with the summaries of each file in turn. Precondition: the summaries of a file are
/// adjacent.
template <class Visit>
void for_each_file(std::span<const AccessSummary> summaries, Visit&& visit) {
  while (!summaries.empty()) {
    std::size_t count = 1;
    while (count < summaries.size() && summaries[count].file == summaries.front().file) ++count;
    visit(summaries.first(count));
    summaries = summaries.subspan(count);
  }
}

/// Local. Returns true if bounding ranges of the summaries of one file overlap.
[[nodiscard]] bool do_bounding_ranges_overlap(std::span<const AccessSummary> of_file);

/// A contiguous range of a file and the rank that performs its requests.
struct FileDomain {
  int file = 0;
  ByteRange bytes;
  int writer = 0;

  friend constexpr bool operator==(const FileDomain&, const FileDomain&) = default;
};

/// The nodes of the ranks and the stripes of the file system.
struct Topology {
  std::span<const int> node_of_ranks;
  int stripes = 0;  ///< number of stripes over which the file system distributes a file; 0 if unknown
};

/// The ranks elected per file, for the lifetime of the files. Equal on all ranks, because all ranks make the same
/// calls.
class Election {
 public:
  /// Local. Returns the rank elected for file `file`. For a new file it elects, among the ranks that hold data of the
  /// file, the rank with the fewest bytes of other files, and the lowest rank if several are equal. Precondition:
  /// `summaries` contains the summaries of the file, at least one.
  [[nodiscard]] int writer_of(int file, std::span<const AccessSummary> summaries);

 private:
  std::map<int, int> writers_;
  std::map<int, std::int64_t> load_bytes_;  // by rank, of every rank elected so far
};

/// Local. Returns the domains of one collective access, ascending by file and offset; none for Writers::all.
/// `summaries`: of all ranks, ascending by (file, rank). Domains end at multiples of `align_bytes` (1: anywhere) in the
/// file, or at the end of the data. With Writers::node and Writers::number the domains have nearly equal length, and
/// their writers are distributed over the nodes.
[[nodiscard]] std::vector<FileDomain> domains_of(std::span<const AccessSummary> summaries, const Policy& policy,
                                                 std::int64_t align_bytes, const Topology& topology,
                                                 Election& election);

}  // namespace sill
