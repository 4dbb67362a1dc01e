#include "sill/flow/run/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/base/units.hpp"
#include "sill/flow/run/header_scan.hpp"
#include "sill/survey/select/name_pattern.hpp"

namespace sill::flow {

segy::SampleFormat format_after(const BoundFlow& flow, const Pass& pass, const SurveyReader& reader) {
  const auto changes = [](const PlannedOperation& operation) { return operation.access.writes_samples; };
  const bool are_changed =
      std::any_of(flow.planned.begin(), flow.planned.begin() + static_cast<std::ptrdiff_t>(pass.end), changes);
  return are_changed ? segy::SampleFormat::ieee_float : reader.files().front().sample_format;
}

std::string explanation_of(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow,
                           std::span<const Pass> passes, segy::SampleFormat format, const std::string& output,
                           bool is_scaled, std::optional<PermutationMethod> sort_method) {
  const std::span<const PlannedOperation> operations = flow.planned;
  std::string text = fmt::format("{} operation{} in {} pass{}", operations.size(), operations.size() == 1 ? "" : "s",
                                 passes.size(), passes.size() == 1 ? "" : "es");
  std::int64_t traces = reader.traces();
  std::int64_t in_bytes = reader.trace_bytes();
  // Without an output that is all there is to do; a plan of what is to be written may lack its name.
  const bool reports = std::ranges::any_of(operations, [](const auto& operation) { return operation.access.reports; });
  std::string at_most;  // from where on the number of traces is not known
  for (std::size_t p = 0; p < passes.size(); ++p) {
    const Pass& pass = passes[p];
    const bool is_last = p + 1 == passes.size();
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
    const bool reads_headers_alone = is_last && output.empty() && reports && !pass.needs_samples;
    text += pass.needs_samples    ? "\n  samples are read as floats"
            : reads_headers_alone ? "\n  samples are not read"
                                  : "\n  samples are copied byte for byte";
    if (reads_headers_alone) in_bytes = flow.states[pass.first].header_bytes;
    if (pass.scans())
      text += fmt::format("\n  reads {} of headers, {} bytes per trace",
                          format_bytes(traces * scanned_bytes(flow, pass)), scanned_bytes(flow, pass));
    for (std::size_t k = pass.first; k < pass.end; ++k)
      if (operations[k].access.writes_membership) at_most = "at most ";
    text += fmt::format("\n  reads {}{} of traces{}", at_most, format_bytes(traces * in_bytes),
                        pass.halo > 0 ? ", and neighbours where parts of the survey meet" : "");
    const std::int64_t taken = traces;
    if (!pass.keys.empty() && pass.halo == 0 && !reads_headers_alone && sort_method != PermutationMethod::gather)
      text +=
          fmt::format("\n  {}writes and reads {} of sorted runs in the scratch folder",
                      sort_method ? "" : "beyond what the system can keep cached, if that is estimated to be faster: ",
                      format_bytes(traces * in_bytes));
    if (pass.traces_per_gather > 0) {
      at_most = "at most ";
      traces *= pass.traces_per_gather;
    }
    const SurveyState& after = flow.states[pass.end];
    const bool writes_output = is_last && !is_scaled;
    in_bytes =
        after.header_bytes + after.samples * segy::bytes_of(writes_output ? format : format_after(flow, pass, reader));
    const bool is_pattern = NamePattern::has_places(output);
    if (!is_last || !output.empty())
      text += fmt::format("\n  writes {}{}{}", at_most, format_bytes(traces * in_bytes),
                          !writes_output ? " into an unnamed file"
                          : is_pattern   ? " into an unnamed file, which is then divided: read and written once more"
                                         : "");
    if (is_last && is_scaled)
      text += fmt::format("\n  which is then scaled into {}{}: read and written once more", segy::name_of(format),
                          is_pattern ? ", and divided" : "");
    text += fmt::format("\n  memory of a rank: {} for traces", format_bytes(resources.memory()));
    if (pass.scans())
      text += fmt::format(", {} for keys", format_bytes(key_bytes(pass) * taken / resources.comm.size()));
    for (const std::string& reason : pass.reasons) text += "\n  because " + reason;
  }
  return text;
}

}  // namespace sill::flow
