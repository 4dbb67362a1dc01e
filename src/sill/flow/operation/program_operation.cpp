#include "sill/flow/operation/program_operation.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/formats/segy/expression/assignment.hpp"

namespace sill::flow {
namespace {

// Returns the step with the declared keys, if the step names no keys.
Step with_keys(Step step, const std::string& keys) {
  if (keys.empty() || std::ranges::find(step.arguments, "by", &Argument::key) != step.arguments.end()) return step;
  step.arguments.push_back(
      {.key = "by", .value = keys, .begin = step.begin, .end = step.begin + step.operation.size()});
  return step;
}

class OfProgram final : public Operation {
 public:
  OfProgram(std::shared_ptr<const ProgramOperation> declared, const Arguments& arguments)
      : declared_(std::move(declared)) {
    if (!declared_->is_gather) return;
    step_ = with_keys(arguments.step(), declared_->keys);
    gathers_.emplace(Arguments(step_));
  }

  void bind(SurveyState& state) override {
    state_ = state;
    for (const std::string& name : declared_->reads_words) {
      if (state.words->find(name) != nullptr) {
        access_.reads_words.push_back(true_value_bytes(state.words->word(name)));
        continue;
      }
      const segy::Expression expression = segy::Expression::parse(name, *state.words);
      if (expression.reads_file_number())
        throw Error({.code = ErrorCode::usage, .problem = "functions do not know the file of a trace: " + name});
      access_.reads_words.push_back(expression.needed_bytes());
      access_.reads_position |= expression.reads_trace_number();
    }
    std::vector<segy::WordRef> written;
    for (const std::string& name : declared_->writes_words) {
      const segy::WordRef word = state.words->word(name);
      if (segy::shape_word_in(*state.words, word) != nullptr)
        throw Error({.code = ErrorCode::usage,
                     .problem = "the word '" + name + "' determines the number or the interval of the samples",
                     .action = "window and resample change it with them"});
      access_.write_true_value(word);
      for (const segy::WordRef& other : written)
        if (segy::overlap(segy::bytes_of(word), segy::bytes_of(other)))
          throw Error({.code = ErrorCode::usage,
                       .problem = "the words '" + other.name + "' and '" + name + "' have bytes in common",
                       .action = "write each byte once"});
      written.push_back(word);
    }
    if (gathers_) {
      gathers_->bind(state);
      state.sort_keys = gathers_->keys();
      gathers_->add_to(access_);
      access_.scope = Scope::gather;
    }
    access_.reads_samples = declared_->reads_samples;
    access_.writes_samples = declared_->writes_samples;
    access_.can_stop = true;
    access_.changes_amplitudes = declared_->changes_amplitudes;
    // Keys of the sort that the operation writes are not valid after it.
    const auto is_written = [&](const segy::TraceKey& key) {
      return std::ranges::any_of(access_.writes_words,
                                 [&](ByteRange bytes) { return segy::overlap(bytes, key.needed_bytes()); });
    };
    if (std::ranges::any_of(state.sort_keys, is_written)) state.sort_keys.clear();
  }

  [[nodiscard]] Access access() const override { return access_; }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override {
    return gathers_ ? gathers_->keys() : std::vector<segy::TraceKey>{};
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const override {
    return traces * (state_.header_bytes + std::int64_t{sizeof(std::int64_t)} + declared_->bytes_per_trace +
                     state_.samples * declared_->bytes_per_sample);
  }

  // Copies headers, so that only the declared words are changed.
  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    if (!declared_->run || block.count() == 0) return;
    const auto count = static_cast<std::size_t>(block.count());
    const auto header_bytes = static_cast<std::size_t>(state_.header_bytes);
    std::vector<std::byte> headers(count * header_bytes);
    std::vector<std::int64_t> traces(count);
    ProgramBlock passed{.traces = traces, .headers = headers, .survey = &state_};
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::int64_t>(i);
      std::memcpy(headers.data() + i * header_bytes, block.header(at).data(), header_bytes);
      traces[i] = block.origin(at).trace;
      if (!access_.reads_samples && !access_.writes_samples) continue;
      float* const row = access_.writes_samples ? block.change(at).data() : block.fill(at).data();
      if (i == 0) passed.values = row;
    }
    if (passed.values != nullptr) {
      passed.samples = block.samples();
      passed.stride = block.stride();
    }
    declared_->run(passed);
    if (!declared_->is_gather) return;
    for (std::size_t i = 0; i < count; ++i)
      copy_words(headers.data() + i * header_bytes, block.header(static_cast<std::int64_t>(i)).data());
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& trace, std::byte* header) const override {
    if (!declared_->edit_header) return true;
    std::vector<std::byte> edited(header, header + state_.header_bytes);
    const std::int64_t number = trace.trace - 1;
    declared_->edit_header({.traces = {&number, 1}, .headers = edited, .survey = &state_});
    copy_words(edited.data(), header);
    return true;
  }

 private:
  void copy_words(const std::byte* from, std::byte* to) const {
    for (const ByteRange bytes : access_.writes_words)
      std::memcpy(to + bytes.offset, from + bytes.offset, static_cast<std::size_t>(bytes.length));
  }

  std::shared_ptr<const ProgramOperation> declared_;
  Step step_;
  std::optional<NamedKeys> gathers_;
  SurveyState state_;
  Access access_;
};

}  // namespace

std::unique_ptr<Operation> make_program_operation(std::shared_ptr<const ProgramOperation> declared,
                                                  const Arguments& arguments) {
  return std::make_unique<OfProgram>(std::move(declared), arguments);
}

}  // namespace sill::flow
