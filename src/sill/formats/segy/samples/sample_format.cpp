// Names and codes of the sample formats.
#include "sill/formats/segy/samples/sample_format.hpp"

#include <array>

namespace sill::segy {
namespace {

struct NamedFormat {
  std::string_view name;
  SampleFormat format;
};

constexpr std::array named_formats = {
    NamedFormat{"ibm", SampleFormat::ibm_float},      NamedFormat{"ieee", SampleFormat::ieee_float},
    NamedFormat{"ieee64", SampleFormat::ieee_double}, NamedFormat{"int8", SampleFormat::int8},
    NamedFormat{"int16", SampleFormat::int16},        NamedFormat{"int24", SampleFormat::int24},
    NamedFormat{"int32", SampleFormat::int32},        NamedFormat{"int64", SampleFormat::int64},
    NamedFormat{"uint8", SampleFormat::uint8},        NamedFormat{"uint16", SampleFormat::uint16},
    NamedFormat{"uint24", SampleFormat::uint24},      NamedFormat{"uint32", SampleFormat::uint32},
    NamedFormat{"uint64", SampleFormat::uint64}};

}  // namespace

int first_revision_of(SampleFormat format) {
  switch (format) {
    case SampleFormat::ibm_float:
    case SampleFormat::int32:
    case SampleFormat::int16:
    case SampleFormat::fixed_point_gain:
    case SampleFormat::ieee_float: return 0;
    case SampleFormat::int8: return 1;
    case SampleFormat::ieee_double:
    case SampleFormat::int24:
    case SampleFormat::int64:
    case SampleFormat::uint32:
    case SampleFormat::uint16:
    case SampleFormat::uint64:
    case SampleFormat::uint24:
    case SampleFormat::uint8:
    case SampleFormat::fixed_point_gain_rev2: break;
  }
  return 2;
}

std::string_view name_of(SampleFormat format) { return meaning_of_code(code_of(format)); }

std::optional<SampleFormat> sample_format_from_code(int code, int revision_major) {
  if (meaning_of_code(code).empty()) return std::nullopt;
  if (code == 4 && revision_major >= 2) return SampleFormat::fixed_point_gain_rev2;
  return static_cast<SampleFormat>(code);
}

std::optional<SampleFormat> sample_format_from_name(std::string_view name) {
  for (const NamedFormat& named : named_formats)
    if (named.name == name) return named.format;
  return std::nullopt;
}

std::vector<std::string> sample_format_names(int revision_major) {
  std::vector<std::string> names;
  for (const NamedFormat& named : named_formats)
    if (first_revision_of(named.format) <= revision_major) names.emplace_back(named.name);
  return names;
}

std::string_view meaning_of_code(int code) {
  switch (code) {
    case 1: return "IBM float, 4 bytes";
    case 2: return "integer, 4 bytes";
    case 3: return "integer, 2 bytes";
    case 4: return "fixed point with gain, 4 bytes (obsolete)";
    case 5: return "IEEE float, 4 bytes";
    case 6: return "IEEE float, 8 bytes";
    case 7: return "integer, 3 bytes";
    case 8: return "integer, 1 byte";
    case 9: return "integer, 8 bytes";
    case 10: return "unsigned integer, 4 bytes";
    case 11: return "unsigned integer, 2 bytes";
    case 12: return "unsigned integer, 8 bytes";
    case 15: return "unsigned integer, 3 bytes";
    case 16: return "unsigned integer, 1 byte";
    default: return {};
  }
}

std::string_view clause_of(SampleFormat format) {
  return first_revision_of(format) < 2 ? "SEG-Y rev 1, bytes 3225-3226" : "SEG-Y rev 2.0, bytes 3225-3226";
}

}  // namespace sill::segy
