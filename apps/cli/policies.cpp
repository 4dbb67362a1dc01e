// sill policies: the values of --policy and their meaning.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/json_text.hpp"
#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/launch.hpp"
#include "sill/move/policy/policy_set.hpp"
#include "sill/store/mpiio/mpiio_hint_trial.hpp"

namespace sill::cli {
namespace {

struct PoliciesArguments {
  std::optional<std::string> text;
  std::optional<std::string> folder;
  bool json = false;
};

// Returns the values of a preset that differ from `auto`, in text form.
std::string changes_of(const Policy& policy) {
  const std::string text = policy.changes_from(Policy::automatic());
  return text.empty() ? policy.text() : text;
}

}  // namespace

std::string text_of_policies() {
  std::string text = "presets: names for combinations of values; axes that are not given have the values of `auto`\n";
  for (const PolicyPreset& preset : policy_presets()) {
    text += fmt::format("  {:<13}{}\n  {:<13}{}\n", preset.name, preset.meaning, "", changes_of(preset.policy));
  }
  text += "\naxes: a policy is a preset, axes, or a preset followed by axes, separated by commas\n";
  for (const PolicyAxis& axis : policy_axes()) {
    text += fmt::format("  {}={}\n  {:<13}{}\n", axis.name, axis.values, "", axis.meaning);
  }
  text +=
      "\nseveral outputs: `stations:stage=64K; surfaces:stage=4M; elected`; the policy without a name applies to all "
      "other outputs\n\nA policy never changes a byte of an output. `sill policies POLICY` explains a policy.";
  return text;
}

namespace {

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

std::string text_of(const std::vector<TriedHint>& tried, const std::string& folder, int ranks) {
  std::string text =
      fmt::format("hints to MPI-IO for files in {} ({}, {} rank{}), according to the writes that the system counted\n",
                  folder, mpi_library(), ranks, ranks == 1 ? "" : "s");
  for (const TriedHint& hint : tried) {
    text += fmt::format("  {:<16}{:<14}{:<28}{}\n", hint.hint, hint.asked, hint.seen,
                        hint.took_effect ? "as requested" : "not as requested");
  }
  return text + "`collective` requests one aggregator per node (cb_nodes) and a cb_buffer_size of " +
         exact_bytes(MpiioHints{}.buffer_bytes);
}

nlohmann::ordered_json json_of(const std::vector<TriedHint>& tried, const std::string& folder, int ranks) {
  nlohmann::ordered_json hints = nlohmann::ordered_json::array();
  for (const TriedHint& hint : tried) {
    hints.push_back(
        {{"hint", hint.hint}, {"asked", hint.asked}, {"seen", hint.seen}, {"took_effect", hint.took_effect}});
  }
  return {{"folder", folder}, {"mpi", mpi_library()}, {"ranks", ranks}, {"hints", hints}};
}

int run_policies(Session& session, const PoliciesArguments& options) {
  session.reserve_files({}, {});
  if (options.folder) {
    run_and_agree(session.comm(), [&] {
      if (options.folder->empty()) {
        throw usage_error("--hints needs a folder", "name a folder; `.` is the current folder");
      }
    });
    const int ranks = session.comm().size();
    const std::vector<TriedHint> tried = try_all_mpiio_hints(session.comm(), *options.folder);
    session.print(options.json ? json_text(json_of(tried, *options.folder, ranks))
                               : text_of(tried, *options.folder, ranks));
  } else if (!options.text) {
    session.print(options.json ? json_text(json_of_all()) : text_of_policies());
  } else {
    const PolicySet set = run_and_agree(session.comm(), [&] { return PolicySet::parse(*options.text); });
    session.print(options.json ? json_text(json_of(set)) : text_of(set));
  }
  return session.finish();
}

}  // namespace

void add_policies(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "policies", "Show I/O policies, or explain one",
                  "  sill policies elected,stage=1M\n"
                  "  sill policies 'stations:stage=64K; surfaces:aggregated' --json\n"
                  "  mpiexec -n 8 sill policies --hints /scratch\n",
                  run_policies);
  remove_mover_options(parser);
  CLI::Option* const text =
      parser.add_option("POLICY", options->text, "A policy, or policies of several outputs, to explain axis by axis");
  parser
      .add_option(
          "--hints", options->folder,
          "Test which hints to MPI-IO take effect in collective writes, on a file of up to 16 MiB in this folder")
      ->type_name("FOLDER")
      ->excludes(text);
  parser.add_flag("--json", options->json, "Print JSON");
}

}  // namespace sill::cli
