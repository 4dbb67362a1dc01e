// The text form of policies, the descriptions of their values, and the checks for contradictions.
#include "sill/move/policy/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "sill/base/ascii.hpp"
#include "sill/base/error.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"

namespace sill {
namespace {

using Writers = Policy::Writers;
using Call = Policy::Call;
using Align = Policy::Align;
using Sync = Policy::Sync;

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;
constexpr std::int64_t largest_bytes = 1024 * mib;  // limit for a stage and for an alignment
constexpr std::int64_t min_stage_bytes = 512;       // each stage costs a request, and a round if ranks exchange bytes
constexpr int max_threads = 1024;
// A common requirement of Lustre, BeeGFS and CephFS: units are multiples of 64 KiB.
constexpr std::int64_t stripe_grain_bytes = 64 * kib;
constexpr int max_stripes = 2000;
constexpr std::string_view no_burst = "none";

template <class Value>
struct Named {
  std::string_view name;
  Value value;
  std::string_view meaning;
};

constexpr std::array<Named<Writers>, 6> writers_names{{
    {"auto", Writers::automatic, "chosen for each collective access by the estimated cost"},
    {"all", Writers::all, "every rank moves its own data"},
    {"root", Writers::root, "rank 0 moves all data"},
    {"first", Writers::first, "the lowest rank that holds data of a file moves that file"},
    {"elected", Writers::elected, "one rank per file: the rank with the least work among those that hold its data"},
    {"node", Writers::node, "one rank per node, each for a contiguous segment of a file"},
}};
constexpr std::array<Named<Call>, 3> call_names{{
    {"posix", Call::posix, "preadv and pwritev"},
    {"mpiio", Call::mpiio, "MPI-IO, independent calls of each rank"},
    {"mpiio-collective", Call::mpiio_collective, "MPI-IO, collective calls of the ranks that hold data of a file"},
}};
constexpr std::array<Named<Align>, 3> align_names{{
    {"auto", Align::automatic, "chosen for each collective access by the estimated cost"},
    {"none", Align::none, "segments of files and staged requests begin and end anywhere"},
    {"stripe", Align::stripe,
     "segments of files and staged requests meet at the stripes of the file, or at its blocks if it has no stripes"},
}};
constexpr std::array<Named<Sync>, 3> sync_names{{
    {"never", Sync::never, "the operating system decides when it writes data back"},
    {"close", Sync::close, "a file is on stable storage after it is closed"},
    {"phase", Sync::phase, "a file is on stable storage after every collective write"},
}};

const std::array<PolicyPreset, 8> presets{{
    {"auto",
     {.writers = Writers::automatic, .stage_bytes = Policy::automatic_stage, .align = Align::automatic},
     "the default: chooses the preset with the lowest estimated cost for each output"},
    {"direct", {}, "every rank moves its own data, with one request per piece"},
    {"staged",
     {.writers = Writers::first, .stage_bytes = 256 * kib},
     "the first rank that holds data of a file moves all data of the file through a buffer"},
    {"gathered", {.writers = Writers::root, .stage_bytes = 256 * kib}, "rank 0 moves all data through a buffer"},
    {"elected",
     {.writers = Writers::elected, .stage_bytes = 4 * mib},
     "one rank per file moves its data through a buffer; the files are spread over the ranks"},
    {"aggregated",
     {.writers = Writers::node, .stage_bytes = 16 * mib, .align = Align::stripe},
     "one rank per node moves a contiguous segment of the file in large aligned requests"},
    {"independent",
     {.writers = Writers::all, .call = Call::mpiio},
     "every rank moves its own data, with independent MPI-IO calls"},
    {"collective",
     {.writers = Writers::all, .call = Call::mpiio_collective},
     "all ranks call MPI-IO together, and the MPI library chooses the writers"},
}};

constexpr std::array<PolicyAxis, 9> axes{{
    {"writers", "auto|all|root|first|elected|node|N", "ranks that perform the requests of a file; N: that many ranks"},
    {"stage", "auto|0|SIZE",
     "0: one request per piece; otherwise pieces are combined in a buffer of this size, 512 to 1G"},
    {"call", "posix|mpiio|mpiio-collective", "calls that perform the requests"},
    {"align", "auto|none|SIZE|stripe", "where segments of files and staged requests may begin and end"},
    {"striping", "none|COUNTxUNIT",
     "stripes requested from the file system when a file is created; UNIT in steps of 64K"},
    {"sync", "never|close|phase", "when a file is on stable storage"},
    {"async", "K", "number of collective writes that may be unfinished when the call returns, at most 64"},
    {"threads", "N", "workers per rank; 0: one per core that the rank has"},
    {"burst", "none|DIR", "a fast folder on each node, from which writes are moved to slower files in the background"},
}};

std::string joined(const std::vector<PolicyValue>& values) {
  std::string text;
  for (const PolicyValue& each : values) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", each.axis, each.value);
  }
  return text;
}

[[noreturn]] void refuse(const std::string& problem, const std::string& hint = {}) {
  throw Error({.code = ErrorCode::usage, .problem = "policy: " + problem, .action = hint + std::string(see_policies)});
}

template <class Table>
std::vector<std::string_view> names_of(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& row : table) names.push_back(row.name);
  return names;
}

