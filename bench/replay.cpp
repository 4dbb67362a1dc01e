#include "replay.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/base/exponent_text.hpp"
#include "sill/store/forwarding_store.hpp"

namespace sill::bench {
namespace {

class RecordingStore final : public ForwardingStore {
 public:
  RecordingStore(std::unique_ptr<Store> inner, Trace& trace, int file)
      : ForwardingStore(std::move(inner)), trace_(trace), file_(file) {}
  RecordingStore(const RecordingStore&) = delete;
  RecordingStore& operator=(const RecordingStore&) = delete;

  void submit(std::span<const Request> requests) override {
    inner().submit(requests);
    const std::lock_guard lock(trace_.mutex);
    for (const Request& request : requests) {
      Trace::Call call{Trace::Call::Kind::write, file_, request.offset_bytes, {}};
      for (const iovec& piece : request.memory) call.pieces.push_back(static_cast<std::int64_t>(piece.iov_len));
      trace_.calls.push_back(std::move(call));
    }
  }
  void close() override {
    inner().close();
    const std::lock_guard lock(trace_.mutex);
    trace_.calls.push_back({Trace::Call::Kind::close, file_, 0, {}});
  }

 private:
  Trace& trace_;
  int file_;
};

// Arrays become one of records with a word of each.
class Interleaving {
 public:
  explicit Interleaving(const Copies& copies)
      : copies_(copies), records_(copies.records > 0 ? copies.records : copies.bytes / record_bytes() + 1) {}

  [[nodiscard]] std::int64_t memory_bytes() const { return copies_.arrays * records_ * copies_.apart_bytes; }

  // The next `bytes`. What makes no whole record is left out.
  void make(std::byte* to, const std::byte* from, std::int64_t bytes) {
    copies_.word_bytes == 4 ? make_words<std::uint32_t>(to, from, bytes) : make_words<std::uint64_t>(to, from, bytes);
  }

 private:
  struct Place {
    std::int64_t record = 0;
    std::int64_t variable = 0;
  };

  // At least 1, because it is a divisor.
  [[nodiscard]] std::int64_t record_bytes() const {
    return copies_.arrays * std::max<std::int64_t>(copies_.word_bytes, 1);
  }

  template <class Word>
  void make_words(std::byte* to, const std::byte* from, std::int64_t bytes) {
    constexpr std::int64_t bytes_each = sizeof(Word);
    const std::int64_t records = bytes / (copies_.arrays * bytes_each);
    Place next;
    for (std::int64_t array = 0; array < copies_.arrays; ++array) {
      next = next_;
      const std::byte* const words = from + array * records_ * copies_.apart_bytes;
      for (std::int64_t done = 0; done < records;) {
        const std::int64_t count = std::min(records - done, records_ - next.record);
        const std::byte* const first = words + next.record * copies_.apart_bytes + next.variable * bytes_each;
        for (std::int64_t i = 0; i < count; ++i) {
          Word word;
          std::memcpy(&word, first + i * copies_.apart_bytes, sizeof word);
          if (copies_.swaps) word = swap_bytes(word);
          std::memcpy(to + ((done + i) * copies_.arrays + array) * bytes_each, &word, sizeof word);
        }
        done += count;
        next.record += count;
        if (next.record == records_) next = {0, (next.variable + 1) % copies_.variables};
      }
    }
    next_ = next;
  }

  const Copies& copies_;
  std::int64_t records_;
  Place next_;
};

// Values as text, each with six digits and a blank behind it.
class Printing {
 public:
  explicit Printing(std::int64_t value_bytes) : value_bytes_(value_bytes) {
    std::mt19937_64 generator(1);
    for (double& number : numbers_) number = std::ldexp(static_cast<double>(generator() >> 11U) - 0x1p52, -92);
  }

  void make(std::byte* to, std::int64_t bytes) {
    const ExponentForm form{static_cast<int>(value_bytes_) - 1, 5};
    for (std::int64_t at = 0; at + value_bytes_ <= bytes; at += value_bytes_) {
      char* const text = reinterpret_cast<char*>(to + at);
      (void)write_exponent_text(numbers_[next_++ % numbers_.size()], form,
                                {text, static_cast<std::size_t>(value_bytes_)});
      text[value_bytes_ - 1] = ' ';
    }
  }

