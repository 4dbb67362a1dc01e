#include "sill/io/survey/trace_index.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/survey/trace_chain.hpp"

namespace sill {
namespace {

constexpr int learned_traces = 32;
constexpr int parts_of_thread = 4;

// The data about a segment of the file that all ranks have; only its own rank has the traces.
struct FilePiece {
  std::int64_t begin_byte = 0;
  std::int64_t stop_byte = 0;
  std::int64_t rank = 0;
  std::int64_t is_guessed = 0;  // its chain begins at a guessed position and was followed to its end
  std::int64_t first_byte = 0;
  std::int64_t end_byte = 0;
  std::int64_t traces = 0;

  void take(const TraceChain& chain) {
    is_guessed = 1;
    first_byte = chain.first_byte;
    end_byte = chain.end_byte;
    traces = chain.traces;
  }
};

// Returns as many equal segments as all ranks request, in order of ranks. If these would be too small, there are fewer,
// for the first ranks.
std::vector<FilePiece> parts_of(Communicator& comm, int wanted, ByteRange bytes, std::int64_t min_part_bytes) {
  const std::vector<int> of_ranks = all_gather(comm, wanted);
  const std::int64_t all = std::accumulate(of_ranks.begin(), of_ranks.end(), std::int64_t{0});
  const std::int64_t count = std::clamp<std::int64_t>(bytes.length / min_part_bytes, 1, all);
  std::vector<FilePiece> parts;
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    for (int own = 0; own < of_ranks[rank] && std::ssize(parts) < count; ++own) {
      const std::int64_t i = std::ssize(parts);
      const auto begin_of = [&](std::int64_t part) {
        return bytes.offset + bytes.length / count * part + std::min(part, bytes.length % count);
      };
      parts.push_back(
          {.begin_byte = begin_of(i), .stop_byte = begin_of(i + 1), .rank = static_cast<std::int64_t>(rank)});
    }
  }
  return parts;
}

class Build {
 public:
  Build(const Resources& resources, Store& store, const segy::FileDescription& file, const IndexTerms& terms)
      : resources_(resources), comm_(resources.comm), store_(store), file_(file) {
    const ByteRange bytes{file.first_trace_byte,
                          std::max<std::int64_t>(0, file.traces_end_byte() - file.first_trace_byte)};
    const int wanted = terms.parts_of_rank > 0 ? terms.parts_of_rank : parts_of_thread * resources.threads();
    parts_ = parts_of(comm_, wanted, bytes, terms.min_part_bytes);
    const auto first = std::ranges::find_if(parts_, [&](const FilePiece& part) { return part.rank >= comm_.rank(); });
    first_of_mine_ = static_cast<std::size_t>(first - parts_.begin());
    const auto mine = std::ranges::count_if(parts_, [&](const FilePiece& part) { return part.rank == comm_.rank(); });
    chains_.resize(static_cast<std::size_t>(mine));
  }

  void follow_parts() {
    segy::TraceLikeness likeness;
    if (parts_.size() > 1) {
      run_on_rank(comm_, 0, [&] { likeness = walk().likeness_of_first(learned_traces); });
      comm_.broadcast(std::as_writable_bytes(std::span(&likeness, 1)), 0);
    }
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < chains_.size(); ++i) bytes += mine(i).stop_byte - mine(i).begin_byte;
    resources_.begin_stage("following traces", bytes);
    run_and_agree(comm_, [&] {
      const std::int64_t parts = std::ssize(chains_);
      const std::int64_t threads = std::min<std::int64_t>(resources_.threads(), parts);
      if (threads == 0) return;
      run_on_threads(static_cast<int>(threads), [&](int thread) {
        const std::int64_t first = parts * thread / threads;
        follow_some(static_cast<std::size_t>(first), static_cast<std::size_t>(parts * (thread + 1) / threads - first),
                    likeness);
      });
    });
    std::vector<FilePiece> known(parts_.begin() + static_cast<std::ptrdiff_t>(first_of_mine_),
                                 parts_.begin() + static_cast<std::ptrdiff_t>(first_of_mine_ + chains_.size()));
    parts_ = all_gather_all(comm_, std::span<const FilePiece>(known));
  }

