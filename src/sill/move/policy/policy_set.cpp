#include "sill/move/policy/policy_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/base/error.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/user_text.hpp"

namespace sill {
namespace {

constexpr std::string_view letters_of_names = "abcdefghijklmnopqrstuvwxyz0123456789_-";

[[noreturn]] void refuse_set(const std::string& problem) {
  throw usage_error("policy: " + problem, std::string(see_policies));
}

// Parses the policy of an output. Errors name the output.
Policy parse_for(std::string_view name, std::string_view text) {
  try {
    return Policy::parse(text);
  } catch (const Error& error) {
    ErrorParts parts = error.parts();
    parts.problem = fmt::format("output `{}`: {}", name, parts.problem);
    throw Error(std::move(parts));
  }
}

}  // namespace

PolicySet PolicySet::parse(std::string_view text) { return parse_over(text, {}); }

PolicySet PolicySet::parse_over(std::string_view text, const PolicySet& before) {
  if (trimmed(text).empty()) refuse_set("the text is empty");
  PolicySet set;
  bool has_others = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::string_view part = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    const std::size_t colon = part.find(':');
    if (part.empty()) refuse_set("an empty entry: remove the extra `;`");
    if (colon == part.npos) {
      if (has_others) refuse_set(fmt::format("`{}` is a second policy without a name", echoed(part)));
      has_others = true;
      set.others_ = Policy::parse(part);
      continue;
    }
    const std::string_view name = trimmed(part.substr(0, colon));
    if (name.empty() || name.find_first_not_of(letters_of_names) != name.npos) {
      refuse_set(fmt::format("`{}` is not a name of an output: names consist of a-z, 0-9, _ and -", echoed(name)));
    }
    if (set.named_.contains(name)) refuse_set(fmt::format("the output `{}` is named twice", name));
    set.named_.emplace(name, parse_for(name, trimmed(part.substr(colon + 1))));
  }
  if (!has_others) {
    set.others_ = before.others_;
    set.named_.insert(before.named_.begin(), before.named_.end());  // except names that are already in the set
  }
  return set;
}

PolicySet PolicySet::with_threads(int threads) const {
  PolicySet set = *this;
  set.others_.threads = threads;
  for (auto& [name, policy] : set.named_) policy.threads = threads;
  return set;
}

std::string PolicySet::text() const {
  std::string text = others_.text();
  for (const auto& [name, policy] : named_) text += fmt::format("; {}:{}", name, policy.text());
  return text;
}

const Policy& PolicySet::of(std::string_view output) const {
  const auto found = named_.find(output);
  return found == named_.end() ? others_ : found->second;
}

void PolicySet::check_names(std::span<const std::string_view> outputs) const {
  for (const auto& [name, policy] : named_) {
    if (std::ranges::count(outputs, name) > 0) continue;
    const std::string hint = did_you_mean(nearest_names(name, outputs));
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("policy: unknown output `{}`", name),
                 .action = hint + (outputs.empty() ? "this program has one output: give its policy without a name"
                                                   : fmt::format("outputs are: {}", fmt::join(outputs, ", ")))});
  }
}

}  // namespace sill
