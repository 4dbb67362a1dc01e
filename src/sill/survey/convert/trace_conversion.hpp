// Traces of one form of file into those of another: headers and samples, with an account of what was noticed.
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

/// What was noticed while traces were turned: of each thread its own.
struct TraceAccount {
  segy::ConversionAccount samples;
  segy::TraceHeaderAccount headers;
};

/// Collective. The accounts of all ranks as one.
[[nodiscard]] segy::ConversionAccount of_all_ranks(Communicator& comm, const segy::ConversionAccount& of_rank);

/// Collective. The accounts of the threads of all ranks as one. `header_bytes` are those of a trace, at most.
[[nodiscard]] TraceAccount joined(Communicator& comm, std::span<const TraceAccount> of_threads,
                                  std::int64_t header_bytes);

/// Const functions may be called by several threads.
class TraceConversion {
 public:
  /// Local. Between traces as `from` has them and those of `to`; `words` are those of the survey. What is in doubt is
  /// reported in `notes`. Errors: usage, if samples cannot be written in the format of `to`.
  TraceConversion(const segy::FileDescription& from, const segy::FileForm& to, const segy::HeaderMap& words,
                  const segy::ConversionRules& rules, bool keep_181, std::vector<std::string>& notes);

  /// Local. Headers and samples of a trace of `shape` from `in` to `out`. Errors: input, without a place, for a sample
  /// that the target cannot hold and that no rule is for.
  void transform(const segy::TraceShape& shape, const std::byte* in, std::byte* out, TraceAccount& account) const;

  /// Local. The bytes of a trace of a shape before and after.
  [[nodiscard]] std::size_t bytes_before(const segy::TraceShape& shape) const { return bytes_of(shape, in_sample_); }
  [[nodiscard]] std::size_t bytes_after(const segy::TraceShape& shape) const { return bytes_of(shape, out_sample_); }

  /// Local. What was lost or is in doubt of headers, a sentence each, after all traces.
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
