// Parses assumptions, and refuses impossible ones.
#include "sill/formats/segy/detect/assumptions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "sill/base/error.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/user_text.hpp"

namespace sill::segy {
namespace {

struct AssumptionKind {
  std::string_view name;
  std::string_view values;                                   // as printed by help and errors
  bool (*set)(Assumptions& assume, std::string_view value);  // returns false if the value is invalid
};

template <class T>
bool read_number(std::string_view value, T min, T max, std::optional<T>& into) {
  T number{};
  const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (failure != std::errc() || end != value.data() + value.size() || !(number >= min) || !(number <= max))
    return false;
  into = number;
  return true;
}

constexpr std::int64_t max_assumed_bytes = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t max_samples = std::numeric_limits<std::uint32_t>::max();  // the maximum of bytes 3269-3272

constexpr AssumptionKind assumption_kinds[] = {
    {"kind", "segy or su",
     [](Assumptions& assume, std::string_view value) {
       if (value == "segy") assume.kind = FileKind::segy;
       if (value == "su") assume.kind = FileKind::seismic_unix;
       return assume.kind.has_value();
     }},
    {"byte_order", "big, little or pairwise",
     [](Assumptions& assume, std::string_view value) {
       for (const ByteOrder order : {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise})
         if (value == name_of(order)) assume.byte_order = order;
       return assume.byte_order.has_value();
     }},
    {"revision", "0, 1 or 2",
     [](Assumptions& assume, std::string_view value) { return read_number(value, 0, 2, assume.revision); }},
    {"samples", "samples per trace, 1 or more",
     [](Assumptions& assume, std::string_view value) {
       return read_number(value, std::int64_t{1}, max_samples, assume.samples);
     }},
    {"interval", "microseconds, above 0",
     [](Assumptions& assume, std::string_view value) {
       return read_number(value, std::numeric_limits<double>::min(), 1e12, assume.interval_us);
     }},
    {"sample_format", "a code of bytes 3225-3226, 1 to 12, 15 or 16",
     [](Assumptions& assume, std::string_view value) {
       return read_number(value, 1, 16, assume.format_code) && !meaning_of_code(*assume.format_code).empty();
     }},
    {"first_trace_byte", "a byte of the file, from 0",
     [](Assumptions& assume, std::string_view value) {
       return read_number(value, std::int64_t{0}, max_assumed_bytes, assume.first_trace_byte);
     }},
    {"extended_text_headers", "0 to 32767",
     [](Assumptions& assume, std::string_view value) {
       return read_number(value, 0, 32767, assume.extended_text_headers);
     }},
    {"text", "ebcdic or ascii",
     [](Assumptions& assume, std::string_view value) {
       if (value == "ebcdic") assume.text_encoding = TextEncoding::ebcdic;
       if (value == "ascii") assume.text_encoding = TextEncoding::ascii;
       return assume.text_encoding.has_value();
     }},
    {"lengths", "fixed or vary",
     [](Assumptions& assume, std::string_view value) {
       if (value == "fixed" || value == "vary") assume.lengths_vary = value == "vary";
       return assume.lengths_vary.has_value();
     }},
    {"domain", "time or depth",
     [](Assumptions& assume, std::string_view value) {
       for (const Domain domain : {Domain::time, Domain::depth})
         if (value == name_of(domain)) assume.domain = domain;
       return assume.domain.has_value();
     }},
};

[[noreturn]] void refuse_assumption(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

void add_one(Assumptions& assume, std::string_view text) {
  const std::size_t sign = std::min(text.find('='), text.size());
  const std::string_view name = trimmed(text.substr(0, sign));
  const std::string_view value = sign < text.size() ? trimmed(text.substr(sign + 1)) : std::string_view();
  const auto* const found = std::ranges::find(assumption_kinds, name, &AssumptionKind::name);
  if (found == std::end(assumption_kinds)) {
    std::vector<std::string_view> names;
    for (const AssumptionKind& kind : assumption_kinds) names.push_back(kind.name);
    refuse_assumption(
        fmt::format("{} is not a property that can be assumed", echoed(name)),
        fmt::format("{}the properties are {}", did_you_mean(sill::nearest_names(name, names)), fmt::join(names, ", ")));
  }
  const auto is_same = [&](const std::string& stated) { return stated.substr(0, stated.find('=')) == name; };
  if (std::ranges::any_of(assume.stated, is_same))
    refuse_assumption(fmt::format("{} is assumed twice", name), "give it once");
  if (!found->set(assume, value))
    refuse_assumption(value.empty() ? fmt::format("no value is given for {}", name)
                                    : fmt::format("{} is not a value of {}", echoed(value), name),
                      fmt::format("{} is {}", name, found->values));
  assume.stated.push_back(fmt::format("{}={}", name, value));
}

}  // namespace

void Assumptions::add(std::string_view text) {
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    add_one(*this, text.substr(from, end - from));
    from = end + 1;
  }
}

std::string assumption_grammar() {
  std::string text;
  for (const AssumptionKind& kind : assumption_kinds)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", kind.name, kind.values);
  return text;
}

void require_possible(const Assumptions& assume, const std::string& path, std::int64_t file_bytes) {
  const auto refuse = [&](std::string problem, std::string action) {
    throw Error({.code = ErrorCode::usage,
                 .problem = std::move(problem),
                 .where = {.file = path},
                 .action = std::move(action)});
  };
  if (assume.kind == FileKind::seismic_unix) {
    for (const auto& [is_stated, name] : {std::pair{assume.revision.has_value(), "revision"},
                                          {assume.format_code.value_or(5) != 5, "sample_format"},
                                          {assume.extended_text_headers.value_or(0) != 0, "extended_text_headers"},
                                          {assume.first_trace_byte.value_or(0) != 0, "first_trace_byte"},
                                          {assume.text_encoding.has_value(), "text"},
                                          {assume.lengths_vary.value_or(false), "lengths"},
                                          {assume.byte_order == ByteOrder::pairwise, "byte_order"}})
      if (is_stated)
        refuse(fmt::format("{} is assumed, but Seismic Unix data cannot have it", name),
               "Seismic Unix data consists of traces of one length with floats, in big or little byte order, without a "
               "file header");
    return;
  }
  const std::int64_t first = assume.first_trace_byte.value_or(0);
  if (first > file_bytes)
    refuse(fmt::format("the first trace cannot begin at byte {}: the file has {} bytes", first, file_bytes),
           "assume a first_trace_byte inside the file, from 0");
  const std::int64_t texts_end = 3600 + std::int64_t{3200} * assume.extended_text_headers.value_or(0);
  if (assume.extended_text_headers.value_or(0) > 0 && texts_end > file_bytes)
    refuse(fmt::format("{} extended text headers end at byte {}: the file has {} bytes", *assume.extended_text_headers,
                       texts_end, file_bytes),
           "assume fewer extended_text_headers");
  if (assume.first_trace_byte && (first < 3600 || texts_end > first))
    refuse(fmt::format("the first trace cannot begin at byte {}: the file's headers end at byte {}", first, texts_end),
           "assume first_trace_byte and extended_text_headers that are consistent, or kind=su");
}

}  // namespace sill::segy