template <class Value, std::size_t count>
const Named<Value>& named(const std::array<Named<Value>, count>& table, Value value) {
  return *std::ranges::find(table, value, &Named<Value>::value);
}

std::string hint_for(std::string_view word, const std::vector<std::string_view>& known) {
  return did_you_mean(nearest_names(word, known));
}

// Returns the value with this name, for an axis on which every value has a name; otherwise nullopt.
template <class Value, std::size_t count>
std::optional<Value> value_named(const std::array<Named<Value>, count>& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Named<Value>::name);
  return found == table.end() ? std::nullopt : std::optional(found->value);
}

template <class Value, std::size_t count>
[[noreturn]] void refuse_value(std::string_view axis, const std::array<Named<Value>, count>& table,
                               std::string_view value) {
  refuse(fmt::format("`{}` is not a value of {}", echoed(value), axis), hint_for(value, names_of(table)));
}

template <class Value, std::size_t count>
Value parse_named(std::string_view axis, const std::array<Named<Value>, count>& table, std::string_view value) {
  const std::optional<Value> found = value_named(table, value);
  if (!found) refuse_value(axis, table, value);
  return *found;
}

bool is_number(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

int parse_number(std::string_view axis, std::string_view value, int min, int max) {
  int number = 0;
  const auto result = std::from_chars(value.data(), value.data() + value.size(), number);
  if (result.ec != std::errc{} || result.ptr != value.data() + value.size() || number < min || number > max) {
    refuse(fmt::format("{}={} is not a number from {} to {}", axis, echoed(value), min, max));
  }
  return number;
}

std::int64_t parse_size(std::string_view axis, std::string_view value) {
  try {
    return parse_bytes(value, axis);
  } catch (const Error& error) {
    refuse(error.parts().problem, error.parts().action + "; ");
  }
}

[[noreturn]] void refuse_missing_value(std::string_view axis) {
  refuse(fmt::format("the axis `{}` has no value", axis));
}

void set_writers(Policy& policy, std::string_view value) {
  policy.domains = 0;
  if (is_number(value)) {
    policy.writers = Writers::number;
    policy.domains = parse_number("writers", value, 1, std::numeric_limits<int>::max());
  } else {
    policy.writers = parse_named("writers", writers_names, value);
  }
}

void set_align(Policy& policy, std::string_view value) {
  policy.align_bytes = 0;
  if (const std::optional<Align> found = value_named(align_names, value)) {
    policy.align = *found;
  } else if (is_number(value.substr(0, 1)) || value.front() == '.') {
    policy.align = Align::size;
    policy.align_bytes = parse_size("align", value);
    if (policy.align_bytes == 0) refuse("align=0 is not a boundary; use `align=none` for no alignment");
  } else {
    refuse_value("align", align_names, value);
  }
}

void set_striping(Policy& policy, std::string_view value) {
  policy.stripe_count = 0;
  policy.stripe_bytes = 0;
  if (value == "none") return;
  const std::size_t cross = value.find('x');
  if (cross == value.npos || cross + 1 == value.size() || !is_number(value.substr(0, cross))) {
    refuse(fmt::format("`{}` is not a value of striping; 4 stripes of 1 MiB are `4x1M`", echoed(value)),
           hint_for(value, {"none"}));
  }
  policy.stripe_count = parse_number("the number of stripes", value.substr(0, cross), 1, max_stripes);
  policy.stripe_bytes = parse_size("striping", value.substr(cross + 1));
  if (policy.stripe_bytes == 0) refuse("striping: a stripe has at least 64K");
}

void set_axis(Policy& policy, std::string_view axis, std::string_view value) {
  if (std::ranges::count(axes, axis, &PolicyAxis::name) == 0) {
    refuse(fmt::format("unknown axis `{}`", echoed(axis)), hint_for(axis, names_of(axes)));
  }
  if (value.empty()) refuse_missing_value(axis);
  if (axis == "writers") {
    set_writers(policy, value);
  } else if (axis == "stage") {
    policy.stage_bytes = value == "auto" ? Policy::automatic_stage : parse_size(axis, value);
  } else if (axis == "call") {
    policy.call = parse_named(axis, call_names, value);
  } else if (axis == "align") {
    set_align(policy, value);
  } else if (axis == "striping") {
    set_striping(policy, value);
  } else if (axis == "sync") {
    policy.sync = parse_named(axis, sync_names, value);
  } else if (axis == "async") {
    policy.async = parse_number(axis, value, 0, Policy::max_async);
  } else if (axis == "threads") {
    policy.threads = parse_number(axis, value, 0, max_threads);
  } else {
    policy.burst = value == no_burst ? "" : value;
  }
}

// Reports a word that is not a preset: it may be misspelt, or a value without its axis.
[[noreturn]] void refuse_word(std::string_view word) {
  if (std::ranges::count(axes, word, &PolicyAxis::name) > 0) refuse_missing_value(word);
  std::vector<std::string> hints;
  const auto with_axis = [&](std::string_view axis, const auto& table) {
    if (value_named(table, word)) hints.push_back(fmt::format("{}={}", axis, word));
  };
  with_axis("writers", writers_names);
  with_axis("call", call_names);
  with_axis("align", align_names);
  with_axis("sync", sync_names);
  if (hints.empty()) {
    std::vector<std::string_view> known = names_of(presets);
    const std::vector<std::string_view> axis_names = names_of(axes);
    known.insert(known.end(), axis_names.begin(), axis_names.end());
    hints = nearest_names(word, known);
  }
  refuse(fmt::format("unknown preset `{}`", echoed(word)), did_you_mean(hints));
}

// Checks what other threads than that of the caller do.
void check_threads(const Policy& policy) {
  const std::string& burst = policy.burst;
  if (burst.find_first_of(",;") != burst.npos || trimmed(burst) != burst) {
    refuse(fmt::format("burst: a folder named `{}` cannot be distinguished from another value of a policy",
                       echoed(burst)));
  }
  if (policy.call != Policy::Call::posix && !burst.empty()) {
    refuse(
        "burst needs call=posix: other threads move its data into the files, and only the thread of the caller may "
        "call MPI");
  }
  if (policy.call != Policy::Call::posix && policy.async > 0) {
    refuse(
        fmt::format("async={} needs call=posix: requests in flight run on other threads, and only the thread of the "
                    "caller may call MPI",
                    policy.async));
  }
  if (!burst.empty() && policy.async == 0) {
    refuse("burst needs async=1 or more: its data are moved into the files while the program continues");
  }
}

}  // namespace

