#include "sill/choose/access_cost.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sill/move/policy/decision.hpp"

namespace sill {
namespace {

// The work of one rank in an access.
struct RankWork {
  double opens = 0;
  double requests = 0;
  double unaligned_bytes = 0;  // in requests that do not begin at a page boundary
  double request_bytes = 0;
  double pieces = 0;  // in memory, packed or unpacked
  double copied_bytes = 0;
  double messages = 0;
  double message_bytes = 0;  // sent and received
};

// Runs of a rank's own bytes of at least this length are written directly from their memory.
constexpr double long_run_bytes = 4096;
constexpr std::int64_t alignment_bytes = 4096;

class Work {
 public:
  Work(const Policy& policy, const Access& access) : policy_(policy), of_ranks_(access.node_of_ranks.size()) {
    stage_bytes_ = static_cast<double>(std::min(policy.stage_or(access.max_stage_bytes), access.max_stage_bytes));
  }

  void add_own(const AccessSummary& own) {
    RankWork& rank = of(own.rank);
    const auto bytes = static_cast<double>(own.bytes);
    const auto pieces = static_cast<double>(own.pieces);
    rank.opens += 1;
    rank.requests += pieces;
    if (own.bounding_range.offset % alignment_bytes != 0 || own.bytes % (own.pieces * alignment_bytes) != 0) {
      rank.unaligned_bytes += bytes;
    }
    rank.request_bytes += bytes;
    rank.pieces += pieces;
    if (policy_.stage_bytes > 0 && bytes < pieces * long_run_bytes) rank.copied_bytes += bytes;
  }

  // Sets the part of the next file's domains that is not in gaps between extents, in which there are no windows.
  void set_covered(double covered) { covered_ = covered; }

  // Adds the work of one rank in a domain.
  void add_exchanged(const AccessSummary& each, const FileDomain& domain) {
    const double share = overlap(each.bounding_range, domain.bytes) / static_cast<double>(each.bounding_range.length);
    if (share <= 0) return;
    const double bytes = share * static_cast<double>(each.bytes);
    const double pieces = share * static_cast<double>(each.pieces);
    RankWork& writer = of(domain.writer);
    writer.pieces += pieces;
    const bool is_small = bytes < pieces * long_run_bytes;
    if (each.rank == domain.writer) {
      if (is_small) writer.copied_bytes += bytes;
      return;
    }
    RankWork& owner = of(each.rank);
    owner.pieces += pieces;
    owner.message_bytes += bytes;
    writer.message_bytes += bytes;
    if (is_small) owner.copied_bytes += bytes;
    writer.copied_bytes += is_small ? bytes : 0;
    // Less than one window if small files share it.
    messages_[{domain.writer, each.rank}] += windows_in(overlap(each.bounding_range, domain.bytes));
  }

  // Adds the requests of a domain; returns their number.
  double add_requests(const FileDomain& domain, double bytes, double pieces, bool is_dense) {
    RankWork& writer = of(domain.writer);
    const double windows = std::max(1.0, windows_in(static_cast<double>(domain.bytes.length)));
    writer.opens += 1;
    const double requests = is_dense ? windows : std::max(windows, pieces);
    writer.requests += requests;
    if (domain.bytes.offset % alignment_bytes != 0) writer.unaligned_bytes += bytes;
    writer.request_bytes += bytes;
    return requests;
  }

  [[nodiscard]] std::vector<RankWork> of_ranks() {
    for (const auto& [pair, windows] : messages_) {
      for (const int rank : {pair.first, pair.second}) of(rank).messages += std::max(1.0, windows);
    }
    return std::move(of_ranks_);
  }

  [[nodiscard]] static double overlap(ByteRange a, ByteRange b) {
    return static_cast<double>(std::max<std::int64_t>(0, std::min(a.end(), b.end()) - std::max(a.offset, b.offset)));
  }

 private:
  // Returns how many windows `length_bytes` of the file have.
  [[nodiscard]] double windows_in(double length_bytes) const { return covered_ * length_bytes / stage_bytes_; }
  [[nodiscard]] RankWork& of(int rank) { return of_ranks_[static_cast<std::size_t>(rank)]; }

