#include "sill/formats/segy/convert/file_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill::segy {
namespace {

[[noreturn]] void refuse(const FileForm& form, const std::string& what, std::string clause, std::string action) {
  const std::string target =
      form.kind == FileKind::seismic_unix ? "Seismic Unix" : fmt::format("SEG-Y revision {}", name_of(form.revision));
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("{} cannot store {}", target, what),
               .clause = std::move(clause),
               .action = std::move(action)});
}

void require_possible_su(const FileForm& form) {
  constexpr const char* clause = "Seismic Unix, segy.h";
  const std::string action = "write SEG-Y";
  if (form.sample_format != SampleFormat::ieee_float)
    refuse(form, fmt::format("samples of format {} ({})", code_of(form.sample_format), name_of(form.sample_format)),
           clause, "its samples are IEEE floats: omit --sample-format");
  if (form.byte_order == ByteOrder::pairwise) refuse(form, "words swapped in pairs", clause, "choose big or little");
  if (form.samples > max_short_samples)
    refuse(form, fmt::format("{} samples per trace, only 65535", form.samples), clause, action);
  if (!is_short_interval(form.interval_us))
    refuse(form, fmt::format("a sample interval of {} us, only integers up to 65535", form.interval_us), clause,
           action);
  if (form.additional_trace_headers > 0) refuse(form, "additional trace headers", clause, action);
  if (form.lengths_vary) refuse(form, "traces of different lengths", clause, action);
  if (form.traces == 0) refuse(form, "a survey without traces", clause, action);
}

// Checks what only revision 2 can state.
void require_possible_before_2(const FileForm& form, const std::string& action) {
  if (form.samples > max_short_samples)
    refuse(form, fmt::format("{} samples per trace, only 65535", form.samples), "SEG-Y rev 1, bytes 3221-3222", action);
  if (!is_short_interval(form.interval_us))
    refuse(form, fmt::format("a sample interval of {} us, only integers up to 65535", form.interval_us),
           "SEG-Y rev 1, bytes 3217-3218", action);
  if (form.extended_text_bytes % std::int64_t{text_header_bytes} != 0)
    refuse(form,
           fmt::format("{} bytes before the first trace, only complete extended text headers", form.header_bytes()),
           "SEG-Y rev 2.1, bytes 3521-3528", action);
  if (form.additional_trace_headers > 0)
    refuse(form, fmt::format("the {} additional trace headers of the input", form.additional_trace_headers),
           "SEG-Y rev 2.1, bytes 3507-3508", action);
  if (form.trailers > 0)
    refuse(form, fmt::format("the {} data trailers of the input", form.trailers), "SEG-Y rev 2.1, bytes 3529-3532",
           action);
}

}  // namespace

Revision parse_revision(std::string_view text) {
  const std::string_view name = trimmed(text);
  if (name == "0" || name == "0.0") return Revision::rev0;
  if (name == "1" || name == "1.0") return Revision::rev1;
  if (name == "2.0") return Revision::rev2_0;
  if (name == "2" || name == "2.1") return Revision::rev2_1;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("`{}` is not a SEG-Y revision that Sill can write", echoed(text)),
               .action = "choose 0, 1, 2.0 or 2.1"});
}

std::vector<std::string> numbered_text(std::vector<std::string> lines, Revision revision) {
  lines.resize(text_header_lines);
  if (revision >= Revision::rev1) lines[38] = fmt::format("SEG Y REV{}", name_of(revision));
  lines[39] = revision >= Revision::rev1 ? "END TEXTUAL HEADER" : "END EBCDIC";
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = fmt::format("C{:2} {}", i + 1, lines[i]);
  return lines;
}

