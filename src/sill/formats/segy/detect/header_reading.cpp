// Reads byte order, revision and sizes from the binary header.
#include "sill/formats/segy/detect/header_reading.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/segy/detect/file_signs.hpp"

namespace sill::segy {
namespace {

constexpr const char* format_clause = "SEG-Y rev 1, bytes 3225-3226";

[[noreturn]] void refuse_header(const FileDescription& file, std::string problem, std::string clause,
                                std::string action) {
  throw Error({.code = ErrorCode::input,
               .problem = std::move(problem),
               .where = {.file = file.path},
               .clause = std::move(clause),
               .action = std::move(action)});
}

/// Reads one binary header; each step uses the results of the previous ones.
class HeaderReading {
 public:
  HeaderReading(std::span<const std::byte, 400> block, const Assumptions& assume, FileDescription& file)
      : block_(block), assume_(assume), file_(file), constant_(stated_byte_order(block, assume)) {}

  BinaryHeader read() {
    choose_byte_order();
    binary_ = read_binary_header(block_, file_.byte_order);
    if (code_in_one_byte_) interpret_code_in_one_byte();
    interpret_revision();
    interpret_constant();
    interpret_sizes();
    return binary_;
  }

 private:
  void take_assumed_order(const BinaryHeader& big, const BinaryHeader& little);
  void choose_byte_order();
  [[nodiscard]] bool counts_fit(const BinaryHeader& read, int format_code, std::int64_t samples) const;
  [[nodiscard]] bool is_byte_of(const BinaryHeader& other, const BinaryHeader& makes_sense) const;
  void refuse_unknown_format(const BinaryHeader& big, const BinaryHeader& little) const;
  void interpret_code_in_one_byte();
  void interpret_revision();
  void interpret_constant();
  void interpret_sizes();
  void interpret_additional_headers();

  void report(Grade grade, std::string problem, int byte, int last_byte, std::string action) {
    report_bytes(file_, grade, std::move(problem), byte, last_byte, std::move(action));
  }
  void decide(std::string subject, std::string decided, std::string by) {
    file_.evidence.push_back({std::move(subject), std::move(decided), std::move(by), {}});
  }

