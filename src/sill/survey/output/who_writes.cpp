#include "sill/survey/output/who_writes.hpp"

#include "sill/layout/decomposition.hpp"

namespace sill {

int writing_ranks(const Resources& resources) {
  switch (resources.policy.writers) {
    case Policy::Writers::root:
    case Policy::Writers::first:
    case Policy::Writers::elected: return 1;
    case Policy::Writers::by_pieces:
    case Policy::Writers::all:
    case Policy::Writers::node:
    case Policy::Writers::number: break;
  }
  return resources.comm.size();
}

ItemRange block_to_write(const Resources& resources, std::int64_t items) {
  const int rank = resources.comm.rank();
  const int ranks = writing_ranks(resources);
  return rank < ranks ? block_of(items, ranks, rank) : ItemRange{items, 0};
}

bool writes_together(const Policy& policy) {
  return policy.writers == Policy::Writers::node || policy.writers == Policy::Writers::number ||
         policy.call == Policy::Call::mpiio_collective || policy.align != Policy::Align::none || policy.async > 0;
}

}  // namespace sill
