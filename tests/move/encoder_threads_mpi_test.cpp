// Encoders that several threads may ask: the same bytes and the same error for any number of threads and any policy.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "sill/move/mover.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::world;

std::byte byte_at(std::int64_t at) { return static_cast<std::byte>(at * 7 + at / 251); }

class PlaceEncoder : public Encoder {
 public:
  PlaceEncoder(std::int64_t first, bool is_for_threads, std::int64_t fails_from, bool awaits_another)
      : first_(first), is_for_threads_(is_for_threads), fails_from_(fails_from), awaits_another_(awaits_another) {}
  void fill(ByteRange range, std::span<std::byte> bytes) const override {
    {
      std::unique_lock lock(mutex_);
      threads_.insert(std::this_thread::get_id());
      came_.notify_all();
      // On a busy machine one thread may else be done before another has begun.
      if (awaits_another_) came_.wait_for(lock, std::chrono::milliseconds(100), [&] { return threads_.size() > 1; });
    }
    for (std::int64_t i = 0; i < range.length; ++i) {
      const std::int64_t at = first_ + range.offset + i;
      if (at >= fails_from_) {
        // Later pieces fail at once, the first one late: it is the one that counts all the same.
        if (at == fails_from_) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        throw Error({.code = ErrorCode::usage, .problem = "byte " + std::to_string(at)});
      }
      bytes[static_cast<std::size_t>(i)] = byte_at(at);
    }
  }
  [[nodiscard]] bool is_for_threads() const override { return is_for_threads_; }
  [[nodiscard]] std::size_t threads() const { return threads_.size(); }

 private:
  std::int64_t first_;
  bool is_for_threads_;
  std::int64_t fails_from_;
  bool awaits_another_;
  mutable std::mutex mutex_;
  mutable std::condition_variable came_;
  mutable std::set<std::thread::id> threads_;
};

TEST(EncoderThreadsMpi, BytesAndErrorsAreTheSameForAnyNumberOfThreads) {
  Communicator& comm = world();
  const test::SharedFolder folder(comm, test::in_memory());
  constexpr std::int64_t each = 700'001;
  constexpr std::int64_t never = std::int64_t{1} << 60;
  int number = 0;
  for (const char* policy : {"direct", "gathered,stage=400K", "elected", "writers=3,stage=300000,align=4K", "staged"}) {
    for (const int threads : {1, 2, 5}) {
      for (const bool is_for_threads : {false, true}) {
        for (const std::int64_t fails_from : {never, each - 300'000}) {
          SCOPED_TRACE(std::string(policy) + ", threads " + std::to_string(threads));
          const std::string path = folder / std::to_string(number++);
          // Of the stages of "staged" each holds too little for threads to be worth their start.
          const bool is_by_threads =
              is_for_threads && threads > 1 && fails_from == never && std::string(policy) != "staged";
          PlaceEncoder encoder(comm.rank() * each, is_for_threads, fails_from, is_by_threads);
          const auto error = test::thrown([&] {
            Mover mover(comm, {.paths = {path}, .mode = OpenMode::write_or_create, .open = open_posix},
                        Policy::parse(policy), {16 << 20, threads});
            mover.write(AccessPlan::for_writing(
                {{.offset_bytes = comm.rank() * each, .run_bytes = each, .encoder = &encoder}}));
            mover.close();
          });
          if (!is_for_threads || threads == 1) {
            EXPECT_EQ(encoder.threads(), 1U);
          } else if (is_by_threads) {
            EXPECT_GT(encoder.threads(), 1U);
          }
          comm.barrier();
          ASSERT_EQ(error.has_value(), fails_from != never);
          if (error) {
            // Of one that writes in several domains at once, it is the first of what a round asks for.
            const bool by_domains = std::string(policy).starts_with("writers=3");
            const std::string first = by_domains ? "byte " : "byte " + std::to_string(fails_from);
            EXPECT_TRUE(error->parts().problem.starts_with(first)) << error->what();
            continue;
          }
          if (comm.rank() != 0) continue;
          const test::Bytes found = test::bytes_of_file(path);
          ASSERT_EQ(std::ssize(found), comm.size() * each);
          std::int64_t wrong = 0;
          for (std::int64_t i = 0; i < std::ssize(found); ++i)
            wrong += found[static_cast<std::size_t>(i)] != byte_at(i);
          EXPECT_EQ(wrong, 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sill
