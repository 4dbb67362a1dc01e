#include "block_work.hpp"

#include <string>

#include "status.hpp"

namespace sill::bindings {

void BlockWork::call(sill_block& block) const {
  std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
  if (!is_thread_safe_) lock.lock();
  const std::int64_t before = failures_of_thread();
  const int status = work_(&block, context_);
  if (status == SILL_OK) return;
  const bool is_code = status == SILL_USAGE || status == SILL_INPUT || status == SILL_IO;
  const ErrorCode code = is_code ? static_cast<ErrorCode>(status) : ErrorCode::usage;
  if (failures_of_thread() != before && last_failure().code() == code) throw Error(last_failure().parts());
  throw Error({.code = code,
               .problem = "the program's function returned " + std::to_string(status) + " for a block of " +
                          std::to_string(block.count) + " traces",
               .action = "it returns 0 where a block is done"});
}

}  // namespace sill::bindings
