// Reads the bytes of one plan per rank.
#pragma once

#include "sill/move/access_lists.hpp"
#include "sill/move/mover_resources.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// Collective. Reads the bytes of all ranks' plans. All requests are done when it returns. Precondition: no write is in
/// flight. Errors: as Mover::read.
void read_plan(MoverResources& resources, const AccessPlan& mine, const PlanOfRank& plan_of_rank);

}  // namespace sill
