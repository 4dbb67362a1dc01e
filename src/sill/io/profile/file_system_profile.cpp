#include "sill/io/profile/file_system_profile.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill {
namespace {

constexpr std::array<CostName, 13> all_costs{{
    {"open", &FileSystemCosts::open_s, "creating or opening a file, and closing it"},
    {"all_open", &FileSystemCosts::all_open_s,
     "opening or creating a file, and closing it, with all nodes at the same time"},
    {"request", &FileSystemCosts::request_s, "a request, without the time of its bytes"},
    {"byte", &FileSystemCosts::byte_s, "a byte in requests of one process"},
    {"file_request", &FileSystemCosts::file_request_s,
     "a request that waits for requests of other processes to the same file"},
    {"file_byte", &FileSystemCosts::file_byte_s, "a byte of one file, with all processes at the same time"},
    {"all_request", &FileSystemCosts::all_request_s, "a request, with all nodes at the same time"},
    {"all_byte", &FileSystemCosts::all_byte_s, "a byte, with all nodes at the same time"},
    {"unaligned_byte", &FileSystemCosts::unaligned_byte_s,
     "additional time per byte of a request that does not begin at a page boundary"},
    {"sync", &FileSystemCosts::sync_s, "syncing a file of 1 MiB (never chosen automatically)"},
    {"copy_byte", &FileSystemCosts::copy_byte_s, "a byte copied within a process"},
    {"message", &FileSystemCosts::message_s, "a message, for each of the two ranks"},
    {"message_byte", &FileSystemCosts::message_byte_s, "a byte of a message, for each of the two ranks"},
}};
static_assert(all_costs.size() <= std::tuple_size_v<decltype(FileSystemProfile::spreads)>);

constexpr int profile_version = 1;
constexpr double longest_s = 3600;

[[noreturn]] void refuse(const std::string& path, int line, const std::string& problem) {
  throw Error({.code = ErrorCode::input,
               .problem = line > 0 ? fmt::format("line {}: {}", line, problem) : problem,
               .where = {.file = path},
               .action = "remove the file, or measure again with `sill tune`"});
}

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

// Returns the value of `key`, of type Value.
template <class Value>
Value value_of(const toml::table& table, std::string_view key, const std::string& path) {
  const toml::node* const node = table.get(key);
  if (node == nullptr) refuse(path, line_of(table), fmt::format("`{}` is missing", key));
  // Times may be integers, but numbers are not accepted as booleans.
  const std::optional<Value> value = std::is_same_v<Value, bool> ? node->value_exact<Value>() : node->value<Value>();
  if (!value) refuse(path, line_of(*node), fmt::format("`{}` has a value of the wrong kind", key));
  return *value;
}

double seconds_of(const toml::table& table, std::string_view key, const std::string& path) {
  const auto seconds = value_of<double>(table, key, path);
  if (std::isfinite(seconds) && seconds >= 0 && seconds <= longest_s) return seconds;
  refuse(path, line_of(*table.get(key)), fmt::format("{} is not a valid time", seconds));
}

std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += fmt::format("\\{}", c);
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace

std::span<const CostName> cost_names() { return all_costs; }

std::string text_of(const FileSystemProfile& profile) {
  std::string text = fmt::format(
      "# Costs of requests to a file system, measured with `sill tune`. Sill uses them where the four keys below "
      "match, for {} days.\nversion = {}\nmount = {}\nfile_system = {}\nnodes = {}\nmpi = {}\n\nmade = "
      "{:%Y-%m-%d}\nranks = {}\n# true if a process that waits for a request leaves its core to other "
      "processes.\nwaits = {}\n\n# Seconds: the median, and the range that contains half of the "
      "measurements.\n[costs]\n",
      max_profile_age.count(), profile_version, quoted(profile.mount), quoted(profile.file_system), profile.nodes,
      quoted(profile.mpi), profile.made, profile.ranks, profile.costs.waits);
  for (std::size_t i = 0; i < all_costs.size(); ++i) {
    text += fmt::format("# {}\n{} = {{ s = {:.3e}, from = {:.3e}, to = {:.3e} }}\n", all_costs[i].meaning,
                        all_costs[i].name, profile.costs.*all_costs[i].cost_s, profile.spreads[i].from_s,
                        profile.spreads[i].to_s);
  }
  return text;
}

FileSystemProfile parse_profile(std::string_view text, const std::string& path) {
  FileSystemProfile profile;
  try {
    const toml::table table = toml::parse(text, path);
    if (value_of<std::int64_t>(table, "version", path) != profile_version)
      refuse(path, 1, "it was made by another version of Sill");
    profile.mount = value_of<std::string>(table, "mount", path);
    profile.file_system = value_of<std::string>(table, "file_system", path);
    profile.nodes = static_cast<int>(value_of<std::int64_t>(table, "nodes", path));
    profile.mpi = value_of<std::string>(table, "mpi", path);
    const auto made = value_of<toml::date>(table, "made", path);
    profile.made = std::chrono::year_month_day(std::chrono::year(made.year) / made.month / made.day);
    profile.ranks = static_cast<int>(value_of<std::int64_t>(table, "ranks", path));
    profile.costs.waits = value_of<bool>(table, "waits", path);
    const toml::table* const costs = table["costs"].as_table();
    if (costs == nullptr) refuse(path, 0, "the table [costs] is missing");
    for (const auto& [key, node] : *costs) {
      if (std::ranges::find(all_costs, key.str(), &CostName::name) != all_costs.end()) continue;
      refuse(path, line_of(node), fmt::format("unknown cost `{}`", echoed(key.str())));
    }
    for (std::size_t i = 0; i < all_costs.size(); ++i) {
      const toml::table* const cost = (*costs)[all_costs[i].name].as_table();
      if (cost == nullptr) refuse(path, line_of(*costs), fmt::format("the cost `{}` is missing", all_costs[i].name));
      profile.costs.*all_costs[i].cost_s = seconds_of(*cost, "s", path);
      profile.spreads[i] = {seconds_of(*cost, "from", path), seconds_of(*cost, "to", path)};
    }
  } catch (const toml::parse_error& error) {
    refuse(path, static_cast<int>(error.source().begin.line),
           fmt::format("this is not TOML: {}", echoed(error.description())));
  }
  return profile;
}

}  // namespace sill