std::span<const PolicyPreset> policy_presets() { return presets; }

std::span<const PolicyAxis> policy_axes() { return axes; }

Policy Policy::automatic() { return presets.front().policy; }

bool Policy::is_automatic() const {
  return writers == Writers::automatic || stage_bytes == automatic_stage || align == Align::automatic;
}

Policy Policy::plainest() const {
  Policy plain = *this;
  if (writers == Writers::automatic) plain.writers = Writers::all;
  if (stage_bytes == automatic_stage) plain.stage_bytes = 0;
  if (align == Align::automatic) plain.align = Align::none;
  return plain;
}

bool Policy::allows(const Policy& other) const {
  Policy fixed = other;
  if (writers == Writers::automatic) {
    fixed.writers = writers;
    fixed.domains = 0;
  }
  if (stage_bytes == automatic_stage) fixed.stage_bytes = stage_bytes;
  if (align == Align::automatic) {
    fixed.align = align;
    fixed.align_bytes = 0;
  }
  return fixed == *this;
}

Policy Policy::parse(std::string_view text) {
  if (trimmed(text).empty()) refuse("the text is empty");
  Policy policy = automatic();
  std::string_view named_preset;
  std::vector<std::string_view> named_axes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = trimmed(text.substr(begin, end - begin));
    const std::size_t equals = part.find('=');
    if (part.empty()) refuse("an empty entry: remove the extra comma");
    if (equals != part.npos) {
      const std::string_view axis = trimmed(part.substr(0, equals));
      if (axis.empty()) refuse(fmt::format("`{}` does not name an axis", echoed(part)));
      set_axis(policy, axis, trimmed(part.substr(equals + 1)));
      if (std::ranges::count(named_axes, axis) > 0) refuse(fmt::format("the axis `{}` is given twice", axis));
      named_axes.push_back(axis);
    } else {
      const auto preset = std::ranges::find(presets, part, &PolicyPreset::name);
      if (preset == presets.end()) refuse_word(part);
      if (named_preset == part) refuse(fmt::format("the preset `{}` is given twice", part));
      if (!named_preset.empty()) refuse(fmt::format("two presets, `{}` and `{}`", named_preset, part));
      if (begin > 0) refuse(fmt::format("the preset `{}` must come first", part));
      named_preset = part;
      policy = preset->policy;
    }
    begin = end + 1;
  }
  if (!policy.burst.empty() && std::ranges::count(named_axes, "async") == 0) policy.async = burst_async;
  policy.check();
  return policy;
}

