#include "sill/move/mover_resources.hpp"

#include <utility>

#include "sill/comm/agree.hpp"

namespace sill {

void MoverResources::take(MoverFiles files, const Policy& policy, const MoverLimits& limits) {
  terms_ = agreed_terms(comm_, std::move(files), policy, limits, striping_);
  policy_ = policy;
  election_ = {};
  messages_.reset();
  messages_bytes_ = 0;
  stages_of_rounds_ = 0;
  run_and_agree(comm_, [&] {
    background_.reset();  // its threads end before the objects that they use are destroyed
    drains_.reset();
    files_.emplace(comm_, terms_, terms_.files.paths, terms_.files.mode, policy.is_durable());
    stages_.emplace(terms_.stage_bytes, terms_.max_stages);
  });
  background_.emplace(terms_.background_threads);
  drains_.emplace(terms_.burst ? 1 : 0);
}

MoveCounts MoverResources::counts() const {
  MoveCounts counts = counts_;
  counts.buffer_bytes = stages_->made() * stages_->bytes_each() + static_cast<std::int64_t>(messages_bytes_);
  return counts;
}

bool MoverResources::chooses(bool is_of_rank) const {
  return terms_.files.chooser && policy_.is_automatic() && !is_of_rank;
}

Decision MoverResources::decide_on(Operation operation, std::span<const AccessSummary> summaries, bool is_of_rank,
                                   std::size_t place_in_call) {
  const std::span<const int> nodes = comm_.node_of_ranks();
  const Policy made = chooses(is_of_rank)
                          ? terms_.files.chooser->choose(policy_, {.operation = operation,
                                                                   .summaries = summaries,
                                                                   .node_of_ranks = nodes,
                                                                   .core_share = terms_.core_share,
                                                                   .max_stage_bytes = terms_.stage_bytes,
                                                                   .file_system = terms_.file_system,
                                                                   .device = terms_.device,
                                                                   .stripes = terms_.stripes,
                                                                   .elected = &election_,
                                                                   .place_in_call = place_in_call})
                          : policy_.plainest();
  const DecisionLimits limits = terms_.limits_of(made, nodes);
  if (is_of_rank) return decide_alone(made, summaries, limits);
  return decide(made, comm_.rank(), summaries, limits, election_);
}

void MoverResources::prepare_rounds(Operation operation, const Decision& decision) {
  const int stages = operation == Operation::read ? 2 : 1;
  if (decision.exchanges && stages <= stages_of_rounds_) return;
  const auto prepare = [&] {
    if (decision.exchanges && !messages_) {
      const auto bytes = static_cast<std::size_t>(stages_->bytes_each());
      messages_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      messages_bytes_ = bytes;
    }
    if (!is_collective() || !decision.writers.empty()) stages_->prepare(stages);
  };
  if (!decision.exchanges) return prepare();
  run_and_agree(comm_, prepare);
  if (!is_collective()) stages_of_rounds_ = stages;
}

RoundTools MoverResources::tools(FileSet& files, Operation operation) {
  return {comm_,
          files.burst && operation == Operation::write ? files.burst->handles() : files.handles,
          *background_,
          *stages_,
          {messages_.get(), messages_bytes_},
          counts_,
          terms_.threads,
          terms_.files.meter,
          terms_.reads_in_place,
          terms_.leaves_gaps};
}

}  // namespace sill
