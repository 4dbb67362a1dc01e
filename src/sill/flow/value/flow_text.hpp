// The inline form of the steps of a flow: reading and printing it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sill/flow/value/flow.hpp"

namespace sill::flow {

/// Local. The steps that a text in the inline form names (docs/flow.md has its grammar); the arguments have keys
/// afterwards, in the order of the operation's parameters. Errors: usage, with a caret under what is wrong: unknown
/// operations and keys (with the nearest), keys given twice, positional arguments behind keys or too many of them,
/// quotes that do not end.
[[nodiscard]] std::vector<Step> parse_steps(std::string_view text);

/// Local. The steps in the inline form, on one line; `parse_steps` reads them back as they are.
[[nodiscard]] std::string inline_text(const std::vector<Step>& steps);

/// Local. A number that depends on files, steps and options alone, however they were written.
[[nodiscard]] std::uint64_t hash_of(const Flow& flow);

}  // namespace sill::flow
