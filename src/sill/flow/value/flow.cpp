#include "sill/flow/value/flow.hpp"

#include "sill/base/error.hpp"
#include "sill/formats/segy/expression/expression.hpp"

namespace sill::flow {

void throw_at_text(const std::string& text, std::size_t begin, std::size_t end, const std::string& problem,
                   const std::string& action) {
  throw Error(
      {.code = ErrorCode::usage, .problem = problem + segy::detail::pointed_at(text, begin, end), .action = action});
}

}  // namespace sill::flow
