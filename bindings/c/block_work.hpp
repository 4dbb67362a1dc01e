// Functions of a program that process blocks of traces.
#pragma once

#include <mutex>

#include "sill.h"

namespace sill::bindings {

/// A function and its context.
class BlockWork {
 public:
  BlockWork(sill_block_work work, void* context, bool is_thread_safe)
      : work_(work), context_(context), is_thread_safe_(is_thread_safe) {}

  /// Local. Calls the function, for one thread at a time unless it is thread-safe. Errors: the status that the function
  /// returns, with the error of a function of sill.h if one failed in the call with that status.
  void call(sill_block& block) const;

 private:
  sill_block_work work_;
  void* context_;
  bool is_thread_safe_;
  mutable std::mutex mutex_;
};

}  // namespace sill::bindings
