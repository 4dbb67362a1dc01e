// Runs work on the threads of a rank.
#pragma once

#include <cstdint>
#include <functional>

namespace sill {

/// Local. Runs `work(thread)` for threads 0 to `threads` - 1 at once, thread 0 on the calling thread, and returns when
/// all have ended. Errors: the exception of the lowest thread that threw; io if the system cannot create all threads;
/// it is thrown after the created threads have ended. Precondition: threads >= 1.
void run_on_threads(int threads, const std::function<void(int thread)>& work);

/// Local. Runs `work(task, thread)` for tasks 0 to `tasks` - 1 and assigns them in ascending order to free threads.
/// After an exception no further task begins. All lower tasks have begun by then, so the exception of the lowest failed
/// task is thrown, regardless of the number of threads.
void parallel_for(int threads, std::int64_t tasks, const std::function<void(std::int64_t task, int thread)>& work);

}  // namespace sill
