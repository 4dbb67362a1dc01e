#include "sill/move/plan_reader.hpp"

#include <memory>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/move/direct_requests.hpp"
#include "sill/move/request_batch.hpp"

namespace sill {

void read_plan(MoverResources& resources, const AccessPlan& mine, const PlanOfRank& plan_of_rank) {
  Communicator& comm = resources.comm();
  const bool needs_all =
      resources.policy().writers != Policy::Writers::all || resources.chooses(false) || resources.is_collective();
  std::vector<AccessSummary> summaries;
  const auto requests = run_and_agree(comm, [&] {
    require_memory(Operation::read, mine);
    if (!needs_all) {
      summaries = access_summaries(mine, comm.rank());
    } else if (plan_of_rank) {
      summaries = all_access_summaries(comm, mine, plan_of_rank);
    }
    return std::make_shared<RequestBatch>(nullptr);
  });
  if (needs_all && !plan_of_rank) summaries = all_access_summaries(comm, mine);
  const Decision decision = resources.decide_on(Operation::read, summaries, false, 0);
  FileSet& files = resources.files();
  if (!decision.together.empty()) files.together.perform(Operation::read, mine, decision.together);
  try {
    resources.background().begin_batch();
    if (is_direct(decision, mine, true, false)) {
      perform_direct(resources.tools(files, Operation::read), Operation::read, mine, decision.together, *requests,
                     true);
    } else {
      resources.prepare_rounds(Operation::read, decision);
      PlansOfOthers others;
      if (decision.exchanges) others = exchange_access_lists(comm, mine, decision.writers, plan_of_rank);
      const std::vector<OwnedPlan> of_others = others.owned();
      read_rounds(resources.tools(files, Operation::read),
                  {Operation::read, comm.rank(), decision.writers, mine, of_others, resources.stage_bytes()},
                  *requests);
    }
  } catch (...) {
    if (decision.exchanges) {
      requests->seal();
      (void)requests->wait();
      throw;
    }
    requests->fail(current_error());
  }
  requests->seal();
  agree(comm, requests->wait());
}

}  // namespace sill