  const Policy& policy_;
  double stage_bytes_ = 1;
  double covered_ = 1;
  std::vector<RankWork> of_ranks_;
  std::map<std::pair<int, int>, double> messages_;  // windows by (writer, owner)
};

// Returns the bytes of a file that all ranks cover together, of `length` bytes from the first to the last, without gaps
// between extents. Ranks whose ranges overlap are assumed to cover the same places, as parts of the same variables.
double covered_bytes_of(std::span<const AccessSummary> of_file, double length) {
  double sum = 0;
  double largest_share = 0;
  for (const AccessSummary& each : of_file) {
    const auto range = static_cast<double>(each.bounding_range.length);
    const double own = each.covered_bytes > 0 ? static_cast<double>(each.covered_bytes) : range;
    sum += own;
    largest_share = std::max(largest_share, own / range);
  }
  return do_bounding_ranges_overlap(of_file) ? largest_share * length : std::min(sum, length);
}

}  // namespace

AccessCost cost_of(const Policy& policy, const Access& access, const FileSystemCosts& costs) {
  Work work(policy, access);
  Election elected = access.elected != nullptr ? *access.elected : Election{};
  const std::int64_t align_bytes = policy.align == Policy::Align::stripe ? access.stripes.unit_bytes : 1;
  const std::vector<FileDomain> domains =
      domains_of(access.summaries, policy, align_bytes, {access.node_of_ranks, access.stripes.count}, elected);
  auto domain = domains.begin();
  double longest_file_s = 0;
  double longest_requests_s = 0;
  for_each_file(access.summaries, [&](std::span<const AccessSummary> of_file) {
    double bytes = 0;
    double pieces = 0;
    std::int64_t begin = of_file.front().bounding_range.offset;
    std::int64_t end = begin;
    for (const AccessSummary& each : of_file) {
      bytes += static_cast<double>(each.bytes);
      pieces += static_cast<double>(each.pieces);
      begin = std::min(begin, each.bounding_range.offset);
      end = std::max(end, each.bounding_range.end());
    }
    const auto length = static_cast<double>(end - begin);
    const double covered = covered_bytes_of(of_file, length);
    work.set_covered(covered / length);
    const bool is_dense = bytes >= covered;
    double requests = 0;
    double writers = 0;
    if (domains.empty()) {
      for (const AccessSummary& each : of_file) work.add_own(each);
      requests = pieces;
      writers = static_cast<double>(of_file.size());
    }
    for (; domain != domains.end() && domain->file == of_file.front().file; ++domain) {
      double in_domain = 0;
      double pieces_in_domain = 0;
      for (const AccessSummary& each : of_file) {
        const double share =
            Work::overlap(each.bounding_range, domain->bytes) / static_cast<double>(each.bounding_range.length);
        in_domain += share * static_cast<double>(each.bytes);
        pieces_in_domain += share * static_cast<double>(each.pieces);
        work.add_exchanged(each, *domain);
      }
      requests += work.add_requests(*domain, in_domain, pieces_in_domain, is_dense);
      writers += 1;
    }
    // Several writers of one file wait for each other after they have opened it.
    const bool is_one_by_one = writers > 1 && access.operation == Operation::write;
    const double requests_s = bytes * costs.file_byte_s + (is_one_by_one ? requests * costs.file_request_s : 0);
    longest_requests_s = std::max(longest_requests_s, requests_s);
    longest_file_s = std::max(longest_file_s, requests_s + (is_one_by_one ? costs.open_s : 0));
  });

  AccessCost cost;
  double longest_rank_s = 0;
  double longest_memory_s = 0;
  double all_s = 0;
  double all_requests_s = 0;
  std::map<int, double> of_nodes_s;
  const std::vector<RankWork> of_ranks = work.of_ranks();
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    const RankWork& each = of_ranks[rank];
    const double requests_s = each.requests * costs.request_s + each.unaligned_bytes * costs.unaligned_byte_s +
                              each.request_bytes * costs.byte_s;
    const double files_s = each.opens * costs.open_s + requests_s;
    const double memory_s = each.pieces * costs.piece_s + each.copied_bytes * costs.copy_byte_s +
                            each.messages * costs.message_s + each.message_bytes * costs.message_byte_s;
    longest_requests_s = std::max(longest_requests_s, requests_s);
    longest_rank_s = std::max(longest_rank_s, files_s + memory_s);
    longest_memory_s = std::max(longest_memory_s, memory_s);
    of_nodes_s[access.node_of_ranks[rank]] += memory_s + (costs.waits ? 0 : files_s);
    const double of_all_s = each.requests * costs.all_request_s + each.request_bytes * costs.all_byte_s;
    all_requests_s += of_all_s;
    all_s += each.opens * costs.all_open_s + of_all_s;
    cost.counts.opens += each.opens;
    cost.counts.requests += each.requests;
    cost.counts.messages += each.messages / 2;
    cost.counts.message_bytes += each.message_bytes / 2;
    cost.counts.copied_bytes += each.copied_bytes;
  }
  double longest_node_s = 0;
  std::map<int, double> cores;
  for (const int node : access.node_of_ranks) cores[node] += access.core_share;
  for (const auto& [node, seconds_s] : of_nodes_s) longest_node_s = std::max(longest_node_s, seconds_s / cores[node]);
  const std::array<std::pair<double, const char*>, 4> bounds{
      {{longest_rank_s, "the rank with the most work"},
       {longest_node_s, "the cores of a node"},
       {longest_file_s + longest_memory_s, "requests to one file, one by one"},
       {all_s + longest_memory_s, "the file system"}}};
  const auto largest = std::ranges::max_element(bounds, {}, &std::pair<double, const char*>::first);
  cost.seconds_s = largest->first;
  cost.requests_s = std::max(longest_requests_s, all_requests_s);
  cost.bound = largest->second;
  return cost;
}

}  // namespace sill
