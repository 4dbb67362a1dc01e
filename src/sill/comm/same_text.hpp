// Whether ranks were given the same.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sill/comm/communicator.hpp"

namespace sill {

/// Collective. For what ranks must be given alike, as those that believe in different files would write parts of
/// different wholes. Errors: usage, on all ranks, with `problem` and `action`, if `text()` is not the same on all, by
/// its hash; what `text` throws.
void require_same_on_all(Communicator& comm, const std::function<std::string()>& text, std::string_view problem,
                         std::string_view action = "give all ranks of the communicator the same");

/// Something that ranks must be given alike.
struct NamedText {
  std::string name;
  std::string text;
};
/// Collective. The same of several, of which all ranks have as many: the error is `problem` and the names of those that
/// differ.
void require_same_on_all(Communicator& comm, const std::function<std::vector<NamedText>()>& texts,
                         std::string_view problem);

}  // namespace sill
