#include "sill/io/arrays/output/chunk_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/first_index.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/io/arrays/dataset_parts.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/plan/coverage.hpp"
#include "sill/store/part/part_name.hpp"

namespace sill {
namespace {

// Chunks begin at multiples of this in the file that ranks exchange.
constexpr std::int64_t chunk_align_bytes = 8;

// The word for items in errors about overlapping parts, before the name of the variable.
constexpr const char* overlapped_element = "element of ";

}  // namespace

std::unique_ptr<std::vector<std::byte>> SpareMemory::take(std::size_t size) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = all_.lower_bound(size);
    if (found != all_.end() && found->first / 2 <= size) {
      auto taken = std::move(found->second);
      bytes_ -= static_cast<std::int64_t>(found->first);
      all_.erase(found);
      return taken;
    }
  }
  return std::make_unique<std::vector<std::byte>>(size);
}

void SpareMemory::give(std::unique_ptr<std::vector<std::byte>> memory) noexcept try {
  decltype(all_) dropped;  // released without the lock
  const std::lock_guard lock(mutex_);
  const auto given = all_.emplace(memory->size(), std::move(memory));
  bytes_ += static_cast<std::int64_t>(given->first);
  while (bytes_ > max_bytes_) {  // the memory given last is kept longest
    const auto last = std::prev(all_.end());
    const auto other = given == last ? all_.begin() : last;
    bytes_ -= static_cast<std::int64_t>(other->first);
    dropped.insert(all_.extract(other));
  }
} catch (const std::bad_alloc&) {
  return;  // released
}

// The chunks whose elements this rank receives. Chunk `at` of the list begins at byte begins[at] of a file that exists
// only in memory.
struct ChunkEncoder::Collected {
  const ChunkEncoder& encoder;
  std::span<const ChunkOfVariable> chunks = {};
  std::vector<std::int64_t> begins = {};
  std::mutex mutex = {};  // for `raw`
  std::map<std::size_t, EncodedChunks::Memory> raw = {};

  [[nodiscard]] const ChunkedVariable& variable_of(std::size_t at) const {
    return encoder.variables_[chunks[at].variable];
  }

  // For a part of `length` bytes. Elements that are in no part have the fill value.
  [[nodiscard]] std::span<std::byte> elements_of(std::size_t at, std::size_t length) {
    const ChunkedVariable& variable = variable_of(at);
    const auto size = static_cast<std::size_t>(variable.grid.chunk_bytes());
    const std::lock_guard lock(mutex);
    auto known = raw.find(at);
    if (known == raw.end()) {
      EncodedChunks::Memory memory = encoder.memory_of(size);
      const auto element = static_cast<std::size_t>(variable.grid.element_bytes());
      if (length < size) repeat_element(std::span(variable.fill).first(element), 0, std::span(*memory).first(size));
      known = raw.emplace(at, std::move(memory)).first;
    }
    return std::span(*known->second).first(size);
  }

