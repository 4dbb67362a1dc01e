#include "sill/survey/select/trace_list.hpp"

#include <array>
#include <cstring>
#include <type_traits>

namespace sill {
namespace {

// Seven bits per byte, the lowest first; the highest bit marks that more bytes follow. The lowest bit of the number is
// the sign.
void append_number(std::string& codes, std::int64_t number) {
  auto rest = static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
  for (; rest >= 0x80; rest >>= 7) codes.push_back(static_cast<char>(rest | 0x80));
  codes.push_back(static_cast<char>(rest));
}

std::int64_t number_at(const std::string& codes, std::size_t& at) {
  std::uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(codes[at++]);
    number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return static_cast<std::int64_t>(number >> 1 ^ (~(number & 1) + 1));
  }
}

void append_bytes(std::vector<char>& message, const void* bytes, std::size_t count) {
  const auto* const begin = static_cast<const char*>(bytes);
  message.insert(message.end(), begin, begin + count);
}

void take_bytes(std::span<const char>& message, void* into, std::size_t count) {
  if (count > 0) std::memcpy(into, message.data(), count);
  message = message.subspan(count);
}

}  // namespace

void TraceList::add(const SelectedTrace& trace) {
  if (run_count_ > 0 && trace.trace != run_first_ + run_count_) {
    append_number(codes_, run_first_ - codes_end_);
    append_number(codes_, run_count_);
    codes_end_ = run_first_ + run_count_;
    run_count_ = 0;
  }
  if (run_count_ == 0) run_first_ = trace.trace;
  ++run_count_;
  if (samples_.empty() || samples_.back().samples.first != trace.samples.first ||
      samples_.back().samples.count != trace.samples.count)
    samples_.push_back({count_, trace.samples});
  ++count_;
}

std::int64_t TraceList::bytes() const {
  return static_cast<std::int64_t>(sizeof *this + codes_.capacity() + samples_.capacity() * sizeof(SamplesFrom));
}

SelectedTrace TraceList::Cursor::next() {
  if (left_of_run_ == 0) {
    if (code_ < list_->codes_.size()) {
      trace_ += number_at(list_->codes_, code_);
      left_of_run_ = number_at(list_->codes_, code_);
    } else {
      trace_ = list_->run_first_;
      left_of_run_ = list_->run_count_;
    }
  }
  if (samples_ + 1 < list_->samples_.size() && list_->samples_[samples_ + 1].position == position_) ++samples_;
  --left_of_run_;
  ++position_;
  return {trace_++, list_->samples_[samples_].samples};
}

void TraceList::append_to(std::vector<char>& message) const {
  const std::array<std::int64_t, 6> head{std::ssize(codes_), std::ssize(samples_), count_,
                                         codes_end_,         run_first_,           run_count_};
  append_bytes(message, head.data(), sizeof head);
  append_bytes(message, codes_.data(), codes_.size());
  append_bytes(message, samples_.data(), samples_.size() * sizeof(SamplesFrom));
}

TraceList TraceList::take_from(std::span<const char>& message) {
  static_assert(std::is_trivially_copyable_v<SamplesFrom>);
  std::array<std::int64_t, 6> head{};
  take_bytes(message, head.data(), sizeof head);
  TraceList list;
  list.codes_.resize(static_cast<std::size_t>(head[0]));
  list.samples_.resize(static_cast<std::size_t>(head[1]));
  list.count_ = head[2];
  list.codes_end_ = head[3];
  list.run_first_ = head[4];
  list.run_count_ = head[5];
  take_bytes(message, list.codes_.data(), list.codes_.size());
  take_bytes(message, list.samples_.data(), list.samples_.size() * sizeof(SamplesFrom));
  return list;
}

}  // namespace sill
