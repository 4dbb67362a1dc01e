#include "sill/io/session/io_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "sill/base/error.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/io/files/small_text.hpp"
#include "sill/move/mover_terms.hpp"

namespace sill {
namespace {

constexpr std::array<std::string_view, 8> outputs{"arrays",    "files",    "records",  "segy",
                                                  "solutions", "stations", "surfaces", "volumes"};
constexpr std::array<std::string_view, 6> keys{"layout", "memory", "policies", "policy", "report", "threads"};
constexpr std::string_view policies_dot = "policies.";
constexpr std::string_view layout_dot = "layout.";
constexpr int max_option_threads = 1024;
constexpr std::int64_t largest_file_bytes = 1 << 20;

const char* const options_variable = "SILL_OPTIONS";
const char* const policy_variable = "SILL_POLICY";
const char* const layout_variable = "SILL_LAYOUT";

std::string key_grammar() {
  return fmt::format(
      "keys are policy, policies.OUTPUT (OUTPUT: {}), layout, layout.DATASET, memory, threads, report "
      "(docs/options.md)",
      fmt::join(outputs, ", "));
}

// The source of a setting.
struct Origin {
  std::string file = {};  // or
  std::string variable = {};
  int line = 0;  // line of the file, from 1

  [[nodiscard]] std::string text() const {
    if (!variable.empty()) return variable + ": ";
    return line > 0 ? fmt::format("line {}: ", line) : std::string();
  }
};

[[noreturn]] void refuse_option(const Origin& origin, const std::string& problem, std::string action) {
  throw Error({.code = ErrorCode::usage,
               .problem = origin.text() + problem,
               .where = {.file = origin.file},
               .action = std::move(action)});
}

// One setting, as text.
struct Setting {
  std::string key;
  std::string value;
  Origin origin;
};

[[noreturn]] void refuse_key(const Origin& origin, std::string_view key) {
  refuse_option(origin, fmt::format("unknown option `{}`", echoed(key)),
                did_you_mean(nearest_names(key, keys)) + key_grammar());
}

// Reports errors of `work` as errors of a setting.
template <class Work>
auto for_setting(const Setting& setting, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    const std::string& problem = error.parts().problem;  // the problem of a policy already names it
    refuse_option(setting.origin,
                  setting.key == "policy" ? problem : fmt::format("option `{}`: {}", echoed(setting.key), problem),
                  error.parts().action);
  }
}

int threads_of(const Setting& setting) {
  int threads = 0;
  const char* const end = setting.value.data() + setting.value.size();
  const auto [stop, failure] = std::from_chars(setting.value.data(), end, threads);
  if (failure != std::errc() || stop != end || threads < 1 || threads > max_option_threads) {
    refuse_option(setting.origin,
                  fmt::format("option `threads`: `{}` is not a number of threads", echoed(setting.value)),
                  fmt::format("give an integer from 1 to {}", max_option_threads));
  }
  return threads;
}

std::int64_t memory_of(const Setting& setting) {
  const std::int64_t bytes = for_setting(setting, [&] { return parse_bytes(setting.value, "memory"); });
  if (bytes < min_mover_memory_bytes) {
    refuse_option(setting.origin, fmt::format("option `memory`: {} bytes are too few for buffers", bytes),
                  fmt::format("give at least {}, such as 64M", exact_bytes(min_mover_memory_bytes)));
  }
  return bytes;
}

// Overrides `options` by the settings of one file or variable.
void put_over(std::span<const Setting> settings, IoOptions& options) {
  std::string policies;  // policies of this source, in the text form of a set
  const Setting* last_policy = nullptr;
  for (const Setting& setting : settings) {
    const bool is_named = setting.key.starts_with(policies_dot);
    if (is_named || setting.key == "policy") {
      const std::string_view output = is_named ? std::string_view(setting.key).substr(policies_dot.size()) : "";
      if (is_named && std::ranges::find(outputs, output) == outputs.end()) {
        refuse_option(
            setting.origin, fmt::format("unknown output `{}`", echoed(output)),
            did_you_mean(nearest_names(output, outputs)) + fmt::format("outputs are: {}", fmt::join(outputs, ", ")));
      }
      for_setting(setting, [&] {
        if (is_named) return (void)Policy::parse(setting.value);
        PolicySet::parse(setting.value).check_names(outputs);
      });
      if (!policies.empty()) policies += "; ";
      policies += (is_named ? std::string(output) + ":" : std::string()) + setting.value;
      last_policy = &setting;
    } else if (setting.key == "layout" || setting.key.starts_with(layout_dot)) {
      const bool is_of_one = setting.key != "layout";
      const std::string name = is_of_one ? setting.key.substr(layout_dot.size()) + ":" : "";
      options.layouts =
          for_setting(setting, [&] { return DatasetLayouts::parse_over(name + setting.value, options.layouts); });
    } else if (setting.key == "memory") {
      options.memory_bytes = memory_of(setting);
    } else if (setting.key == "threads") {
      options.threads = threads_of(setting);
    } else if (setting.key == "report") {
      if (setting.value.empty()) {
        refuse_option(setting.origin, "option `report`: no file is named", "name a file, or omit the option");
      }
      options.report = setting.value;
    } else {
      refuse_key(setting.origin, setting.key);
    }
  }
  if (last_policy != nullptr) {
    options.policies = for_setting(*last_policy, [&] { return PolicySet::parse_over(policies, options.policies); });
  }
}

std::string text_of_value(const toml::node& node, const Origin& origin, const std::string& key) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  refuse_option(origin, fmt::format("option `{}` is neither a string nor an integer", echoed(key)),
                R"(write it as memory = "64M", threads = 4, policy = "staged")");
}