  void take(std::int64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const auto at = static_cast<std::size_t>(std::ranges::upper_bound(begins, offset) - begins.begin()) - 1;
      const auto in_chunk = static_cast<std::size_t>(offset - begins[at]);
      const auto size = static_cast<std::size_t>(variable_of(at).grid.chunk_bytes());
      const std::size_t length = std::min(size - in_chunk, bytes.size());
      std::memcpy(elements_of(at, length).data() + in_chunk, bytes.data(), length);
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
  // A window of elements, and the same again compressed.
  spare_ = std::make_shared<SpareMemory>(std::max(resources_.memory() / 2, 2 * slot_bytes_));
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
  name_element(opening.error, description, step);
  std::optional<Error> error;
  std::optional<Error> agreed = attempt([&] { error = mover_->write_unagreed(plan, opening); });
  name_element(agreed, description, step);
  if (agreed) throw Error(*agreed);
  name_element(error, description, step);
  if (chunks.empty()) return {};
  keep_first(error, attempt([&] {
               for (auto& [at, memory] : collected_->raw) {
                 const std::int64_t size = collected_->variable_of(at).grid.chunk_bytes();
                 encoded.own.push_back({at, std::move(memory), static_cast<std::size_t>(size)});
               }
               collected_->raw.clear();
               compressors_.resize(static_cast<std::size_t>(resources_.threads()));
               parallel_for(resources_.threads(), std::ssize(encoded.own), [&](std::int64_t task, int thread) {
                 apply_filters(encoded.own[static_cast<std::size_t>(task)],
                               compressors_[static_cast<std::size_t>(thread)]);
               });
               for (const EncodedChunks::Own& each : encoded.own)
                 exchanged[each.at] = static_cast<std::int64_t>(each.size);
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

void ChunkEncoder::name_element(std::optional<Error>& error, const DatasetDescription& description,
                                std::int64_t step) const {
  if (!error || !error->parts().where.byte || error->parts().where.item_word != overlapped_file) return;
  ErrorParts parts = error->parts();
  const bool is_agreed = error->agreed();
  const int rank = parts.rank;
  parts.where = place_of(*parts.where.byte, description, step);
  if (description.has_steps()) parts.action += "; then pass all data of the step again";
  error.emplace(std::move(parts));
  if (is_agreed) error->set_agreed(rank, resources_.comm.size());
}

Where ChunkEncoder::place_of(std::int64_t byte, const DatasetDescription& description, std::int64_t step) const {
  const std::vector<std::int64_t>& begins = collected_->begins;
  const auto at = static_cast<std::size_t>(std::ranges::upper_bound(begins, byte) - begins.begin()) - 1;
  const ChunkOfVariable& chunk = collected_->chunks[at];
  const ChunkGrid& grid = collected_->variable_of(at).grid;
  const Variable& variable = description.variables[chunk.variable];
  const Index chunk_index = grid.index_of(chunk.number);
  const Index in_chunk =
      ChunkGrid(grid.chunk(), Index(grid.chunk().size(), 1), 1).index_of((byte - begins[at]) / grid.element_bytes());
  const std::size_t first = description.has_steps(variable) ? 1 : 0;  // the dimension of the steps
  std::int64_t element = 0;
  for (std::size_t d = first; d < chunk_index.size(); ++d)
    element = element * grid.shape()[d] + chunk_index[d] * grid.chunk()[d] + in_chunk[d];
  return {.file = target_of_part(path_),
          .item = element + first_index(),
          .item_word = fmt::format("{}{}{}", overlapped_element, variable.name,
                                   first > 0 ? fmt::format(" in step {}", step) : "")};
}

bool ChunkEncoder::is_overlap(const Error& error) {
  return error.code() == ErrorCode::usage && error.parts().where.item_word.starts_with(overlapped_element);
}

EncodedChunks::Memory ChunkEncoder::memory_of(std::size_t size) const {
  return {spare_->take(size).release(), [spare = spare_](std::vector<std::byte>* used) {
            spare->give(std::unique_ptr<std::vector<std::byte>>(used));
          }};
}

void ChunkEncoder::apply_filters(EncodedChunks::Own& own, Compressors& compressors) const {
  const ChunkedVariable& variable = collected_->variable_of(own.at);
  if (variable.keep_bits > 0)
    round_bits(own.bytes(), variable.keep_bits,
               std::span(variable.fill).first(static_cast<std::size_t>(bytes_of(variable.form.type))));
  for (const Filter& filter : variable.filters) {
    if (filter.kind == Filter::Kind::shuffle) {
      EncodedChunks::Memory shuffled = memory_of(own.size);
      shuffle(own.bytes(), filter.element_bytes, std::span(*shuffled).first(own.size));
      own.memory = std::move(shuffled);
      continue;
    }
    const Compression compression = compression_of(filter.kind);
    constexpr bool has_checksum = true;  // of the elements, in frames of zstd
    Compressor& compressor =
        compressors.try_emplace({compression, variable.level}, compression, variable.level, has_checksum).first->second;
    EncodedChunks::Memory compressed = memory_of(compressor.max_bytes(own.size));
    own.size = *compressor.compress(own.bytes(), *compressed);
    if (own.size < compressed->size() / 2) {  // later windows may begin before this one is written
      own.memory = memory_of(own.size);
      std::copy_n(compressed->begin(), own.size, own.memory->begin());
    } else {
      own.memory = std::move(compressed);
    }
  }
}

}  // namespace sill
