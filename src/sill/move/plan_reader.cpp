#include "sill/move/plan_reader.hpp"

#include <memory>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/move/direct_requests.hpp"
#include "sill/move/request_batch.hpp"

namespace sill {

void read_plan(MoverResources& resources, const AccessPlan& mine) {
  Communicator& comm = resources.comm();
  const auto requests = run_and_agree(comm, [&] {
    require_memory(Operation::read, mine);
    return std::make_shared<RequestBatch>(nullptr);
  });
  const bool needs_all =
      resources.policy().writers != Policy::Writers::all || resources.chooses(false) || resources.is_collective();
  const Decision decision = resources.decide_on(
      Operation::read, needs_all ? all_access_summaries(comm, mine) : access_summaries(mine, comm.rank()), false, 0);
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
      if (decision.exchanges) others = exchange_access_lists(comm, mine, decision.writers, {});
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
