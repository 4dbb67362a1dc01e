#include "sill/survey/merge/merge_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sill/base/error.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/user_text.hpp"

namespace sill {
namespace {

constexpr std::string_view rule_names[] = {"refuse", "first", "convert", "exact", "round", "pad",
                                           "cut",    "vary",  "keep",    "drop",  "clear"};

constexpr MergeRuleMeaning refuses{MergeRule::refuse, "refused"};

constexpr MergeRuleMeaning of_files[] = {
    refuses, {MergeRule::drop, "read once"}, {MergeRule::keep, "read as often as it is named"}};
constexpr MergeRuleMeaning of_kind[] = {
    refuses,
    {MergeRule::convert,
     "converted to the kind of the first input: bytes 181-240 are cleared, file headers are omitted"}};
constexpr MergeRuleMeaning of_domain[] = {refuses, {MergeRule::keep, "copied as if all inputs had one domain or unit"}};
constexpr MergeRuleMeaning of_byte_order[] = {{MergeRule::convert, "converted to the value of the first input"},
                                              refuses};
constexpr MergeRuleMeaning of_format[] = {
    {MergeRule::exact, "converted to the format of the first input; a sample without an exact value in it is an error"},
    {MergeRule::round, "converted to the format of the first input, with samples rounded to the nearest value"},
    refuses};
constexpr MergeRuleMeaning of_revision[] = {{MergeRule::first, "the file header of the first input is used"}, refuses};
constexpr MergeRuleMeaning of_interval[] = {
    refuses,
    {MergeRule::vary, "traces of the other inputs state their own interval (bytes 117-118)"},
    {MergeRule::first,
     "treated as the interval of the first input, which the traces of the other inputs then state (bytes 117-118)"}};
constexpr MergeRuleMeaning of_samples[] = {
    refuses,
    {MergeRule::pad, "all traces are padded with zeros to the longest"},
    {MergeRule::cut, "all traces are cut to the shortest"},
    {MergeRule::vary, "traces keep their lengths: the output has traces of different lengths (bytes 3503-3504 are 0)"}};
constexpr MergeRuleMeaning of_units[] = {refuses, {MergeRule::first, "treated as the value of the first input"}};
constexpr MergeRuleMeaning of_coordinates[] = {refuses, {MergeRule::keep, "copied: each trace states its own"}};
constexpr MergeRuleMeaning of_sorting[] = {
    {MergeRule::clear, "set to 0, unknown"}, {MergeRule::first, "the value of the first input remains"}, refuses};
constexpr MergeRuleMeaning of_binary[] = {
    {MergeRule::first, "the headers of the first input remain"}, {MergeRule::clear, "set to 0"}, refuses};
constexpr MergeRuleMeaning of_text[] = {{MergeRule::first, "the value of the first input remains"}, refuses};
constexpr MergeRuleMeaning of_extended[] = {refuses, {MergeRule::first, "the headers of the first input remain"}};
constexpr MergeRuleMeaning of_trailers[] = {{MergeRule::keep, "all are copied, equal ones once"},
                                            {MergeRule::first, "the headers of the first input remain"},
                                            refuses};
constexpr MergeRuleMeaning of_duplicates[] = {refuses,
                                              {MergeRule::drop, "omitted if an earlier input has them"},
                                              {MergeRule::keep, "copied, without a search for them"}};
constexpr MergeRuleMeaning of_numbers[] = {{MergeRule::keep, "copied; --renumber numbers traces from 1"}, refuses};

constexpr MergePropertyKind property_kinds[] = {
    {MergeProperty::files, "files", "a file that is named twice, even by different paths or links", of_files},
    {MergeProperty::kind, "kind", "SEG-Y and Seismic Unix", of_kind},
    {MergeProperty::domain, "domain", "time and depth", of_domain},
    {MergeProperty::byte_order, "byte_order", "big, little, pairwise", of_byte_order},
    {MergeProperty::format, "format", "sample formats (bytes 3225-3226)", of_format},
    {MergeProperty::revision, "revision", "revisions (bytes 3501-3502)", of_revision},
    {MergeProperty::interval, "interval", "sample intervals (bytes 3217-3218, 3273-3280)", of_interval},
    {MergeProperty::samples, "samples", "samples per trace (bytes 3221-3222, 3269-3272), or fixed and varying lengths",
     of_samples},
    {MergeProperty::units, "units", "measurement systems (bytes 3255-3256)", of_units},
    {MergeProperty::coordinates, "coordinates", "units of coordinates (trace header bytes 89-90)", of_coordinates},
    {MergeProperty::sorting, "sorting", "sorting codes (bytes 3229-3230) that differ or may no longer hold",
     of_sorting},
    {MergeProperty::binary, "binary", "other words of the binary header", of_binary},
    {MergeProperty::text, "text", "text headers", of_text},
    {MergeProperty::extended, "extended", "extended text headers that the first input lacks", of_extended},
    {MergeProperty::trailers, "trailers", "data trailers that the first input lacks", of_trailers},
    {MergeProperty::duplicates, "duplicates", "traces that an earlier input also contains", of_duplicates},
    {MergeProperty::numbers, "numbers", "trace numbers within the file (bytes 5-8) that restart", of_numbers},
};

[[noreturn]] void refuse_rule(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

std::vector<std::string_view> names_of(const MergePropertyKind& kind) {
  std::vector<std::string_view> names;
  for (const MergeRuleMeaning& meaning : kind.rules) names.push_back(name_of(meaning.rule));
  return names;
}

}  // namespace

std::string_view name_of(MergeRule rule) { return rule_names[static_cast<std::size_t>(rule)]; }

const MergePropertyKind& kind_of(MergeProperty property) { return property_kinds[static_cast<std::size_t>(property)]; }

void MergeRules::add(std::string_view text) {
  static_assert(std::size(property_kinds) == properties);
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    add_one(text.substr(from, end - from));
    from = end + 1;
  }
}

void MergeRules::add_one(std::string_view text) {
  const std::size_t sign = std::min(text.find('='), text.size());
  const std::string_view name = trimmed(text.substr(0, sign));
  const std::string_view value = sign < text.size() ? trimmed(text.substr(sign + 1)) : std::string_view();
  const auto* const kind = std::ranges::find(property_kinds, name, &MergePropertyKind::name);
  if (kind == std::end(property_kinds)) {
    std::vector<std::string_view> names;
    for (const MergePropertyKind& known : property_kinds) names.push_back(known.name);
    refuse_rule(
        fmt::format("'{}' is not a property with a rule", echoed(name)),
        fmt::format("{}the properties are {}", did_you_mean(nearest_names(name, names)), fmt::join(names, ", ")));
  }
  std::optional<MergeRule>& rule = rules_[static_cast<std::size_t>(kind->property)];
  if (rule) refuse_rule(fmt::format("a rule for {} is given twice", name), "give it once");
  const std::vector<std::string_view> names = names_of(*kind);
  const auto found = std::ranges::find(names, value);
  if (found == names.end())
    refuse_rule(value.empty() ? fmt::format("no rule is given for {}", name)
                              : fmt::format("'{}' is not a rule for {}", echoed(value), name),
                fmt::format("{}the rules are {}", did_you_mean(nearest_names(value, names)), fmt::join(names, ", ")));
  rule = kind->rules[static_cast<std::size_t>(found - names.begin())].rule;
}

MergeRule MergeRules::of(MergeProperty property) const {
  return rules_[static_cast<std::size_t>(property)].value_or(kind_of(property).rules.front().rule);
}

std::string merge_rules_table() {
  std::string table;
  for (const MergePropertyKind& kind : property_kinds)
    table += fmt::format("  {:<12} {}: {}\n", kind.name, fmt::join(names_of(kind), ", "), kind.what);
  return table;
}

}  // namespace sill