 private:
  std::int64_t value_bytes_;
  std::array<double, 1 << 15> numbers_{};
  std::size_t next_ = 0;
};

void require(bool good, const char* call, const std::string& path) {
  if (!good) throw system_error(errno, call, {.file = path});
}

}  // namespace

Opener recorded(Opener inner, Trace& trace) {
  return [inner = std::move(inner), &trace](const std::string& path, OpenMode mode) -> std::unique_ptr<Store> {
    std::unique_ptr<Store> store = inner(path, mode);
    const std::lock_guard lock(trace.mutex);
    const auto found = std::find(trace.paths.rbegin(), trace.paths.rend(), path);
    const int file = found != trace.paths.rend() ? static_cast<int>(trace.paths.rend() - found) - 1
                                                 : static_cast<int>(trace.paths.size());
    if (found == trace.paths.rend()) trace.paths.push_back(path);
    trace.calls.push_back({Trace::Call::Kind::open, file, 0, {}});
    return std::make_unique<RecordingStore>(std::move(store), trace, file);
  };
}

void replay(const Trace& trace, const Copies& copies) {
  auto longest = static_cast<std::size_t>(std::min(copies.piece_bytes, std::max<std::int64_t>(copies.bytes, 1)));
  std::size_t written = 0;
  for (const Trace::Call& call : trace.calls) {
    for (const std::int64_t piece : call.pieces) {
      longest = std::max(longest, static_cast<std::size_t>(piece));
      written += static_cast<std::size_t>(piece);
    }
  }
  // What is not copied is written from where it lies: all of it, one after another.
  const bool in_place = copies.bytes == 0;
  // Kept from one repetition to the next, as the mover's buffers and a program's arrays are warm.
  static std::vector<std::byte> from;
  static std::vector<std::byte> to;
  Interleaving interleaving(copies);
  static Printing printing(copies.value_bytes);
  const bool interleaves = copies.word_bytes > 0;
  from.resize(std::max({from.size(), longest, static_cast<std::size_t>(copies.bytes), in_place ? written : 0,
                        interleaves ? static_cast<std::size_t>(interleaving.memory_bytes()) : 0}));
  const std::int64_t batch_bytes = copies.batches > 0 ? copies.bytes / copies.batches : 0;
  // Room for a request that reaches into the next batch.
  to.resize(std::max(to.size(), longest + static_cast<std::size_t>(batch_bytes)));
  std::int64_t copied = 0;
  const auto copy = [&](std::int64_t bytes) {
    bytes = std::min(bytes, copies.bytes - copied);
    for (std::int64_t done = 0; done < bytes;) {
      const std::int64_t length = std::min(copies.piece_bytes, bytes - done);
      std::byte* const place = to.data() + (batch_bytes > 0 ? copied % batch_bytes : 0);
      if (interleaves) {
        interleaving.make(place, from.data(), length);
      } else if (copies.value_bytes > 0) {
        printing.make(place, length);
      } else {
        std::memcpy(place, from.data() + copied, static_cast<std::size_t>(length));
      }
      copied += length;
      done += length;
    }
  };
  std::int64_t taken = 0;  // of what is copied
  std::vector<int> descriptors(trace.paths.size(), -1);
  std::vector<iovec> pieces;
  std::byte* next = from.data();
  for (const Trace::Call& call : trace.calls) {
    const std::string& path = trace.paths[static_cast<std::size_t>(call.file)];
    int& descriptor = descriptors[static_cast<std::size_t>(call.file)];
    switch (call.kind) {
      case Trace::Call::Kind::open:
        descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        require(descriptor >= 0, "open", path);
        break;
      case Trace::Call::Kind::write: {
        pieces.clear();
        ssize_t total = 0;
        for (const std::int64_t length : call.pieces) {
          std::byte* const place = to.data() + (batch_bytes > 0 ? (taken + total) % batch_bytes : 0);
          pieces.push_back({in_place ? next : place, static_cast<std::size_t>(length)});
          if (in_place) next += length;
          total += length;
        }
        if (batch_bytes == 0) {
          copy(total);
        } else if (taken + total > copied) {
          copy(batch_bytes);
        }
        taken += total;
        const ssize_t done =
            pieces.size() == 1
                ? ::pwrite(descriptor, pieces[0].iov_base, static_cast<std::size_t>(total), call.offset_bytes)
                : ::pwritev(descriptor, pieces.data(), static_cast<int>(pieces.size()), call.offset_bytes);
        require(done == total, "write", path);
        break;
      }
      case Trace::Call::Kind::close: require(::close(descriptor) == 0, "close", path); break;
    }
  }
  copy(copies.bytes - copied);
}

}  // namespace sill::bench
