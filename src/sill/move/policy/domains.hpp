// Which rank performs the requests of which part of which file: pure functions of the policy and of what ranks hold.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sill/layout/range.hpp"
#include "sill/move/policy/policy.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// What a rank touches of a file: all that others need to know to choose who performs its requests.
struct AccessSummary {
  int file = 0;
  int rank = 0;
  ByteRange bounding_range;
  std::int64_t bytes = 0;
  std::int64_t pieces = 0;  ///< contiguous ones, as the plan has them

  friend constexpr bool operator==(const AccessSummary&, const AccessSummary&) = default;
};

/// Local. Those of one rank, ascending by file.
[[nodiscard]] std::vector<AccessSummary> access_summaries(const AccessPlan& plan, int rank);

/// Local. Calls `visit(of_file)` with the summaries of each file in turn. Precondition: those of a file are neighbours.
template <class Visit>
void for_each_file(std::span<const AccessSummary> summaries, Visit&& visit) {
  while (!summaries.empty()) {
    std::size_t count = 1;
    while (count < summaries.size() && summaries[count].file == summaries.front().file) ++count;
    visit(summaries.first(count));
    summaries = summaries.subspan(count);
  }
}

/// Local. Whether bounding ranges of the summaries of one file overlap.
[[nodiscard]] bool do_bounding_ranges_overlap(std::span<const AccessSummary> of_file);

/// A contiguous part of a file and the rank that performs its requests.
struct FileDomain {
  int file = 0;
  ByteRange bytes;
  int writer = 0;

  friend constexpr bool operator==(const FileDomain&, const FileDomain&) = default;
};

/// What the ranks run on.
struct Topology {
  std::span<const int> node_of_ranks;
  int stripes = 0;  ///< over which the file system spreads a file; 0 if it does not report it
};

/// Who was elected for which file, for as long as the files live. Equal on all ranks, as their calls are.
class Election {
 public:
  /// Local. The rank elected for file `file`: when it is new, of those that hold some of it the one with the fewest
  /// bytes of other files, the lowest of equals. Precondition: `summaries` are those of the file, at least one.
  [[nodiscard]] int writer_of(int file, std::span<const AccessSummary> summaries);

 private:
  std::map<int, int> writers_;
  std::map<int, std::int64_t> load_bytes_;  // of every rank elected so far
};

/// Local. The domains of one collective access, ascending by file and offset; none for Writers::all.
/// `summaries`: of all ranks, ascending by (file, rank). Domains end at multiples of `align_bytes` (1: anywhere) in the
/// file, or where the data do; those of a node or a number of writers are of nearly equal length, and their writers are
/// spread over the nodes.
[[nodiscard]] std::vector<FileDomain> domains_of(std::span<const AccessSummary> summaries, const Policy& policy,
                                                 std::int64_t align_bytes, const Topology& topology,
                                                 Election& election);

}  // namespace sill
