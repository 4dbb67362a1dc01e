#include "sill/survey/geometry/gathers.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/geometry/gather_mask.hpp"
#include "sill/survey/sort/key_table.hpp"
#include "sill/survey/sort/sort_memory.hpp"

namespace sill {
namespace {

template <std::size_t Words>
struct Ends {
  KeyRecord<Words> first;
  KeyRecord<Words> last;
  std::int64_t count = 0;
};

template <std::size_t Words>
std::vector<Ends<Words>> ends_of_ranks(Communicator& comm, const std::vector<KeyRecord<Words>>& records) {
  Ends<Words> mine;
  if (!records.empty()) mine = {records.front(), records.back(), std::ssize(records)};
  return all_gather(comm, mine);
}

template <std::size_t Words>
bool are_in_order(Communicator& comm, const std::vector<KeyRecord<Words>>& records) {
  bool in_order = std::is_sorted(records.begin(), records.end());
  const Ends<Words>* before = nullptr;
  const std::vector<Ends<Words>> all = ends_of_ranks(comm, records);
  for (const Ends<Words>& ends : all) {
    if (ends.count == 0) continue;
    if (before != nullptr && ends.first < before->last) in_order = false;
    before = &ends;
  }
  return all_reduce(comm, in_order ? 1 : 0, Reduction::min) == 1;
}

// Moves the traces of a gather that began on a lower rank to that rank.
template <std::size_t Words>
void give_to_first(Communicator& comm, std::vector<KeyRecord<Words>>& records, const GatherMask<Words>& mask) {
  const std::vector<Ends<Words>> all = ends_of_ranks(comm, records);
  // Find the rank on which the last gather of the lower ranks begins.
  std::size_t owner = 0;
  const Ends<Words>* before = nullptr;
  for (std::size_t r = 0; r < static_cast<std::size_t>(comm.rank()); ++r) {
    if (all[r].count == 0) continue;
    const bool goes_on = before != nullptr && mask.same(before->last, all[r].last);
    if (!goes_on) owner = r;
    before = &all[r];
  }
  std::size_t given = 0;
  if (before != nullptr) {
    while (given < records.size() && mask.same(records[given], before->last)) ++given;
  }
  std::vector<std::span<const KeyRecord<Words>>> parts(static_cast<std::size_t>(comm.size()));
  const std::span<const KeyRecord<Words>> mine(records);
  parts[owner] = mine.first(given);
  const std::vector<KeyRecord<Words>> come =
      all_to_all(comm, std::span<const std::span<const KeyRecord<Words>>>(parts));
  run_and_agree(comm, [&] {
    records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(given));
    records.insert(records.end(), come.begin(), come.end());
  });
}

}  // namespace

std::vector<segy::WordValue> Gather::values() const {
  std::vector<segy::WordValue> values;
  reader_->scan_headers({traces_.front(), 1}, needed_bytes(keys_), 1, [&](const HeaderBlock& block, int /*thread*/) {
    for (const segy::TraceKey& key : keys_) values.push_back(key.value(block.view(0)));
  });
  return values;
}

std::vector<std::byte> Gather::headers() const {
  std::vector<std::byte> headers(traces_.size() * segy::trace_header_bytes);
  reader_->read_own_headers(traces_, headers);
  return headers;
}

std::int64_t Gather::samples_count() const {
  std::int64_t samples = 0;
  for (const std::int64_t trace : traces_) samples += reader_->shape_of(trace).samples;
  return samples;
}

std::vector<float> Gather::samples() const {
  std::vector<float> samples(static_cast<std::size_t>(samples_count()));
  reader_->read_own_samples(traces_, samples);
  return samples;
}

Gathers::Gathers(const Resources& resources, const SurveyReader& reader, std::vector<segy::TraceKey> keys,
                 std::vector<segy::TraceKey> then)
    : reader_(reader), keys_(std::move(keys)) {
  std::vector<segy::TraceKey> all_keys = keys_;
  all_keys.insert(all_keys.end(), then.begin(), then.end());
  run_and_agree(resources.comm, [&] {
    if (keys_.empty()) throw Error({.code = ErrorCode::usage, .problem = "no key of the gathers is given"});
    with_key_words(packed_bytes(all_keys), []<std::size_t Words>() {});
  });
  with_key_words(packed_bytes(all_keys), [&]<std::size_t Words>() { gather<Words>(resources, all_keys); });
}

template <std::size_t Words>
void Gathers::gather(const Resources& resources, std::span<const segy::TraceKey> all_keys) {
  Communicator& comm = resources.comm;
  SortMemory(resources, reader_, sizeof(KeyRecord<Words>), comm.size() > 1 || Words == 1).require_for_keys();
  const ItemRange mine = block_of(reader_.traces(), comm.size(), comm.rank());
  resources.begin_stage("reading headers", mine.count * needed_bytes(all_keys).length);
  std::vector<KeyRecord<Words>> records =
      run_and_agree(comm, [&] { return read_keys<Words>(reader_, mine, all_keys, resources.threads()); });
  were_in_order_ = are_in_order(comm, records);
  if (!were_in_order_) sort_distributed(comm, records);
  const GatherMask<Words> mask(packed_bytes(keys_));
  give_to_first(comm, records, mask);
  run_and_agree(comm, [&] {
    traces_.reserve(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (i > 0 && !mask.same(records[i], records[i - 1])) begins_.push_back(i);
      traces_.push_back(records[i].item);
    }
    if (!records.empty()) begins_.push_back(records.size());
  });
  const ExclusiveSum gathers = exclusive_sum(comm, size());
  first_ = gathers.before;
  all_ = gathers.all;
}

Gather Gathers::operator[](std::int64_t i) const {
  const std::size_t begin = begins_[static_cast<std::size_t>(i)];
  const std::size_t end = begins_[static_cast<std::size_t>(i) + 1];
  return {reader_, keys_, std::span(traces_).subspan(begin, end - begin)};
}

}  // namespace sill
