#include "sill/move/round_threads.hpp"

#include <algorithm>

#include "sill/base/threads.hpp"

namespace sill {
namespace {

// The number of bytes that a thread requests from an encoder at once, and the minimum number for which starting several
// threads is faster.
constexpr std::int64_t encoded_piece_bytes = 64 << 10;
constexpr std::int64_t min_encoded_bytes = 4 * encoded_piece_bytes;

}  // namespace

std::vector<std::span<const Segment>> runs_of_files(std::span<const Segment> requests, int threads) {
  // For fewer requests, starting a thread takes too long.
  constexpr std::size_t min_requests = 32;
  const std::size_t min =
      std::max(min_requests, requests.size() / static_cast<std::size_t>(std::max(1, 2 * threads)) + 1);
  std::vector<std::span<const Segment>> runs;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= requests.size(); ++i) {
    const bool is_end = i == requests.size();
    const bool is_long = threads > 1 && i - begin >= min && requests.size() - i >= min_requests;
    if (!is_end && (!is_long || requests[i].file == requests[i - 1].file)) continue;
    runs.push_back(requests.subspan(begin, i - begin));
    begin = i;
  }
  return runs;
}

void by_threads(int threads, std::span<const StagedPart> parts,
                const std::function<void(const Part& piece, std::size_t number)>& move) {
  std::int64_t bytes = 0;
  for (const StagedPart& part : parts) bytes += threads > 1 && part.extent->is_for_threads() ? part.packed.length : 0;
  struct Piece {
    Part part;
    std::size_t number;
  };
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (bytes < min_encoded_bytes || !parts[i].extent->is_for_threads()) {
      move(Part(parts[i]), i);
      continue;
    }
    const ByteRange packed = parts[i].packed;
    for (std::int64_t at = packed.offset; at < packed.end(); at += encoded_piece_bytes) {
      pieces.push_back({{parts[i].extent, {at, std::min(encoded_piece_bytes, packed.end() - at)}}, i});
    }
  }
  parallel_for(threads, static_cast<std::int64_t>(pieces.size()), [&](std::int64_t task, int /*thread*/) {
    const Piece& piece = pieces[static_cast<std::size_t>(task)];
    move(piece.part, piece.number);
  });
}

}  // namespace sill
