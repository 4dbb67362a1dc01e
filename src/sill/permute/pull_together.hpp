// A permutation whose output the ranks write together.
#pragma once

#include "sill/comm/communicator.hpp"
#include "sill/move/mover.hpp"
#include "sill/permute/permutation.hpp"

namespace sill {

/// Collective. As permute_by_pull, but chunk by chunk on all ranks, each written by `mover` (its file 0) as its
/// policy says: for policies by which ranks write together, or with writes in flight while the next chunk is gathered.
/// `permutation.output` is not used; its threads share the reading of a chunk. Errors: as permute_by_pull and
/// Mover::write, the same on all ranks.
void permute_together(Communicator& comm, const Permutation& permutation, Mover& mover);

}  // namespace sill