  std::span<const std::byte, 400> block_;
  const Assumptions& assume_;
  FileDescription& file_;
  std::optional<ByteOrder> constant_;
  std::optional<int> code_in_one_byte_;  ///< the sample format, if it is stored in one byte of its word
  BinaryHeader binary_;
};

/// Returns the number of words of a binary header that have common values.
int words_that_make_sense(const BinaryHeader& read) {
  return (read.samples > 0 && read.samples <= 32767 ? 1 : 0) + (read.interval_us <= 32767 ? 1 : 0) +
         (read.revision_major <= 2 ? 1 : 0) + (read.measurement_system >= 0 && read.measurement_system <= 2 ? 1 : 0) +
         (read.samples > 0 && read.samples < 4096 ? 1 : 0) +
         (read.sorting_code >= -1 && read.sorting_code <= 9 ? 1 : 0);
}

// Returns true if traces with this number of samples end at the end of the file, after the stated number of extended
// text headers or after none.
bool HeaderReading::counts_fit(const BinaryHeader& read, int format_code, std::int64_t samples) const {
  const auto format = sample_format_from_code(format_code, read.revision_major);
  if (!format || samples <= 0) return false;
  const std::int64_t trace_bytes = trace_header_bytes + samples * bytes_of(*format);
  for (const int texts : {0, std::max(0, read.extended_text_headers)}) {
    const std::int64_t room =
        file_.file_bytes - file_.label_bytes - file_header_bytes - texts * std::int64_t{text_header_bytes};
    if (room > 0 && room % trace_bytes == 0) return true;
  }
  return false;
}

// Returns true if the order of `makes_sense` is wrong: a number stored in the first byte of its 2-byte word reads as
// that number in the opposite byte order.
bool HeaderReading::is_byte_of(const BinaryHeader& other, const BinaryHeader& makes_sense) const {
  const int code = assume_.format_code.value_or(makes_sense.format_code);
  const auto fits = [&](const BinaryHeader& read) {
    return counts_fit(read, code, assume_.samples.value_or(read.samples)) ||
           counts_fit(read, code, read.extended_samples);
  };
  return fits(other) && !fits(makes_sense) && words_that_make_sense(other) > words_that_make_sense(makes_sense);
}

void HeaderReading::take_assumed_order(const BinaryHeader& big, const BinaryHeader& little) {
  file_.byte_order = *assume_.byte_order;
  const bool is_big = file_.byte_order == ByteOrder::big;
  const int code = is_big ? big.format_code : little.format_code;
  if (!assume_.format_code && meaning_of_code(code).empty()) {
    const bool is_other = !meaning_of_code(is_big ? little.format_code : big.format_code).empty();
    refuse_header(
        file_,
        fmt::format(
            "sample format {} is unknown in the assumed byte order ({}): the standard defines 1 to 12, 15 and 16", code,
            name_of(file_.byte_order)),
        format_clause,
        is_other ? "assume the other byte order, in which the header is valid, or do not assume a byte order"
                 : "also assume the sample format: --assume sample_format=CODE");
  }
  decide("byte order", std::string(name_of(file_.byte_order)), "assumed");
}

void HeaderReading::choose_byte_order() {
  // The code of the sample format is 1 to 16, so it makes sense in at most one order. The size of the file and the
  // trace headers are compared with this decision later; so are the 32-bit words, which distinguish little from
  // pairwise order.
  const BinaryHeader big = read_binary_header(block_, ByteOrder::big);
  const BinaryHeader little = read_binary_header(block_, ByteOrder::little);
  if (assume_.byte_order) return take_assumed_order(big, little);
  const bool big_makes_sense = !meaning_of_code(big.format_code).empty();
  const bool little_makes_sense = !meaning_of_code(little.format_code).empty();
  const bool is_revision_2 =
      assume_.revision ? *assume_.revision == 2 : little.revision_major == 2 || little.revision_major == 3;
  const auto little_or_swapped = [&] {
    // The words of revision 2 are needed before any trace is read.
    const ByteOrder order = constant_       ? *constant_
                            : is_revision_2 ? little_or_pairwise(block_, {}).value_or(ByteOrder::little)
                                            : ByteOrder::little;
    return order == ByteOrder::big ? ByteOrder::little : order;
  };
  if (big_makes_sense ? is_byte_of(little, big) : little_makes_sense && is_byte_of(big, little)) {
    file_.byte_order = big_makes_sense ? little_or_swapped() : ByteOrder::big;
    code_in_one_byte_ = (big_makes_sense ? big : little).format_code;
    return decide(
        "byte order", std::string(name_of(file_.byte_order)),
        fmt::format("with sample format {} in one byte, the counts and the file size agree only in this byte order",
                    *code_in_one_byte_));
  }
  if (big_makes_sense || little_makes_sense) {
    file_.byte_order = big_makes_sense ? ByteOrder::big : little_or_swapped();
    const BinaryHeader& read = big_makes_sense ? big : little;
    return decide(
        "byte order", std::string(name_of(file_.byte_order)),
        fmt::format("sample format {} at bytes 3225-3226 is valid only in {} order{}", read.format_code,
                    big_makes_sense ? "big" : "little",
                    constant_ == file_.byte_order ? ", and bytes 3297-3300 contain the constant of this order" : ""));
  }
  refuse_unknown_format(big, little);
  // The format is assumed: the constant states the order; without it, the order is the one in which more words have
  // common values.
  const bool is_stated = constant_.has_value();
  const bool is_little =
      is_stated ? *constant_ != ByteOrder::big : words_that_make_sense(little) > words_that_make_sense(big);
  file_.byte_order = is_little ? little_or_swapped() : ByteOrder::big;
  decide("byte order", std::string(name_of(file_.byte_order)),
         is_stated ? "bytes 3297-3300 contain the constant of this order"
                   : "more words of the binary header are valid in this order");
}

void HeaderReading::refuse_unknown_format(const BinaryHeader& big, const BinaryHeader& little) const {
  if (assume_.format_code) return;
  const std::string hint =
      undoing_line_feeds_makes_sense(block_)
          ? "its line feeds follow carriage returns, as if the file had been copied as text: copy it again, as binary"
          : "";
  if (is_plain_text(block_))
    refuse_header(file_, "this is not a SEG-Y file: there is text at the position of the binary header",
                  "SEG-Y rev 1, bytes 3201-3600", "check that this is the intended file");
  if (file_.text_encoding == TextEncoding::unknown)
    refuse_header(file_,
                  fmt::format("this is not a SEG-Y file: it does not start with text, and its sample format would be "
                              "{} (big-endian) or {} (little-endian)",
                              big.format_code, little.format_code),
                  format_clause,
                  hint.empty() ? "check that this is the intended file; if it is SEG-Y, give its sample format: "
                                 "--assume sample_format=CODE"
                               : hint);
  refuse_header(
      file_,
      fmt::format("sample format {} is unknown: the standard defines 1 to 12, 15 and 16",
                  std::abs(big.format_code) <= std::abs(little.format_code) ? big.format_code : little.format_code),
      format_clause,
      hint.empty() ? "if you know the format, give --assume sample_format=CODE, or correct bytes 3225-3226 of the file"
                   : hint);
}

void HeaderReading::interpret_code_in_one_byte() {
  report(Grade::major,
         fmt::format("the sample format is stored as {}: {} in a single byte", binary_.format_code, *code_in_one_byte_),
         3225, 3226,
         fmt::format("read as {} in {} order: the counts and the file size agree", *code_in_one_byte_,
                     name_of(file_.byte_order)));
  binary_.format_code = *code_in_one_byte_;
}

// The forms in which files store the revision in bytes 3501-3502.
enum class RevisionForm : std::uint8_t {
  known,          // 0.0, 1.0, 2.0, 2.1
  later,          // possible in a later revision of the standard
  unknown_minor,  // 1.1 and higher
  swapped,        // 0.1 for 1.0
  hundredths,     // 1.00 as a 16-bit number of hundredths
  digits,         // 1.0 as two digits of one byte
  meaningless     // garbage in a header of revision 0
};

RevisionForm form_of_revision(int major, int minor, ByteOrder order) {
  constexpr int hundred = 100;
  constexpr int two_digits = 0x10;
  const auto is_in_either_byte = [&](int value) {
    return (major == 0 && minor == value) || (major == value && minor == 0 && order != ByteOrder::big);
  };
  if ((major == 2 || major == 3) && minor < 10)
    return major == 2 && minor <= 1 ? RevisionForm::known : RevisionForm::later;
  if (major == 1) return minor == 0 ? RevisionForm::known : RevisionForm::unknown_minor;
  if (major == 0 && minor < 10) return minor == 0 ? RevisionForm::known : RevisionForm::swapped;
  if (is_in_either_byte(hundred)) return RevisionForm::hundredths;
  if (is_in_either_byte(two_digits)) return RevisionForm::digits;
  return RevisionForm::meaningless;
}

void HeaderReading::interpret_revision() {
  const int major = binary_.revision_major;
  const int minor = binary_.revision_minor;
  file_.revision_major = major;
  file_.revision_minor = minor;
  if (assume_.revision) {
    file_.revision = *assume_.revision;
    return decide("revision", fmt::format("{}", file_.revision), "assumed");
  }
  const auto stated = [&](Grade grade, std::string problem, std::string action) {
    report(grade, std::move(problem), 3501, 3502, std::move(action));
  };
  std::string by = fmt::format("bytes 3501-3502 contain {}.{}", major, minor);
  switch (form_of_revision(major, minor, file_.byte_order)) {
    case RevisionForm::known: file_.revision = major; break;
    case RevisionForm::later:
      file_.revision = 2;
      stated(Grade::info,
             fmt::format("the revision is {}.{}, which is later than all revisions that Sill knows", major, minor),
             "read as revision 2.1");
      break;
    case RevisionForm::unknown_minor:
      file_.revision = 1;
      stated(Grade::info, fmt::format("the revision is 1.{}, which the standard does not define", minor),
             "read as revision 1.0");
      break;
    case RevisionForm::swapped: {
      const bool is_2 = minor == 2 && constant_.has_value();
      file_.revision = is_2 ? 2 : 1;
      // Revision 1 defines the two bytes as one 16-bit number, so files in little order may contain them swapped.
      stated(file_.byte_order == ByteOrder::big ? Grade::minor : Grade::info,
             fmt::format("the revision is stored as 0.{}: its bytes are swapped", minor),
             fmt::format("read as revision {}.0", file_.revision));
      by += is_2 ? ", swapped; the byte-order constant belongs to revision 2" : ", swapped";
      break;
    }
    case RevisionForm::hundredths:
      file_.revision = 1;
      stated(Grade::minor, "the revision is stored as 100: 1.00 in hundredths", "read as revision 1.0");
      by += ", 1.00 in hundredths";
      break;
    case RevisionForm::digits:
      file_.revision = 1;
      stated(Grade::minor, "the revision is stored as 0x0010: 1.0 as digits of one byte", "read as revision 1.0");
      by += ", 1.0 as digits of one byte";
      break;
    case RevisionForm::meaningless:
      file_.revision = 0;
      stated(Grade::minor, fmt::format("the revision is stored as {}.{}, which is undefined", major, minor),
             "read as revision 0");
      by += ", which is undefined";
      break;
  }
  decide("revision", fmt::format("{}", file_.revision), std::move(by));
}

void HeaderReading::interpret_constant() {
  const auto read_as = fmt::format("read in {} order", name_of(file_.byte_order));
  if (constant_ && *constant_ != file_.byte_order)
    report(Grade::major,
           assume_.byte_order
               ? fmt::format("the byte-order constant states {}, but {} is assumed", name_of(*constant_),
                             name_of(file_.byte_order))
               : fmt::format("the byte-order constant states {}, but the sample format is valid only in {} order",
                             name_of(*constant_), name_of(file_.byte_order)),
           3297, 3300, read_as);
  const auto stored = load<std::uint32_t>(block_.data() + 96, file_.byte_order);
  if (file_.revision == 2 && !constant_ && stored != 0)
    report(Grade::minor, fmt::format("the byte-order constant is 0x{:08X}, which is undefined", stored), 3297, 3300,
           read_as + ", in which the sample format is valid");
}

void HeaderReading::interpret_sizes() {
  const int code = assume_.format_code.value_or(binary_.format_code);
  const SampleFormat format = sample_format_from_code(code, file_.revision).value();
  if (code != binary_.format_code)
    report(Grade::info, fmt::format("the sample format is stored as {}", binary_.format_code), 3225, 3226,
           fmt::format("read as {}, as assumed", code));
  file_.sample_format = format;
  file_.samples = binary_.samples;
  file_.interval_us = binary_.interval_us;
  file_.sorting_code = binary_.sorting_code;
  file_.measurement_system = binary_.measurement_system;
  if (file_.revision == 2) {
    file_.traces_stated = binary_.traces;
    const double interval_us = binary_.extended_interval_us;
    if (interval_us > 0.0 && std::isfinite(interval_us)) {
      file_.interval_us = interval_us;
    } else if (interval_us != 0.0) {
      report(Grade::minor, fmt::format("the extended sample interval is {}", interval_us), 3273, 3280,
             fmt::format("ignored: the {} us of bytes 3217-3218 are used", binary_.interval_us));
    }
    const std::int64_t extended = binary_.extended_samples;
    if (extended * bytes_of(format) > file_.file_bytes && file_.file_bytes > file_header_bytes) {
      report(Grade::major,
             fmt::format("the extended number of samples is {}, for which the file is too short", extended), 3269, 3272,
             fmt::format("ignored: the {} of bytes 3221-3222 are used", binary_.samples));
    } else if (extended != 0) {
      file_.samples = extended;
    }
    interpret_additional_headers();
  } else if (!assume_.revision && !assume_.samples && !counts_fit(binary_, code, binary_.samples) &&
             counts_fit(binary_, code, binary_.extended_samples)) {
    file_.samples = binary_.extended_samples;
    report(Grade::major,
           fmt::format("the extended number of samples is {}, the number at bytes 3221-3222 is {}; before revision 2 "
                       "there is no extended number",
                       file_.samples, binary_.samples),
           3269, 3272, fmt::format("read as {}: only this number agrees with the file size", file_.samples));
  }
  const auto assumed_instead = [&](std::string_view what, const auto& stored, const auto& assumed, int byte) {
    if (stored == assumed) return;
    report(Grade::info, fmt::format("the binary header states {} {}", stored, what), byte, byte + 1,
           fmt::format("read as {}, as assumed", assumed));
  };
  if (assume_.samples) {
    assumed_instead("samples per trace", file_.samples, *assume_.samples, 3221);
    file_.samples = *assume_.samples;
  }
  if (assume_.interval_us) {
    assumed_instead("us between samples", file_.interval_us, *assume_.interval_us, 3217);
    file_.interval_us = *assume_.interval_us;
  }
  file_.trace_bytes = file_.header_bytes() + file_.samples * bytes_of(format);
}

// Revision 2.0 uses 32 bits for additional headers, 2.1 only 16, and some files of revision 2.0 use 16 bits.
void HeaderReading::interpret_additional_headers() {
  const bool has_i4 = binary_.revision_major == 2 && binary_.revision_minor == 0;
  std::int64_t stated = has_i4 ? binary_.additional_headers_i4 : binary_.additional_headers_i2;
  // A small number is accepted even if the file is too short for it: the file has no traces, or was truncated in the
  // first one.
  constexpr std::int64_t few = 4;
  const auto possible = [&](std::int64_t count) {
    return count >= 0 && count <= std::numeric_limits<std::int16_t>::max() &&
           (count <= few || (count + 1) * trace_header_bytes <= file_.file_bytes - file_header_bytes);
  };
  if (has_i4 && !possible(stated) && possible(binary_.additional_headers_i2)) {
    report(Grade::minor, fmt::format("{} additional trace headers are stated in a 32-bit number", stated), 3507, 3510,
           fmt::format("read as a 16-bit number, as in revision 2.1: {}", binary_.additional_headers_i2));
    stated = binary_.additional_headers_i2;
  }
  if (!possible(stated)) {
    report(Grade::major, fmt::format("the binary header states {} additional trace headers", stated), 3507, 3508,
           "ignored: read without additional headers");
    stated = 0;
  }
  file_.additional_trace_headers = static_cast<int>(stated);
}

}  // namespace

std::optional<ByteOrder> stated_byte_order(std::span<const std::byte, 400> block, const Assumptions& assume) {
  return assume.revision.value_or(2) == 2 ? byte_order_constant(block) : std::nullopt;
}

BinaryHeader read_file_header(std::span<const std::byte, 400> block, const Assumptions& assume, FileDescription& file) {
  return HeaderReading(block, assume, file).read();
}

void report_bytes(FileDescription& file, Grade grade, std::string problem, int byte, int last_byte,
                  std::string action) {
  const std::string bytes = fmt::format("bytes {}-{}", byte, last_byte);
  const bool is_old = byte < 3261 || (byte > 3500 && byte < 3507);
  file.diagnostics.push_back({.grade = grade,
                              .problem = std::move(problem),
                              .where = bytes,
                              .clause = fmt::format("SEG-Y rev {}, {}", is_old ? "1" : "2.1", bytes),
                              .action = std::move(action)});
}

}  // namespace sill::segy
