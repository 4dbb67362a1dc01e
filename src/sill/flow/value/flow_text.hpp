// The inline form of the steps of a flow: parsing and printing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sill/flow/value/flow.hpp"

namespace sill::flow {

/// Local. Parses steps in the inline form (docs/flow.md has its grammar). The arguments of the result have keys, in the
/// order of the operation's parameters. Errors: usage, with a caret under the error: unknown operations and keys (with
/// the nearest name), repeated keys, positional arguments after keys, too many positional arguments, unterminated
/// quotes.
[[nodiscard]] std::vector<Step> parse_steps(std::string_view text);

/// Local. Returns the steps in the inline form, on one line; `parse_steps` restores the same steps.
[[nodiscard]] std::string inline_text(const std::vector<Step>& steps);

/// Local. Returns a number that depends only on files, steps and options, not on their notation.
[[nodiscard]] std::uint64_t hash_of(const Flow& flow);

}  // namespace sill::flow
