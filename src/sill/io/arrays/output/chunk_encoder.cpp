#include "sill/io/arrays/output/chunk_encoder.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/io/arrays/dataset_parts.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {
namespace {

// Chunks begin at multiples of this in the file that ranks exchange.
constexpr std::int64_t chunk_align_bytes = 8;

}  // namespace

// The chunks whose elements this rank receives. Chunk `at` of the list begins at byte begins[at] of a file that exists
// only in memory.
struct ChunkEncoder::Collected {
  const ChunkEncoder& encoder;
  std::span<const ChunkOfVariable> chunks = {};
  std::vector<std::int64_t> begins = {};
  std::mutex mutex = {};  // for `raw`
  std::map<std::size_t, std::vector<std::byte>> raw = {};

  [[nodiscard]] const ChunkedVariable& variable_of(std::size_t at) const {
    return encoder.variables_[chunks[at].variable];
  }

  [[nodiscard]] std::span<std::byte> elements_of(std::size_t at) {
    const std::lock_guard lock(mutex);
    std::vector<std::byte>& bytes = raw[at];
    if (bytes.empty()) {
      const ChunkedVariable& variable = variable_of(at);
      const auto size = static_cast<std::size_t>(variable.grid.element_bytes());
      bytes.resize(static_cast<std::size_t>(variable.grid.chunk_bytes()));
      repeat_element(std::span(variable.fill).first(size), 0, bytes);
    }
    return bytes;
  }

  void take(std::int64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const auto at = static_cast<std::size_t>(std::ranges::upper_bound(begins, offset) - begins.begin()) - 1;
      const std::int64_t in_chunk = offset - begins[at];
      const std::span<std::byte> to = elements_of(at).subspan(static_cast<std::size_t>(in_chunk));
      const std::size_t length = std::min(to.size(), bytes.size());
      std::memcpy(to.data(), bytes.data(), length);
      bytes = bytes.subspan(length);
      offset += static_cast<std::int64_t>(length);
    }
  }
};

// The file that ranks exchange.
class ChunkEncoder::Sink final : public Store {
 public:
  Sink(std::string path, Collected& to) : path_(std::move(path)), to_(to) {}

  [[nodiscard]] const std::string& name() const override { return path_; }
  void submit(std::span<const Request> requests) override {
    for (const Request& request : requests) {
      std::int64_t at = request.offset_bytes;
      for (const iovec& piece : request.memory) {
        to_.take(at, {static_cast<const std::byte*>(piece.iov_base), piece.iov_len});
        at += static_cast<std::int64_t>(piece.iov_len);
      }
    }
  }
  void submit_strided(const StridedRead&) override {}  // nothing is read
  [[nodiscard]] std::int64_t size_bytes() override { return 0; }
  void allocate(std::int64_t) override {}
  void punch_hole(ByteRange) override {}
  void sync() override {}
  void close() override {}

 private:
  std::string path_;
  Collected& to_;
};

ChunkEncoder::ChunkEncoder(const Resources& resources, std::string path, std::vector<ChunkedVariable> variables)
    : resources_(resources),
      path_(std::move(path)),
      variables_(std::move(variables)),
      collected_(std::make_unique<Collected>(*this)) {
  for (const ChunkedVariable& each : variables_) slot_bytes_ = std::max(slot_bytes_, each.grid.chunk_bytes());
  slot_bytes_ = (slot_bytes_ + chunk_align_bytes - 1) / chunk_align_bytes * chunk_align_bytes;
  Policy policy;
  policy.writers = Policy::Writers::number;
  policy.domains = resources_.comm.size();
  policy.stage_bytes = std::int64_t{4} << 20U;
  policy.align = Policy::Align::size;
  policy.align_bytes = slot_bytes_;
  policy.threads = resources_.policy.threads;
  MoverFiles files{.paths = {path_}, .mode = OpenMode::write, .open = [this](const std::string& of, OpenMode) {
                     return std::make_unique<Sink>(of, *collected_);
                   }};
  mover_.emplace(resources_.comm, std::move(files), policy, resources_.limits());
}

ChunkEncoder::~ChunkEncoder() = default;

