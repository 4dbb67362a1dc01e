// sill policies: what can be given to --policy, and what it means.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "sill/comm/agree.hpp"
#include "sill/move/policy_set.hpp"

namespace sill::cli {
namespace {

struct Options {
  std::optional<std::string> text;
  bool json = false;
};

// What a preset says other than `direct`, as one would write it.
std::string changes_of(const Policy& policy) {
  const std::vector<PolicyValue> plain = values_of(Policy{});
  const std::vector<PolicyValue> values = values_of(policy);
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].value == plain[i].value) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", values[i].axis, values[i].value);
  }
  return text.empty() ? policy.text() : text;
}

std::string text_of_all() {
  std::string text = "presets: names for values on the axes; an axis that is not told is as in `direct`\n";
  for (const PolicyPreset& preset : policy_presets()) {
    text += fmt::format("  {:<13}{}\n  {:<13}{}\n", preset.name, preset.meaning, "", changes_of(preset.policy));
  }
  text += "\naxes: a policy is a preset, axes, or a preset followed by axes, separated by commas\n";
  for (const PolicyAxis& axis : policy_axes()) {
    text += fmt::format("  {}={}\n  {:<13}{}\n", axis.name, axis.values, "", axis.meaning);
  }
  text +=
      "\nseveral outputs: `stations:stage=64K; surfaces:stage=4M; elected`, the part without a name for all others\n"
      "\nA policy never changes a byte of an output. `sill policies TEXT` tells what a policy means.";
  return text;
}

std::string text_of(std::string_view title, const Policy& policy) {
  std::string text = fmt::format("{}: {}\n", title, policy.text());
  for (const PolicyValue& value : values_of(policy)) {
    text += fmt::format("  {:<10}{:<18}{}\n", value.axis, value.value, value.meaning);
  }
  return text;
}

std::string text_of(const PolicySet& set) {
  std::string text;
  for (const auto& [name, policy] : set.named()) text += text_of("output " + name, policy) + "\n";
  text += text_of(set.named().empty() ? "policy" : "all other outputs", set.others());
  text.pop_back();
  return text;
}

nlohmann::ordered_json json_of(const Policy& policy) {
  nlohmann::ordered_json axes = nlohmann::ordered_json::object();
  for (const PolicyValue& value : values_of(policy)) {
    axes[std::string(value.axis)] = {{"value", value.value}, {"meaning", value.meaning}};
  }
  return {{"policy", policy.text()}, {"axes", axes}};
}

nlohmann::ordered_json json_of_all() {
  nlohmann::ordered_json presets = nlohmann::ordered_json::array();
  for (const PolicyPreset& preset : policy_presets()) {
    presets.push_back({{"name", preset.name}, {"meaning", preset.meaning}, {"policy", preset.policy.text()}});
  }
  nlohmann::ordered_json axes = nlohmann::ordered_json::array();
  for (const PolicyAxis& axis : policy_axes()) {
    axes.push_back({{"name", axis.name}, {"values", axis.values}, {"meaning", axis.meaning}});
  }
  return {{"presets", presets}, {"axes", axes}};
}

nlohmann::ordered_json json_of(const PolicySet& set) {
  nlohmann::ordered_json outputs = nlohmann::ordered_json::object();
  for (const auto& [name, policy] : set.named()) outputs[name] = json_of(policy);
  return {{"others", json_of(set.others())}, {"outputs", outputs}};
}

int run(Session& session, const Options& options) {
  session.claim({}, {});
  if (!options.text) {
    session.print(options.json ? json_of_all().dump(2) : text_of_all());
  } else {
    const PolicySet set = together(session.comm(), [&] { return PolicySet::parse(*options.text); });
    session.print(options.json ? json_of(set).dump(2) : text_of(set));
  }
  session.finish({});
  return 0;
}

}  // namespace

void add_policies(CLI::App& program, Commands& commands) {
  const auto [parser, command] =
      add_command(program, commands, "policies", "Tells which policies there are, and what one means",
                  "  sill policies\n"
                  "  sill policies elected,stage=1M\n"
                  "  sill policies 'stations:stage=64K; surfaces:aggregated' --json\n");
  auto options = std::make_shared<Options>();
  parser.add_option("TEXT", options->text, "A policy, or policies of several outputs, to be told about axis by axis");
  parser.add_flag("--json", options->json, "Print JSON");
  command.run = [options](Session& session) { return run(session, *options); };
}

}  // namespace sill::cli
