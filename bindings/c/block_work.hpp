// Functions of a program that are called with blocks of traces.
#pragma once

#include <mutex>

#include "sill.h"

namespace sill::bindings {

/// A function and what it is given.
class BlockWork {
 public:
  BlockWork(sill_block_work work, void* context, bool is_thread_safe)
      : work_(work), context_(context), is_thread_safe_(is_thread_safe) {}

  /// Local. Calls the function, one thread at a time unless it is thread-safe. Errors: the status that it returns, with
  /// the error of the function of sill.h that failed in it, if one did.
  void call(sill_block& block) const;

 private:
  sill_block_work work_;
  void* context_;
  bool is_thread_safe_;
  mutable std::mutex mutex_;
};

}  // namespace sill::bindings
