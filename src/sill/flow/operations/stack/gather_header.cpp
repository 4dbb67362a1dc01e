#include "sill/flow/operations/stack/gather_header.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "sill/formats/segy/words/true_value_writing.hpp"

namespace sill::flow {
namespace {

constexpr std::array<std::string_view, 6> coordinates{"sx", "sy", "gx", "gy", "cdpx", "cdpy"};
// These words of a gather have the values of the first trace, like the scalars of other words.
constexpr std::array<std::string_view, 4> kept_words{"counit", "ns", "dt", "delrt"};

std::optional<segy::WordRef> named(const segy::HeaderMap& words, std::string_view name) {
  if (words.find(name) == nullptr) return std::nullopt;
  return words.word(name);
}

bool is_one_of(const segy::MapWord& word, std::span<const std::string_view> names) {
  return std::ranges::any_of(
      names, [&](std::string_view name) { return std::ranges::find(word.names, name) != word.names.end(); });
}

// Returns the bits of headers in which any trace differs from the first.
std::array<std::byte, segy::trace_header_bytes> differing_bits(TraceBlock& block, std::int64_t first,
                                                               std::span<const std::int64_t> of) {
  std::array<std::byte, segy::trace_header_bytes> bits{};
  const std::byte* const header = block.header(first).data();
  for (const std::int64_t i : of) {
    const std::byte* const other = block.header(i).data();
    for (std::size_t at = 0; at < bits.size(); ++at) bits[at] |= other[at] ^ header[at];
  }
  return bits;
}

}  // namespace

GatherHeader::GatherHeader(const SurveyState& state, std::span<const segy::TraceKey> keys) : order_(state.order) {
  // The traces of a gather have equal values of a key word, so it remains unchanged, or equal magnitudes.
  for (const segy::TraceKey& key : keys)
    if (key.word() != nullptr && key.absolute()) {
      magnitudes_.push_back(*key.word());
      if (key.source() == segy::KeySource::word) magnitudes_.back().scaling = {};
    }
  const auto is_key = [&](int byte) {
    return std::ranges::any_of(
        keys, [&](const segy::TraceKey& key) { return key.word() != nullptr && key.word()->byte == byte; });
  };
  const auto set = [&](std::string_view name) {
    const std::optional<segy::WordRef> word = named(*state.words, name);
    return word && is_key(word->byte) ? std::nullopt : word;
  };
  fold_ = set("nhs");
  offset_ = set("offset");
  unit_ = named(*state.words, "counit");
  identification_ = set("trid");
  for (const std::string_view name : coordinates)
    if (const auto word = set(name); word && word->scaling.kind != segy::Scaling::Kind::missing)
      coordinates_.push_back(*word);
  const auto is_set = [](const std::optional<segy::WordRef>& of, const segy::MapWord& word) {
    return of && of->byte == word.byte;
  };
  for (const segy::MapWord& word : state.words->all()) {
    if (word.byte + word.type.bytes - 1 > segy::trace_header_bytes || is_one_of(word, kept_words)) continue;
    if (is_one_of(word, coordinates) || is_set(fold_, word) || is_set(offset_, word) || is_set(identification_, word))
      continue;
    const bool is_scalar = std::ranges::any_of(
        state.words->all(), [&](const segy::MapWord& scaled) { return scaled.scaling.byte == word.byte; });
    if (is_key(word.byte) || is_scalar) continue;
    auto cleared = std::make_unique<Cleared>();
    cleared->word = state.words->word(word.names.front());
    others_.push_back(std::move(cleared));
  }
}

// Returns true if the traces that state the unit of their coordinates state the same.
bool GatherHeader::has_one_unit(TraceBlock& block, std::span<const std::int64_t> of) const {
  double unit = 0.0;
  for (const std::int64_t i : of) {
    if (!unit_) break;
    const double own = segy::read_word(block.header(i).data(), unit_->byte, unit_->type, order_).as_double();
    if (own == 0.0) continue;
    if (unit != 0.0 && own != unit) return false;
    unit = own;
  }
  return true;
}

// Returns the component of the seismic data if all traces agree in it, otherwise the code for seismic data.
std::int64_t GatherHeader::identification_of(const std::byte* header, std::span<const std::byte> differing) const {
  if (!identification_) return 1;
  const auto at = differing.begin() + (identification_->byte - 1);
  const bool agree =
      std::all_of(at, at + identification_->type.bytes, [](std::byte bits) { return bits == std::byte{}; });
  const double code = segy::read_word(header, identification_->byte, identification_->type, order_).as_double();
  return agree && code >= 11.0 && code <= 17.0 ? static_cast<std::int64_t>(code) : 1;
}

void GatherHeader::write(TraceBlock& block, std::int64_t first, std::span<const std::int64_t> of, std::int64_t fold,
                         bool of_nothing) const {
  std::byte* const header = block.header(first).data();
  const bool has_means = has_one_unit(block, of);
  if (!has_means) of_several_units_.fetch_add(1, std::memory_order_relaxed);
  for (const segy::WordRef& word : coordinates_) {
    double sum = 0.0;
    for (const std::int64_t i : of) sum += segy::true_value(word, block.header(i).data(), order_);
    segy::write_true_value(word, header, order_, has_means ? sum / static_cast<double>(of.size()) : 0.0);
  }
  const std::array<std::byte, segy::trace_header_bytes> differing = differing_bits(block, first, of);
  const auto has_differing = [&](int byte, const segy::WordType& type) {
    return byte + type.bytes - 1 > segy::trace_header_bytes ||
           std::any_of(differing.begin() + (byte - 1), differing.begin() + (byte - 1 + type.bytes),
                       [](std::byte bits) { return bits != std::byte{}; });
  };
  // The stored values of a word with a scalar, or with a twin in extension 1, may differ where the true values agree.
  const auto differs = [&](const segy::WordRef& word) {
    const bool is_scaled = word.scaling.byte != 0 || word.twin_byte != 0;
    if (!has_differing(word.byte, word.type) && word.twin_byte == 0 &&
        (word.scaling.byte == 0 || !has_differing(word.scaling.byte, word.scaling.type)))
      return false;
    return !is_scaled || std::ranges::any_of(of, [&](std::int64_t i) {
      return segy::true_value(word, block.header(i).data(), order_) != segy::true_value(word, header, order_);
    });
  };
  for (const auto& other : others_) {
    if (!differs(other->word)) continue;
    if (other->word.twin_byte != 0)
      segy::write_true_value(other->word, header, order_, 0.0);
    else
      std::memset(header + (other->word.byte - 1), 0, static_cast<std::size_t>(other->word.type.bytes));
    other->traces.fetch_add(1, std::memory_order_relaxed);
  }
  for (const segy::WordRef& word : magnitudes_)
    segy::write_true_value(word, header, order_, std::abs(segy::true_value(word, header, order_)));
  const auto whole = [&](const std::optional<segy::WordRef>& word, std::int64_t value) {
    if (word) segy::write_word(header, word->byte, word->type, order_, {.number = value}, word->name);
  };
  whole(fold_, fold);
  whole(offset_, 0);
  whole(identification_, of_nothing ? 2 : identification_of(header, differing));
}

std::vector<std::pair<std::string, std::int64_t>> GatherHeader::counts() const {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  for (const auto& other : others_)
    counts.emplace_back("gathers in which " + other->word.name + " differs: set to 0",
                        other->traces.load(std::memory_order_relaxed));
  counts.emplace_back("gathers in which the unit of coordinates (counit) differs: coordinates set to 0",
                      of_several_units_.load(std::memory_order_relaxed));
  return counts;
}

}  // namespace sill::flow
