// A store that counts and times the requests that pass through it.
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

/// The number of requests per size class; classes are powers of two. Several threads may add.
class SizeHistogram {
 public:
  static constexpr int classes = 64;

  /// Local. Returns the class of a size: 0 if `bytes` is 0, otherwise the k >= 1 with 2^(k-1) <= bytes < 2^k.
  /// Precondition: bytes >= 0.
  [[nodiscard]] static constexpr int class_of(std::int64_t bytes) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes)));
  }
  /// Local. Returns the smallest size of a class.
  [[nodiscard]] static constexpr std::int64_t min_bytes(int size_class) {
    return size_class == 0 ? 0 : std::int64_t{1} << (size_class - 1);
  }

  /// Local. Counts requests of one size.
  void add(std::int64_t requests, std::int64_t bytes_each) {
    requests_[static_cast<std::size_t>(class_of(bytes_each))].fetch_add(requests, std::memory_order_relaxed);
  }
  /// Local. Returns the number of requests of a class.
  [[nodiscard]] std::int64_t requests(int size_class) const {
    return requests_[static_cast<std::size_t>(size_class)].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<std::int64_t>, classes> requests_{};
};

/// Counts and times of all requests through the stores that share this meter, summed over threads. A strided or linked
/// read is counted as one request of the requested bytes. A call with extents is counted as one request if the store
/// takes extents or the call is collective, and if this rank moves any bytes. Requests submitted in one call are timed
/// together. Failed calls are not counted. Several threads may count.
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
  std::atomic<std::int64_t> prepare_ns{0};        ///< time to prepare bytes (`PrepareTimer`); not counted by stores
  std::atomic<std::int64_t> phases{0};            ///< output phases completed (`OutputCall`); not counted by stores
  std::atomic<std::int64_t> calls_ns{0};          ///< time that callers spent in output calls
  std::atomic<std::int64_t> burst_bytes{0};       ///< bytes that went through logs (`BurstLog`)
  std::atomic<std::int64_t> burst_ns{0};          ///< time that appending these bytes took
  std::atomic<std::int64_t> past_burst_bytes{0};  ///< bytes that logs could not accept
  SizeHistogram read_sizes;
  SizeHistogram write_sizes;
  TimeLine time_line;  ///< the times above except `burst_ns`

  // The following functions are for programs that open, read and write files without stores. All are Local; `seconds`
  // is the time that the counted calls took.

  /// Local. Counts the opening of a file.
  void count_open(double seconds);
  /// Local. Counts `requests` requests (calls) of `bytes_each`, which took `seconds` together.
  void count_reads(std::int64_t requests, std::int64_t bytes_each, double seconds);
  void count_writes(std::int64_t requests, std::int64_t bytes_each, double seconds);
  /// Local. Counts a sync.
  void count_sync(double seconds);
  /// Local. Counts the closing of a file, including the write of buffered bytes.
  void count_close(double seconds);
  /// Local. Counts time spent preparing bytes: formatting text, converting numbers, copying to the buffer that is
  /// written.
  void count_preparing(double seconds);
  /// Local. Counts an output call that completed `phases_completed` phases. `seconds` is the time the caller spent in
  /// it; each rank that takes part in the call counts it.
  void count_output(std::int64_t phases_completed, double seconds);
};

/// Counts an output call: the time while this object lives, and the phases completed. For the collective calls of
/// writers.
class OutputCall {
 public:
  /// Local. Starts timing. `meter` may be null; then nothing is counted. Precondition: `meter` outlives this object.
  explicit OutputCall(Meter* meter) : meter_(meter) {}
  OutputCall(const OutputCall&) = delete;
  OutputCall& operator=(const OutputCall&) = delete;
  ~OutputCall();
  /// Local. Records that the call completed `count` phases.
  void completes_phase(std::int64_t count = 1) { phases_ += count; }

 private:
  Meter* meter_;
  std::int64_t phases_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Counts the time while this object lives as time in which its thread prepares bytes: formats text, converts numbers,
/// or copies to and from buffers of requests and messages.
class PrepareTimer {
 public:
  /// Local. Starts timing. `meter` may be null; then nothing is counted. Precondition: `meter` outlives this object.
  explicit PrepareTimer(Meter* meter) : meter_(meter) {}
  PrepareTimer(const PrepareTimer&) = delete;
  PrepareTimer& operator=(const PrepareTimer&) = delete;
  ~PrepareTimer();

 private:
  Meter* meter_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Local. Wraps `inner` so that `meter` counts all calls that succeed. Returns null if `inner` is null. Counts one
/// opening of 0 s; `open_metered` also times the opening. Precondition: `meter` outlives the store.
[[nodiscard]] std::unique_ptr<Store> metered(std::unique_ptr<Store> inner, Meter& meter);

/// Local, or collective if `open` is. Returns the store that `open` returns, wrapped as by `metered`, and times its
/// opening.
[[nodiscard]] std::unique_ptr<Store> open_metered(const std::function<std::unique_ptr<Store>()>& open, Meter& meter);

/// Local. Returns an opener whose stores are all counted in `meter`. Precondition: `meter` outlives the stores.
[[nodiscard]] Opener metered(Opener inner, Meter& meter);

}  // namespace sill