EncodedChunks ChunkEncoder::encode(const DatasetDescription& description, std::span<const ChunkOfVariable> chunks,
                                   std::span<const ArrayPart> parts, std::int64_t step, Opening opening,
                                   std::span<std::int64_t> sums) {
  collected_->chunks = chunks;
  collected_->begins.clear();
  collected_->raw.clear();
  PartSources sources;
  AccessPlan plan;
  EncodedChunks encoded;
  const auto ranks = static_cast<std::size_t>(resources_.comm.size());
  // Sizes of chunks, the first chunk of each rank, `sums`, the number of ranks with an error.
  std::vector<std::int64_t>& exchanged = encoded.bytes;
  if (!opening.error)
    opening.error = attempt([&] {
      exchanged.resize(chunks.size() + ranks + sums.size() + 1);
      encoded.of_rank.resize(ranks);
      std::vector<std::unordered_map<std::int64_t, std::int64_t>> begin_of(variables_.size());
      std::int64_t end = 0;
      for (const ChunkOfVariable& each : chunks) {  // no chunk crosses a multiple of slot_bytes_
        const std::int64_t bytes = variables_[each.variable].grid.chunk_bytes();
        if (end % slot_bytes_ + bytes > slot_bytes_) end += slot_bytes_ - end % slot_bytes_;
        collected_->begins.push_back(end);
        begin_of[each.variable].emplace(each.number, end);
        end += (bytes + chunk_align_bytes - 1) / chunk_align_bytes * chunk_align_bytes;
      }
      const auto places_of = [&](std::size_t v, std::int64_t) {
        const bool has_steps = description.has_steps(description.variables[v]);
        const auto begin = [&chunks_of = begin_of[v]](std::int64_t number) -> std::optional<std::int64_t> {
          const auto found = chunks_of.find(number);
          return found == chunks_of.end() ? std::nullopt : std::optional(found->second);
        };
        return VariablePlaces{{},
                              variables_[v].form,
                              ChunkPlaces{variables_[v].grid, has_steps ? std::optional(step) : std::nullopt, begin}};
      };
      std::vector<std::int64_t> brought(variables_.size());
      plan = AccessPlan::for_writing(extents_to_write(parts, description, places_of, sources, brought));
    });
  std::optional<Error> error = mover_->write_unagreed(plan, opening);
  if (chunks.empty()) return {};
  keep_first(error, attempt([&] {
               for (auto& [at, bytes] : collected_->raw) encoded.own.push_back({at, std::move(bytes)});
               collected_->raw.clear();
               workers_.resize(static_cast<std::size_t>(resources_.threads()));
               parallel_for(resources_.threads(), std::ssize(encoded.own), [&](std::int64_t task, int thread) {
                 apply_filters(encoded.own[static_cast<std::size_t>(task)], workers_[static_cast<std::size_t>(thread)]);
               });
               for (const EncodedChunks::Own& each : encoded.own) exchanged[each.at] = std::ssize(each.bytes);
             }));
  if (error) exchanged.back() = 1;
  const std::span<std::int64_t> firsts = std::span(exchanged).subspan(chunks.size(), ranks);
  const std::span<std::int64_t> all_sums = std::span(exchanged).subspan(chunks.size() + ranks, sums.size());
  const std::size_t first = encoded.own.empty() ? chunks.size() : encoded.own.front().at;
  firsts[static_cast<std::size_t>(resources_.comm.rank())] = static_cast<std::int64_t>(first);
  std::ranges::copy(sums, all_sums.begin());
  resources_.comm.all_reduce(exchanged, Reduction::sum);
  if (exchanged.back() > 0) agree(resources_.comm, error);
  std::ranges::copy(all_sums, sums.begin());
  std::ranges::transform(firsts, encoded.of_rank.begin(), [](std::int64_t each) { return ItemRange{each, 0}; });
  std::ranges::sort(firsts);
  for (ItemRange& each : encoded.of_rank) {
    const auto next = std::ranges::upper_bound(firsts, each.first);
    each.count = (next == firsts.end() ? std::ssize(chunks) : *next) - each.first;
  }
  exchanged.resize(chunks.size());
  return encoded;
}

void ChunkEncoder::apply_filters(EncodedChunks::Own& own, Worker& worker) const {
  const ChunkedVariable& variable = collected_->variable_of(own.at);
  if (variable.keep_bits > 0)
    round_bits(own.bytes, variable.keep_bits,
               std::span(variable.fill).first(static_cast<std::size_t>(bytes_of(variable.form.type))));
  for (const Filter& filter : variable.filters) {
    if (filter.kind == Filter::Kind::shuffle) {
      std::vector<std::byte> shuffled(own.bytes.size());
      shuffle(own.bytes, filter.element_bytes, shuffled);
      own.bytes = std::move(shuffled);
      continue;
    }
    const Compression compression = compression_of(filter.kind);
    Compressor& compressor =
        worker.compressors.try_emplace({compression, variable.level}, compression, variable.level).first->second;
    worker.room.resize(std::max(worker.room.size(), compressor.max_bytes(own.bytes.size())));
    const std::size_t size = *compressor.compress(own.bytes, worker.room);
    own.bytes = std::vector<std::byte>(worker.room.begin(), worker.room.begin() + static_cast<std::ptrdiff_t>(size));
  }
}

}  // namespace sill
