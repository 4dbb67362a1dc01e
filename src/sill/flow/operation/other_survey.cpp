#include "sill/flow/operation/other_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/key_sort.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill::flow {
namespace {

template <std::size_t Words>
using Records = std::vector<KeyRecord<Words>>;

// Collective. Returns the records of all traces, sorted by key.
template <std::size_t Words>
Records<Words> all_records(const Resources& resources, const SurveyReader& reader,
                           std::span<const segy::TraceKey> keys) {
  Communicator& comm = resources.comm;
  run_and_agree(comm, [&] {
    const std::int64_t bytes = reader.traces() * static_cast<std::int64_t>(2 * sizeof(KeyRecord<Words>));
    if (bytes <= resources.memory()) return;
    throw Error(
        {.code = ErrorCode::usage,
         .problem = fmt::format("the keys of {} traces need {} of memory, but a rank may use only {}",
                                format_count(reader.traces()), format_bytes(bytes), format_bytes(resources.memory())),
         .where = {.file = reader.paths().front()},
         .action = "sort both surveys by the same keys and give by=trace, or allow more memory with --memory"});
  });
  Records<Words> own = run_and_agree(comm, [&] {
    return read_keys<Words>(reader, block_of(reader.traces(), comm.size(), comm.rank()), keys, resources.threads());
  });
  sort_distributed(comm, own);
  Records<Words> all = all_gather_all(comm, std::span<const KeyRecord<Words>>(own));
  const auto repeated = std::ranges::adjacent_find(all, {}, &KeyRecord<Words>::key);
  run_and_agree(comm, [&] {
    if (repeated == all.end()) return;
    throw Error(
        {.code = ErrorCode::usage,
         .problem = fmt::format("traces {} and {} have the same keys", repeated->item + 1, (repeated + 1)->item + 1),
         .where = {.file = reader.paths().front()},
         .action = "name more keys, so that no two traces of the survey have the same keys"});
  });
  return all;
}

}  // namespace

OtherSurvey::OtherSurvey(const Resources& resources, const std::string& path, const std::string& keys,
                         const OtherSurveyRules& rules)
    : reader_(resources, {path}, rules.map, rules.rules),
      nonfinite_(rules.nonfinite),
      keys_(run_and_agree(resources.comm, [&] { return segy::TraceKey::parse_list(keys, reader_.words()); })),
      delay_(segy::DelayWord::of(reader_.words())),
      decode_(reader_.files().front().sample_format, reader_.files().front().byte_order, segy::SampleFormat::ieee_float,
              native_order, {}) {
  run_and_agree(resources.comm, [&] {
    if (reader_.is_uniform()) return;
    throw Error({.code = ErrorCode::input,
                 .problem = "the traces of the survey differ in length, but a flow needs traces of one length",
                 .where = {.file = path},
                 .action = "'sill cut --where \"ns == N\"' writes the traces of length N"});
  });
  reader_.require_sample_format();
  const segy::FileDescription& file = reader_.files().front();
  dead_.bind({.words = &reader_.words(), .order = file.byte_order, .kind = file.kind});
  find_ = lookup_of(resources);
}

OtherSurvey::Lookup OtherSurvey::lookup_of(const Resources& resources) const {
  if (keys_.size() == 1 && keys_.front().text() == "trace")
    return [traces = reader_.traces()](std::span<const segy::TraceKey> /*keys*/,
                                       const segy::HeaderView& trace) -> std::optional<std::int64_t> {
      if (trace.trace > traces) return std::nullopt;
      return trace.trace - 1;
    };
  const std::int64_t bytes = packed_bytes(keys_);
  run_and_agree(resources.comm, [&] { with_key_words(bytes, []<std::size_t Words>() {}); });
  return with_key_words(bytes, [&]<std::size_t Words>() -> Lookup {
    const auto records = std::make_shared<const Records<Words>>(all_records<Words>(resources, reader_, keys_));
    return
        [records](std::span<const segy::TraceKey> keys, const segy::HeaderView& trace) -> std::optional<std::int64_t> {
          const auto wanted = KeyPacker<Words>(keys).pack(trace);
          const auto found = std::ranges::lower_bound(*records, wanted, {}, &KeyRecord<Words>::key);
          if (found == records->end() || found->key != wanted) return std::nullopt;
          return found->item;
        };
  });
}

