#include "sill/view/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/base/whole_number.hpp"
#include "sill/flow/operation/operation_type.hpp"
#include "sill/flow/operations/operation_types.hpp"
#include "sill/flow/run/bound_flow.hpp"
#include "sill/flow/value/flow_text.hpp"
#include "sill/formats/segy/words/key.hpp"
#include "sill/view/axis_words.hpp"
#include "sill/view/shown_headers.hpp"

namespace sill::view {
namespace {

constexpr std::int64_t floats_at_once = std::int64_t{4} << 20;

// Returns the sample of largest magnitude, or a sample that is not finite, if there is one.
float signed_extreme(std::span<const float> samples) {
  float extreme = samples.front();
  for (const float sample : samples) {
    if (!std::isfinite(sample)) return sample;
    if (std::abs(sample) > std::abs(extreme)) extreme = sample;
  }
  return extreme;
}

}  // namespace

// The gain of a trace: a flow operation, bound to the length of the traces.
class TraceGain {
 public:
  TraceGain(const SectionRequest& request, const SurveyReader& reader) : reader_(reader) {
    if (request.gain == ViewGain::trace) steps_ = flow::parse_steps("normalize rms");
    if (request.gain == ViewGain::agc) steps_ = flow::parse_steps("agc " + request.agc_window);
  }

  void apply(std::span<float> samples, const segy::HeaderView& header) {
    if (steps_.empty()) return;
    if (operation_ == nullptr || std::ssize(samples) != samples_) bind(std::ssize(samples));
    block_.reset(1, segy::trace_header_bytes, samples_, header.order);
    std::copy_n(header.header, segy::trace_header_bytes, block_.header(0).data());
    std::ranges::copy(samples, block_.fill(0).begin());
    operation_->run(block_, workspace_);
    std::ranges::copy(block_.trace(0), samples.begin());
  }

  // Binds the operation. Errors: usage, before any trace is read.
  void bind(std::int64_t samples) {
    if (steps_.empty()) return;
    samples_ = samples;
    flow::SurveyState state = flow::state_of(reader_);
    operation_ = flow::find_operation_type(steps_.front().operation)
                     ->make(flow::Arguments(steps_.front(), state.interval_us * 1e-6));
    state.samples = samples;
    state.header_bytes = segy::trace_header_bytes;
    operation_->bind(state);
  }

 private:
  const SurveyReader& reader_;
  std::vector<flow::Step> steps_;
  std::unique_ptr<flow::Operation> operation_;
  std::int64_t samples_ = 0;
  flow::TraceBlock block_;
  flow::Workspace workspace_;
};

class SectionReading {
 public:
  SectionReading(const SurveyReader& reader, const SurveyReader* other, const SectionRequest& request)
      : reader_(reader),
        other_(other),
        section_{.request = request, .about = reader.files().front()},
        request_(section_.request),
        about_(section_.about),
        numbers_(request_.traces.numbers),
        headers_(reader, numbers_),
        gain_(section_.request, reader),
        clip_(request.clip) {
    describe();
    if (other_ != nullptr) require_same_shape();
    gain_.bind(section_.lengths.max);
    if (const std::string note = headers_.interval_note(); !note.empty()) section_.notes.push_back(note);
    place_rows();
    read_words();
    choose_axis(section_);
    start_panels();
    hold({0, 1});
    section_.clip = clip_.level();
    section_.clipped_samples = clip_.clipped();
    section_.has_negative = clip_.has_negative() || other_ != nullptr;
    counts_ = false;
  }

  [[nodiscard]] const Section& section() const { return section_; }

  void hold(RowRange rows) {
    RowRange& held = section_.held;
    if (rows.first >= held.first && rows.first + rows.count <= held.first + held.count) return;
    const std::int64_t values_of_row = std::ssize(numbers_) * std::ssize(section_.panels);
    held.first = rows.first;
    held.count = std::min(std::max(rows.count, request_.max_values / values_of_row), section_.rows - rows.first);
    for (SectionPanel& panel : section_.panels)
      panel.cells.assign(numbers_.size() * static_cast<std::size_t>(held.count), 0.0F);
    read_panels();
  }

 private:
  void describe() {
    section_.file = request_.name.empty() ? about_.path : request_.name;
    section_.all_traces = reader_.traces();
    for (const std::int64_t number : numbers_) section_.lengths.add(reader_.shape_of(number).samples);
    if (about_.kind != segy::FileKind::segy) return;
    const std::vector<std::byte> header = reader_.file_header(0);
    constexpr int polarity_at = 3256;  // from 0
    section_.polarity_code = load<std::int16_t>(header.data() + about_.label_bytes + polarity_at, about_.byte_order);
  }