bool Policy::keeps_lent_memory() const {
  return !takes_memory_at_once() && (writers == Writers::all || writers == Writers::automatic) && stage_bytes <= 0;
}

bool Policy::writes_own() const {
  return (writers == Writers::all || writers == Writers::automatic) && call != Call::mpiio_collective &&
         (align == Align::none || align == Align::automatic) && async == 0;
}

bool Policy::owners_write() const {
  if (call == Call::mpiio_collective) return false;
  return writers != Writers::root && writers != Writers::node && writers != Writers::number;
}

void Policy::check() const {
  const auto bounded = [](std::string_view axis, std::int64_t value, std::int64_t max, const auto& in_words) {
    if (value < 0) refuse(fmt::format("{}={} is negative", axis, value));
    if (value > max) refuse(fmt::format("{}={} is above {}", axis, in_words(value), in_words(max)));
  };
  const auto digits = [](std::int64_t value) { return fmt::format("{}", value); };
  if (stage_bytes != automatic_stage) bounded("stage", stage_bytes, largest_bytes, exact_bytes);
  if (stage_bytes > 0 && stage_bytes < min_stage_bytes) {
    refuse(fmt::format("stage={} is below {}, the smallest stage; `stage=0` means no stage", stage_bytes,
                       min_stage_bytes));
  }
  bounded("align", align_bytes, largest_bytes, exact_bytes);
  bounded("striping", stripe_count, max_stripes, digits);
  bounded("the unit of striping", stripe_bytes, largest_bytes, exact_bytes);
  bounded("async", async, Policy::max_async, digits);
  bounded("threads", threads, max_threads, digits);
  if (domains < 0 || (writers == Writers::number) != (domains > 0)) {
    refuse("a number of writers must be at least 1, and only applies to writers=N");
  }
  if ((align == Align::size) != (align_bytes > 0))
    refuse("a boundary must be at least 1 byte, and only applies to align=SIZE");
  if ((stripe_count > 0) != (stripe_bytes > 0)) refuse("striping needs a number of stripes and their size");
  if (stripe_bytes % stripe_grain_bytes != 0) {
    refuse(fmt::format("striping: a stripe of {} is not a multiple of 64K, which Lustre, BeeGFS and CephFS require",
                       exact_bytes(stripe_bytes)));
  }
  if (call == Call::mpiio_collective) {
    const auto alone = [](bool is_so, std::string_view what, std::string_view why) {
      if (!is_so) refuse(fmt::format("call=mpiio-collective can only be combined with {}: {}", what, why));
    };
    alone(writers == Writers::all || writers == Writers::automatic, "writers=all",
          "every rank passes its data to the MPI library, which chooses the writers");
    alone(stage_bytes <= 0, "stage=0", "the MPI library combines the pieces in its own buffers");
    alone(align == Align::none || align == Align::automatic, "align=none",
          "the MPI library chooses the boundaries of the segments of a file");
  }
  check_threads(*this);
  const bool has_parts = writers == Writers::node || writers == Writers::number || writers == Writers::automatic;
  const bool aligns = align == Align::size || align == Align::stripe;
  if (aligns && stage_bytes == 0 && !has_parts) {
    refuse(
        "align has no effect: with stage=0 each piece is one request, and only writers=node and writers=N divide files "
        "into segments");
  }
}

