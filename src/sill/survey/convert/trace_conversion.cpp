#include "sill/survey/convert/trace_conversion.hpp"

#include <algorithm>

#include "sill/comm/exchange.hpp"
#include "sill/survey/convert/byte_swapped_words.hpp"

namespace sill {

segy::ConversionAccount of_all_ranks(Communicator& comm, const segy::ConversionAccount& of_rank) {
  segy::ConversionAccount all;
  for (const segy::ConversionAccount& each : all_gather(comm, of_rank)) all.add(each);
  return all;
}

TraceAccount joined(Communicator& comm, std::span<const TraceAccount> of_threads, std::int64_t header_bytes) {
  TraceAccount mine;
  for (const TraceAccount& of_thread : of_threads) {
    mine.samples.add(of_thread.samples);
    mine.headers.add(of_thread.headers);
  }
  TraceAccount all;
  all.samples = of_all_ranks(comm, mine.samples);
  // Bit sets as bytes, with the same length on all ranks.
  mine.headers.unnamed.resize(static_cast<std::size_t>(header_bytes));
  std::vector<std::byte> flat(mine.headers.upper.begin(), mine.headers.upper.end());
  flat.insert(flat.end(), mine.headers.unnamed.begin(), mine.headers.unnamed.end());
  const std::vector<std::byte> of_all = all_gather_all(comm, std::span<const std::byte>(flat));
  segy::TraceHeaderAccount& headers = all.headers;
  headers.unnamed.resize(mine.headers.unnamed.size());
  for (std::size_t at = 0; at < of_all.size(); ++at) {
    const std::size_t i = at % flat.size();
    (i < headers.upper.size() ? headers.upper[i] : headers.unnamed[i - headers.upper.size()]) |= of_all[at];
  }
  for (const auto count : segy::TraceHeaderAccount::counts)
    headers.*count = all_reduce(comm, mine.headers.*count, Reduction::sum);
  return all;
}

namespace {

// Returns the words that bytes 215-216 scale. A map for revision 0 may have some. If the first input is Seismic Unix,
// the map is not that of SEG-Y.
std::vector<segy::WordRef> times_in(const segy::FileDescription& from, const segy::HeaderMap& words) {
  std::vector<segy::WordRef> times;
  const bool is_of_su = words.kind() == segy::HeaderKind::su;
  if (from.kind != segy::FileKind::segy || (is_of_su && segy::revision_of(from) == segy::Revision::rev0)) return times;
  const segy::HeaderMap& map = is_of_su ? segy::HeaderMap::standard() : words;
  const std::vector<segy::WordRef> named = words_of_layers(map);  // in place of standard words
  for (const segy::MapWord& word : map.all()) {
    const auto is_replaced = [&](const segy::WordRef& other) {
      return word.layer == 0 && word.byte < other.byte + other.type.bytes && other.byte < word.byte + word.type.bytes;
    };
    if (word.scaling.kind == segy::Scaling::Kind::word && word.scaling.byte == 215 &&
        std::ranges::none_of(named, is_replaced))
      times.push_back(map.word(word.names.front()));
  }
  return times;
}

}  // namespace

TraceConversion::TraceConversion(const segy::FileDescription& from, const segy::FileForm& to,
                                 const segy::HeaderMap& words, const segy::ConversionRules& rules,
                                 const segy::TraceHeaderRules& of_headers, std::vector<std::string>& notes)
    : in_sample_(segy::bytes_of(from.sample_format)),
      out_sample_(segy::bytes_of(to.sample_format)),
      samples_(from.sample_format, from.byte_order, to.sample_format, to.byte_order, rules),
      headers_(from, to, byte_swapped_words(words, from, of_headers.keep_181 ? segy::FileKind::segy : from.kind, notes),
               of_headers, words.kind() == segy::HeaderKind::segy_of_revision_0, times_in(from, words)) {}

void TraceConversion::transform(const segy::TraceShape& shape, const std::byte* in, std::byte* out,
                                TraceAccount& account) const {
  headers_.convert(in, out, shape.headers, account.headers);
  const auto header_bytes = static_cast<std::size_t>(shape.header_bytes());
  samples_.convert({in + header_bytes, bytes_before(shape) - header_bytes},
                   {out + header_bytes, bytes_after(shape) - header_bytes}, account.samples);
}

}  // namespace sill
