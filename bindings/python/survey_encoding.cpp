// The bytes of traces that Python writes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "errors.hpp"
#include "sill/flow/run/shape_words.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/expression/assignment.hpp"
#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/formats/segy/words/true_value_writing.hpp"
#include "sill/survey/convert/trace_conversion.hpp"
#include "survey_output.hpp"

namespace sill::python {
namespace {

/// Converts the samples of traces. Samples that equal those of another trace keep the bytes of that trace.
class ChangedSamples {
 public:
  /// `read_as`: the format in which the samples of the other trace were read.
  ChangedSamples(segy::SampleFormat given, segy::SampleFormat read_as, segy::SampleFormat stored, ByteOrder order,
                 const segy::SampleConversion& conversion)
      : given_bytes_(static_cast<std::size_t>(segy::bytes_of(given))),
        stored_bytes_(static_cast<std::size_t>(segy::bytes_of(stored))),
        read_bytes_(static_cast<std::size_t>(segy::bytes_of(read_as))),
        conversion_(conversion),
        as_read_(stored, order, read_as, native_order, {}),
        read_values_(read_as, native_order, segy::SampleFormat::ieee_double, native_order, {}),
        given_values_(given, native_order, segy::SampleFormat::ieee_double, native_order, {}) {}

  /// Local. `kept`: the stored samples of the other trace; empty if there is none. Errors: as
  /// SampleConversion::convert.
  void convert(std::span<const std::byte> samples, std::span<const std::byte> kept, std::span<std::byte> into,
               segy::ConversionAccount& account) {
    if (kept.empty()) return conversion_.convert(samples, into, account);
    segy::ConversionAccount none;
    const std::size_t count = samples.size() / given_bytes_;
    read_.resize(count * read_bytes_);
    old_values_.resize(count);
    new_values_.resize(count);
    as_read_.convert(kept, read_, none);
    read_values_.convert(read_, std::as_writable_bytes(std::span(old_values_)), none);
    given_values_.convert(samples, std::as_writable_bytes(std::span(new_values_)), none);
    changed_.assign(samples.begin(), samples.end());
    const auto is_kept = [&](std::size_t s) {
      return new_values_[s] == old_values_[s] || (std::isnan(new_values_[s]) && std::isnan(old_values_[s]));
    };
    // The bytes of unchanged samples are copied, so these samples need not be convertible from the given type.
    for (std::size_t s = 0; s < count; ++s)
      if (is_kept(s)) std::fill_n(changed_.data() + s * given_bytes_, given_bytes_, std::byte{0});
    conversion_.convert(changed_, into, account);
    for (std::size_t s = 0; s < count; ++s)
      if (is_kept(s)) std::copy_n(kept.data() + s * stored_bytes_, stored_bytes_, into.data() + s * stored_bytes_);
  }

