#include "sill/survey/merge/merge_traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"

namespace sill {
namespace {

constexpr int extension_interval_at = segy::trace_header_bytes + 144;  // bytes 145-152 of extension 1

bool is_same_form(const segy::FileDescription& a, const segy::FileDescription& b) {
  return a.kind == b.kind && a.byte_order == b.byte_order && a.sample_format == b.sample_format;
}

// The user did not request this form, so the action of a usage error refers to the first input.
void require_possible_for(const segy::FileForm& form, const std::string& first) {
  try {
    segy::require_possible(form);
  } catch (const Error& error) {
    ErrorParts parts = error.parts();
    parts.where.file = first;
    parts.action =
        "the output has the form of the first input: convert that first (sill convert), or choose another "
        "rule";
    throw Error(std::move(parts));
  }
}

// A reader of traces of one length takes the number of headers from the file header, not from extension 1.
void require_stated_headers(const SurveyReader& reader, int headers) {
  for (std::size_t i = 0; i < reader.files().size(); ++i)
    for (const segy::TraceStretch& stretch : reader.tables()[i].stretches()) {
      if (stretch.shape().headers == headers) continue;
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("this trace has {} headers, but the file states {}: readers that assume one "
                                          "length would look for the following traces at wrong positions",
                                          stretch.shape().headers, headers),
                   .where = reader.where(reader.inputs()[i].first_item + stretch.first_trace),
                   .clause = "SEG-Y rev 2.1, trace header extension 1, bytes 157-158",
                   .action = "choose --on samples=vary, which keeps the headers"});
    }
}

// If a trace states an interval of 0, readers use the interval of the file header, which is that of the first input.
void require_stated_interval(const segy::FileDescription& file) {
  if (file.interval_us != 0.0 || file.traces == 0) return;
  throw Error({.code = ErrorCode::input,
               .problem = "this input states no interval: its traces cannot state their own, because 0 in a trace "
                          "means the interval of the file",
               .where = {.file = file.path},
               .clause = "SEG-Y rev 1, trace header bytes 117-118",
               .action = "choose --on interval=first, or give this input its interval first (sill edit)"});
}

}  // namespace

MergedTraces::MergedTraces(const SurveyReader& reader, const MergeRules& rules) : reader_(reader) {
  const segy::FileDescription& first = reader.files().front();
  form_.kind = first.kind;
  form_.byte_order = first.byte_order;
  form_.revision = segy::revision_of(first);
  form_.sample_format = first.sample_format;
  form_.interval_us = first.interval_us;
  form_.traces = reader.traces();
  form_.additional_trace_headers = first.additional_trace_headers;
  set_lengths(rules);
  // Properties of the first input are carried unchanged, even if its revision does not allow them.
  segy::FileForm asked;
  asked.kind = first.kind;
  asked.revision = form_.revision;
  asked.samples = form_.samples > first.samples ? form_.samples : 1;
  asked.lengths_vary = form_.lengths_vary && !first.lengths_vary;
  asked.traces = 1;
  require_possible_for(asked, first.path);
  segy::FileDescription output = first;
  output.samples = form_.samples;
  output_rule_.emplace(output);
  add_ways(rules);
}

void MergedTraces::set_lengths(const MergeRules& rules) {
  const segy::FileDescription& first = reader_.files().front();
  form_.samples = first.samples;
  form_.lengths_vary = first.lengths_vary;
  const MergeRule rule = rules.of(MergeProperty::samples);
  // Inputs that all vary do not contradict each other, but a rule for one length still applies.
  bool differs = first.lengths_vary && (rule == MergeRule::pad || rule == MergeRule::cut);
  std::int64_t min = std::numeric_limits<std::int64_t>::max();
  std::int64_t max = 0;
  for (std::size_t i = 0; i < reader_.files().size(); ++i) {
    const segy::FileDescription& file = reader_.files()[i];
    for (const segy::TraceStretch& stretch : reader_.tables()[i].stretches()) {
      min = std::min<std::int64_t>(min, stretch.samples);
      max = std::max<std::int64_t>(max, stretch.samples);
    }
    if (i > 0 && file.traces == 0) continue;
    differs =
        differs || file.lengths_vary != first.lengths_vary || (!file.lengths_vary && file.samples != first.samples);
  }
  if (!differs || reader_.traces() == 0) return;
  switch (rule) {
    case MergeRule::pad: form_.samples = max; break;
    case MergeRule::cut: form_.samples = min; break;
    default: form_.lengths_vary = true; return;
  }
  form_.lengths_vary = false;
  all_of_one_length_ = true;
  if (form_.samples == 0)
    throw Error(
        {.code = ErrorCode::input,
         .problem = "the shortest trace has no samples: if all traces were cut to its length, no samples would remain",
         .where = {.file = first.path},
         .action = "choose --on samples=pad or --on samples=vary"});
  require_stated_headers(reader_, 1 + form_.additional_trace_headers);
}

