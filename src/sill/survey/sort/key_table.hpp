// The keys of traces as fixed-size records that are ordered by comparing 64-bit words.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/key_sort.hpp"
#include "sill/formats/segy/words/key.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// Local. Returns the bytes of a trace header that all `keys` together read.
[[nodiscard]] ByteRange needed_bytes(std::span<const segy::TraceKey> keys);

/// Local. Returns the total length of the encodings of all keys.
[[nodiscard]] std::int64_t packed_bytes(std::span<const segy::TraceKey> keys);

/// Local. Returns true if keys of two surveys can be compared: words of one type, or expressions with encodings of the
/// same length.
[[nodiscard]] bool have_one_type(const segy::TraceKey& a, const segy::TraceKey& b);

/// Local. Throws `error` with the position of trace `trace` of the survey.
[[noreturn]] void rethrow_at(const Error& error, const SurveyReader& reader, std::int64_t trace);

/// Local. Runs `work(i)` for i from 0 to `count` - 1, for the traces starting at `first_trace`. Adds the position of
/// its trace to an Error that `work` throws.
template <class Work>
void for_each_trace(const SurveyReader& reader, std::int64_t first_trace, std::int64_t count, Work&& work) {
  std::int64_t i = 0;
  try {
    for (; i < count; ++i) work(i);
  } catch (const Error& error) {
    rethrow_at(error, reader, first_trace + i);
  }
}

/// Packs the keys of a trace into `Words` words, most significant first.
template <std::size_t Words>
class KeyPacker {
 public:
  /// Local. Creates a packer of `keys`. Precondition: packed_bytes(keys) <= 8 * Words.
  explicit KeyPacker(std::span<const segy::TraceKey> keys) : keys_(keys) {}

  /// Local. Returns the packed keys of a trace. Errors: input, without file and trace.
  [[nodiscard]] std::array<std::uint64_t, Words> pack(const segy::HeaderView& trace) const {
    std::array<std::byte, 8 * Words> bytes{};
    std::byte* to = bytes.data();
    for (const segy::TraceKey& key : keys_) {
      key.pack(trace, to);
      to += key.packed_bytes();
    }
    std::array<std::uint64_t, Words> words;
    for (std::size_t w = 0; w < Words; ++w) words[w] = load<std::uint64_t>(bytes.data() + 8 * w, ByteOrder::big);
    return words;
  }

 private:
  std::span<const segy::TraceKey> keys_;
};

/// Local. Returns the packed keys of `traces`, in trace order. Reads only the header bytes that the keys need, once.
/// Errors: io; input with the position of a trace that does not have a key.
template <std::size_t Words>
[[nodiscard]] std::vector<KeyRecord<Words>> read_keys(const SurveyReader& reader, ItemRange traces,
                                                      std::span<const segy::TraceKey> keys, int threads) {
  std::vector<KeyRecord<Words>> records(static_cast<std::size_t>(traces.count));
  const KeyPacker<Words> packer(keys);
  reader.scan_headers(traces, needed_bytes(keys), threads, [&](const HeaderBlock& block, int /*thread*/) {
    for_each_trace(reader, block.first_trace, block.count, [&](std::int64_t i) {
      const std::int64_t trace = block.first_trace + i;
      records[static_cast<std::size_t>(trace - traces.first)] = {packer.pack(block.view(i)), trace};
    });
  });
  return records;
}

/// Local. Calls `work.template operator()<Words>()` with the number of words that hold `bytes` bytes of keys.
/// Errors: usage above 64 bytes.
template <class Work>
auto with_key_words(std::int64_t bytes, Work&& work) {
  if (bytes <= 8) return work.template operator()<1>();
  if (bytes <= 16) return work.template operator()<2>();
  if (bytes <= 24) return work.template operator()<3>();
  if (bytes <= 32) return work.template operator()<4>();
  if (bytes <= 64) return work.template operator()<8>();
  throw Error({.code = ErrorCode::usage,
               .problem = "the keys take more than 64 bytes per trace",
               .action = "name fewer keys: at most eight of 8 bytes or sixteen of 4 bytes"});
}

}  // namespace sill
