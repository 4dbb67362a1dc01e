#include "sill/io/writer.hpp"

#include <fmt/format.h>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"

namespace sill {

Writer::Writer(const Resources& resources, const std::string& target, const ItemList& traces, Space space)
    : resources_(resources),
      traces_(traces),
      file_(resources, target, space == Space::at_once ? traces.first_byte + traces.total_bytes() : 0) {}

void Writer::write_header(std::span<const std::byte> header) {
  const bool mine = resources_.comm.rank() == 0;
  on_rank(resources_.comm, 0, [&] {
    if (static_cast<std::int64_t>(header.size()) == traces_.first_byte) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("a file header of {} bytes was given, {} were announced", header.size(),
                                        traces_.first_byte)});
  });
  file_.write(mine ? std::vector<Extent>{contiguous(0, {0, traces_.first_byte}, header.data())}
                   : std::vector<Extent>{});
}

void Writer::write(ItemRange traces, std::span<const std::byte> bytes) {
  together(resources_.comm, [&] {
    const bool exist = traces.first >= 0 && traces.count >= 0 && traces.end() <= traces_.count;
    if (!exist || static_cast<std::int64_t>(bytes.size()) != traces.count * traces_.item_bytes) {
      throw Error(
          {.code = ErrorCode::usage,
           .problem = fmt::format("traces {} to {} were to be written from {} bytes; the file has {} traces of "
                                  "{} bytes",
                                  traces.first + 1, traces.end(), bytes.size(), traces_.count, traces_.item_bytes)});
    }
  });
  file_.write({contiguous(0, traces_.bytes_of(traces), bytes.data())});
}

}  // namespace sill
