#include "file_form.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "status.hpp"

namespace sill::bindings {
namespace {

// The constants of C and the corresponding values of C++.
constexpr std::array byte_orders{std::pair(+SILL_BIG, ByteOrder::big), std::pair(+SILL_LITTLE, ByteOrder::little),
                                 std::pair(+SILL_PAIRWISE, ByteOrder::pairwise)};
constexpr std::array kinds{std::pair(+SILL_SEGY, segy::FileKind::segy),
                           std::pair(+SILL_SEISMIC_UNIX, segy::FileKind::seismic_unix)};
constexpr std::array revisions{
    std::pair(+SILL_REV_0, segy::Revision::rev0), std::pair(+SILL_REV_1, segy::Revision::rev1),
    std::pair(+SILL_REV_2_0, segy::Revision::rev2_0), std::pair(+SILL_REV_2_1, segy::Revision::rev2_1)};
constexpr std::array encodings{std::pair(+SILL_EBCDIC, segy::TextEncoding::ebcdic),
                               std::pair(+SILL_ASCII, segy::TextEncoding::ascii),
                               std::pair(+SILL_UNKNOWN_TEXT, segy::TextEncoding::unknown)};
constexpr std::array sample_formats{segy::SampleFormat::ibm_float,  segy::SampleFormat::int32,
                                    segy::SampleFormat::int16,      segy::SampleFormat::fixed_point_gain,
                                    segy::SampleFormat::ieee_float, segy::SampleFormat::ieee_double,
                                    segy::SampleFormat::int24,      segy::SampleFormat::int8,
                                    segy::SampleFormat::int64,      segy::SampleFormat::uint32,
                                    segy::SampleFormat::uint16,     segy::SampleFormat::uint64,
                                    segy::SampleFormat::uint24,     segy::SampleFormat::uint8};

template <class Table>
auto named(const Table& table, int number, const char* what) {
  for (const auto& [each, value] : table) {
    if (each == number) return value;
  }
  refuse(std::string(what) + " " + std::to_string(number) + " has no meaning", "use one of the names in sill.h");
}

template <class Table, class Value>
int number_of(const Table& table, Value value) {
  for (const auto& [number, each] : table) {
    if (each == value) return number;
  }
  return 0;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

ByteOrder byte_order(int number) { return named(byte_orders, number, "byte order"); }

int byte_order_number(ByteOrder order) { return number_of(byte_orders, order); }

std::optional<segy::SampleFormat> sample_format(int code) {
  if (code == 0) return std::nullopt;
  const auto format = std::find_if(sample_formats.begin(), sample_formats.end(),
                                   [&](segy::SampleFormat each) { return segy::code_of(each) == code; });
  if (format == sample_formats.end())
    refuse(std::to_string(code) + " is the code of no sample format", "use a code of SEG-Y, such as 5 for IEEE floats");
  return *format;
}

segy::FileForm file_form(const sill_file_form& form) {
  segy::FileForm all{.kind = named(kinds, form.kind, "kind of file"),
                     .byte_order = byte_order(form.byte_order),
                     .revision = named(revisions, form.revision, "revision"),
                     .samples = form.samples,
                     .interval_us = form.interval_us,
                     .traces = form.traces,
                     .lengths_vary = form.lengths_vary != 0,
                     .additional_trace_headers = form.additional_trace_headers,
                     .sorting_code = form.sorting_code,
                     .measurement_system = form.measurement_system,
                     .text_encoding = named(encodings, form.text_encoding, "encoding of text")};
  const std::optional<segy::SampleFormat> format = sample_format(form.sample_format);
  if (!format) refuse("0 is the code of no sample format", "use a code of SEG-Y, such as 5 for IEEE floats");
  all.sample_format = *format;
  all.text = lines_of(text_of(form.text));
  return all;
}

sill_file_form file_form(const segy::FileDescription& file, std::int64_t traces) {
  sill_file_form form{};
  form.kind = number_of(kinds, file.kind);
  form.byte_order = number_of(byte_orders, file.byte_order);
  form.revision = number_of(revisions, segy::revision_of(file));
  form.sample_format = segy::code_of(file.sample_format);
  form.samples = file.samples;
  form.interval_us = file.interval_us;
  form.traces = traces;
  form.lengths_vary = file.lengths_vary ? 1 : 0;
  form.additional_trace_headers = file.additional_trace_headers;
  form.sorting_code = file.sorting_code;
  form.measurement_system = file.measurement_system;
  form.text_encoding = number_of(encodings, file.text_encoding);
  return form;
}

}  // namespace sill::bindings
