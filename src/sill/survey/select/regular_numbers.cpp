#include "sill/survey/select/regular_numbers.hpp"

#include <algorithm>
#include <numeric>

namespace sill {
namespace {

// Each read may wait for the disk and depends on the one before: the candidates of this many halvings are announced
// together.
constexpr int halvings_ahead = 3;

// Appends the numbers that this many halvings may read, for all possible results.
void add_halves(std::int64_t holds, std::int64_t fails, int halvings, std::vector<std::int64_t>& numbers) {
  if (halvings == 0 || holds + 1 >= fails) return;
  const std::int64_t middle = holds + (fails - holds) / 2;
  add_halves(holds, middle, halvings - 1, numbers);
  numbers.push_back(middle);
  add_halves(middle, fails, halvings - 1, numbers);
}

// Returns the least number at or after `holds`, below `limit`, for which `fits` is false, or `limit`. Precondition: all
// numbers for which it is true precede those for which it is false. Tries twice the distance each time, then bisects;
// calls `may_ask` beforehand.
template <class Fits, class MayAsk>
std::int64_t first_misfit(std::int64_t holds, std::int64_t limit, Fits&& fits, MayAsk&& may_ask) {
  std::int64_t fails = limit;
  std::vector<std::int64_t> numbers;
  for (std::int64_t ahead = 1, at = holds; at + 1 < limit; ahead *= 2)
    numbers.push_back(at = std::min(at + ahead, limit - 1));
  may_ask(numbers);
  for (std::int64_t ahead = 1; holds + 1 < fails; ahead *= 2) {
    const std::int64_t at = std::min(holds + ahead, limit - 1);
    if (fits(at)) {
      holds = at;
    } else {
      fails = at;
      break;
    }
  }
  for (int halvings = 0; holds + 1 < fails; ++halvings) {
    if (halvings % halvings_ahead == 0) {
      numbers.clear();
      add_halves(holds, fails, halvings_ahead, numbers);
      may_ask(numbers);
    }
    const std::int64_t middle = holds + (fails - holds) / 2;
    (fits(middle) ? holds : fails) = middle;
  }
  return fails;
}

}  // namespace

std::optional<Counting> counting_of(std::int64_t traces,
                                    const std::function<std::int64_t(std::int64_t trace)>& value_of,
                                    const std::function<void(std::span<const std::int64_t>)>& may_ask) {
  if (traces < 2) return std::nullopt;
  const auto may_ask_runs = [&](std::int64_t run) {
    return [&may_ask, run](std::vector<std::int64_t>& runs) {
      for (std::int64_t& number : runs) number *= run;
      if (may_ask) may_ask(runs);
    };
  };
  Counting found{.first = value_of(0)};
  found.run = first_misfit(
      0, traces, [&](std::int64_t trace) { return value_of(trace) == found.first; }, may_ask_runs(1));
  if (found.run == traces || traces % found.run != 0) return std::nullopt;
  found.step = value_of(found.run) - found.first;
  if (found.step == 0) return std::nullopt;  // the file was changed concurrently
  const std::int64_t runs = traces / found.run;
  const auto fits = [&](std::int64_t run) {
    const std::int64_t grown = value_of(run * found.run) - found.first;
    return grown % found.step == 0 && grown / found.step == run;
  };
  found.values = first_misfit(1, runs, fits, may_ask_runs(found.run));
  if (runs % found.values != 0) return std::nullopt;
  return found;
}

std::int64_t RegularNumbers::line() const {
  std::int64_t shortest = traces_;
  for (const Counting& counting : countings_)
    shortest = std::min(shortest, counting.period() == traces_ ? counting.run : counting.period());
  return shortest;
}

std::int64_t RegularNumbers::period() const {
  // All periods divide the number of traces, and so does their least common multiple.
  std::int64_t common = 1;
  for (const Counting& counting : countings_) common = std::lcm(common, counting.period());
  return common;
}

std::int64_t RegularNumbers::run() const {
  std::int64_t common = 0;
  for (const Counting& counting : countings_) common = std::gcd(common, counting.run);
  return std::max<std::int64_t>(1, common);
}

void RegularNumbers::put(std::int64_t trace, std::byte* header, ByteOrder order) const {
  for (std::size_t w = 0; w < words_.size(); ++w)
    segy::write_word(header, words_[w].byte, words_[w].type, order, {countings_[w].value_of(trace)}, words_[w].name);
}

bool RegularNumbers::hold(std::int64_t trace, const std::byte* header, ByteOrder order) const {
  for (std::size_t w = 0; w < words_.size(); ++w)
    if (integer_of(words_[w], header, order) != countings_[w].value_of(trace)) return false;
  return true;
}

std::int64_t integer_of(const segy::WordRef& word, const std::byte* header, ByteOrder order) {
  const std::uint64_t bits = segy::load_bits(header + (word.byte - 1), word.type.bytes, order);
  return word.type.kind == segy::WordKind::signed_integer ? segy::sign_extended(bits, word.type.bytes)
                                                          : static_cast<std::int64_t>(bits);
}

}  // namespace sill
