#include "sill/survey/merge/merge_conflicts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/packer.hpp"

namespace sill {
namespace {

using segy::FileDescription;

// A few values are reported, each with the first file that states it.
constexpr std::size_t max_values_listed = 3;

constexpr const char* different_lengths = "different lengths";

struct StatedValue {
  std::string shown;
  std::string file;  // the first file that states the value
  std::int64_t files = 0;
};

std::string stated_text(const StatedValue& value) {
  return fmt::format("{} in {}{}", value.shown, value.file,
                     value.files > 1 ? fmt::format(" and {} more", value.files - 1) : "");
}

// Compares what the files state about one property. `value_of` returns nullopt for a file that states nothing; such a
// file is not compared.
class Comparison {
 public:
  Comparison(std::span<const FileDescription> files, const MergeRules& rules) : rules_(rules) {
    for (const FileDescription& file : files)
      if (&file == &files.front() || file.traces != 0) files_.push_back(&file);
  }

  template <class ValueOf>
  void compare(MergeProperty property, ValueOf&& value_of) {
    const std::vector<StatedValue> stated = values(value_of);
    if (stated.size() > 1) add(property, rules_.of(property), stated);
  }

  // A value of 0 is not a contradiction, but it is reported.
  template <class ValueOf>
  void report_silence(MergeProperty property, MergeRule rule, ValueOf&& value_of) {
    const std::vector<StatedValue> stated =
        values([&](const FileDescription& file) { return std::optional(value_of(file).value_or("not stated")); });
    if (stated.size() == 2 && (stated[0].shown == "not stated" || stated[1].shown == "not stated"))
      add(property, rule, stated);
  }

  // Files that all vary in length do not contradict each other, but a rule that makes them one length is reported.
  void report_made_one_length() {
    const MergeRule rule = rules_.of(MergeProperty::samples);
    if (rule != MergeRule::pad && rule != MergeRule::cut) return;
    const bool all_vary = std::ranges::all_of(files_, [](const FileDescription* file) { return file->lengths_vary; });
    if (!all_vary || files_.back()->traces == 0) return;
    found.push_back({MergeProperty::samples, rule,
                     stated_text({different_lengths, files_.front()->path, std::ssize(files_)}), files_.front()->path});
  }

  std::vector<MergeConflict> found;

 private:
  // Returns each value, with the files that state it, in file order.
  template <class ValueOf>
  std::vector<StatedValue> values(ValueOf&& value_of) const {
    std::vector<StatedValue> stated;
    for (const FileDescription* file : files_) {
      const std::optional<std::string> shown = value_of(*file);
      if (!shown) continue;
      const auto same = std::ranges::find(stated, *shown, &StatedValue::shown);
      if (same == stated.end()) {
        stated.push_back({*shown, file->path, 1});
      } else {
        ++same->files;
      }
    }
    return stated;
  }

  void add(MergeProperty property, MergeRule rule, std::span<const StatedValue> stated) {
    std::string text;
    for (const StatedValue& value : stated.subspan(1).first(std::min(stated.size() - 1, max_values_listed)))
      text += stated_text(value) + "; ";
    if (stated.size() - 1 > max_values_listed)
      text += fmt::format("{} others; ", stated.size() - 1 - max_values_listed);
    found.push_back({property, rule, text + stated_text(stated.front()), stated[1].file});
  }

  const MergeRules& rules_;
  std::vector<const FileDescription*> files_;
};

std::optional<std::string> unit_stated(const FileDescription& file) {
  if (file.measurement_system == 0) return {};
  if (file.measurement_system == 1) return "metres";
  if (file.measurement_system == 2) return "feet";
  return fmt::format("code {}", file.measurement_system);
}

std::string coordinate_unit_stated(int code) {
  constexpr const char* names[] = {"length", "seconds of arc", "decimal degrees", "degrees, minutes, seconds"};
  return code >= 1 && code <= 4 ? names[code - 1] : fmt::format("code {}", code);
}

void require_same_headers(std::span<const FileDescription> files) {
  const FileDescription& first = files.front();
  for (const FileDescription& file : files) {
    if (!scale_times_alike(first, file))
      throw Error(
          {.code = ErrorCode::input,
           .problem = fmt::format("this file is of revision {}, but {} of {}: bytes 215-216 scale times only from "
                                  "revision 1 on",
                                  name_of(revision_of(file)), first.path, name_of(revision_of(first))),
           .where = {.file = file.path},
           .clause = "SEG-Y rev 1, trace header bytes 215-216",
           .action = "no rule applies: convert the files to one revision first (sill convert --revision)"});
    if (file.traces == 0 || file.additional_trace_headers == first.additional_trace_headers) continue;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("the traces of this file have {} additional headers, but {} in {}",
                                        file.additional_trace_headers, first.additional_trace_headers, first.path),
                 .where = {.file = file.path},
                 .clause = "SEG-Y rev 2.1, bytes 3507-3508",
                 .action = "no rule applies: merge files with the same number of headers"});
  }
}

}  // namespace

