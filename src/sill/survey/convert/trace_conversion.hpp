// Converts traces from one file form to another: headers and samples. Counts losses and collects warnings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/convert/trace_header_conversion.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill {

/// Counts of the effects of conversions; each thread has its own.
struct TraceAccount {
  segy::ConversionAccount samples;
  segy::TraceHeaderAccount headers;
};

/// Collective. Returns the sum of the counts of all ranks.
[[nodiscard]] segy::ConversionAccount of_all_ranks(Communicator& comm, const segy::ConversionAccount& of_rank);

/// Collective. Returns the sum of the counts of the threads of all ranks. `header_bytes` is the maximum size of the
/// headers of a trace.
[[nodiscard]] TraceAccount joined(Communicator& comm, std::span<const TraceAccount> of_threads,
                                  std::int64_t header_bytes);

/// Converts traces one by one. Const functions may be called by several threads.
class TraceConversion {
 public:
  /// Local. Creates a conversion from the form of `from` to the form `to`; `words` are the words of the survey.
  /// Warnings are added to `notes`. Errors: usage, if samples cannot be written in the format of `to`.
  TraceConversion(const segy::FileDescription& from, const segy::FileForm& to, const segy::HeaderMap& words,
                  const segy::ConversionRules& rules, const segy::TraceHeaderRules& of_headers,
                  std::vector<std::string>& notes);

  /// Local. Converts the headers and samples of a trace of `shape` from `in` to `out`. Errors: input, without a
  /// position, for a sample that the target cannot hold and that no rule covers.
  void transform(const segy::TraceShape& shape, const std::byte* in, std::byte* out, TraceAccount& account) const;

  /// Local. Returns the size in bytes of a trace of a shape, before and after the conversion.
  [[nodiscard]] std::size_t bytes_before(const segy::TraceShape& shape) const { return bytes_of(shape, in_sample_); }
  [[nodiscard]] std::size_t bytes_after(const segy::TraceShape& shape) const { return bytes_of(shape, out_sample_); }

  /// Local. Returns losses and warnings about headers, one sentence each, after all traces.
  [[nodiscard]] std::vector<std::string> notes(const TraceAccount& all) const { return headers_.notes(all.headers); }

 private:
  static std::size_t bytes_of(const segy::TraceShape& shape, int sample_bytes) {
    return static_cast<std::size_t>(shape.bytes(sample_bytes));
  }

  int in_sample_;
  int out_sample_;
  segy::SampleConversion samples_;
  segy::TraceHeaderConversion headers_;
};

}  // namespace sill
