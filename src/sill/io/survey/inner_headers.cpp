#include "sill/io/survey/inner_headers.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/words/binary_header.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

constexpr std::int64_t max_parts = 1 << 16;
constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t looked_bytes = 4;
constexpr std::int64_t traces_at_once = 1 << 15;

// Returns true if the bytes may begin a text header, which traces hardly do: "C" in EBCDIC or ASCII, and printable
// characters.
bool may_begin_text(const std::byte* at) {
  const bool is_ebcdic = at[0] == std::byte{0xC3};
  const bool is_ascii = at[0] == std::byte{0x43};
  if (!is_ebcdic && !is_ascii) return false;
  return std::all_of(at + 1, at + looked_bytes, [&](std::byte b) {
    const auto code = std::to_integer<int>(b);
    return is_ascii ? code >= 0x20 && code < 0x7F : code == 0x40 || code >= 0x4B;
  });
}

struct Found {
  std::int64_t byte = none;
  std::int64_t bytes = 0;
  std::int64_t alike = 1;
};

// Called on rank 0 only. Returns the header that begins at a byte, if there is one.
Found header_at(Store& store, const segy::FileDescription& file, std::int64_t byte) {
  if (byte + segy::file_header_bytes > file.file_bytes) return {};
  std::array<std::byte, segy::file_header_bytes> head{};
  read_at(store, byte, head);
  if (!segy::is_text_block(std::span(head).first<segy::text_header_bytes>())) return {};
  const auto block = std::span<const std::byte>(head).subspan(segy::text_header_bytes).first<400>();
  const segy::BinaryHeader other = segy::read_binary_header(block, file.byte_order);
  const auto format = segy::sample_format_from_code(other.format_code, other.revision_major);
  std::int64_t bytes = segy::file_header_bytes;
  for (int i = 0; i < other.extended_text_headers; ++i) {
    std::array<std::byte, segy::text_header_bytes> text{};
    if (byte + bytes + segy::text_block_bytes > file.file_bytes) break;
    read_at(store, byte + bytes, text);
    if (!segy::is_text_block(text)) break;
    bytes += segy::text_block_bytes;
  }
  const bool alike = format == file.sample_format && other.samples == file.samples &&
                     (other.interval_us == 0 || static_cast<double>(other.interval_us) == file.interval_us);
  return {byte, bytes, alike ? 1 : 0};
}

// Collective. Returns the first header among the traces that begin at `first`.
Found next_header(const Resources& resources, Store& store, const segy::FileDescription& file, std::int64_t first) {
  Communicator& comm = resources.comm;
  const std::int64_t traces = std::max<std::int64_t>(0, (file.file_bytes - first) / file.trace_bytes);
  const ItemRange mine = block_of(traces, comm.size(), comm.rank());
  std::vector<std::int64_t> places;  // possible headers
  run_and_agree(comm, [&] {
    std::vector<std::byte> begins(static_cast<std::size_t>(std::min(traces_at_once, mine.count) * looked_bytes));
    for (std::int64_t done = 0; done < mine.count; done += traces_at_once) {
      const std::int64_t count = std::min(traces_at_once, mine.count - done);
      const std::int64_t begin = first + (mine.first + done) * file.trace_bytes;
      store.submit_strided({begin, looked_bytes, file.trace_bytes, count, begins.data()});
      for (std::int64_t i = 0; i < count; ++i)
        if (may_begin_text(begins.data() + i * looked_bytes)) places.push_back(begin + i * file.trace_bytes);
    }
  });
  const std::vector<std::int64_t> of_all = all_gather_all(comm, std::span<const std::int64_t>(places));
  return value_from_rank(comm, 0, [&] {
    Found found;
    for (std::size_t i = 0; i < of_all.size() && found.byte == none; ++i) found = header_at(store, file, of_all[i]);
    return found;
  });
}

// Returns true if the number of the last trace is consistent with consecutive numbers starting at the first trace.
bool are_numbered(Store& store, const segy::FileDescription& file) {
  std::array<std::byte, segy::trace_header_bytes> first{};
  std::array<std::byte, segy::trace_header_bytes> last{};
  read_at(store, file.first_trace_byte, first);
  read_at(store, file.first_trace_byte + (file.traces - 1) * file.trace_bytes, last);
  const auto is_numbered = [&](int at) {
    return std::int64_t{load<std::int32_t>(last.data() + at, file.byte_order)} -
               load<std::int32_t>(first.data() + at, file.byte_order) ==
           file.traces - 1;
  };
  return is_numbered(0) || is_numbered(4);
}

// Returns true if the bytes after complete traces have the length of headers of further files.
bool leaves_headers(const segy::FileDescription& file) {
  const std::int64_t rest = (file.traces_end_byte() + file.padding_bytes - file.first_trace_byte) % file.trace_bytes;
  if (rest == 0) return false;
  // After the first file, each joined file adds its header and possibly its extended text headers.
  constexpr std::int64_t likely_parts = 64;
  for (std::int64_t parts = 1; parts <= likely_parts; ++parts)
    for (const std::int64_t bytes : {segy::file_header_bytes, file.first_trace_byte - file.label_bytes})
      if (parts * bytes % file.trace_bytes == rest) return true;
  return false;
}

}  // namespace

InnerHeaders find_inner_headers(const Resources& resources, Store& store, const segy::FileDescription& file) {
  InnerHeaders found;
  if (file.kind != segy::FileKind::segy || file.lengths_vary || file.traces < 2) return found;
  if (segy::file_header_bytes % file.trace_bytes == 0 && file.remainder_bytes == 0) {
    if (value_from_rank(resources.comm, 0, [&] { return are_numbered(store, file); })) return found;
  } else if (!leaves_headers(file)) {
    return found;
  }
  std::int64_t first = file.first_trace_byte;
  while (std::ssize(found.bytes) < max_parts) {
    const Found next = next_header(resources, store, file, first);
    if (next.byte == none) break;
    found.bytes.push_back({next.byte, next.bytes});
    found.alike = found.alike && next.alike != 0;
    first = next.byte + next.bytes;
  }
  return found;
}

}  // namespace sill
