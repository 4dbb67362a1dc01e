#include "sill/flow/plan/pass.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/base/error.hpp"
#include "sill/formats/segy/expression/assignment.hpp"

namespace sill::flow {
namespace {

bool writes_any_of(const Access& access, ByteRange bytes) {
  return std::ranges::any_of(access.writes_words, [&](ByteRange written) { return segy::overlap(written, bytes); });
}

// Returns the expression of a key, without the sign for descending order.
std::string_view expression_of(const segy::TraceKey& key) {
  const std::string_view text = key.text();
  return key.descending() ? text.substr(1) : text;
}

class Planner {
 public:
  explicit Planner(std::span<const PlannedOperation> operations) : operations_(operations) {}

  std::vector<Pass> plan() {
    begin(0);
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const std::string reason = reason_to_begin(i);
      if (!reason.empty()) {
        begin(i);
        pass().reasons.push_back(reason);
      }
      require_file_numbers(i);
      add(i);
    }
    return std::move(passes_);
  }

 private:
  Pass& pass() { return passes_.back(); }

  void begin(std::size_t first) {
    passes_.push_back({.first = first, .end = first, .scan_end = first, .block_operation = first});
    has_block_ = false;
    moves_traces_ = false;
  }

  // Returns the reason why operation `i` cannot join the pass; empty if it can.
  std::string reason_to_begin(std::size_t i) const {
    const PlannedOperation& operation = operations_[i];
    const Access& access = operation.access;
    if (access.reads_position && moves_traces_)
      return fmt::format("{} counts traces, but earlier operations have moved or removed some", operation.name);
    if (!has_block_) return {};
    const bool joins_gathers = access.scope == Scope::gather && has_same_gathers(operation);
    if (!joins_gathers && (!operation.keys.empty() || access.scope == Scope::gather))
      return fmt::format("{} needs an order that {} makes first", operation.name, block_name());
    if (access.writes_membership) return fmt::format("{} removes traces after {}", operation.name, block_name());
    if (access.scope == Scope::neighbours && passes_.back().has_gathers)
      return fmt::format("{} reads across the gathers of {}", operation.name, block_name());
    return {};
  }

  void require_file_numbers(std::size_t i) const {
    if (passes_.size() == 1 || !operations_[i].access.reads_file) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("operation {} ({}) needs the number of the file, which is only known until the "
                                        "traces are first written, after operation {}",
                                        i + 1, operations_[i].name, passes_[1].first),
                 .action = "store it in a header word with 'header WORD=file' at the beginning of the flow"});
  }

  std::string block_name() const { return operations_[passes_.back().block_operation].name; }

  bool has_same_gathers(const PlannedOperation& operation) const {
    const Pass& now = passes_.back();
    if (!now.has_gathers || operation.keys.size() != now.gather_keys) return false;
    for (std::size_t k = 0; k < operation.keys.size(); ++k) {
      const PassKey& key = now.keys[k];
      if (key.key.text() != operation.keys[k].text()) return false;
      for (std::size_t j = key.operation; j < now.end; ++j)
        if (writes_any_of(operations_[j].access, key.key.needed_bytes())) return false;
    }
    return true;
  }

  void add(std::size_t i) {
    const PlannedOperation& operation = operations_[i];
    const Access& access = operation.access;
    Pass& now = pass();
    now.end = i + 1;
    now.needs_samples |= access.uses_samples();
    if (access.scope != Scope::trace) {
      if (!has_block_) now.block_operation = i;
      has_block_ = true;
    } else if (!has_block_) {
      now.block_operation = i + 1;
    }
    now.halo += access.halo;
    if (access.traces_per_gather > 0) now.traces_per_gather = access.traces_per_gather;
    const bool joins = access.scope == Scope::gather && now.has_gathers;
    if (!operation.keys.empty() && !joins) {
      take_keys(i);
      now.scan_end = i + 1;
      moves_traces_ = true;
      if (access.scope == Scope::gather) {
        now.has_gathers = true;
        now.gather_keys = operation.keys.size();
      }
    }
    if (access.writes_membership || access.traces_per_gather > 0) moves_traces_ = true;
    if (access.writes_membership) now.scan_end = i + 1;
  }

  // The keys of a later sort take precedence; equal keys retain the order of the previous sort. A repeated key of lower
  // precedence has no effect and is dropped, unless its words were written in between.
  void take_keys(std::size_t i) {
    Pass& now = pass();
    std::vector<PassKey> keys;
    for (const segy::TraceKey& key : operations_[i].keys) keys.push_back({i, key});
    const std::size_t before = now.keys.size();
    for (const PassKey& old : now.keys) {
      const bool is_repeated = std::ranges::any_of(keys, [&](const PassKey& key) {
        if (expression_of(key.key) != expression_of(old.key)) return false;
        for (std::size_t j = old.operation; j < i; ++j)
          if (writes_any_of(operations_[j].access, old.key.needed_bytes())) return false;
        return true;
      });
      if (!is_repeated) keys.push_back(old);
    }
    if (before > 0)
      now.reasons.push_back(
          fmt::format("the order of {} and the preceding sort are combined into one sort", operations_[i].name));
    if (now.end - now.first > 1)
      now.reasons.push_back(
          fmt::format("{} is moved before the preceding operations: it depends only on headers", operations_[i].name));
    now.keys = std::move(keys);
  }

  std::span<const PlannedOperation> operations_;
  std::vector<Pass> passes_;
  bool has_block_ = false;     // an operation of the pass sees several traces
  bool moves_traces_ = false;  // the pass changes the set of traces or their order
};

}  // namespace

std::vector<Pass> plan_passes(std::span<const PlannedOperation> operations) { return Planner(operations).plan(); }

Pass part_of(std::span<const PlannedOperation> operations, const Pass& pass, std::size_t end) {
  Pass part = Planner(operations.subspan(pass.first, end - pass.first)).plan().front();
  for (std::size_t* const index : {&part.first, &part.end, &part.scan_end, &part.block_operation}) *index += pass.first;
  for (PassKey& key : part.keys) key.operation += pass.first;
  return part;
}

bool must_see_before(std::span<const PlannedOperation> operations, const Pass& pass, std::size_t leaving,
                     bool stops_on_samples) {
  for (std::size_t i = pass.first; i < leaving; ++i) {
    const Access& access = operations[i].access;
    if (access.can_stop || access.reports || (stops_on_samples && access.reads_samples)) return true;
  }
  return false;
}

}  // namespace sill::flow
