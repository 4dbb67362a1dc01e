#include "sill/move/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"

namespace sill {
namespace {

constexpr std::int64_t staged_bytes = 256 * 1024;
constexpr std::int64_t largest_stage_bytes = std::int64_t{1} << 30U;

[[noreturn]] void refuse(std::string problem) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = policy_grammar()});
}

[[noreturn]] void not_yet(std::string_view what) {
  refuse(fmt::format("policy: {} is planned, but this version does not have it yet", what));
}

template <std::size_t N>
bool one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<Policy> preset(std::string_view name) {
  if (name == "direct") return Policy{};
  if (name == "staged") return Policy{.writers = Policy::Writers::first, .stage_bytes = staged_bytes};
  constexpr std::array<std::string_view, 6> planned{"gathered",    "elected",    "aggregated",
                                                    "independent", "collective", "auto"};
  if (one_of(name, planned)) not_yet(fmt::format("the preset `{}`", name));
  return std::nullopt;
}

void set_writers(Policy& policy, std::string_view value) {
  constexpr std::array<std::string_view, 3> planned{"root", "elected", "node"};
  if (value == "all") {
    policy.writers = Policy::Writers::all;
  } else if (value == "first") {
    policy.writers = Policy::Writers::first;
  } else if (one_of(value, planned) || (!value.empty() && value.find_first_not_of("0123456789") == value.npos)) {
    not_yet(fmt::format("writers={}", value));
  } else {
    refuse(fmt::format("policy: `{}` is no value of writers", value));
  }
}

void set_axis(Policy& policy, std::string_view axis, std::string_view value) {
  constexpr std::array<std::string_view, 3> planned{"align", "striping", "async"};
  if (axis == "writers") {
    set_writers(policy, value);
  } else if (axis == "stage") {
    policy.stage_bytes = parse_bytes(value, "policy: stage");
    if (policy.stage_bytes > largest_stage_bytes) refuse(fmt::format("policy: stage={} is above 1G", value));
  } else if (axis == "call") {
    if (value == "mpiio" || value == "mpiio-collective") not_yet(fmt::format("call={}", value));
    if (value != "posix") refuse(fmt::format("policy: `{}` is no value of call", value));
  } else if (axis == "sync") {
    if (value == "phase") not_yet("sync=phase");
    if (value != "never" && value != "close") refuse(fmt::format("policy: `{}` is no value of sync", value));
    policy.sync = value == "close" ? Policy::Sync::close : Policy::Sync::never;
  } else if (axis == "threads") {
    const auto result = std::from_chars(value.data(), value.data() + value.size(), policy.threads);
    if (result.ec != std::errc{} || result.ptr != value.data() + value.size() || policy.threads < 0 ||
        policy.threads > 1024) {
      refuse(fmt::format("policy: threads={} is no number from 0 to 1024", value));
    }
  } else if (one_of(axis, planned)) {
    not_yet(fmt::format("the axis `{}`", axis));
  } else {
    refuse(fmt::format("policy: there is no axis or preset `{}`", axis));
  }
}

}  // namespace

std::string policy_grammar() {
  return "a policy is a preset (direct, staged), axes, or a preset followed by axes, separated by commas; axes: "
         "writers=all|first, stage=SIZE (0: a request per extent), call=posix, sync=never|close, threads=N (0: the "
         "cores there are)";
}

Policy Policy::parse(std::string_view text) {
  Policy policy;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    if (part.empty()) refuse("policy: an empty part");
    if (equals != part.npos) {
      set_axis(policy, part.substr(0, equals), part.substr(equals + 1));
    } else if (const std::optional<Policy> found = preset(part); !found) {
      refuse(fmt::format("policy: there is no axis or preset `{}`", part));
    } else if (begin > 0) {
      refuse(fmt::format("policy: the preset `{}` must come first", part));
    } else {
      policy = *found;
    }
    begin = end + 1;
  }
  return policy;
}

std::string Policy::text() const {
  return fmt::format("writers={},stage={},call=posix,sync={},threads={}", writers == Writers::all ? "all" : "first",
                     stage_bytes, sync == Sync::close ? "close" : "never", threads);
}

}  // namespace sill