std::vector<PolicyValue> values_of(const Policy& policy) {
  const auto named_value = [](std::string_view axis, const auto& row) {
    return PolicyValue{axis, std::string(row.name), std::string(row.meaning)};
  };
  std::vector<PolicyValue> values;
  if (policy.writers == Writers::number) {
    values.push_back({"writers", fmt::format("{}", policy.domains),
                      fmt::format("{} rank{}, each for a contiguous segment of a file (fewer if there are fewer ranks)",
                                  policy.domains, policy.domains == 1 ? "" : "s")});
  } else {
    values.push_back(named_value("writers", named(writers_names, policy.writers)));
  }
  const std::string stage = exact_bytes(policy.stage_bytes);
  if (policy.stage_bytes == Policy::automatic_stage) {
    values.push_back({"stage", "auto", "chosen for each collective access by the estimated cost"});
  } else {
    values.push_back({"stage", stage,
                      policy.stage_bytes == 0 ? "one request per piece that is contiguous in the file"
                                              : fmt::format("pieces are combined into requests of up to {}", stage)});
  }
  values.push_back(named_value("call", named(call_names, policy.call)));
  if (policy.align == Align::size) {
    const std::string size = exact_bytes(policy.align_bytes);
    values.push_back(
        {"align", size, fmt::format("segments of files and staged requests meet at multiples of {}", size)});
  } else {
    values.push_back(named_value("align", named(align_names, policy.align)));
  }
  if (policy.stripe_count == 0) {
    values.push_back({"striping", "none", "files are created with the stripes of their folder"});
  } else {
    const std::string unit = exact_bytes(policy.stripe_bytes);
    values.push_back({"striping", fmt::format("{}x{}", policy.stripe_count, unit),
                      fmt::format("files are created with {} stripe{} of {}, if the file system has stripes",
                                  policy.stripe_count, policy.stripe_count == 1 ? "" : "s", unit)});
  }
  values.push_back(named_value("sync", named(sync_names, policy.sync)));
  values.push_back({"async", fmt::format("{}", policy.async),
                    policy.async == 0 ? "a collective write is complete when it returns"
                                      : fmt::format("up to {} collective write{} may be unfinished when a call returns",
                                                    policy.async, policy.async == 1 ? "" : "s")});
  values.push_back({"threads", fmt::format("{}", policy.threads),
                    policy.threads == 0
                        ? "one worker per core that the rank has"
                        : fmt::format("{} worker{} per rank", policy.threads, policy.threads == 1 ? "" : "s")});
  values.push_back({"burst", policy.burst.empty() ? std::string(no_burst) : policy.burst,
                    policy.burst.empty()
                        ? "requests go directly to the files"
                        : fmt::format("requests go to a log in {}, and from there to the files", policy.burst)});
  return values;
}

std::string Policy::text() const { return joined(values_of(*this)); }

std::string Policy::changes_from(const Policy& other) const {
  std::vector<PolicyValue> values = values_of(*this);
  const std::vector<PolicyValue> others = values_of(other);
  std::erase_if(values, [&](const PolicyValue& each) {
    return std::ranges::any_of(
        others, [&](const PolicyValue& its) { return its.axis == each.axis && its.value == each.value; });
  });
  return joined(values);
}

std::string Policy::short_text() const {
  const bool is_auto = is_automatic();
  const std::string changes = changes_from(is_auto ? automatic() : Policy{});
  if (changes.empty()) return is_auto ? "auto" : "direct";
  return is_auto ? changes : "direct," + changes;
}

std::string Policy::brief() const {
  const std::string text = changes_from({});
  return text.empty() ? "direct" : text;
}

}  // namespace sill
