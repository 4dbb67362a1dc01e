#include "sill/flow/operation/operation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/formats/segy/expression/assignment.hpp"

namespace sill::flow {

std::int64_t make_finite(std::span<float> samples, NonFinite nonfinite) {
  if (nonfinite == NonFinite::keep) return 0;
  std::int64_t zeroed = 0;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    if (std::isfinite(samples[s])) continue;
    if (nonfinite == NonFinite::stop)
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("sample {} is {}", s + 1, samples[s]),
                   .action = "--nonfinite zero replaces such samples with 0, --nonfinite keep computes with them"});
    samples[s] = 0.0F;
    ++zeroed;
  }
  return zeroed;
}

void decode_samples(const segy::SampleConversion& decode, std::span<const std::byte> in, std::span<float> out,
                    segy::ConversionAccount& account) {
  try {
    decode.convert(in, std::as_writable_bytes(out), account);
  } catch (const Error& error) {
    ErrorParts parts = error.parts();
    parts.action =
        "operations compute with IEEE floats of 4 bytes: convert the survey first, with 'sill convert "
        "--sample-format ieee --clip', or omit such traces with 'sill cut'";
    throw Error(std::move(parts));
  }
}

ByteRange true_value_bytes(const segy::WordRef& word) {
  const segy::TrueBytes bytes = segy::bytes_of_true_value(word);
  return {bytes.first, bytes.end - bytes.first};
}

Access Access::of_made_traces(std::int64_t count, std::int64_t header_bytes) {
  return {.scope = Scope::gather,
          .reads_words = {{0, header_bytes}},
          .writes_words = {{0, header_bytes}},
          .reads_samples = true,
          .writes_samples = true,
          .takes_auxiliary = true,
          .can_stop = true,
          .traces_per_gather = count};
}

void Access::clear_mute_times(const segy::HeaderMap& words) {
  if (!moves_samples) return;
  for (const char* const name : {"muts", "mute"})
    if (words.find(name) != nullptr) false_words.push_back(segy::bytes_of(words.word(name)));
  writes_words.insert(writes_words.end(), false_words.begin(), false_words.end());
}

bool Access::clear_false_words(std::byte* header) const {
  bool is_changed = false;
  for (const ByteRange& bytes : false_words)
    for (std::byte* at = header + bytes.offset; at < header + bytes.end(); ++at) {
      is_changed = is_changed || *at != std::byte{};
      *at = std::byte{};
    }
  return is_changed;
}

void Access::read_key(const segy::TraceKey& key) {
  reads_words.push_back(key.needed_bytes());
  reads_file = reads_file || key.reads_file_number();
  reads_position = reads_position || key.reads_trace_number();
}

void Access::write_true_value(const segy::WordRef& word) {
  reads_words.push_back(true_value_bytes(word));
  writes_words.push_back(segy::bytes_of(word));
  if (word.twin_byte != 0) writes_words.push_back({word.twin_byte - 1, word.twin_type.bytes});
}

void Access::read_number(const HeaderNumber& number) {
  numbers.push_back(number);
  reads_words.push_back(true_value_bytes(number.word));
  can_stop = can_stop || segy::is_float(number.word.type);
}

void SurveyState::set_samples(std::int64_t count) {
  // Memory that operations allocate per sample before the first trace: mainly tables of an FFT.
  constexpr std::int64_t bytes_per_sample = 512;
  if (count > samples && count > memory_bytes / bytes_per_sample)
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("traces of {} samples may need {} of memory, but a rank may use only {}",
                                        format_count(count), format_bytes(count * bytes_per_sample),
                                        format_bytes(memory_bytes)),
                 .action = "choose fewer samples, or allow more memory with --memory"});
  samples = count;
}

}  // namespace sill::flow