void require_possible(const FileForm& form) {
  constexpr std::int64_t max_file_bytes = std::int64_t{1} << 62;
  const bool counts = form.samples >= 0 && form.traces >= 0 && form.additional_trace_headers >= 0 &&
                      form.extended_text_bytes >= 0 && form.trailers >= 0;
  if (!counts || !(form.interval_us >= 0.0) || std::isinf(form.interval_us))
    refuse(form, "negative counts, or an interval that is not a number", "SEG-Y rev 2.1, binary file header",
           "give counts and an interval of 0 or more");
  if (form.samples > std::numeric_limits<std::uint32_t>::max())
    refuse(form, fmt::format("{} samples per trace", form.samples), "SEG-Y rev 2.1, bytes 3269-3272",
           "cut the traces into shorter ones");
  if (form.traces > max_file_bytes / form.trace_bytes())
    refuse(form, fmt::format("{} traces of {} bytes", form.traces, form.trace_bytes()), "", "write several files");
  if (form.kind == FileKind::seismic_unix) return require_possible_su(form);
  const std::string action_2 = "choose --revision 2.0 or 2.1";
  const int first = first_revision_of(form.sample_format);
  if (major_of(form.revision) < first)
    refuse(form, fmt::format("samples of format {} ({})", code_of(form.sample_format), name_of(form.sample_format)),
           "SEG-Y rev 1 and rev 2.1, bytes 3225-3226",
           first == 1 ? "choose --revision 1 or later, or another --sample-format" : action_2);
  if (form.sample_format == SampleFormat::fixed_point_gain && form.revision >= Revision::rev2_0)
    refuse(form, "samples of format 4 of earlier revisions: it divides by the gain, but they multiply",
           "SEG-Y rev 2.1, bytes 3225-3226", "choose another --sample-format, or --revision 0 or 1");
  if (form.revision < Revision::rev1) {
    if (form.extended_text_bytes > 0 && !form.carries_old_texts)
      refuse(form, fmt::format("{} bytes of extended text headers", form.extended_text_bytes),
             "SEG-Y rev 1, bytes 3505-3506", "choose --revision 1 or later");
    if (form.lengths_vary)
      refuse(form, "traces of different lengths", "SEG-Y rev 1, bytes 3503-3504", "choose --revision 1 or later");
  }
  if (form.revision < Revision::rev2_0) require_possible_before_2(form, action_2);
  constexpr std::int64_t max_texts = std::numeric_limits<std::int16_t>::max();
  if (form.extended_text_bytes / std::int64_t{text_header_bytes} > max_texts)
    refuse(form, fmt::format("{} bytes of extended text headers", form.extended_text_bytes),
           "SEG-Y rev 1, bytes 3505-3506", "omit some of them");
}

void set_form_words(const FileForm& form, std::span<std::byte, 400> block) {
  const auto put = [&](int byte, auto value) {
    write_word(block.data(), binary_word(byte, form.revision), form.byte_order, {value});
  };
  const auto clear = [&](int byte, int last_byte) {
    std::fill(block.begin() + (byte - 3201), block.begin() + (last_byte - 3200), std::byte{0});
  };
  const bool is_short = form.samples <= max_short_samples;
  const bool has_short_interval = is_short_interval(form.interval_us);
  put(3217, has_short_interval ? static_cast<std::int64_t>(form.interval_us) : 0);
  put(3221, is_short ? form.samples : 0);
  put(3225, std::int64_t{code_of(form.sample_format)});
  if (form.revision < Revision::rev1) {
    clear(3501, 3506);
    if (form.carries_old_texts)
      write_word(block.data(), binary_word(3505, Revision::rev1), form.byte_order,
                 {form.extended_text_bytes / std::int64_t{text_header_bytes}});
  } else {
    put(3501, std::int64_t{major_of(form.revision)});
    put(3502, std::int64_t{minor_of(form.revision)});
    put(3503, std::int64_t{form.lengths_vary ? 0 : 1});
    put(3505, form.extended_text_bytes / std::int64_t{text_header_bytes});
  }
  if (form.revision < Revision::rev2_0) return;
  put(3269, form.samples);
  put(3273, form.interval_us);
  put(3297, std::int64_t{0x01020304});
  put(3507, std::int64_t{form.additional_trace_headers});
  put(3513, form.traces);
  put(3521, form.header_bytes());
  put(3529, form.trailers);
}

std::vector<std::byte> make_file_header(const FileForm& form) {
  std::vector<std::byte> header(static_cast<std::size_t>(file_header_bytes));
  const bool is_ascii = form.text_encoding == TextEncoding::ascii;
  encode_text_header(form.text, is_ascii ? TextEncoding::ascii : TextEncoding::ebcdic,
                     std::span(header).first<text_header_bytes>());
  const auto block = std::span(header).subspan<text_header_bytes, 400>();
  set_form_words(form, block);
  write_word(block.data(), binary_word(3229), form.byte_order, {std::int64_t{form.sorting_code}});
  write_word(block.data(), binary_word(3255), form.byte_order, {std::int64_t{form.measurement_system}});
  return header;
}

}  // namespace sill::segy
