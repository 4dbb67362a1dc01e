// Flows, and operations of a program, for C.
#include <algorithm>
#include <cstring>
#include <list>
#include <mutex>
#include <optional>

#include "block_work.hpp"
#include "file_form.hpp"
#include "reader.hpp"
#include "sill/base/ascii.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/flow/operations/operation_types.hpp"
#include "sill/flow/run/run_flow.hpp"
#include "sill/flow/value/flow_text.hpp"
#include "sill/formats/segy/expression/assignment.hpp"

using namespace sill;
using namespace sill::bindings;

namespace {

// A copy of the declarations of an operation.
struct Declared {
  explicit Declared(const sill_operation& given)
      : name(text_of(given.name)),
        summary(given.summary == nullptr ? "An operation of the program" : given.summary),
        keys(text_of(given.keys)),
        reads_words(listed(given.reads_words)),
        writes_words(listed(given.writes_words)),
        is_gather(given.scope == SILL_GATHER),
        reads_samples(given.reads_samples != 0),
        writes_samples(given.writes_samples != 0),
        changes_amplitudes(given.changes_amplitudes != 0),
        memory_bytes(given.memory_bytes),
        has_run(given.run != nullptr),
        has_edit(given.edit_header != nullptr),
        run(given.run, given.context, given.not_thread_safe == 0),
        edit(given.edit_header, given.context, given.not_thread_safe == 0) {}

  static std::vector<std::string> listed(const char* words) {
    std::vector<std::string> all;
    const std::string text = text_of(words);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      all.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return all;
  }

  std::string name;
  std::string summary;
  std::string keys;
  std::vector<std::string> reads_words;
  std::vector<std::string> writes_words;
  bool is_gather;
  bool reads_samples;
  bool writes_samples;
  bool changes_amplitudes;
  std::int64_t memory_bytes;
  bool has_run;
  bool has_edit;
  BlockWork run;
  BlockWork edit;
};

// Returns the step with the declared keys, if the step names no keys.
flow::Step with_keys(flow::Step step, const std::string& keys) {
  if (keys.empty() || std::ranges::find(step.arguments, "by", &flow::Argument::key) != step.arguments.end())
    return step;
  step.arguments.push_back(
      {.key = "by", .value = keys, .begin = step.begin, .end = step.begin + step.operation.size()});
  return step;
}

class ProgramOperation final : public flow::Operation {
 public:
  ProgramOperation(const Declared& declared, const flow::Arguments& arguments) : declared_(declared) {
    if (!declared.is_gather) return;
    step_ = with_keys(arguments.step(), declared.keys);
    gathers_.emplace(flow::Arguments(step_));
  }

  void bind(flow::SurveyState& state) override {
    state_ = state;
    for (const std::string& name : declared_.reads_words)
      reads_.push_back(flow::true_value_bytes(state.words->word(name)));
    for (const std::string& name : declared_.writes_words) {
      const segy::WordRef word = state.words->word(name);
      for (const char* const shape : {"ns", "dt"})
        if (const segy::MapWord* const stated = state.words->find(shape);
            stated != nullptr && stated->byte == word.byte)
          refuse("the word '" + name + "' determines the number or the interval of the samples",
                 "window and resample change it with them");
      reads_.push_back(flow::true_value_bytes(word));
      writes_.push_back(segy::bytes_of(word));
      if (word.twin_byte != 0) writes_.push_back({word.twin_byte - 1, word.twin_type.bytes});
    }
    if (gathers_) {
      gathers_->bind(state);
      state.sort_keys = gathers_->keys();
    }
    // Keys of the sort that the operation writes are not valid after it.
    const auto is_written = [&](const segy::TraceKey& key) {
      return std::ranges::any_of(writes_, [&](ByteRange bytes) {
        const ByteRange needed = key.needed_bytes();
        return bytes.offset < needed.end() && needed.offset < bytes.end();
      });
    };
    if (std::ranges::any_of(state.sort_keys, is_written)) state.sort_keys.clear();
  }

