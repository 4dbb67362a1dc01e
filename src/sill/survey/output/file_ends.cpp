#include "sill/survey/output/file_ends.hpp"

#include <array>
#include <span>

#include "sill/base/byte_order.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/survey/edit/text_history.hpp"

namespace sill {
namespace {

// Offsets of bytes in the file header, after a tape label, counted from 0.
constexpr std::size_t samples_word_at = 3220;      // bytes 3221-3222
constexpr std::size_t format_code_at = 3224;       // bytes 3225-3226
constexpr std::size_t sorting_code_at = 3228;      // bytes 3229-3230
constexpr std::size_t extended_samples_at = 3268;  // bytes 3269-3272, revision 2 or later
constexpr std::size_t one_length_at = 3502;        // bytes 3503-3504, revision 1 or later
constexpr std::size_t extended_texts_at = 3504;    // bytes 3505-3506
constexpr std::size_t number_of_traces_at = 3512;  // bytes 3513-3520, revision 2 or later
constexpr std::size_t trailers_at = 3528;          // bytes 3529-3532, revision 2 or later

void set_samples(std::byte* header, const segy::FileDescription& file, std::int64_t samples) {
  const bool is_short = samples <= segy::max_short_samples;
  const std::int64_t extended = load<std::uint32_t>(header + extended_samples_at, file.byte_order);
  // Before revision 2 the word applies if nothing else states the number by which the file was read.
  const bool counts = file.revision >= 2 ? extended != 0 : extended == file.samples && !file.lengths_vary;
  if (counts || (file.revision >= 2 && !is_short))
    store<std::uint32_t>(header + extended_samples_at, static_cast<std::uint32_t>(samples), file.byte_order);
  if (is_short) store<std::uint16_t>(header + samples_word_at, static_cast<std::uint16_t>(samples), file.byte_order);
}

// Sets words to the values that other evidence showed. Facts that were assumed of the input are also assumed of the
// output. If the byte order was assumed, the words are unchanged, because setting other words cannot change the byte
// order.
void set_decided_words(std::byte* header, const segy::FileDescription& file, const segy::Assumptions& assume) {
  if (assume.byte_order) return;
  const std::int64_t extended = load<std::uint32_t>(header + extended_samples_at, file.byte_order);
  const std::int64_t short_samples = load<std::uint16_t>(header + samples_word_at, file.byte_order);
  const std::int64_t stated = file.revision >= 2 && extended != 0 ? extended : short_samples;
  if (!assume.samples && !file.lengths_vary && stated != file.samples) set_samples(header, file, file.samples);
  if (!assume.format_code)
    store<std::int16_t>(header + format_code_at, static_cast<std::int16_t>(code_of(file.sample_format)),
                        file.byte_order);
}

FileEnds changed_ends(const SurveyReader& reader, const EndsChange& change) {
  const segy::FileDescription& first = reader.files().front();
  FileEnds ends{reader.file_header(0), reader.file_trailer(0)};
  if (first.kind != segy::FileKind::segy) return ends;
  std::byte* const header = ends.header.data() + first.label_bytes;
  set_decided_words(header, first, reader.assumptions());
  if (change.sorting_code)
    store<std::int16_t>(header + sorting_code_at, static_cast<std::int16_t>(*change.sorting_code), first.byte_order);
  if (!change.history.empty())
    add_history(
        std::span(ends.header).subspan(static_cast<std::size_t>(first.label_bytes)).first<segy::text_header_bytes>(),
        first.text_encoding, change.history, first.path);
  if (change.samples) set_samples(header, first, *change.samples);
  if (change.has_one_length && first.revision >= 1)
    store<std::int16_t>(header + one_length_at, *change.has_one_length ? 1 : 0, first.byte_order);
  if (load<std::int16_t>(header + extended_texts_at, first.byte_order) != 0 && first.extended_text_headers == 0)
    store<std::int16_t>(header + extended_texts_at, 0, first.byte_order);
  if (first.revision < 2) return ends;
  if (change.trailers)
    store<std::int32_t>(header + trailers_at, static_cast<std::int32_t>(*change.trailers), first.byte_order);
  ends.stated_traces_before = ends.stated_traces_after =
      load<std::uint64_t>(header + number_of_traces_at, first.byte_order);
  if (ends.stated_traces_before == 0 || !change.traces) return ends;
  ends.stated_traces_after = static_cast<std::uint64_t>(*change.traces);
  store<std::uint64_t>(header + number_of_traces_at, ends.stated_traces_after, first.byte_order);
  return ends;
}

}  // namespace

FileEnds file_ends(Communicator& comm, const SurveyReader& reader, const EndsChange& change) {
  FileEnds ends;
  run_on_rank(comm, 0, [&] { ends = changed_ends(reader, change); });
  std::array<std::uint64_t, 2> stated{ends.stated_traces_before, ends.stated_traces_after};
  comm.broadcast(std::as_writable_bytes(std::span(stated)), 0);
  ends.stated_traces_before = stated[0];
  ends.stated_traces_after = stated[1];
  return ends;
}

}  // namespace sill
