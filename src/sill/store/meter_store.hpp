// A store that counts and times what passes through it.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "sill/store/store.hpp"
#include "sill/store/time_line.hpp"

namespace sill {

/// How many requests there were of which sizes, by powers of two. Several threads may add.
class SizeHistogram {
 public:
  static constexpr int classes = 64;

  /// Local. The class of a size: 0 for no bytes, else the k >= 1 with 2^(k-1) <= bytes < 2^k. Precondition: bytes >= 0.
  [[nodiscard]] static constexpr int class_of(std::int64_t bytes) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes)));
  }
  /// Local. The smallest size of a class.
  [[nodiscard]] static constexpr std::int64_t min_bytes(int size_class) {
    return size_class == 0 ? 0 : std::int64_t{1} << (size_class - 1);
  }

  /// Local. Counts requests of one size.
  void add(std::int64_t requests, std::int64_t bytes_each) {
    requests_[static_cast<std::size_t>(class_of(bytes_each))].fetch_add(requests, std::memory_order_relaxed);
  }
  /// Local. The requests of a class.
  [[nodiscard]] std::int64_t requests(int size_class) const {
    return requests_[static_cast<std::size_t>(size_class)].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<std::int64_t>, classes> requests_{};
};

/// What went through the stores it was given to, and how long that took, summed over threads. A strided read counts as
/// one request of the bytes that were wanted, a linked read too, and so does a call with extents to a store that takes
/// them whole or collectively, if it brings any bytes. Requests handed over in one call are timed together. What fails
/// is not counted. Several threads may count.
struct Meter {
  std::atomic<std::int64_t> opens{0};
  std::atomic<std::int64_t> read_requests{0};
  std::atomic<std::int64_t> read_bytes{0};
  std::atomic<std::int64_t> write_requests{0};
  std::atomic<std::int64_t> written_bytes{0};
  std::atomic<std::int64_t> syncs{0};
  std::atomic<std::int64_t> open_ns{0};
  std::atomic<std::int64_t> read_ns{0};
  std::atomic<std::int64_t> write_ns{0};
  std::atomic<std::int64_t> sync_ns{0};
  std::atomic<std::int64_t> close_ns{0};
  std::atomic<std::int64_t> prepare_ns{0};        ///< that making bytes took (`PrepareTimer`); stores do not
  std::atomic<std::int64_t> phases{0};            ///< of output, as writers count them (`OutputCall`); stores do not
  std::atomic<std::int64_t> calls_ns{0};          ///< that calls for output took of their callers' time
  std::atomic<std::int64_t> burst_bytes{0};       ///< that went through logs (`BurstLog`)
  std::atomic<std::int64_t> burst_ns{0};          ///< that appending them took
  std::atomic<std::int64_t> past_burst_bytes{0};  ///< that logs could not take
  SizeHistogram read_sizes;
  SizeHistogram write_sizes;
  TimeLine time_line;  ///< of the times above but `burst_ns`

  // For programs that open, read and write by themselves, without stores. All are Local, and `seconds` is what it took.

  /// One opening of a file.
  void count_open(double seconds);
  /// `requests` requests (calls) of `bytes_each`, which took `seconds` together.
  void count_reads(std::int64_t requests, std::int64_t bytes_each, double seconds);
  void count_writes(std::int64_t requests, std::int64_t bytes_each, double seconds);
  /// One sync.
  void count_sync(double seconds);
  /// One closing of a file, what was buffered being written included.
  void count_close(double seconds);
  /// Bytes that were made: text, other number formats, copies to where they are written from.
  void count_preparing(double seconds);
  /// A call for output that completed so many phases: on each rank that takes part, `seconds` of its caller's time.
  void count_output(std::int64_t phases_completed, double seconds);
};

/// A call for output while it lives: its time and the phases it completed. For the collective calls of writers.
class OutputCall {
 public:
  /// Local. `meter`, which may be null and then nothing is counted, outlives it.
  explicit OutputCall(Meter* meter) : meter_(meter) {}
  OutputCall(const OutputCall&) = delete;
  OutputCall& operator=(const OutputCall&) = delete;
  ~OutputCall();
  /// Local.
  void completes_phase(std::int64_t count = 1) { phases_ += count; }

 private:
  Meter* meter_;
  std::int64_t phases_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Counts the time while it lives as time in which its thread prepares bytes: makes text or other number formats, or
/// copies to and from buffers of requests and messages.
class PrepareTimer {
 public:
  /// Local. `meter`, which may be null and then nothing is counted, outlives it.
  explicit PrepareTimer(Meter* meter) : meter_(meter) {}
  PrepareTimer(const PrepareTimer&) = delete;
  PrepareTimer& operator=(const PrepareTimer&) = delete;
  ~PrepareTimer();

 private:
  Meter* meter_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Local. `inner`, which may be null, with everything that succeeds counted in `meter`, which must outlive it. It
/// counts as opened, in no time: `open_metered` times that too.
[[nodiscard]] std::unique_ptr<Store> metered(std::unique_ptr<Store> inner, Meter& meter);

/// Local, or as `open` is. What `open` returns, as above, its opening timed.
[[nodiscard]] std::unique_ptr<Store> open_metered(const std::function<std::unique_ptr<Store>()>& open, Meter& meter);

/// Local. An opener whose stores are all counted in `meter`, which must outlive them.
[[nodiscard]] Opener metered(Opener inner, Meter& meter);

}  // namespace sill