std::string_view MergeConflict::does() const {
  return std::ranges::find(kind_of(property).rules, rule, &MergeRuleMeaning::rule)->does;
}

std::vector<MergeConflict> conflicts_of_forms(std::span<const FileDescription> files, const MergeRules& rules) {
  using Stated = std::optional<std::string>;
  require_same_headers(files);
  Comparison all(files, rules);
  all.compare(MergeProperty::kind,
              [](const FileDescription& file) -> Stated { return std::string(name_of(file.kind)); });
  all.compare(MergeProperty::domain,
              [](const FileDescription& file) -> Stated { return std::string(segy::name_of(file.domain)); });
  all.compare(MergeProperty::byte_order,
              [](const FileDescription& file) -> Stated { return std::string(name_of(file.byte_order)); });
  all.compare(MergeProperty::format, [](const FileDescription& file) -> Stated {
    const bool divides = file.sample_format == segy::SampleFormat::fixed_point_gain_rev2;
    return fmt::format("{}{}", segy::name_of(file.sample_format), divides ? " as of revision 2" : "");
  });
  all.compare(MergeProperty::revision, [](const FileDescription& file) -> Stated {
    if (file.kind == segy::FileKind::seismic_unix) return {};
    return std::string(segy::name_of(segy::revision_of(file)));
  });
  all.compare(MergeProperty::interval,
              [](const FileDescription& file) -> Stated { return fmt::format("{} us", file.interval_us); });
  all.compare(MergeProperty::samples, [](const FileDescription& file) -> Stated {
    return file.lengths_vary ? different_lengths : fmt::format("{}", file.samples);
  });
  all.report_made_one_length();
  all.compare(MergeProperty::units, unit_stated);
  all.report_silence(MergeProperty::units, MergeRule::first, unit_stated);
  all.compare(MergeProperty::coordinates, [](const FileDescription& file) -> Stated {
    if (file.coordinate_unit == 0) return {};
    return coordinate_unit_stated(file.coordinate_unit);
  });
  all.compare(MergeProperty::sorting, [](const FileDescription& file) -> Stated {
    if (file.kind == segy::FileKind::seismic_unix) return {};
    return fmt::format("{}", file.sorting_code);
  });
  return std::move(all.found);
}

std::vector<MergeConflict> shared(Communicator& comm, std::span<const MergeConflict> of_rank_0) {
  std::vector<MergeConflict> conflicts(of_rank_0.begin(), of_rank_0.end());
  const auto exchange = [&](auto& message) {
    message.size(conflicts);
    for (MergeConflict& each : conflicts) message(each.property, each.rule, each.found, each.file, each.cannot_keep);
  };
  Packer packer;
  exchange(packer);
  std::vector<std::byte> bytes = packer.take();
  broadcast_all(comm, bytes, 0);
  Unpacker unpacker(bytes);
  exchange(unpacker);
  return conflicts;
}

void require_agreement(std::span<const MergeConflict> conflicts) {
  std::vector<std::string> problems;
  std::vector<std::string> actions;
  const MergeConflict* first = nullptr;
  for (const MergeConflict& conflict : conflicts) {
    if (conflict.rule != MergeRule::refuse) continue;
    if (first == nullptr) first = &conflict;
    const MergePropertyKind& kind = kind_of(conflict.property);
    problems.push_back(fmt::format("{} ({})", kind.name, conflict.found));
    std::vector<std::string> rules;
    for (const MergeRuleMeaning& meaning : kind.rules)
      if (meaning.rule != MergeRule::refuse && !(conflict.cannot_keep && meaning.rule == MergeRule::keep))
        rules.push_back(fmt::format("{}={}", kind.name, name_of(meaning.rule)));
    actions.push_back(fmt::format("{}", fmt::join(rules, " or ")));
  }
  if (first == nullptr) return;
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("the inputs contradict each other in {}", fmt::join(problems, ", ")),
               .where = {.file = first->file},
               .action = fmt::format("choose a rule with --on {} (docs/merge.md), or merge other files",
                                     fmt::join(actions, ", "))});
}

}  // namespace sill