  void require_same_shape() {
    section_.other_file = other_->paths().front();
    const auto refuse = [&](const std::string& problem) {
      throw usage_error(problem,
                        "a difference is taken trace by trace in the order of the files: 'sill compare' shows where "
                        "they differ, 'sill sort' and 'sill cut' give them one form",
                        {.file = section_.other_file});
    };
    if (other_->traces() != reader_.traces())
      refuse(fmt::format("this file has {} traces, but {} has {}", other_->traces(), section_.file, reader_.traces()));
    const double interval_us = other_->files().front().interval_us;
    if (interval_us != about_.interval_us)
      refuse(fmt::format("the sample interval of this file is {} us, but that of {} is {} us", interval_us,
                         section_.file, about_.interval_us));
    const ShownHeaders headers(*other_, numbers_);
    const segy::DelayWord delay(reader_.words());
    const segy::DelayWord other_delay(other_->words());
    if (const std::string note = headers.interval_note(); !note.empty())
      section_.notes.push_back(fmt::format("{}: {}", section_.other_file, note));
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const segy::HeaderView a = headers_.view(i);
      const segy::HeaderView b = headers.view(i);
      if (other_->shape_of(numbers_[i]).samples != reader_.shape_of(numbers_[i]).samples)
        refuse(fmt::format("trace {} has {} samples in this file, but {} in {}", numbers_[i] + 1,
                           other_->shape_of(numbers_[i]).samples, reader_.shape_of(numbers_[i]).samples,
                           section_.file));
      if (delay.start_us(a.header, a.order) != other_delay.start_us(b.header, b.order))
        refuse(fmt::format("trace {} begins at {} ms in this file, but at {} ms in {}", numbers_[i] + 1,
                           other_delay.start_us(b.header, b.order) / 1000.0, delay.start_us(a.header, a.order) / 1000.0,
                           section_.file));
    }
  }

