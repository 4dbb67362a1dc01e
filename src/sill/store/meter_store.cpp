#include "sill/store/meter_store.hpp"

#include <chrono>
#include <cmath>
#include <utility>

#include "sill/store/forwarding_store.hpp"

namespace sill {
namespace {

// Counters need no ordering relative to each other.
void add_to(std::atomic<std::int64_t>& counter, std::int64_t amount) {
  counter.fetch_add(amount, std::memory_order_relaxed);
}

using Clock = TimeLine::Clock;

// Adds the time from `begin` to now.
void add_time(Meter& meter, std::atomic<std::int64_t>& counter, IoActivity activity, Clock::time_point begin) {
  const Clock::time_point end = Clock::now();
  add_to(counter, std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count());
  meter.time_line.add(activity, begin, end);
}

void add_time(Meter& meter, std::atomic<std::int64_t>& counter, IoActivity activity, double seconds) {
  const auto ns = std::chrono::nanoseconds(std::llround(seconds * 1e9));
  if (ns.count() == 0) return;
  add_to(counter, ns.count());
  const Clock::time_point end = Clock::now();
  meter.time_line.add(activity, end - ns, end);
}

void count_in(Meter& meter, Operation operation, std::int64_t requests, std::int64_t bytes_each) {
  const bool reads = operation == Operation::read;
  add_to(reads ? meter.read_requests : meter.write_requests, requests);
  add_to(reads ? meter.read_bytes : meter.written_bytes, requests * bytes_each);
  (reads ? meter.read_sizes : meter.write_sizes).add(requests, bytes_each);
}

void add_time(Meter& meter, Operation operation, Clock::time_point begin) {
  const bool reads = operation == Operation::read;
  add_time(meter, reads ? meter.read_ns : meter.write_ns, reads ? IoActivity::read : IoActivity::write, begin);
}

class MeterStore final : public ForwardingStore {
 public:
  MeterStore(std::unique_ptr<Store> inner, Meter& meter) : ForwardingStore(std::move(inner)), meter_(meter) {}
  MeterStore(const MeterStore&) = delete;
  MeterStore& operator=(const MeterStore&) = delete;
  ~MeterStore() override {
    const Clock::time_point begin = Clock::now();
    destroy_inner();
    if (!is_closed_) add_time(meter_, meter_.close_ns, IoActivity::other, begin);
  }

  // Reads and writes are timed separately.
  void submit(std::span<const Request> requests) override {
    while (!requests.empty()) {
      std::size_t alike = 1;
      while (alike < requests.size() && requests[alike].operation == requests[0].operation) ++alike;
      const Clock::time_point begin = Clock::now();
      inner().submit(requests.first(alike));
      add_time(meter_, requests[0].operation, begin);
      for (const Request& request : requests.first(alike)) {
        count_in(meter_, request.operation, 1, length_of(request));
      }
      requests = requests.subspan(alike);
    }
  }

  void submit_strided(const StridedRead& read) override {
    const Clock::time_point begin = Clock::now();
    inner().submit_strided(read);
    add_time(meter_, Operation::read, begin);
    count_in(meter_, Operation::read, 1, read.count * read.length_bytes);
  }

  // Counts a linked read as one request of the requested bytes, however the store reads them, as for strided reads.
  void submit_linked(std::span<LinkedRead> reads) override {
    const Clock::time_point begin = Clock::now();
    inner().submit_linked(reads);
    add_time(meter_, Operation::read, begin);
    for (const LinkedRead& read : reads) count_in(meter_, Operation::read, 1, read.items * read.length_bytes);
  }

  void submit_extents(Operation operation, std::span<const Extent> extents) override {
    if (!inner().takes_extents()) return Store::submit_extents(operation, extents);
    const Clock::time_point begin = Clock::now();
    inner().submit_extents(operation, extents);
    count(operation, extents, begin);
  }

  void submit_collective(Operation operation, std::span<const Extent> extents) override {
    const Clock::time_point begin = Clock::now();
    inner().submit_collective(operation, extents);
    count(operation, extents, begin);
  }

  void sync() override {
    const Clock::time_point begin = Clock::now();
    inner().sync();
    meter_.count_sync(0);
    add_time(meter_, meter_.sync_ns, IoActivity::other, begin);
  }

  void close() override {
    const Clock::time_point begin = Clock::now();
    inner().close();
    add_time(meter_, meter_.close_ns, IoActivity::other, begin);
    is_closed_ = true;
  }

 private:
  // Counts the time also for a rank without bytes: it waits in a collective call for the others.
  void count(Operation operation, std::span<const Extent> extents, Clock::time_point begin) {
    add_time(meter_, operation, begin);
    std::int64_t bytes = 0;
    for (const Extent& extent : extents) bytes += extent.total_bytes();
    if (bytes > 0) count_in(meter_, operation, 1, bytes);
  }

  Meter& meter_;
  bool is_closed_ = false;
};

}  // namespace

void Meter::count_open(double seconds) {
  add_to(opens, 1);
  add_time(*this, open_ns, IoActivity::other, seconds);
}

void Meter::count_reads(std::int64_t requests, std::int64_t bytes_each, double seconds) {
  count_in(*this, Operation::read, requests, bytes_each);
  add_time(*this, read_ns, IoActivity::read, seconds);
}

void Meter::count_writes(std::int64_t requests, std::int64_t bytes_each, double seconds) {
  count_in(*this, Operation::write, requests, bytes_each);
  add_time(*this, write_ns, IoActivity::write, seconds);
}

void Meter::count_sync(double seconds) {
  add_to(syncs, 1);
  add_time(*this, sync_ns, IoActivity::other, seconds);
}

void Meter::count_close(double seconds) { add_time(*this, close_ns, IoActivity::other, seconds); }

void Meter::count_preparing(double seconds) { add_time(*this, prepare_ns, IoActivity::prepare, seconds); }

void Meter::count_output(std::int64_t phases_completed, double seconds) {
  add_to(phases, phases_completed);
  add_time(*this, calls_ns, IoActivity::output_call, seconds);
}

OutputCall::~OutputCall() {
  if (meter_ == nullptr) return;
  add_to(meter_->phases, phases_);
  add_time(*meter_, meter_->calls_ns, IoActivity::output_call, begin_);
}

PrepareTimer::~PrepareTimer() {
  if (meter_ != nullptr) add_time(*meter_, meter_->prepare_ns, IoActivity::prepare, begin_);
}

std::unique_ptr<Store> metered(std::unique_ptr<Store> inner, Meter& meter) {
  if (!inner) return nullptr;
  meter.count_open(0);
  return std::make_unique<MeterStore>(std::move(inner), meter);
}

std::unique_ptr<Store> open_metered(const std::function<std::unique_ptr<Store>()>& open, Meter& meter) {
  const Clock::time_point begin = Clock::now();
  std::unique_ptr<Store> store = open();
  if (store) add_time(meter, meter.open_ns, IoActivity::other, begin);
  return metered(std::move(store), meter);
}

Opener metered(Opener inner, Meter& meter) {
  return [inner = std::move(inner), &meter](const std::string& path, OpenMode mode) {
    return open_metered([&] { return inner(path, mode); }, meter);
  };
}

}  // namespace sill
