// Reading traces that a list of numbers names.
#include <algorithm>
#include <vector>

#include "sill/io/reader.hpp"
#include "sill/move/item_runs.hpp"

namespace sill {

std::int64_t Reader::bytes_of(std::span<const std::int64_t> traces) const {
  if (is_uniform_) return std::ssize(traces) * trace_bytes();
  std::int64_t bytes = 0;
  for (const std::int64_t trace : traces) bytes += bytes_of({trace, 1});
  return bytes;
}

void Reader::read_own(std::span<const std::int64_t> traces, std::span<std::byte> into) const {
  std::vector<std::int64_t> starts;
  if (!is_uniform_) {
    starts.push_back(0);
    for (const std::int64_t trace : traces) starts.push_back(starts.back() + bytes_of({trace, 1}));
  }
  ChunkReader(inputs_).read(traces, into.data(), starts);
}

void Reader::read_own_headers(std::span<const std::int64_t> traces, std::span<std::byte> into) const {
  for (std::size_t begin = 0; begin < traces.size();) {
    std::size_t end = begin + 1;
    while (end < traces.size() && traces[end] == traces[end - 1] + 1) ++end;
    const ItemRange run{traces[begin], static_cast<std::int64_t>(end - begin)};
    scan_headers(run, {0, segy::trace_header_bytes}, 1, [&](const HeaderBlock& block, int /*thread*/) {
      const std::int64_t at =
          (static_cast<std::int64_t>(begin) + block.first_trace - run.first) * segy::trace_header_bytes;
      std::copy_n(block.headers, block.count * segy::trace_header_bytes,
                  into.subspan(static_cast<std::size_t>(at)).begin());
    });
    begin = end;
  }
}

void Reader::read_own_samples(std::span<const std::int64_t> traces, std::span<float> into) const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(bytes_of(traces)));
  read_own(traces, bytes);
  std::span<const std::byte> rest = bytes;
  for (const std::int64_t trace : traces) {
    const auto samples = static_cast<std::size_t>(shape_of(trace).samples);
    decode_samples({trace, 1}, rest, into.first(samples));
    rest = rest.subspan(static_cast<std::size_t>(bytes_of({trace, 1})));
    into = into.subspan(samples);
  }
}

}  // namespace sill
