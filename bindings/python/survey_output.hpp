// A survey that Python writes: samples and header words of NumPy into a new file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "process.hpp"
#include "sill/flow/run/flow_output.hpp"
#include "sill/survey/output/file_ends.hpp"
#include "survey.hpp"

namespace sill::python {

/// The properties of a new survey, in the words of the options of `sill make-survey`. An empty text selects the
/// default, or the value of the survey `like`.
struct NewSurvey {
  std::string path = {};
  std::int64_t traces = 0;
  std::int64_t samples = 0;
  double interval_us = 0.0;
  std::string sample_format = {};
  std::string byte_order = {};
  std::string revision = {};
  std::string map = {};                ///< a preset or a file; empty: none
  std::vector<std::string> text = {};  ///< lines of the text header
  int measurement_system = 0;          ///< 1 metres, 2 feet, 0 unknown
  segy::ConversionRules rules = {};    ///< for samples that the format cannot store
  /// Set if the traces are those of `like`, in its order: the first sample that is written. The headers of the traces
  /// and of the file then state the window of samples, as in outputs of `sill cut`.
  std::optional<std::int64_t> first_sample = {};
  segy::SampleFormat read_as = segy::SampleFormat::ieee_float;  ///< with `first_sample`: how its samples were read
};

/// Traces that are written in one call.
struct NewTraces {
  std::span<const std::int64_t> numbers = {};  ///< in the new survey, from 0; each once
  std::span<const std::byte> samples = {};     ///< in native byte order, trace after trace; empty: the samples of the
                                               ///< traces `headers_of`
  segy::SampleFormat format = segy::SampleFormat::ieee_float;
  std::span<const NewWord> words = {};
  /// Traces of the other survey whose headers are copied, one per trace; empty: new headers.
  std::span<const std::int64_t> headers_of = {};
  std::optional<Error> problem = {};  ///< of the arguments on this rank, which all ranks throw
};

/// Local. Returns the trace numbers `piece` of a list.
[[nodiscard]] inline std::span<const std::int64_t> part_of(std::span<const std::int64_t> list, ItemRange piece) {
  return list.subspan(static_cast<std::size_t>(piece.first), static_cast<std::size_t>(piece.count));
}

/// A new file, which gets its name when it is complete.
class SurveyOutput {
 public:
  /// Collective over `comm`, with the same arguments on all ranks. Creates the file. `like`: the survey whose form and
  /// file headers are copied; nullptr: none. It must outlive this object. With `first_sample`, samples that equal those
  /// of the trace whose headers are copied keep the bytes of that trace. Errors: usage, for values that the file cannot
  /// state; io.
  SurveyOutput(std::unique_ptr<Communicator> comm, const NewSurvey& form, const Survey* like);

  /// Collective. Writes traces, those of each rank. Words without values and without another header are 0, except the
  /// number of the trace in the file (tracl, tracr), the number and interval of the samples, and trid, which is 1.
  /// Errors: usage; input for a sample or a value that the file cannot store; io.
  void write(const NewTraces& traces);

  /// Collective. Completes the file. Errors: usage if a trace was not written exactly once; input, as `finish_output`
  /// and `require_signal`; io. Returns notes about information that was lost, and clipped and zeroed samples.
  std::vector<std::string> finish();

 private:
  struct Word {
    segy::WordRef word;
    bool is_true = false;
    std::variant<std::span<const std::int64_t>, std::span<const double>> values;
  };
  [[nodiscard]] std::vector<Word> words_of(const NewTraces& traces) const;
  // Writes the bytes of some traces of a call. Called by several threads.
  void encode(const NewTraces& traces, std::span<const Word> words, ItemRange piece, std::span<std::byte> into);
  // Writes the traces of this rank.
  void write_own(const NewTraces& traces, std::span<const Word> words);
  // Collective. Writes the traces of all ranks, according to the policy.
  void write_together(const NewTraces& traces, std::span<const Word> words);
  void create_as_like(const NewSurvey& form);
  // Sets the words of a copied header that state the samples.
  void set_window(std::byte* header, std::int64_t trace) const;
  void set_new_header(std::byte* header, std::int64_t number) const;
  [[nodiscard]] SurveyWriter& writer() { return of_like_ ? of_like_->writer() : *writer_; }
  // Returns the memory that a trace needs while it is encoded: the copied trace, or the new one.
  [[nodiscard]] std::int64_t bytes_in_memory() const {
    const std::int64_t read_bytes =
        first_sample_ ? state_.header_bytes + sample_bytes_ * like_->samples_per_trace() : 0;
    return std::max(read_bytes, trace_bytes());
  }
  [[nodiscard]] std::int64_t trace_bytes() const { return state_.header_bytes + sample_bytes_ * state_.samples; }

  Io io_;
  std::string path_;
  const Survey* like_;
  std::int64_t traces_;
  segy::HeaderMap words_;
  flow::SurveyState state_;
  segy::SampleFormat format_ = segy::SampleFormat::ieee_float;
  segy::ConversionRules rules_;
  std::int64_t sample_bytes_ = 4;
  std::mutex adding_;
  std::optional<std::int64_t> first_sample_;
  bool keeps_samples_ = false;  // unchanged samples keep their bytes
  segy::SampleFormat read_as_;
  std::optional<flow::FlowOutput> of_like_;  // in another form
  std::optional<FileEnds> ends_;             // in the form of `like`
  std::optional<SurveyWriter> writer_;       // if not of_like_
  segy::ConversionAccount account_;
  std::int64_t written_ = 0;
  std::int64_t rounded_integers_ = 0;  // integer samples that the format does not hold
  std::uint64_t sum_ = 0;  // sum of a hash of each written trace number: shows whether a trace was written twice
};

/// Local. Adds the class SurveyOutput to the module, which sill/writing.py uses. Precondition: the GIL is held.
void add_survey_outputs(nanobind::module_& module);

}  // namespace sill::python
