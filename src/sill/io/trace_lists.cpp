// Reading traces that a list of numbers names.
#include <algorithm>
#include <vector>

#include "sill/io/reader.hpp"
#include "sill/move/item_runs.hpp"

namespace sill {
namespace {

// Headers so near each other are read by one request, with what lies between: a request costs more than that.
constexpr std::int64_t most_bridged_bytes = 16 << 10;

}  // namespace

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
  std::vector<std::byte> bridged;
  for (std::size_t begin = 0; begin < traces.size();) {
    std::size_t end = begin + 1;
    while (end < traces.size() && traces[end] == traces[end - 1] + 1) ++end;
    const ItemRange run{traces[begin], static_cast<std::int64_t>(end - begin)};
    const auto file = static_cast<std::size_t>(file_of(run.first));
    const ItemRange in_file{run.first - inputs_[file].first_item, run.count};
    const auto byte_of = [&](std::int64_t i) { return tables_[file].bytes_of({in_file.first + i, 1}).offset; };
    if (in_file.end() <= tables_[file].traces() &&
        byte_of(run.count - 1) - byte_of(0) + segy::trace_header_bytes <= most_bridged_bytes) {
      bridged.resize(static_cast<std::size_t>(byte_of(run.count - 1) - byte_of(0) + segy::trace_header_bytes));
      read_at(*stores_[file], byte_of(0), bridged);
      for (std::int64_t i = 0; i < run.count; ++i)
        std::copy_n(bridged.begin() + (byte_of(i) - byte_of(0)), segy::trace_header_bytes,
                    into.begin() + (static_cast<std::int64_t>(begin) + i) * segy::trace_header_bytes);
      if (resources_.progress != nullptr) resources_.progress->done_bytes += run.count * segy::trace_header_bytes;
      begin = end;
      continue;
    }
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