void MergedTraces::add_ways(const MergeRules& rules) {
  const segy::FileDescription& first = reader_.files().front();
  const segy::ConversionRules as_is;
  for (const segy::FileDescription& file : reader_.files()) {
    // Files without traces need no conversion. If they had one, later files of the same form would share it, and their
    // data would be missing in its account.
    if (&file != &first && file.traces == 0) {
      way_of_file_.push_back(0);
      continue;
    }
    const auto found = std::ranges::find_if(ways_, [&](const Way& way) {
      return is_same_form(*way.file, file) && way.interval_us == file.interval_us &&
             segy::revision_of(*way.file) == segy::revision_of(file) &&
             way.file->additional_trace_headers == file.additional_trace_headers;
    });
    way_of_file_.push_back(static_cast<int>(found - ways_.begin()));
    if (found != ways_.end()) continue;
    const bool differs = file.interval_us != first.interval_us;
    const MergeRule rule = rules.of(MergeProperty::interval);
    Way way{&file, nullptr, file.interval_us};
    segy::FileForm form = form_;
    if (differs && rule == MergeRule::vary) form.interval_us = file.interval_us;
    if (differs) {
      sets_intervals_ = true;
      keeps_own_intervals_ = rule == MergeRule::vary;
      if (keeps_own_intervals_)
        for (const segy::FileDescription* stated : {&first, &file}) require_stated_interval(*stated);
      if (!segy::is_short_interval(form.interval_us))
        throw Error({.code = ErrorCode::input,
                     .problem = fmt::format("an interval of {} us cannot be stated by trace headers", form.interval_us),
                     .where = {.file = file.path},
                     .clause = "SEG-Y rev 1, trace header bytes 117-118",
                     .action = "give the inputs one interval first"});
    }
    if (!is_same_form(file, first))
      way.conversion =
          std::make_unique<TraceConversion>(file, form, reader_.words(), as_is, segy::TraceHeaderRules{}, doubts_);
    ways_.push_back(std::move(way));
  }
}

segy::TraceShape MergedTraces::shape_of(segy::TraceShape before) const {
  return {all_of_one_length_ ? form_.samples : before.samples, before.headers};
}

std::int64_t MergedTraces::bytes_before(std::int64_t trace) const {
  return reader_.shape_of(trace).bytes(segy::bytes_of(way_of(trace).file->sample_format));
}

std::int64_t MergedTraces::bytes_after(std::int64_t trace) const {
  return shape_of(reader_.shape_of(trace)).bytes(segy::bytes_of(form_.sample_format));
}

void MergedTraces::transform_header(std::int64_t trace, const std::byte* in, std::byte* out,
                                    TraceAccount& account) const {
  const Way& way = way_of(trace);
  if (way.conversion) {
    way.conversion->transform({0, 1}, in, out, account);
  } else {
    std::memcpy(out, in, segy::trace_header_bytes);
  }
}

void MergedTraces::transform(std::int64_t trace, const std::byte* in, std::byte* out, TraceAccount& account) const {
  const Way& way = way_of(trace);
  const segy::TraceShape before = reader_.shape_of(trace);
  const segy::TraceShape after = shape_of(before);
  const segy::TraceShape common{std::min(before.samples, after.samples), before.headers};
  try {
    if (way.conversion) {
      way.conversion->transform(common, in, out, account);
    } else {
      std::memcpy(out, in, static_cast<std::size_t>(common.bytes(segy::bytes_of(form_.sample_format))));
    }
    const auto missing =
        static_cast<std::size_t>((after.samples - common.samples) * segy::bytes_of(form_.sample_format));
    std::memset(out + bytes_after(trace) - missing, 0, missing);
    if (all_of_one_length_) segy::set_samples_stated(out, after.headers, form_.byte_order, after.samples, false);
    // In a file of varying lengths, some readers would give a trace that states no length the length of the file
    // header.
    const auto file = static_cast<std::size_t>(reader_.file_of(trace));
    const bool leaves_open = !reader_.files()[file].lengths_vary && after.samples <= segy::max_short_samples &&
                             load<std::uint16_t>(out + segy::samples_at, form_.byte_order) == 0;
    if (form_.lengths_vary && (leaves_open || output_rule_->shape_of(out) != after)) {
      segy::set_samples_stated(out, after.headers, form_.byte_order, after.samples, true);
      if (output_rule_->shape_of(out) != after)
        throw Error(
            {.code = ErrorCode::input,
             .problem = fmt::format("the headers of this trace cannot state its length, {} samples and {} headers",
                                    after.samples, after.headers)});
    }
    if (sets_intervals_ && way.interval_us != reader_.files().front().interval_us)
      report_interval(out, after.headers, keeps_own_intervals_ ? way.interval_us : form_.interval_us);
  } catch (const Error& error) {
    // The action of an error of conversions refers to options that a merge does not have.
    ErrorParts parts = error.parts();
    parts.where = reader_.where(trace);
    parts.action = "convert this input first, as you want it (sill convert), or name another input first";
    throw Error(std::move(parts));
  }
}

void MergedTraces::report_interval(std::byte* header, int headers, double interval_us) const {
  store(header + segy::interval_at, static_cast<std::uint16_t>(interval_us), form_.byte_order);
  if (headers > 1 && segy::is_extension_1(header + segy::second_name_at) &&
      load<double>(header + extension_interval_at, form_.byte_order) != 0.0)
    store(header + extension_interval_at, interval_us, form_.byte_order);
}

std::int64_t MergedTraces::header_bytes() const {
  return std::int64_t{segy::trace_header_bytes} * (1 + form_.additional_trace_headers);
}

std::vector<std::string> MergedTraces::notes(std::span<const TraceAccount> of_ways) const {
  std::vector<std::string> notes = doubts_;
  for (std::size_t i = 0; i < ways_.size(); ++i)
    if (ways_[i].conversion) std::ranges::move(ways_[i].conversion->notes(of_ways[i]), std::back_inserter(notes));
  std::ranges::sort(notes);
  notes.erase(std::ranges::unique(notes).begin(), notes.end());
  return notes;
}

}  // namespace sill
