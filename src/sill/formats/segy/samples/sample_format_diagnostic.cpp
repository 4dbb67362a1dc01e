#include "sill/formats/segy/samples/sample_format_diagnostic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "sill/base/units.hpp"

namespace sill::segy {
namespace {

using Rule = SampleRefutation::Rule;

std::string text_of(const SampleRefutation& refutation, std::int64_t words) {
  const std::string of_words =
      fmt::format("{:.3g} % of {} distinct sample words", refutation.value, format_count(words));
  switch (refutation.rule) {
    case Rule::zero_first_digit:
      return of_words + " have a fraction that begins with a zero digit, which IBM floats do not have";
    case Rule::huge: return of_words + " would be beyond 1e38";
    case Rule::tiny: return of_words + " would be below 1e-38";
    case Rule::steps:
      return fmt::format("one in ten pairs of neighbouring samples would differ by a factor of 2^{:.0f} or more",
                         refutation.value);
    case Rule::not_finite: return of_words + " would not be finite numbers";
    case Rule::denormal: return of_words + " would be denormal";
    case Rule::no_zero_digit:
      return fmt::format(
          "none of {} distinct sample words is from 2 to 2.25 times a power of four, as if all "
          "were normalized IBM floats",
          format_count(words));
    case Rule::unused_byte: return of_words + " have a first byte that is not 0, which fixed point does not use";
    case Rule::no_small: break;
  }
  return fmt::format("only {:.2g} % of {} distinct sample words would be less than a 64th of the largest",
                     refutation.value, format_count(words));
}

std::string text_of(const SampleReading& reading, const SampleReading& declared) {
  std::string text = fmt::format("{} (format {})", name_of(reading.format), code_of(reading.format));
  if (reading.order != declared.order) text += fmt::format(" in {}-endian order", name_of(reading.order));
  return text;
}

std::string text_of(std::span<const SampleReading> readings, const SampleReading& declared) {
  std::vector<std::string> texts;
  for (const SampleReading& reading : readings) texts.push_back(text_of(reading, declared));
  return fmt::format("{}", fmt::join(texts, " or "));
}

// Returns true for rules that unusual values of any format may violate: sines with zeros computed as 1e-16, or spikes
// with rounding noise between them.
bool may_be_of_the_values(Rule rule) { return rule == Rule::steps || rule == Rule::tiny || rule == Rule::denormal; }

// Returns the advice for a refuted format.
std::string way_out(std::span<const SampleReading> others, const SampleReading& declared, bool is_segy) {
  if (!is_segy)
    return "Seismic Unix data has IEEE floats: write the file again, or read it as IEEE floats: --assume "
           "sample_format=5";
  std::vector<std::string> assumptions;
  for (const SampleReading& reading : others)
    if (reading.order == declared.order)
      assumptions.push_back(fmt::format("--assume sample_format={}", code_of(reading.format)));
  if (!assumptions.empty())
    return fmt::format("if you know this format to be correct: {} (sill repair writes it into the header)",
                       fmt::join(assumptions, " or "));
  if (!others.empty())
    return "no option corrects this: samples are read in the byte order of the headers; write the file again";
  return "check how the file was written";
}

}  // namespace

std::optional<Diagnostic> sample_format_diagnostic(const FileDescription& file, const SampleFormatResult& all,
                                                   const RefutingTraces& single, bool is_assumed) {
  const SampleReading& declared = all.declared;
  const bool is_segy = file.kind == FileKind::segy;
  const std::string name(name_of(declared.format));
  const std::string stated = is_assumed ? "assumed" : is_segy ? "stated" : "usual";
  Diagnostic found;
  found.grade = is_assumed ? Grade::info : Grade::major;
  found.where = is_segy ? "bytes 3225-3226" : "all samples";
  if (is_segy) found.clause = clause_of(declared.format);
  const auto fitting = [&](std::span<const SampleReading> others) {
    return others.empty() ? "no other format of 4 bytes fits"
                          : fmt::format("the samples fit {}", text_of(others, declared));
  };
  if (all.against) {
    found.problem = fmt::format("the samples contradict the {} format, {}: {}; {}", stated, name,
                                text_of(*all.against, all.distinct_words), fitting(all.others));
    found.action = way_out(all.others, declared, is_segy);
    if (all.others.empty() && may_be_of_the_values(all.against->rule)) {
      found.grade = Grade::info;
      found.action = "read as " + name;
    }
  } else if (single.count > 0) {
    found.problem =
        fmt::format("the samples of {} of {} examined traces contradict the {} format, {}; {}",
                    format_count(single.count), format_count(single.of), stated, name, fitting(single.others));
    found.where = fmt::format("trace{} {}{}", single.count == 1 ? "" : "s", fmt::join(single.first, ", "),
                              single.count > std::ssize(single.first) ? ", ..." : "");
    found.action = "split the file by format, and assume the format of each file";
    if (single.others.empty()) {
      found.grade = Grade::info;
      found.action = "read as " + name;
    }
  } else if (all.verdict == SampleVerdict::too_few) {
    found.grade = Grade::info;
    found.problem = fmt::format("the samples have {} distinct values, too few to check the {} format",
                                format_count(all.distinct_words), stated);
    found.action = "read as " + name;
  } else if (!all.others.empty()) {
    found.grade = Grade::info;
    found.problem =
        fmt::format("the samples can be {}, as {}, but also {}", name, stated, text_of(all.others, declared));
    found.action = "read as " + name;
  } else {
    return {};
  }
  return found;
}

}  // namespace sill::segy
