#include "sill/formats/segy/description/interval_word.hpp"

#include <fmt/format.h>

#include "sill/base/units.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"

namespace sill::segy {

void OtherIntervals::add(const OtherIntervals& other) {
  if (other.traces == 0) return;
  traces += other.traces;
  if (first_trace > 0 && first_trace < other.first_trace) return;
  first_trace = other.first_trace;
  first_us = other.first_us;
}

IntervalWord::IntervalWord(const HeaderMap& map, double used_us)
    : used_us_(static_cast<std::int64_t>(used_us)),
      word_(is_short_interval(used_us) && used_us_ > 0 ? map.find("dt") : nullptr) {}

ByteRange IntervalWord::needed_bytes() const {
  return word_ == nullptr ? ByteRange{} : ByteRange{word_->byte - 1, word_->type.bytes};
}

std::int64_t IntervalWord::of(const std::byte* header, ByteOrder order) const {
  if (word_ == nullptr) return used_us_;
  const auto stated = static_cast<std::int64_t>(load_bits(header + (word_->byte - 1), word_->type.bytes, order));
  return stated != 0 ? stated : used_us_;
}

bool IntervalWord::add_to(OtherIntervals& others, std::int64_t number, const std::byte* header, ByteOrder order) const {
  const std::int64_t stated = of(header, order);
  if (stated == used_us_) return false;
  others.add({1, number, stated});
  return true;
}

std::string IntervalWord::note(const OtherIntervals& others) const {
  if (others.traces == 0) return "";
  return fmt::format(
      "the headers of {} state another sample interval (dt) than the one that is used, {} us: the first is trace {}, "
      "with {} us",
      format_count(others.traces, "trace"), used_us_, others.first_trace, others.first_us);
}

}  // namespace sill::segy
