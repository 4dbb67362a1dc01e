#include "sill/store/pieces_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sill/base/error.hpp"

namespace sill {
namespace {

constexpr std::size_t max_requests = 1024;

[[noreturn]] void refuse_change(const std::string& name) {
  throw Error({.code = ErrorCode::usage,
               .problem = "only pieces of this file are read, so it cannot be changed in place",
               .where = {.file = name},
               .action = "'sill repair' writes it in one piece"});
}

}  // namespace

PiecesStore::PiecesStore(std::unique_ptr<Store> inner, std::vector<PieceRun> runs)
    : ForwardingStore(std::move(inner)), runs_(std::move(runs)), begins_{0} {
  for (const PieceRun& run : runs_) begins_.push_back(begins_.back() + run.total_bytes());
}

void PiecesStore::submit(std::span<const Request> requests) {
  std::vector<iovec> pieces;
  std::vector<Request> parts;
  pieces.reserve(max_requests);
  const auto flush = [&] {
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].memory = {&pieces[i], 1};
    if (!parts.empty()) inner().submit(parts);
    parts.clear();
    pieces.clear();
  };
  for (const Request& request : requests) {
    if (request.operation != Operation::read) refuse_change(name());
    std::int64_t at = request.offset_bytes;
    for (const iovec& memory : request.memory) {
      auto* to = static_cast<std::byte*>(memory.iov_base);
      auto left = static_cast<std::int64_t>(memory.iov_len);
      while (left > 0) {
        if (at >= begins_.back())
          throw Error({.code = ErrorCode::io,
                       .problem = fmt::format("reading {} bytes past the end", left),
                       .where = {.file = name(), .byte = at},
                       .action = "the file may have been truncated while it was read: try again"});
        const auto run = static_cast<std::size_t>(std::ranges::upper_bound(begins_, at) - begins_.begin() - 1);
        const std::int64_t in_run = at - begins_[run];
        const std::int64_t piece = in_run / runs_[run].piece_bytes;
        const std::int64_t in_piece = in_run % runs_[run].piece_bytes;
        const std::int64_t length = std::min(left, runs_[run].piece_bytes - in_piece);
        pieces.push_back({to, static_cast<std::size_t>(length)});
        parts.push_back({Operation::read, runs_[run].first_byte + piece * runs_[run].stride_bytes + in_piece, {}});
        if (parts.size() == max_requests) flush();
        to += length;
        at += length;
        left -= length;
      }
    }
  }
  flush();
}

void PiecesStore::submit_strided(const StridedRead& read) {
  std::vector<iovec> memory;
  std::vector<Request> requests;
  for (std::int64_t first = 0; first < read.count; first += static_cast<std::int64_t>(max_requests)) {
    const std::int64_t count = std::min(static_cast<std::int64_t>(max_requests), read.count - first);
    memory.clear();
    requests.clear();
    for (std::int64_t i = first; i < first + count; ++i)
      memory.push_back({read.memory + i * read.length_bytes, static_cast<std::size_t>(read.length_bytes)});
    for (std::int64_t i = 0; i < count; ++i)
      requests.push_back({Operation::read,
                          read.offset_bytes + (first + i) * read.stride_bytes,
                          {&memory[static_cast<std::size_t>(i)], 1}});
    submit(requests);
  }
}

void PiecesStore::allocate(std::int64_t /*size_bytes*/) { refuse_change(name()); }

void PiecesStore::punch_hole(ByteRange /*bytes*/) { refuse_change(name()); }

}  // namespace sill