 private:
  std::size_t given_bytes_;
  std::size_t stored_bytes_;
  std::size_t read_bytes_;
  const segy::SampleConversion& conversion_;
  segy::SampleConversion as_read_;
  segy::SampleConversion read_values_;
  segy::SampleConversion given_values_;
  std::vector<std::byte> read_;
  std::vector<std::byte> changed_;
  std::vector<double> old_values_;
  std::vector<double> new_values_;
};

}  // namespace

void SurveyOutput::set_window(std::byte* header, std::int64_t trace) const {
  if (state_.samples == like_->samples_per_trace()) return;
  segy::set_samples_stated(header, like_->reader().shape_of(trace).headers, state_.order, state_.samples, false);
  if (*first_sample_ == 0) return;
  const segy::DelayWord delay(words_);
  delay.set_start(header, state_.order,
                  delay.start_us(header, state_.order) + static_cast<double>(*first_sample_) * state_.interval_us);
}

std::vector<SurveyOutput::Word> SurveyOutput::words_of(const NewTraces& traces) const {
  constexpr std::string_view prefix = "true(";
  std::vector<Word> plain;
  std::vector<Word> true_ones;
  for (const NewWord& given : traces.words) {
    const bool is_true = given.name.starts_with(prefix) && given.name.ends_with(")");
    const std::string name =
        is_true ? given.name.substr(prefix.size(), given.name.size() - prefix.size() - 1) : given.name;
    const segy::WordRef word = with_kind(Wrong::name, [&] { return words_.word(name); });
    if (word.type.kind == segy::WordKind::text) refuse(fmt::format("{} stores text", name), "set it with sill.edit");
    if (is_true) segy::require_true_value(word, given.name);
    if (segy::shape_word_in(words_, word) != nullptr)
      refuse(fmt::format("{} states the number or the interval of the samples, which are known", name),
             "omit this word");
    (is_true ? true_ones : plain).push_back({word, is_true, given.values});
  }
  plain.insert(plain.end(), true_ones.begin(), true_ones.end());  // scalars first
  std::vector<segy::WordRef> refs;
  for (const Word& each : plain) refs.push_back(each.word);
  std::ranges::sort(refs, {}, &segy::WordRef::byte);
  for (std::size_t i = 1; i < refs.size(); ++i)
    if (refs[i].byte < refs[i - 1].byte + refs[i - 1].type.bytes)
      refuse(fmt::format("{} and {} are the same bytes of the trace header", refs[i - 1].name, refs[i].name),
             "set each word once");
  return plain;
}

void SurveyOutput::set_new_header(std::byte* header, std::int64_t number) const {
  const auto set = [&](const char* name, std::int64_t value) {
    const segy::MapWord* const word = words_.find(name);
    if (word != nullptr) segy::write_word(header, word->byte, word->type, state_.order, {.number = value}, name);
  };
  constexpr std::int64_t max_short = 65535;
  constexpr std::int64_t max_number = 2147483647;
  for (const char* const name : {"tracl", "tracr"})
    if (number < max_number) set(name, number + 1);
  set("trid", 1);
  if (state_.samples <= max_short) set("ns", state_.samples);
  if (state_.interval_us == std::trunc(state_.interval_us) && state_.interval_us <= max_short)
    set("dt", static_cast<std::int64_t>(state_.interval_us));
}

void SurveyOutput::encode(const NewTraces& traces, std::span<const Word> words, ItemRange piece,
                          std::span<std::byte> into) {
  const auto header_bytes = static_cast<std::size_t>(state_.header_bytes);
  const auto bytes = static_cast<std::size_t>(trace_bytes());
  std::vector<std::byte> old;  // headers, or complete traces in the form of the new ones
  std::size_t old_bytes = header_bytes;
  if (!traces.headers_of.empty()) {
    if (keeps_samples_) old_bytes += static_cast<std::size_t>(like_->samples_per_trace() * sample_bytes_);
    old.resize(static_cast<std::size_t>(piece.count) * old_bytes);
    if (keeps_samples_)
      like_->reader().read_own(part_of(traces.headers_of, piece), old);
    else
      like_->reader().read_own_headers(part_of(traces.headers_of, piece), old, state_.header_bytes);
  }
  const std::size_t kept_bytes = keeps_samples_ && !old.empty() ? bytes - header_bytes : 0;
  const flow::ShapeWords shape(like_ == nullptr || first_sample_ ? state_.samples : like_->samples_per_trace(),
                               like_ == nullptr ? state_.interval_us : like_->reader().files().front().interval_us,
                               state_);
  const segy::SampleConversion conversion(traces.format, native_order, format_, state_.order, rules_);
  const auto in_bytes = static_cast<std::size_t>(state_.samples * segy::bytes_of(traces.format));
  segy::ConversionAccount account;
  ChangedSamples changes(traces.format, read_as_, format_, state_.order, conversion);
  for (std::size_t i = 0; i < static_cast<std::size_t>(piece.count); ++i) {
    const auto in_call = static_cast<std::size_t>(piece.first) + i;
    std::byte* const header = into.data() + i * bytes;
    const std::int64_t number = traces.numbers[in_call];
    try {
      if (old.empty()) {
        std::fill_n(header, header_bytes, std::byte{0});
        set_new_header(header, number);
      } else {
        std::copy_n(old.data() + i * old_bytes, header_bytes, header);
        if (first_sample_) set_window(header, traces.headers_of[in_call]);
        shape.set(header);
      }
      for (const Word& word : words)
        std::visit(
            [&](const auto& values) {
              const auto value = values[in_call];
              if (word.is_true)
                segy::store_true_value(word.word, header, state_.order, static_cast<double>(value));
              else
                segy::store_value(word.word, {.number = value}, {.header = header, .order = state_.order}, header);
            },
            word.values);
      for (const Word& word : words) segy::store_twin(word.word, {.header = header, .order = state_.order}, header);
      const std::span samples(header + header_bytes, bytes - header_bytes);
      const std::size_t first_kept =
          i * old_bytes + header_bytes + static_cast<std::size_t>(first_sample_.value_or(0) * sample_bytes_);
      const std::span<const std::byte> kept =
          kept_bytes == 0 ? std::span<const std::byte>() : std::span(old).subspan(first_kept, kept_bytes);
      if (traces.samples.empty())
        std::ranges::copy(kept, samples.begin());
      else
        changes.convert(traces.samples.subspan(in_call * in_bytes, in_bytes), kept, samples, account);
    } catch (const Error& error) {
      throw_at(error, {.file = path_, .item = number + 1, .item_word = "trace"});
    }
  }
  const std::scoped_lock lock(adding_);
  account_.add(account);
  if (traces.format != segy::SampleFormat::ieee_float && traces.format != segy::SampleFormat::ieee_double)
    rounded_integers_ += account.rounded;
}

}  // namespace sill::python
