#include "sill/view/shown_headers.hpp"

#include <algorithm>

#include "sill/flow/run/bound_flow.hpp"
#include "sill/formats/segy/description/interval_word.hpp"

namespace sill::view {

ShownHeaders::ShownHeaders(const SurveyReader& reader, std::span<const std::int64_t> numbers)
    : reader_(reader), numbers_(numbers) {
  for (const segy::FileDescription& file : reader.files()) bytes_ = std::max(bytes_, file.header_bytes());
  headers_.resize(numbers.size() * static_cast<std::size_t>(bytes_));
  // Reads each run of consecutive traces with equal numbers of headers.
  for (std::size_t begin = 0, end = 0; begin < numbers.size(); begin = end) {
    const auto headers_of = [&](std::size_t i) { return reader.shape_of(numbers[i]).headers; };
    for (end = begin + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1; ++end)
      if (headers_of(end) != headers_of(begin)) break;
    const std::int64_t wanted = reader.shape_of(numbers[begin]).header_bytes();
    reader.scan_headers({numbers[begin], static_cast<std::int64_t>(end - begin)}, {0, wanted}, 1,
                        [&](const HeaderBlock& block, int /*thread*/) {
                          for (std::int64_t i = 0; i < block.count; ++i) {
                            const auto row = begin + static_cast<std::size_t>(block.first_trace + i - numbers[begin]);
                            std::copy_n(block.header(i), wanted, of(row));
                          }
                        });
  }
  // A word of additional headers is not in all traces.
  const segy::MapWord* const trid = reader.words().find("trid");
  if (trid == nullptr || trid->byte <= segy::trace_header_bytes) kinds_.bind(flow::state_of(reader));
  for (std::size_t i = 0; i < numbers.size() && !any_seismic_; ++i) any_seismic_ = kinds_.is_seismic(view(i).header);
}

std::string ShownHeaders::interval_note() const {
  const segy::IntervalWord word(reader_.words(), reader_.files().front().interval_us);
  if (word.needed_bytes().end() > segy::trace_header_bytes) return "";
  segy::OtherIntervals others;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const segy::HeaderView trace = view(i);
    word.add_to(others, numbers_[i] + 1, trace.header, trace.order);
  }
  return word.note(others);
}

}  // namespace sill::view
