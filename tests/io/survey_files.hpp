// Small surveys as bytes, for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sill/formats/segy/synthetic/synthetic_survey.hpp"
#include "store/temporary_folder.hpp"

namespace sill::test {

/// What the tests take unless they say otherwise: traces of 240 + 4 * 11 bytes.
inline segy::SurveyOptions small_survey(std::int64_t traces, std::uint64_t seed = 1) {
  segy::SurveyOptions options;
  options.traces = traces;
  options.samples = 11;
  options.channels = 7;
  options.seed = seed;
  return options;
}

/// Local. A whole file.
[[nodiscard]] inline Bytes survey_bytes(const segy::SurveyOptions& options) {
  const segy::SyntheticSurvey survey(options);
  Bytes bytes(static_cast<std::size_t>(survey.file_bytes()));
  const auto header_bytes = static_cast<std::size_t>(survey.header_bytes());
  const auto trace_bytes = static_cast<std::size_t>(survey.trace_bytes());
  survey.file_header(std::span(bytes).first(header_bytes));
  for (std::int64_t i = 0; i < options.traces; ++i) {
    survey.trace(i, std::span(bytes).subspan(header_bytes + static_cast<std::size_t>(i) * trace_bytes, trace_bytes));
  }
  return bytes;
}

/// Local. The bytes before the first trace of a file without extended text headers.
[[nodiscard]] inline Bytes header_of(const Bytes& file) { return {file.begin(), file.begin() + 3600}; }

/// Local. The traces of a file without extended text headers, one by one.
[[nodiscard]] inline std::vector<Bytes> traces_of(const Bytes& file, std::int64_t trace_bytes) {
  std::vector<Bytes> traces;
  for (auto at = file.begin() + 3600; at < file.end(); at += trace_bytes) traces.emplace_back(at, at + trace_bytes);
  return traces;
}

/// Local. Bytes one after another.
[[nodiscard]] inline Bytes joined(const std::vector<Bytes>& parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace sill::test