std::vector<segy::TraceKey> OtherSurvey::keys_in(const segy::HeaderMap& words, const std::string& text) const {
  std::vector<segy::TraceKey> keys = segy::TraceKey::parse_list(text, words);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (have_one_type(keys[k], keys_[k])) continue;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("the type of '{}' in {} differs from its type in the processed survey",
                                        keys[k].text(), reader_.paths().front()),
                 .action = "name words that both surveys have with the same type, or give their positions with --map"});
  }
  return keys;
}

std::optional<std::int64_t> OtherSurvey::find(std::span<const segy::TraceKey> keys,
                                              const segy::HeaderView& trace) const {
  return find_(keys, trace);
}

void OtherSurvey::read(std::span<const std::int64_t> numbers, Traces& traces) const {
  const segy::FileDescription& file = reader_.files().front();
  const auto count = static_cast<std::size_t>(file.samples);
  const auto trace_bytes = static_cast<std::size_t>(reader_.trace_bytes());
  const auto header_bytes = static_cast<std::size_t>(file.header_bytes());
  std::vector<std::byte> bytes(numbers.size() * trace_bytes);
  traces.samples.resize(numbers.size() * count);
  traces.starts_us.assign(numbers.size(), 0.0);
  traces.are_dead.assign(numbers.size(), false);
  traces.lost.assign(numbers.size(), 0);
  std::size_t i = 0;
  try {
    reader_.read_own(numbers, bytes);
    for (; i < numbers.size(); ++i) {
      const std::span<const std::byte> trace = std::span(bytes).subspan(i * trace_bytes, trace_bytes);
      const std::span<float> row = std::span(traces.samples).subspan(i * count, count);
      if (delay_) traces.starts_us[i] = delay_->usable_start_us(trace.data(), file.byte_order);
      traces.are_dead[i] = dead_.contains(trace.data());
      if (traces.are_dead[i]) {
        std::ranges::fill(row, 0.0F);
        continue;
      }
      segy::ConversionAccount account;
      decode_samples(decode_, trace.subspan(header_bytes), row, account);
      traces.lost[i] = account.lost;
      (void)make_finite(row, nonfinite_);
    }
  } catch (const Error& error) {
    // The position of an error in a flow is the trace of the flow.
    ErrorParts parts = error.parts();
    parts.problem = fmt::format("{}, trace {}: {}", reader_.paths().front(), numbers[i] + 1, parts.problem);
    parts.where = {.item = static_cast<std::int64_t>(i) + 1, .item_word = "trace"};
    throw Error(std::move(parts));
  }
}

std::int64_t OtherSurvey::memory_bytes(std::int64_t traces) const {
  return traces * (reader_.trace_bytes() + reader_.files().front().samples * static_cast<std::int64_t>(sizeof(float)));
}

Partners::Partners(const Arguments& arguments, std::string_view parameter) : other_(arguments.survey(parameter)) {
  static constexpr std::array<std::string_view, 3> choices{"stop", "drop", "keep"};
  missing_ = static_cast<Missing>(arguments.choice("missing", choices));
  keys_text_ = arguments.required_text("by");
}

std::vector<Parameter> Partners::with_parameters(std::string_view parameter, std::vector<Parameter> own) {
  own.push_back({.name = parameter,
                 .form = "@FILE",
                 .default_value = "",
                 .text = "The other survey, with the same number of samples at the same times",
                 .survey_by = "by"});
  own.push_back(
      {"by", "KEY,KEY...", "",
       "Keys that a trace and its partner share, each in the words of its survey; 'trace' is the number of the trace"});
  own.push_back({"missing", "stop | drop | keep", "stop",
                 "Traces without a partner: stop with an error, drop them, or keep them unchanged"});
  return own;
}

void Partners::bind(const SurveyState& state) {
  kinds_.bind(state);
  if (state.domain == segy::Domain::time) delay_ = segy::DelayWord::of(*state.words);
  if (other_ == nullptr) {
    keys_ = segy::TraceKey::parse_list(keys_text_, *state.words);
    return;
  }
  keys_ = other_->keys_in(*state.words, keys_text_);
  const segy::FileDescription& file = other_->reader().files().front();
  const auto refuse = [&](const std::string& problem, const char* action) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("{}: {}", other_->reader().paths().front(), problem),
                 .action = action});
  };
  if (file.samples != state.samples)
    refuse(fmt::format("its traces have {} samples, but the processed traces have {}", file.samples, state.samples),
           "cut both surveys with the same 'window T1 T2'");
  constexpr double tolerance = 1e-9;
  if (std::abs(file.interval_us - state.interval_us) > tolerance * state.interval_us)
    refuse(fmt::format("its sample interval is {:g} us, but that of the processed traces is {:g} us", file.interval_us,
                       state.interval_us),
           "give both surveys the same interval with 'resample'");
}

