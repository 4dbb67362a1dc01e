#include "sill/store/meter_store.hpp"

#include <chrono>
#include <cmath>
#include <utility>

#include "sill/store/forwarding_store.hpp"

namespace sill {
namespace {

// Counters need no order among each other.
void add_to(std::atomic<std::int64_t>& counter, std::int64_t amount) {
  counter.fetch_add(amount, std::memory_order_relaxed);
}

std::int64_t ns_of(double seconds) { return std::llround(seconds * 1e9); }

// The time from its making on.
class Timed {
 public:
  [[nodiscard]] std::int64_t ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void count_in(Meter& meter, Operation operation, std::int64_t requests, std::int64_t bytes_each) {
  const bool reads = operation == Operation::read;
  add_to(reads ? meter.read_requests : meter.write_requests, requests);
  add_to(reads ? meter.read_bytes : meter.written_bytes, requests * bytes_each);
  (reads ? meter.read_sizes : meter.write_sizes).add(requests, bytes_each);
}

std::atomic<std::int64_t>& time_of(Meter& meter, Operation operation) {
  return operation == Operation::read ? meter.read_ns : meter.write_ns;
}

class MeterStore final : public ForwardingStore {
 public:
  MeterStore(std::unique_ptr<Store> inner, Meter& meter) : ForwardingStore(std::move(inner)), meter_(meter) {}
  MeterStore(const MeterStore&) = delete;
  MeterStore& operator=(const MeterStore&) = delete;
  ~MeterStore() override {
    const Timed timed;
    destroy_inner();
    if (!is_closed_) add_to(meter_.close_ns, timed.ns());
  }

  // Reads and writes are timed apart.
  void submit(std::span<const Request> requests) override {
    while (!requests.empty()) {
      std::size_t alike = 1;
      while (alike < requests.size() && requests[alike].operation == requests[0].operation) ++alike;
      const Timed timed;
      inner().submit(requests.first(alike));
      add_to(time_of(meter_, requests[0].operation), timed.ns());
      for (const Request& request : requests.first(alike)) {
        count_in(meter_, request.operation, 1, length_of(request));
      }
      requests = requests.subspan(alike);
    }
  }

  void submit_strided(const StridedRead& read) override {
    const Timed timed;
    inner().submit_strided(read);
    add_to(meter_.read_ns, timed.ns());
    count_in(meter_, Operation::read, 1, read.count * read.length_bytes);
  }

  // As strided reads: one request of the bytes that were wanted, however the store comes by them.
  void submit_linked(std::span<LinkedRead> reads) override {
    const Timed timed;
    inner().submit_linked(reads);
    add_to(meter_.read_ns, timed.ns());
    for (const LinkedRead& read : reads) count_in(meter_, Operation::read, 1, read.items * read.length_bytes);
  }

  void submit_extents(Operation operation, std::span<const Extent> extents) override {
    if (!inner().takes_extents()) return Store::submit_extents(operation, extents);
    const Timed timed;
    inner().submit_extents(operation, extents);
    count(operation, extents, timed);
  }

  void submit_collective(Operation operation, std::span<const Extent> extents) override {
    const Timed timed;
    inner().submit_collective(operation, extents);
    count(operation, extents, timed);
  }

  void sync() override {
    const Timed timed;
    inner().sync();
    meter_.count_sync(0);
    add_to(meter_.sync_ns, timed.ns());
  }

  void close() override {
    const Timed timed;
    inner().close();
    add_to(meter_.close_ns, timed.ns());
    is_closed_ = true;
  }

 private:
  // A rank without bytes of its own waits in a collective call for the others, which is time as well.
  void count(Operation operation, std::span<const Extent> extents, const Timed& timed) {
    add_to(time_of(meter_, operation), timed.ns());
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
  add_to(open_ns, ns_of(seconds));
}

void Meter::count_reads(std::int64_t requests, std::int64_t bytes_each, double seconds) {
  count_in(*this, Operation::read, requests, bytes_each);
  add_to(read_ns, ns_of(seconds));
}

void Meter::count_writes(std::int64_t requests, std::int64_t bytes_each, double seconds) {
  count_in(*this, Operation::write, requests, bytes_each);
  add_to(write_ns, ns_of(seconds));
}

void Meter::count_sync(double seconds) {
  add_to(syncs, 1);
  add_to(sync_ns, ns_of(seconds));
}

void Meter::count_close(double seconds) { add_to(close_ns, ns_of(seconds)); }

void Meter::count_preparing(double seconds) { add_to(prepare_ns, ns_of(seconds)); }

void Meter::count_output(std::int64_t phases_completed, double seconds) {
  add_to(phases, phases_completed);
  add_to(calls_ns, ns_of(seconds));
}

OutputCall::~OutputCall() {
  if (meter_ == nullptr) return;
  meter_->count_output(phases_, seconds_since(begin_));
}

PrepareTimer::~PrepareTimer() {
  if (meter_ != nullptr) meter_->count_preparing(seconds_since(begin_));
}

std::unique_ptr<Store> metered(std::unique_ptr<Store> inner, Meter& meter) {
  if (!inner) return nullptr;
  meter.count_open(0);
  return std::make_unique<MeterStore>(std::move(inner), meter);
}

std::unique_ptr<Store> open_metered(const std::function<std::unique_ptr<Store>()>& open, Meter& meter) {
  const Timed timed;
  std::unique_ptr<Store> store = open();
  if (store) add_to(meter.open_ns, timed.ns());
  return metered(std::move(store), meter);
}

Opener metered(Opener inner, Meter& meter) {
  return [inner = std::move(inner), &meter](const std::string& path, OpenMode mode) {
    return open_metered([&] { return inner(path, mode); }, meter);
  };
}

}  // namespace sill