  // All ranks have the data of all segments, and take the same decisions. If the chain of a segment does not begin
  // where the previous segment's chain ends, the segment's rank follows the traces from there until they meet the
  // chain.
  void join_parts() {
    std::int64_t byte = file_.first_trace_byte;
    bool ended = false;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      FilePiece& part = parts_[i];
      const bool is_mine = part.rank == comm_.rank();
      const auto chain = [&]() -> TraceChain& { return chains_[i - first_of_mine_]; };
      if (ended || byte >= part.stop_byte) {  // a trace spans the complete segment, or the traces ended before
        part.take(TraceChain::at(byte));
        if (is_mine) chain() = TraceChain::at(byte);
        continue;
      }
      if (part.is_guessed == 0 || part.first_byte != byte) {
        run_on_rank(comm_, static_cast<int>(part.rank), [&] {
          TraceWalk own = walk();
          lead_into(own, chain(), byte, part.stop_byte);
          part.take(chain());
        });
        comm_.broadcast(std::as_writable_bytes(std::span(&part, 1)), static_cast<int>(part.rank));
      }
      byte = part.end_byte;
      ended = byte < part.stop_byte;
    }
    end_byte_ = byte;
  }

  segy::TraceTable table() {
    std::int64_t traces = 0;
    std::vector<std::int64_t> first_traces;
    for (const FilePiece& part : parts_) {
      first_traces.push_back(traces);
      traces += part.traces;
    }
    std::vector<segy::TraceStretch> stretches = run_and_agree(comm_, [&] { return own_stretches(first_traces); });
    if (comm_.size() > 1) {
      stretches = all_gather_all(comm_, std::span<const segy::TraceStretch>(stretches));
    }
    return run_and_agree(comm_, [&] {
      const auto same_shape = [](const segy::TraceStretch& a, const segy::TraceStretch& b) {
        return a.shape() == b.shape();
      };
      stretches.erase(std::unique(stretches.begin(), stretches.end(), same_shape), stretches.end());
      return segy::TraceTable(std::move(stretches), traces, end_byte_, segy::bytes_of(file_.sample_format));
    });
  }

 private:
  [[nodiscard]] TraceWalk walk() const { return TraceWalk(store_, file_, resources_.progress); }
  [[nodiscard]] FilePiece& mine(std::size_t i) { return parts_[first_of_mine_ + i]; }

  // Follows consecutive segments of this rank, on one thread.
  void follow_some(std::size_t first, std::size_t count, const segy::TraceLikeness& likeness) {
    TraceWalk own = walk();
    std::vector<TraceLane> lanes;
    for (std::size_t i = first; i < first + count; ++i) {
      const FilePiece& part = mine(i);
      std::optional<std::int64_t> byte = part.begin_byte;
      if (part.begin_byte != file_.first_trace_byte)
        byte = own.guess({part.begin_byte, part.stop_byte - part.begin_byte}, likeness);
      if (!byte) continue;
      chains_[i] = TraceChain::at(*byte);
      lanes.push_back({.chain = &chains_[i], .stop_byte = part.stop_byte});
      mine(i).is_guessed = 1;
    }
    own.follow(lanes);
    for (std::size_t i = first; i < first + count; ++i) {
      if (mine(i).is_guessed == 1) mine(i).take(chains_[i]);
    }
  }

  // Returns the stretches of this rank's segments, and frees their memory on the way.
  std::vector<segy::TraceStretch> own_stretches(const std::vector<std::int64_t>& first_traces) {
    std::size_t count = 0;
    for (const TraceChain& chain : chains_) count += chain.stretches.size();
    std::vector<segy::TraceStretch> stretches;
    stretches.reserve(count);
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      for (auto& left = chains_[i].stretches; !left.empty(); left.pop_front()) {
        stretches.push_back(left.front());
        stretches.back().first_trace += first_traces[first_of_mine_ + i];
      }
    }
    return stretches;
  }

  const Resources& resources_;
  Communicator& comm_;
  Store& store_;
  const segy::FileDescription& file_;
  std::vector<FilePiece> parts_;
  std::size_t first_of_mine_ = 0;
  std::vector<TraceChain> chains_;  // chains of this rank's segments
  std::int64_t end_byte_ = 0;
};

}  // namespace

TraceIndex index_traces(const Resources& resources, Store& store, const segy::FileDescription& file,
                        const IndexTerms& terms) {
  Build build(resources, store, file, terms);
  build.follow_parts();
  build.join_parts();
  segy::TraceTable table = build.table();
  return run_and_agree(resources.comm, [&] { return index_of(std::move(table), store, file); });
}

TraceIndex index_of(segy::TraceTable table, Store& store, const segy::FileDescription& file) {
  TraceIndex index{.table = std::move(table)};
  const std::int64_t end_byte = index.table.end_byte();
  if (index.table.traces() > 0 && end_byte > file.traces_end_byte())
    throw Error({.code = ErrorCode::input,
                 .problem = "the traces of the index end beyond those of the file",
                 .where = {.file = file.path, .byte = file.traces_end_byte()},
                 .action = "build the index again (sill index)"});
  index.remainder_bytes = std::max<std::int64_t>(0, file.traces_end_byte() - end_byte);
  if (index.remainder_bytes > 0) index.remainder_shape = TraceWalk(store, file, nullptr).shape_at(end_byte);
  return index;
}

}  // namespace sill
