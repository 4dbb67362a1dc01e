#include "fuzz/survey_support.hpp"

#include <array>

namespace sill::fuzz {

std::vector<std::vector<std::byte>> traces_of(const SurveyReader& reader) {
  std::vector<std::vector<std::byte>> traces;
  for (std::int64_t trace = 0; trace < reader.traces(); ++trace) {
    traces.emplace_back(static_cast<std::size_t>(reader.bytes_of({trace, 1})));
    reader.read_own({trace, 1}, traces.back());
  }
  return traces;
}

SurveyReader read_again(const Resources& resources, const std::string& path, std::string_view what) {
  try {
    return SurveyReader(resources, {path});
  } catch (const Error& error) {
    throw std::logic_error(fmt::format("{}: the output is refused: {}", what, error.what()));
  }
}

CompareResult compared(const Resources& resources, const std::string& a, const std::string& b) {
  CompareOptions options;
  options.a = a;
  options.b = b;
  return compare(resources, options);
}

ConvertOptions conversion_to(const std::string& output, unsigned form) {
  constexpr std::array formats = {segy::SampleFormat::ieee_float, segy::SampleFormat::ibm_float,
                                  segy::SampleFormat::int16, segy::SampleFormat::ieee_double};
  constexpr std::array revisions = {segy::Revision::rev0, segy::Revision::rev1, segy::Revision::rev2_0,
                                    segy::Revision::rev2_1};
  enum Given : unsigned { kind = 1, byte_order = 2, revision = 4, sample_format = 8 };
  ConvertOptions options;
  options.output = output;
  if ((form & kind) != 0) options.kind = (form & 16) != 0 ? segy::FileKind::seismic_unix : segy::FileKind::segy;
  if ((form & byte_order) != 0) options.byte_order = (form & 32) != 0 ? ByteOrder::little : ByteOrder::big;
  if ((form & revision) != 0) options.revision = revisions[form >> 6 & 3];
  if ((form & sample_format) != 0) options.sample_format = formats[form >> 4 & 3];
  options.samples = {.clip = true, .nonfinite_to_zero = true};
  return options;
}

}  // namespace sill::fuzz
