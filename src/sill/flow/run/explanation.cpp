#include "sill/flow/plan/explanation.hpp"

#include <fmt/format.h>

#include "sill/base/units.hpp"

namespace sill::flow {

std::string explanation_of(std::span<const PlannedOperation> operations, std::span<const Pass> passes,
                           const SurveyReader& reader) {
  std::string text = fmt::format("{} operation{} in {} pass{}", operations.size(), operations.size() == 1 ? "" : "s",
                                 passes.size(), passes.size() == 1 ? "" : "es");
  const std::int64_t all_bytes = reader.bytes_of({0, reader.traces()});
  for (std::size_t p = 0; p < passes.size(); ++p) {
    const Pass& pass = passes[p];
    text += fmt::format("\npass {}: ", p + 1);
    for (std::size_t k = pass.first; k < pass.end; ++k)
      text += fmt::format("{}{}", k == pass.first ? "" : ", ", operations[k].name);
    if (pass.first == pass.end) text += "copy";
    if (pass.scans()) text += "\n  headers first: they decide which traces there are and in which order";
    if (!pass.keys.empty()) {
      text += "\n  order: ";
      for (std::size_t k = 0; k < pass.keys.size(); ++k)
        text += fmt::format("{}{}", k == 0 ? "" : ",", pass.keys[k].key.text());
    }
    if (pass.has_gathers) text += fmt::format("\n  gathers: traces with equal first {} key(s)", pass.gather_keys);
    if (pass.halo > 0) text += fmt::format("\n  each trace with {} neighbours on each side", pass.halo);
    text += pass.needs_samples ? "\n  samples are read as floats" : "\n  samples are copied byte for byte";
    if (p == 0) text += fmt::format("\n  reads at most {}", format_bytes(all_bytes));
    for (const std::string& reason : pass.reasons) text += "\n  because " + reason;
  }
  return text;
}

}  // namespace sill::flow
