#include "sill/flow/operations/stack/made_traces.hpp"

#include <algorithm>
#include <cmath>

#include "sill/formats/segy/words/true_value_writing.hpp"

namespace sill::flow {

void MadeTraces::put(TraceBlock& block, std::span<const std::int64_t> live, std::span<const std::vector<float>> made,
                     const std::function<double(std::int64_t j)>& value_of) const {
  const std::int64_t first = live.empty() ? 0 : live.front();
  const std::vector<std::int64_t> of = live.empty() ? std::vector{first} : std::vector(live.begin(), live.end());
  header_.write(block, first, of, std::ssize(live), live.empty());
  const std::vector<std::byte> header(block.header(first).begin(), block.header(first).end());
  const TraceBlock::Origin origin = block.origin(0);
  block.set_count(std::ssize(made));
  for (std::int64_t j = 0; j < std::ssize(made); ++j) {
    block.origin(j) = origin;
    std::ranges::copy(made[static_cast<std::size_t>(j)], block.change(j).begin());
    std::byte* const of_trace = block.header(j).data();
    std::ranges::copy(header, of_trace);
    const double value = value_of(j);
    segy::write_true_value(value_, of_trace, order_, value);
    const double tolerance = 1e-6 * (segy::is_float(value_.type) ? 1.0 + std::abs(value) : 1.0);
    if (std::abs(segy::true_value(value_, of_trace, order_) - value) > tolerance)
      rounded_.fetch_add(1, std::memory_order_relaxed);
    if (number_) segy::write_word(of_trace, number_->byte, number_->type, order_, {.number = j + 1}, number_->name);
  }
}

std::vector<std::pair<std::string, std::int64_t>> MadeTraces::counts() const {
  auto counts = header_.counts();
  counts.emplace_back("traces whose value in the word " + value_.name + " was rounded", rounded_.load());
  return counts;
}

}  // namespace sill::flow
