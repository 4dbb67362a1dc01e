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

namespace {

// The plan of a flow as text, pass by pass: each pass reads the output of the previous one.
class Explanation {
 public:
  Explanation(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow,
              const PlannedOutput& output)
      : resources_(resources),
        reader_(reader),
        flow_(flow),
        output_(output),
        traces_(reader.traces()),
        trace_bytes_(reader.trace_bytes()) {}

  void add(const Pass& pass, bool is_last) {
    // Without an output, nothing else needs to be read. A plan with an output may lack its name.
    const bool reads_headers_alone = is_last && output_.path.empty() && reports() && !pass.needs_samples;
    if (reads_headers_alone) trace_bytes_ = flow_.states[pass.first].header_bytes;
    add_what(pass);
    text_ += pass.needs_samples    ? "\n  samples are read as floats"
             : reads_headers_alone ? "\n  samples are not read"
                                   : "\n  samples are copied byte for byte";
    const std::int64_t key_traces = traces_;
    add_reads(pass, !reads_headers_alone);
    add_writes(pass, is_last);
    text_ += fmt::format("\n  memory of a rank: {} for traces", format_bytes(resources_.memory()));
    if (pass.scans())
      text_ += fmt::format(", {} for keys", format_bytes(key_bytes(pass) * key_traces / resources_.comm.size()));
    for (const std::string& reason : pass.reasons) text_ += "\n  because " + reason;
  }

  [[nodiscard]] std::string text(std::size_t passes) const {
    const std::size_t operations = flow_.planned.size();
    return fmt::format("{} operation{} in {} pass{}{}", operations, operations == 1 ? "" : "s", passes,
                       passes == 1 ? "" : "es", text_);
  }

 private:
  [[nodiscard]] bool reports() const {
    return std::ranges::any_of(flow_.planned, [](const auto& operation) { return operation.access.reports; });
  }

  // Adds the operations, the order of the traces, and the number of traces that operations receive at once.
  void add_what(const Pass& pass) {
    text_ += fmt::format("\npass {}: ", ++pass_);
    for (std::size_t k = pass.first; k < pass.end; ++k)
      text_ += fmt::format("{}{}", k == pass.first ? "" : ", ", flow_.planned[k].name);
    if (pass.first == pass.end) text_ += "copy";
    if (pass.scans()) text_ += "\n  headers first: they determine which traces exist and in which order";
    for (std::size_t k = 0; k < pass.keys.size(); ++k)
      text_ += fmt::format("{}{}", k == 0 ? "\n  order: " : ",", pass.keys[k].key.text());
    if (pass.has_gathers) text_ += fmt::format("\n  gathers: traces with equal first {} key(s)", pass.gather_keys);
    if (pass.halo > 0) text_ += fmt::format("\n  each trace with {} neighbours on each side", pass.halo);
  }

  void add_reads(const Pass& pass, bool reads_traces) {
    if (pass.scans())
      text_ += fmt::format("\n  reads {} of headers, {} bytes per trace",
                           format_bytes(traces_ * scanned_bytes(flow_, pass)), scanned_bytes(flow_, pass));
    for (std::size_t k = pass.first; k < pass.end; ++k)
      if (flow_.planned[k].access.writes_membership) at_most_ = "at most ";
    text_ += fmt::format("\n  reads {}{} of traces{}", at_most_, format_bytes(traces_ * trace_bytes_),
                         pass.halo > 0 ? ", and neighbours where parts of the survey meet" : "");
    if (!pass.keys.empty() && pass.halo == 0 && reads_traces && output_.sort_method != PermutationMethod::gather)
      text_ += fmt::format(
          "\n  {}writes and reads {} of sorted runs in the scratch folder",
          output_.sort_method ? "" : "for data that exceed the system's cache, if this is estimated to be faster: ",
          format_bytes(traces_ * trace_bytes_));
  }

  void add_writes(const Pass& pass, bool is_last) {
    if (pass.traces_per_gather > 0) {
      at_most_ = "at most ";
      traces_ *= pass.traces_per_gather;
    }
    const SurveyState& after = flow_.states[pass.end];
    const bool writes_output = is_last && !output_.is_scaled;
    trace_bytes_ = after.header_bytes +
                   after.samples * segy::bytes_of(writes_output ? output_.format : format_after(flow_, pass, reader_));
    const bool is_pattern = NamePattern::has_places(output_.path);
    if (!is_last || !output_.path.empty())
      text_ += fmt::format("\n  writes {}{}{}", at_most_, format_bytes(traces_ * trace_bytes_),
                           !writes_output ? " into an unnamed file"
                           : is_pattern   ? " into an unnamed file, which is then divided: read and written once more"
                                          : "");
    if (is_last && output_.is_scaled)
      text_ += fmt::format("\n  which is then scaled into {}{}: read and written once more",
                           segy::name_of(output_.format), is_pattern ? ", and divided" : "");
  }

  const Resources& resources_;
  const SurveyReader& reader_;
  const BoundFlow& flow_;
  const PlannedOutput& output_;
  std::string text_;
  std::size_t pass_ = 0;
  std::int64_t traces_;       // number of traces that the next pass reads
  std::int64_t trace_bytes_;  // bytes per trace
  std::string at_most_;       // set as soon as the number of traces is unknown
};

}  // namespace

std::string explanation_of(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow,
                           std::span<const Pass> passes, const PlannedOutput& output) {
  Explanation explanation(resources, reader, flow, output);
  for (const Pass& pass : passes) explanation.add(pass, &pass == &passes.back());
  return explanation.text(passes.size());
}

}  // namespace sill::flow