void Partners::add_to(Access& access) const {
  for (const segy::TraceKey& key : keys_) access.read_key(key);
  kinds_.add_to(access);
  if (delay_) access.read_number({delay_->word()});
  access.can_stop = true;
  access.writes_membership = missing_ == Missing::drop;
}

void Partners::visit(TraceBlock& block, std::span<const std::int64_t> traces,
                     const std::function<void(std::int64_t i, std::span<const float> partner)>& work) const {
  if (other_ == nullptr) return;
  const std::string& file = other_->reader().paths().front();
  std::vector<std::int64_t> met;
  std::vector<std::int64_t> numbers;
  // An error of a later trace must not precede an error of an earlier trace.
  std::optional<Error> failure;
  const auto error_at = [](std::int64_t i, std::string problem, const char* action) {
    return Error({.code = ErrorCode::input,
                  .problem = std::move(problem),
                  .where = {.item = i + 1, .item_word = "trace"},
                  .action = action});
  };
  for (const std::int64_t i : traces) {
    if (kinds_.contains(block.header(i).data())) {
      block.count(with_dead_, i);
      continue;
    }
    const std::optional<std::int64_t> partner = other_->find(keys_, block.view(i));
    if (partner) {
      met.push_back(i);
      numbers.push_back(*partner);
    } else if (missing_ == Missing::stop) {
      failure = error_at(i, fmt::format("{} has no trace with {}", file, text_of(keys_, block.view(i))),
                         "missing=drop removes such traces, missing=keep keeps them unchanged");
      break;
    } else if (missing_ == Missing::keep) {
      block.count(alone_, i);
    }
  }
  OtherSurvey::Traces partners;
  try {
    other_->read(numbers, partners);
  } catch (const Error& error) {
    const auto place = static_cast<std::size_t>(error.parts().where.item.value_or(1) - 1);
    ErrorParts parts = error.parts();
    parts.where = {.item = met[place] + 1, .item_word = "trace"};
    failure = Error(std::move(parts));
    met.resize(place);
    numbers.resize(place);
    other_->read(numbers, partners);
  }
  const auto count = static_cast<std::size_t>(block.samples());
  for (std::size_t k = 0; k < met.size(); ++k) {
    if (partners.are_dead[k]) {
      block.count(with_dead_, met[k]);
      continue;
    }
    block.count(lost_, met[k], partners.lost[k]);
    const double partner_start_us = partners.starts_us[k];
    const double start_us = delay_ ? delay_->start_us(block.header(met[k]).data(), block.order()) : partner_start_us;
    constexpr double tolerance_us = 1e-3;
    if (std::abs(start_us - partner_start_us) > tolerance_us)
      throw error_at(met[k],
                     fmt::format("the trace begins at {:g} ms, and its partner, trace {} of {}, at {:g} ms",
                                 start_us / 1e3, numbers[k] + 1, file, partner_start_us / 1e3),
                     "'window T1 T2 pad' gives all traces the same samples");
    work(met[k], std::span(partners.samples).subspan(k * count, count));
  }
  if (failure) throw *failure;
}

bool Partners::keeps(const segy::HeaderView& trace) const {
  if (missing_ != Missing::drop || other_ == nullptr || !kinds_.is_seismic(trace.header)) return true;
  return other_->find(keys_, trace).has_value();
}

std::vector<std::pair<std::string, std::int64_t>> Partners::counts() const {
  return {
      {"traces without a partner remained unchanged", alone_.load()},
      {"traces remained unchanged because they or their partners are dead (trid 2)", with_dead_.load()},
      {"samples of the other survey are too small for floats of 4 bytes: they became 0, or changed by more than 5 %",
       lost_.load()}};
}

std::int64_t Partners::memory_bytes(std::int64_t traces) const {
  return other_ == nullptr ? 0 : other_->memory_bytes(traces);
}

}  // namespace sill::flow
