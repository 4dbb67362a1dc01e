// Operations whose work is a function of the program that runs the flow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sill/flow/operation/arguments.hpp"
#include "sill/flow/operation/operation.hpp"

namespace sill::flow {

/// The traces that a function of the program is given.
struct ProgramBlock {
  std::span<const std::int64_t> traces;  ///< number of each trace in the input, from 0
  std::span<std::byte> headers;          ///< all headers of each trace; changes to other words than the declared ones
                                         ///< are dropped
  const SurveyState* survey = nullptr;   ///< before the operation
  float* values = nullptr;               ///< samples of the first trace; nullptr if they are neither read nor written
  std::int64_t stride = 0;               ///< number of samples from one trace to the next
  std::int64_t samples = 0;              ///< per trace
};

/// Called by several threads concurrently. May throw.
using ProgramWork = std::function<void(const ProgramBlock& block)>;

/// The declarations of an operation and its functions.
struct ProgramOperation {
  bool is_gather = false;                     ///< `run` is given complete gathers; otherwise any consecutive traces
  std::string keys = {};                      ///< the keys of gathers for steps without `by`, or empty
  std::vector<std::string> reads_words = {};  ///< words, with what their true values need, and expressions
  std::vector<std::string> writes_words = {};
  bool reads_samples = false;
  bool writes_samples = false;
  bool changes_amplitudes = false;    ///< as in Access
  std::int64_t bytes_per_trace = 0;   ///< memory in addition to the block
  std::int64_t bytes_per_sample = 0;  ///< memory in addition to the block
  ProgramWork run = {};               ///< changes samples; the headers, too, if `is_gather`. Empty: changes no samples
  ProgramWork edit_header = {};       ///< changes the headers of one trace, without samples; empty if `is_gather`
};

/// Local. Returns an operation for the step of `arguments`. Errors: usage, as NamedKeys.
[[nodiscard]] std::unique_ptr<Operation> make_program_operation(std::shared_ptr<const ProgramOperation> declared,
                                                                const Arguments& arguments);

}  // namespace sill::flow
