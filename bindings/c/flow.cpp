// Flows, and operations of a program, for C.
#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

#include "block_work.hpp"
#include "file_form.hpp"
#include "reader.hpp"
#include "sill/base/ascii.hpp"
#include "sill/flow/operation/program_operation.hpp"
#include "sill/flow/operations/operation_types.hpp"
#include "sill/flow/run/run_flow.hpp"
#include "sill/flow/value/flow_text.hpp"

using namespace sill;
using namespace sill::bindings;

namespace {

std::vector<std::string> listed(const char* words) {
  std::vector<std::string> all;
  const std::string text = text_of(words);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    all.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

// Returns the work of a function of the program, which is called with a block of sill.h; empty for no function.
flow::ProgramWork work_of(sill_block_work function, const sill_operation& given) {
  if (function == nullptr) return {};
  const auto work = std::make_shared<BlockWork>(function, given.context, given.not_thread_safe == 0);
  return [work](const flow::ProgramBlock& block) {
    sill_block passed{};
    passed.count = std::ssize(block.traces);
    passed.traces = block.traces.data();
    passed.headers = block.headers.data();
    passed.header_bytes = block.survey->header_bytes;
    passed.byte_order = byte_order_number(block.survey->order);
    passed.interval_us = block.survey->interval_us;
    passed.words = block.survey->words;
    passed.samples = passed.out_samples = block.samples;
    passed.values = block.values;
    passed.stride = block.stride;
    work->call(passed);
  };
}

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
    struct Named {
      std::string name;
      std::string summary;
    };
    auto named = std::make_unique<Named>(
        text_of(given.name), given.summary == nullptr ? std::string("An operation of the program") : given.summary);
    const auto declared = std::make_shared<flow::ProgramOperation>();
    declared->is_gather = given.scope == SILL_GATHER;
    declared->keys = text_of(given.keys);
    declared->reads_words = listed(given.reads_words);
    declared->writes_words = listed(given.writes_words);
    declared->reads_samples = given.reads_samples != 0;
    declared->writes_samples = given.writes_samples != 0;
    declared->changes_amplitudes = given.changes_amplitudes != 0;
    declared->bytes_per_trace = given.memory_bytes;
    declared->run = work_of(given.run, given);
    declared->edit_header = work_of(given.edit_header, given);
    flow::OperationType type{.name = named->name,
                             .summary = named->summary,
                             .formula = "that of the program",
                             .example = named->name,
                             .make = [declared](const flow::Arguments& arguments) {
                               return flow::make_program_operation(declared, arguments);
                             }};
    if (declared->is_gather) type.parameters = {{"by", "KEY,KEY...", "none", "keys that all traces of a gather share"}};
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    flow::add_operation_type(std::move(type));
    (void)named.release();  // never freed, because flows refer to it
  });
}

}  // extern "C"