// The recursion of the parser is as deep as keys and tables are nested; settings need two levels.
void require_flat(std::string_view text, const std::string& path) {
  int line = 1;
  for (std::size_t from = 0; from < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string_view one = text.substr(from, end - from);
    constexpr std::ptrdiff_t max_levels = 64;
    for (const char c : {'.', '[', '{'}) {
      if (std::count(one.begin(), one.end(), c) <= max_levels) continue;
      refuse_option({.file = path, .line = line}, fmt::format("a line has more than {} `{}`", max_levels, c),
                    key_grammar());
    }
    from = end + 1;
  }
}

std::vector<Setting> settings_of_file(const std::string& path, std::string_view text) {
  require_flat(text, path);
  std::vector<Setting> settings;
  try {
    const toml::table table = toml::parse(text, path);
    const auto origin_of = [&](const toml::node& node) {
      return Origin{.file = path, .line = static_cast<int>(node.source().begin.line)};
    };
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      const Origin origin = origin_of(node);
      if (const auto* const layouts = node.as_table(); name == "layout" && layouts != nullptr) {
        for (const auto& [dataset, layout] : *layouts) {
          const std::string full = std::string(layout_dot) + std::string(dataset.str());
          const auto* const of_one = layout.as_table();
          if (of_one == nullptr) {
            refuse_option(origin_of(layout), fmt::format("option `{}` is not a table", echoed(full)),
                          "write [layout.DATASET] and below it container = \"vti\"");
          }
          const auto add = [&](std::string_view setting, const toml::node& value) {
            const Origin place = origin_of(value);
            const std::string of_setting = text_of_value(value, place, full);
            if (of_setting.find_first_of(",;") != std::string::npos) {
              refuse_option(
                  place, fmt::format("option `{}`: `{}` is not a value of a setting", echoed(full), echoed(of_setting)),
                  layout_grammar());
            }
            settings.push_back({full, fmt::format("{}={}", setting, of_setting), place});
          };
          for (const auto& [setting, value] : *of_one) {
            if (const auto* const several = value.as_array(); several != nullptr && setting == "codec") {
              for (const toml::node& each : *several) add(setting.str(), each);
            } else {
              add(setting.str(), value);
            }
          }
        }
        continue;
      }
      if (name != "policies") {
        if (std::ranges::find(keys, name) == keys.end()) refuse_key(origin, name);
        settings.push_back({name, text_of_value(node, origin, name), origin});
        continue;
      }
      const auto* const of_outputs = node.as_table();
      if (of_outputs == nullptr) {
        refuse_option(origin, "option `policies` is not a table", "write [policies] and below it OUTPUT = \"POLICY\"");
      }
      for (const auto& [output, policy] : *of_outputs) {
        const std::string full = std::string(policies_dot) + std::string(output.str());
        const Origin place = origin_of(policy);
        settings.push_back({full, text_of_value(policy, place, full), place});
      }
    }
  } catch (const toml::parse_error& error) {
    refuse_option({.file = path, .line = static_cast<int>(error.source().begin.line)},
                  fmt::format("this is not TOML: {}", echoed(error.description())), key_grammar());
  }
  // Restores the order of the file; the table is ordered by names.
  std::ranges::stable_sort(settings, {}, [](const Setting& each) { return each.origin.line; });
  return settings;
}

