#include "sill/survey/repair/header_proof.hpp"

#include <algorithm>
#include <array>

#include "sill/base/byte_order.hpp"

namespace sill {
namespace {

constexpr std::int64_t max_learned = 3;

}  // namespace

HeaderProof::HeaderProof(const SurveyReader& reader) : order_(reader.files().front().byte_order) {
  std::vector<std::array<std::byte, segy::trace_header_bytes>> headers;
  for (std::int64_t trace = 0; trace < std::min(max_learned, reader.traces()); ++trace) {
    reader.read_headers({trace, 1}, headers.emplace_back());
    likeness_.learn(headers.back());
  }
  if (headers.size() < 2) return;
  for (const int at : {0, 4}) {
    const auto value = [&](std::size_t trace) {
      return std::int64_t{load<std::int32_t>(headers[trace].data() + at, order_)};
    };
    bool counts = true;
    for (std::size_t i = 1; i < headers.size(); ++i) counts = counts && value(i) == value(i - 1) + 1;
    if (!counts) continue;
    counting_.push_back(at);
    firsts_.push_back(value(0));
  }
}

bool HeaderProof::is_in_place(std::int64_t trace, const std::byte* header) const {
  for (std::size_t i = 0; i < counting_.size(); ++i)
    if (load<std::int32_t>(header + counting_[i], order_) == firsts_[i] + trace) return true;
  return likeness_.is_like(header);
}

}  // namespace sill
