#include "sill/flow/operation/named_keys.hpp"

#include <fmt/format.h>

namespace sill::flow {

void NamedKeys::bind(const SurveyState& state) {
  const Arguments arguments(step_);
  if (text_) {
    keys_ = arguments.at(parameter_, [&] { return segy::TraceKey::parse_list(*text_, *state.words); });
    return;
  }
  if (state.sort_keys.empty())
    arguments.refuse(parameter_, "the keys of the gathers are not given",
                     fmt::format("write {}, or put a sort before the operation, whose first key is then used",
                                 arguments.shown(parameter_ + "=cdp")));
  keys_ = {state.sort_keys.front()};
}

void NamedKeys::add_to(Access& access) const {
  for (const segy::TraceKey& key : keys_) access.read_key(key);
}

}  // namespace sill::flow