// Parses pairs KEY=VALUE separated by blanks.
std::vector<Setting> settings_of_pairs(std::string_view text) {
  const Origin origin{.variable = options_variable};
  std::vector<Setting> settings;
  for (std::string_view left = trimmed(text); !left.empty();) {
    const std::size_t end = std::min(left.find_first_of(" \t\n"), left.size());
    const std::string_view pair = left.substr(0, end);
    left = trimmed(left.substr(end));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      refuse_option(origin, fmt::format("`{}` is not a pair KEY=VALUE", echoed(pair)),
                    "separate pairs with blanks (values cannot contain blanks), or name a TOML file; " + key_grammar());
    }
    const std::string key(pair.substr(0, equals));
    if (std::ranges::any_of(settings, [&](const Setting& each) { return each.key == key; })) {
      refuse_option(origin, fmt::format("option `{}` is given twice", echoed(key)), "give it once");
    }
    settings.push_back({key, std::string(pair.substr(equals + 1)), origin});
  }
  return settings;
}

std::string content_of(const std::string& path) {
  if (std::optional<std::string> text = read_small_text(path, largest_file_bytes)) return *std::move(text);
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("the file has more than {}, which is too long for a file of options",
                                      exact_bytes(largest_file_bytes)),
               .where = {.file = path},
               .action = key_grammar()});
}

// The texts of variables and files that rank 0 reads, on all ranks.
struct Sources {
  std::string file;  // content of the file
  std::string variable;
  std::string file_of_variable;  // content of that file
  std::string policy;
  std::string layout;
};

bool names_file(const std::string& variable) { return !variable.empty() && variable.find('=') == std::string::npos; }

Sources sources_of_first(Communicator& comm, const IoOptions& given) {
  Sources found;
  run_on_rank(comm, 0, [&] {
    if (!given.file.empty()) found.file = content_of(given.file);
    if (!given.environment) return;
    found.variable = environment_text(options_variable).value_or("");
    found.policy = environment_text(policy_variable).value_or("");
    found.layout = environment_text(layout_variable).value_or("");
    if (!names_file(found.variable)) return;
    try {
      found.file_of_variable = content_of(found.variable);
    } catch (const Error& error) {
      ErrorParts parts = error.parts();
      parts.problem = fmt::format("{}: {}", options_variable, parts.problem);
      parts.action = "name a TOML file, or give pairs KEY=VALUE; " + key_grammar();
      throw Error(std::move(parts));
    }
  });
  for (std::string* text : {&found.file, &found.variable, &found.file_of_variable, &found.policy, &found.layout}) {
    broadcast_all(comm, *text, 0);
  }
  return found;
}

// Returns all options that must not differ between ranks.
std::string all_of_options(const IoOptions& options) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", options.policies.text(), options.layouts.text(),
                     options.memory_bytes, options.threads, options.report, options.file, options.environment);
}

void require_possible_options(const IoOptions& options) {
  options.policies.check_names(outputs);
  options.policies.others().check();
  for (const auto& [name, policy] : options.policies.named()) policy.check();
  if (options.threads < 0 || options.threads > max_option_threads) {
    refuse_option({}, fmt::format("options: {} threads", options.threads),
                  fmt::format("give 0 to {}", max_option_threads));
  }
  if (options.memory_bytes != 0 && options.memory_bytes < min_mover_memory_bytes) {
    refuse_option({}, fmt::format("options: {} bytes of memory", options.memory_bytes),
                  fmt::format("give 0, or at least {}", min_mover_memory_bytes));
  }
}

}  // namespace

std::span<const std::string_view> io_outputs() { return outputs; }

IoOptions settled(Communicator& comm, const IoOptions& given) {
  const auto text = [&] {
    require_possible_options(given);
    return all_of_options(given);
  };
  require_same_on_all(comm, text, "options: the ranks were given different options",
                      "pass the same values on all ranks");
  const Sources sources = sources_of_first(comm, given);
  return run_and_agree(comm, [&] {
    IoOptions options = given;
    if (!given.file.empty()) put_over(settings_of_file(given.file, sources.file), options);
    if (names_file(sources.variable)) {
      put_over(settings_of_file(sources.variable, sources.file_of_variable), options);
    } else {
      put_over(settings_of_pairs(sources.variable), options);
    }
    if (!sources.policy.empty()) {
      const Setting setting{"policy", sources.policy, {.variable = policy_variable}};
      put_over({&setting, 1}, options);
    }
    if (!sources.layout.empty()) {
      const Setting setting{"layout", sources.layout, {.variable = layout_variable}};
      put_over({&setting, 1}, options);
    }
    options.file.clear();
    options.environment = false;
    return options;
  });
}

}  // namespace sill