  [[nodiscard]] flow::Access access() const override {
    flow::Access access{.scope = declared_.is_gather ? flow::Scope::gather : flow::Scope::trace,
                        .reads_words = reads_,
                        .writes_words = writes_,
                        .reads_samples = declared_.reads_samples,
                        .writes_samples = declared_.writes_samples,
                        .can_stop = true,
                        .changes_amplitudes = declared_.changes_amplitudes};
    if (gathers_) gathers_->add_to(access);
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override {
    return gathers_ ? gathers_->keys() : std::vector<segy::TraceKey>{};
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const override {
    return traces * declared_.memory_bytes;
  }

  // Copies headers, so that only the declared words are changed.
  void run(flow::TraceBlock& block, flow::Workspace& /*workspace*/) const override {
    if (!declared_.has_run || block.count() == 0) return;
    const auto count = static_cast<std::size_t>(block.count());
    const auto header_bytes = static_cast<std::size_t>(state_.header_bytes);
    std::vector<std::byte> headers(count * header_bytes);
    std::vector<std::int64_t> traces(count);
    float* values = nullptr;
    const bool has_samples = declared_.reads_samples || declared_.writes_samples;
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::int64_t>(i);
      std::memcpy(headers.data() + i * header_bytes, block.header(at).data(), header_bytes);
      traces[i] = block.origin(at).trace;
      if (!has_samples) continue;
      float* const row = declared_.writes_samples ? block.change(at).data() : block.fill(at).data();
      if (i == 0) values = row;
    }
    sill_block passed = block_of(count, headers.data(), traces.data());
    if (has_samples) {
      passed.samples = passed.out_samples = block.samples();
      passed.values = values;
      passed.stride = block.stride();
    }
    declared_.run.call(passed);
    if (!declared_.is_gather) return;
    for (std::size_t i = 0; i < count; ++i)
      copy_words(headers.data() + i * header_bytes, block.header(static_cast<std::int64_t>(i)).data());
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& trace, std::byte* header) const override {
    if (!declared_.has_edit) return true;
    std::vector<std::byte> edited(header, header + state_.header_bytes);
    const std::int64_t number = trace.trace - 1;
    sill_block passed = block_of(1, edited.data(), &number);
    declared_.edit.call(passed);
    copy_words(edited.data(), header);
    return true;
  }

 private:
  [[nodiscard]] sill_block block_of(std::size_t count, std::byte* headers, const std::int64_t* traces) const {
    sill_block block{};
    block.count = static_cast<std::int64_t>(count);
    block.traces = traces;
    block.headers = headers;
    block.header_bytes = state_.header_bytes;
    block.byte_order = byte_order_number(state_.order);
    block.interval_us = state_.interval_us;
    block.words = state_.words;
    return block;
  }

  void copy_words(const std::byte* from, std::byte* to) const {
    for (const ByteRange bytes : writes_)
      std::memcpy(to + bytes.offset, from + bytes.offset, static_cast<std::size_t>(bytes.length));
  }

  const Declared& declared_;
  flow::Step step_;
  std::optional<flow::NamedKeys> gathers_;
  flow::SurveyState state_;
  std::vector<ByteRange> reads_;
  std::vector<ByteRange> writes_;
};

void require_possible(const sill_operation& given) {
  const std::string name = text_of(given.name);
  const bool is_name = !name.empty() && is_letter(name.front()) &&
                       std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
  if (!is_name)
    refuse("'" + name + "' is not a valid name of an operation", "use a letter, then letters, digits and _");
  if (given.scope != SILL_EACH_TRACE && given.scope != SILL_GATHER)
    refuse("the scope of the operation " + name + " is " + std::to_string(given.scope),
           "give SILL_EACH_TRACE or SILL_GATHER");
  const bool is_gather = given.scope == SILL_GATHER;
  const bool writes_words = !text_of(given.writes_words).empty();
  if (given.memory_bytes < 0)
    refuse("the operation " + name + " takes a memory below 0", "give its bytes for each trace");
  if (given.run == nullptr && (is_gather || given.reads_samples != 0 || given.writes_samples != 0))
    refuse("the operation " + name + " has no function `run`", "pass the function that is called with blocks");
  if (!is_gather && writes_words != (given.edit_header != nullptr))
    refuse("the operation " + name +
               (writes_words ? " writes words, and has no function `edit_header`"
                             : " has a function `edit_header`, and writes no words"),
           "pass edit_header and writes_words, or neither");
  if (is_gather && given.edit_header != nullptr)
    refuse("the operation " + name + " on gathers has a function `edit_header`", "change the headers in `run`");
  if (!is_gather && !text_of(given.keys).empty())
    refuse("the operation " + name + " on traces has keys", "give the scope SILL_GATHER, or no keys");
}

flow::FlowOptions flow_options(const char* output, const sill_flow_options* given) {
  flow::FlowOptions options;
  options.output = text_of(output);
  if (given == nullptr) return options;
  options.format = sample_format(given->sample_format);
  options.rules.clip = given->clip != 0;
  options.rules.accept_loss = given->accept_loss != 0;
  if (given->nonfinite < SILL_NONFINITE_STOP || given->nonfinite > SILL_NONFINITE_KEEP)
    refuse("what to do with samples that are not finite is " + std::to_string(given->nonfinite),
           "give SILL_NONFINITE_STOP, SILL_NONFINITE_ZERO or SILL_NONFINITE_KEEP");
  options.nonfinite = given->nonfinite == SILL_NONFINITE_ZERO   ? flow::NonFinite::zero
                      : given->nonfinite == SILL_NONFINITE_KEEP ? flow::NonFinite::keep
                                                                : flow::NonFinite::stop;
  options.history = given->no_history == 0 ? flow::History::text : flow::History::none;
  options.scratch = text_of(given->scratch);
  options.scale = sample_scale_from(text_of(given->scale));
  options.takes_auxiliary = given->process_auxiliary != 0;
  options.resume = given->resume != 0;
  return options;
}

struct FlowArguments {
  ReaderArguments input;
  std::vector<flow::Step> steps;
  flow::FlowOptions options;
};

}  // namespace

extern "C" {

int sill_flow_run(sill_session* session, const char* const* inputs, int64_t count, const char* output,
                  const char* flow_text, const sill_flow_options* options, sill_flow_result* result) {
  return status_of([&] {
    Session& held = *object_of(session, "the session").held;
    const FlowArguments all = run_and_agree(*held.comm, [&] {
      return FlowArguments{reader_arguments(inputs, count, options == nullptr ? nullptr : options->assume,
                                            options == nullptr ? nullptr : options->map),
                           flow::parse_steps(&at(flow_text, "the text of the flow")), flow_options(output, options)};
    });
    run_and_agree(*held.comm, [&] {
      if (all.options.output.empty() && !flow::report_anything(all.steps))
        refuse("no output is named, and no operation of the flow reports anything", "name the file that is written");
    });
    const Resources& resources = held.io->resources("segy");
    const SurveyReader reader = opened_reader(resources, all.input);
    std::optional<segy::HeaderMap> map;
    if (!all.input.map.empty()) map = open_header_map(*held.comm, all.input.map);
    flow::FlowOptions how = all.options;
    how.map = map ? &*map : nullptr;
    how.input_rules = all.input.rules;
    const flow::FlowResult done = flow::run_flow(resources, reader, all.steps, how);
    held.flow_notes.clear();
    for (const std::string& note : done.notes) held.flow_notes += note + '\n';
    if (result != nullptr)
      *result = {done.traces_in, done.traces_out, done.samples_out,       done.bytes_out,
                 done.passes,    done.zeroed,     held.flow_notes.c_str()};
  });
}

int sill_flow_add_operation(const sill_operation* operation) {
  return status_of([&] {
    const sill_operation& given = at(operation, "the operation");
    require_possible(given);
    static std::list<Declared> all;  // never freed, because flows refer to it by name
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    const Declared& declared = all.emplace_back(given);
    flow::OperationType type{.name = declared.name,
                             .summary = declared.summary,
                             .formula = "that of the program",
                             .example = declared.name,
                             .make = [&declared](const flow::Arguments& arguments) {
                               return std::make_unique<ProgramOperation>(declared, arguments);
                             }};
    if (declared.is_gather) type.parameters = {{"by", "KEY,KEY...", "none", "keys that all traces of a gather share"}};
    try {
      flow::add_operation_type(std::move(type));
    } catch (...) {
      all.pop_back();
      throw;
    }
  });
}

}  // extern "C"