  // Finds which samples of each trace are shown, and in which rows.
  void place_rows() {
    if (request_.window && (about_.domain == segy::Domain::depth || !(about_.interval_us > 0.0)))
      throw usage_error(about_.domain == segy::Domain::depth ? "the samples are in depth: no time window can be shown"
                                                             : "the sample interval is 0: no sample has a time",
                        "omit --time, or give the interval with --assume interval=US", {.file = section_.file});
    const double step_us = about_.interval_us > 0.0 ? about_.interval_us : 1.0;
    const segy::DelayWord delay(reader_.words());
    double all_begin_us = std::numeric_limits<double>::infinity();
    double all_end_us = -all_begin_us;
    double first_us = all_begin_us;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const segy::HeaderView header = headers_.view(i);
      SectionTrace& trace = section_.traces.emplace_back();
      trace.number = numbers_[i];
      try {
        if (about_.interval_us > 0.0) trace.start_us = delay.usable_start_us(header.header, header.order);
      } catch (const Error& error) {
        throw_at(error, reader_.where(trace.number));
      }
      section_.delays_vary = section_.delays_vary || trace.start_us != section_.traces.front().start_us;
      const std::int64_t samples = reader_.shape_of(trace.number).samples;
      ranges_.push_back(request_.window ? segy::samples_in(*request_.window, trace.start_us, step_us, samples)
                                        : segy::SampleRange{0, samples});
      section_.shown_lengths.add(ranges_.back().count);
      all_begin_us = std::min(all_begin_us, trace.start_us);
      all_end_us = std::max(all_end_us, trace.start_us + step_us * static_cast<double>(samples - 1));
      if (ranges_.back().count > 0) first_us = std::min(first_us, time_of(i, ranges_.back().first, step_us));
    }
    section_.first_trace_us = section_.traces.front().start_us;
    if (!std::isfinite(first_us))
      throw usage_error(
          request_.window ? fmt::format("no sample of the traces is in the window: the samples are at {} ms to {} ms",
                                        all_begin_us / 1000.0, all_end_us / 1000.0)
                          : "the traces have no samples",
          request_.window ? "choose another window with --time" : "choose other traces", {.file = section_.file});
    section_.first_us = first_us;
    std::int64_t end = 0;
    double off_us = 0.0;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      // Delays may differ by fractions of an interval: use the nearest sample position of the picture.
      constexpr std::int64_t farthest = std::int64_t{1} << 60;
      const double exact = (time_of(i, ranges_[i].first, step_us) - first_us) / step_us;
      const double place = std::nearbyint(exact);
      if (ranges_[i].count > 0) off_us = std::max(off_us, std::abs(exact - place) * step_us);
      places_.push_back(ranges_[i].count == 0 ? 0 : integer_within(place, 0, farthest));
      end = std::max(end, places_[i] + ranges_[i].count);
    }
    constexpr double tolerance = 1e-6;
    if (off_us > tolerance * step_us)
      section_.notes.push_back(fmt::format(
          "delays differ by fractions of a sample: samples are shown up to {:.4g}{} from their {}", off_us / 1e3,
          about_.domain == segy::Domain::depth ? "" : " ms", about_.domain == segy::Domain::depth ? "depth" : "time"));
    section_.window_samples = end;
    section_.samples_per_row = (end + request_.max_rows - 1) / request_.max_rows;
    section_.rows = (end + section_.samples_per_row - 1) / section_.samples_per_row;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (ranges_[i].count == 0) continue;
      SectionTrace& trace = section_.traces[i];
      trace.first_row = places_[i] / section_.samples_per_row;
      trace.row_count = (places_[i] + ranges_[i].count - 1) / section_.samples_per_row + 1 - trace.first_row;
    }
  }

  [[nodiscard]] double time_of(std::size_t i, std::int64_t sample, double step_us) const {
    return section_.traces[i].start_us + step_us * static_cast<double>(sample);
  }

  void read_words() {
    choose_words(section_, reader_.words());
    std::vector<segy::TraceKey> keys;
    for (const std::string& word : section_.words) keys.push_back(segy::TraceKey::parse(word, reader_.words()));
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      SectionTrace& trace = section_.traces[i];
      try {
        for (const segy::TraceKey& key : keys) {
          const segy::WordValue value = key.value(headers_.view(i));
          trace.values.push_back(value.text());
          trace.numbers.push_back(value.as_double());
        }
      } catch (const Error& error) {
        throw_at(error, reader_.where(trace.number));
      }
    }
  }

  // Reduces the window of trace `i` to the stored rows in the cells of `panel`.
  void reduce(std::span<const float> window, std::size_t i, SectionPanel& panel) const {
    const std::int64_t per_row = section_.samples_per_row;
    const std::int64_t place = places_[i];
    const SectionTrace& trace = section_.traces[i];
    const RowRange& held = section_.held;
    const std::int64_t first = std::max(trace.first_row, held.first);
    const std::int64_t last = std::min(trace.first_row + trace.row_count, held.first + held.count) - 1;
    for (std::int64_t row = first; row <= last; ++row) {
      const std::int64_t begin = std::max<std::int64_t>(0, row * per_row - place);
      const std::int64_t end = std::min<std::int64_t>(std::ssize(window), (row + 1) * per_row - place);
      panel.cells[i * static_cast<std::size_t>(held.count) + static_cast<std::size_t>(row - held.first)] =
          signed_extreme(window.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    }
  }

  void show(std::span<float> samples, std::size_t i, SectionPanel& panel, bool is_first) {
    panel.is_dead[i] =
        static_cast<char>(headers_.is_dead(i) || std::ranges::all_of(samples, [](float x) { return x == 0.0F; }));
    const bool is_finite = std::ranges::all_of(samples, [](float x) { return std::isfinite(x); });
    if (request_.gain != ViewGain::none) {
      // One bad sample must not affect its neighbours: gains process it as 0, then it is restored.
      std::vector<float> before;
      if (!is_finite) {
        before.assign(samples.begin(), samples.end());
        std::ranges::replace_if(
            samples, [](float x) { return !std::isfinite(x); }, 0.0F);
      }
      gain_.apply(samples, headers_.view(i));
      for (std::size_t s = 0; s < before.size(); ++s)
        if (!std::isfinite(before[s])) samples[s] = before[s];
    }
    const std::span<const float> window =
        samples.subspan(static_cast<std::size_t>(ranges_[i].first), static_cast<std::size_t>(ranges_[i].count));
    reduce(window, i, panel);
    if (!is_first || !counts_) return;
    section_.shown_samples += ranges_[i].count;
    section_.dead_traces += panel.is_dead[i];
    // Auxiliary traces must not determine the clip of the other traces.
    const bool sets_clip = headers_.is_counted(i);
    if (is_finite && sets_clip) return clip_.add(window);
    std::vector<float> finite;
    std::ranges::copy_if(window, std::back_inserter(finite), [](float x) { return std::isfinite(x); });
    section_.nonfinite_samples += std::ssize(window) - std::ssize(finite);
    if (sets_clip) clip_.add(finite);
  }

  void start_panels() {
    section_.panels.resize(other_ == nullptr ? 1 : 3);
    for (SectionPanel& panel : section_.panels) panel.is_dead.resize(numbers_.size());
    if (other_ == nullptr) return;
    section_.panels[0].name = section_.file;
    section_.panels[1].name = section_.other_file;
    section_.panels[2].name = "first - second";
  }

  void read_panels() {
    std::vector<float> samples;
    std::vector<float> others;
    const auto bytes_of = [&](std::int64_t trace) {
      return reader_.bytes_of({trace, 1}) + (other_ == nullptr ? 0 : other_->bytes_of({trace, 1}));
    };
    if (request_.progress != nullptr) {
      std::int64_t bytes = 0;
      for (const std::int64_t trace : numbers_) bytes += bytes_of(trace);
      request_.progress->begin("reading traces", bytes);
    }
    for (std::size_t begin = 0; begin < numbers_.size();) {
      std::size_t end = begin;
      std::int64_t count = 0;
      while (end < numbers_.size() && (end == begin || count < floats_at_once))
        count += reader_.shape_of(numbers_[end++]).samples;
      const std::span<const std::int64_t> chunk = numbers_.subspan(begin, end - begin);
      samples.resize(static_cast<std::size_t>(count));
      reader_.read_own_samples(chunk, samples);
      if (other_ != nullptr) {
        others.resize(samples.size());
        other_->read_own_samples(chunk, others);
      }
      std::size_t at = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const auto length = static_cast<std::size_t>(reader_.shape_of(numbers_[i]).samples);
        const std::span<float> trace = std::span(samples).subspan(at, length);
        show(trace, i, section_.panels[0], true);
        if (other_ != nullptr) {
          const std::span<float> second = std::span(others).subspan(at, length);
          show(second, i, section_.panels[1], false);
          for (std::size_t s = 0; s < length; ++s) trace[s] -= second[s];
          show(trace, i, section_.panels[2], false);
          // Equal traces have a zero difference, which is not a dead trace.
          section_.panels[2].is_dead[i] =
              static_cast<char>(section_.panels[0].is_dead[i] != 0 && section_.panels[1].is_dead[i] != 0);
        }
        at += length;
      }
      for (; begin < end; ++begin) count_done(request_.progress, bytes_of(numbers_[begin]));
    }
  }

  const SurveyReader& reader_;
  const SurveyReader* other_;
  Section section_;
  const SectionRequest& request_;
  const segy::FileDescription& about_;
  std::span<const std::int64_t> numbers_;
  ShownHeaders headers_;
  TraceGain gain_;
  ClipLevel clip_;
  bool counts_ = true;                     // samples for the clip and the caption: only on the first read
  std::vector<segy::SampleRange> ranges_;  // shown samples of each trace
  std::vector<std::int64_t> places_;       // position of the first shown sample of each trace, in samples from the top
};

SectionReader::SectionReader(const SurveyReader& reader, const SurveyReader* other, const SectionRequest& request) {
  if (other != nullptr && request.gain != ViewGain::none)
    throw usage_error("a difference is not meaningful after a gain that depends on the amplitudes of each file",
                      "omit --gain, or apply the gain with 'sill flow' first");
  reading_ = std::make_unique<SectionReading>(reader, other, request);
}

SectionReader::~SectionReader() = default;

const Section& SectionReader::section() const { return reading_->section(); }

void SectionReader::hold(RowRange rows) { reading_->hold(rows); }

void parse_gain(const std::string& text, SectionRequest& request) {
  constexpr std::string_view agc = "agc=";
  if (text == "none") return;
  if (text == "trace") {
    request.gain = ViewGain::trace;
  } else if (text.starts_with(agc) && text.find_first_of(" ;\"'") == text.npos && text.size() > agc.size()) {
    request.gain = ViewGain::agc;
    request.agc_window = text.substr(agc.size());
  } else {
    throw usage_error(fmt::format("unknown gain `{}`", echoed(text)),
                      "give none, trace, or agc=TIME such as agc=500ms");
  }
}

}  // namespace sill::view
