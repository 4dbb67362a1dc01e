#include "sill/store/burst/latest_bytes.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <span>

#include "sill/base/threads.hpp"

namespace sill {

LatestBytes::Piece LatestBytes::Piece::part(std::int64_t begin, std::int64_t end_byte) const {
  return {log, log_byte + begin - offset_bytes, begin, std::min(end(), end_byte) - begin};
}

void LatestBytes::add(Store& log, const LoggedRun& run) {
  if (run.length == 0) return;
  const Piece latest{&log, run.log_byte, run.offset_bytes, run.length};
  Pieces& pieces = files_[run.file];
  const auto put = [&pieces](const Piece& piece) { pieces.insert_or_assign(piece.offset_bytes, piece); };
  auto next = pieces.lower_bound(latest.offset_bytes);
  if (next != pieces.begin()) {
    Piece& before = std::prev(next)->second;
    if (before.end() > latest.end()) put(before.part(latest.end(), before.end()));
    before.length = std::min(before.length, latest.offset_bytes - before.offset_bytes);
  }
  while (next != pieces.end() && next->first < latest.end()) {
    if (next->second.end() > latest.end()) put(next->second.part(latest.end(), next->second.end()));
    next = pieces.erase(next);
  }
  put(latest);
}

std::vector<LatestBytes::Stretch> LatestBytes::stretches(std::int64_t request_bytes) const {
  std::vector<Stretch> stretches;
  for (const auto& [file, pieces] : files_) {
    std::int64_t reach = -1;
    for (const auto& [offset, whole] : pieces) {
      for (std::int64_t at = offset; at < whole.end();) {
        const Piece piece = whole.part(at, at - at % request_bytes + request_bytes);
        if (at != reach || at % request_bytes == 0) stretches.push_back({file, {}});
        stretches.back().pieces.push_back(piece);
        at = reach = piece.end();
      }
    }
  }
  return stretches;
}

std::int64_t LatestBytes::write(HandleCache& files, int threads, std::int64_t request_bytes,
                                const std::function<void()>& written) const {
  const std::vector<Stretch> all = stretches(request_bytes);
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(threads));
  std::atomic<std::int64_t> bytes{0};
  parallel_for(threads, std::ssize(all), [&](std::int64_t task, int thread) {
    const Stretch& stretch = all[static_cast<std::size_t>(task)];
    std::vector<std::byte>& buffer = buffers[static_cast<std::size_t>(thread)];
    const std::int64_t first = stretch.pieces.front().offset_bytes;
    buffer.resize(static_cast<std::size_t>(stretch.pieces.back().end() - first));
    for (const Piece& piece : stretch.pieces) {
      read_at(*piece.log, piece.log_byte,
              std::span(buffer).subspan(static_cast<std::size_t>(piece.offset_bytes - first),
                                        static_cast<std::size_t>(piece.length)));
    }
    write_at(*files.get(stretch.file), first, buffer);
    files.set_written(stretch.file);
    bytes += std::ssize(buffer);
    written();
  });
  return bytes;
}

}  // namespace sill
