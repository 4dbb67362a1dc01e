#include "sill/flow/who_writes.hpp"

namespace sill {

int writing_ranks(const Resources& resources) {
  switch (resources.policy.writers) {
    case Policy::Writers::root:
    case Policy::Writers::first:
    case Policy::Writers::elected: return 1;
    case Policy::Writers::all:
    case Policy::Writers::node:
    case Policy::Writers::number: break;
  }
  return resources.comm.size();
}

bool writes_together(const Policy& policy) {
  return policy.writers == Policy::Writers::node || policy.writers == Policy::Writers::number ||
         policy.call == Policy::Call::mpiio_collective || policy.align != Policy::Align::none || policy.async > 0;
}

}  // namespace sill
