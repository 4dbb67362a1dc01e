#include "sill/io/survey/sample_format_look.hpp"

#include <algorithm>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/samples/sample_format_diagnostic.hpp"
#include "sill/io/survey/trace_chain.hpp"
#include "sill/store/ranged/ranged_source.hpp"

namespace sill {
namespace {

constexpr std::int64_t traces_looked_at = 100;
constexpr std::int64_t max_bytes_per_trace = 1 << 20;
constexpr std::int64_t max_rounds = 16;
constexpr std::int64_t first_listed = 5;
// Of remote files, in which each position costs a request.
constexpr std::int64_t remote_bytes = 128 << 10;

class Look {
 public:
  Look(Store& store, const segy::FileDescription& file)
      : store_(store),
        file_(file),
        all_({file.sample_format, file.byte_order}),
        of_refuting_(all_),
        check_({file.sample_format, file.byte_order}) {}

  // If the spread traces contain too few values, as dead traces do, other traces between them are read.
  void at_spread_traces(const segy::TraceTable& table) {
    const std::int64_t looks = std::min(traces_looked_at, table.traces());
    const auto trace_of = [&](std::int64_t i) { return looks == 1 ? 0 : i * (table.traces() - 1) / (looks - 1); };
    for (std::int64_t round = 0; round < max_rounds; ++round) {
      for (std::int64_t i = 0; i < looks; ++i) {
        const std::int64_t gap = (i + 1 < looks ? trace_of(i + 1) : table.traces()) - trace_of(i);
        if (round > 0 && gap * round / max_rounds == gap * (round - 1) / max_rounds) continue;
        const std::int64_t trace = trace_of(i) + gap * round / max_rounds;
        see(trace, table.bytes_of({trace, 1}).offset, table.shape_of(trace));
        result_.reset();
        if (round > 0 && bytes_seen_ > traces_looked_at * max_bytes_per_trace) return;
      }
      result_ = all_.evaluate();
      if (result_->verdict != segy::SampleVerdict::too_few) return;
    }
  }

  // Returns true if the first traces contain enough values.
  bool at_first_traces(const segy::TraceTable& table) {
    for (std::int64_t trace = 0; trace < table.traces() && bytes_seen_ < remote_bytes; ++trace)
      see(trace, table.bytes_of({trace, 1}).offset, table.shape_of(trace));
    result_ = all_.evaluate();
    return result_->verdict != segy::SampleVerdict::too_few;
  }

  void at_first_traces() {
    TraceWalk walk(store_, file_, nullptr);
    std::int64_t byte = file_.first_trace_byte;
    for (std::int64_t trace = 0; trace < traces_looked_at; ++trace) {
      const std::optional<segy::TraceShape> shape = walk.shape_at(byte);
      if (!shape || byte + shape->bytes(4) > file_.traces_end_byte()) return;
      see(trace, byte, *shape);
      byte += shape->bytes(4);
    }
  }

  [[nodiscard]] std::optional<Diagnostic> diagnostic(bool is_assumed) const {
    return segy::sample_format_diagnostic(
        file_, result_ ? *result_ : all_.evaluate(),
        {.count = refuting_, .of = seen_, .first = first_, .others = of_refuting_.evaluate().others}, is_assumed);
  }

 private:
  void see(std::int64_t trace, std::int64_t byte, const segy::TraceShape& shape) {
    bytes_.resize(static_cast<std::size_t>(std::min(max_bytes_per_trace, shape.samples * 4)));
    read_at(store_, byte + shape.header_bytes(), bytes_);
    ++seen_;
    bytes_seen_ += std::ssize(bytes_);
    all_.add_trace(bytes_);
    if (!check_.refutes(bytes_)) return;
    ++refuting_;
    of_refuting_.add_trace(bytes_);
    if (std::ssize(first_) < first_listed) first_.push_back(trace + 1);
  }

  Store& store_;
  const segy::FileDescription& file_;
  segy::SampleFormatEvidence all_;
  segy::SampleFormatEvidence of_refuting_;
  segy::TraceFormatCheck check_;
  std::optional<segy::SampleFormatResult> result_;  // result for all values read so far
  std::vector<std::byte> bytes_;
  std::vector<std::int64_t> first_;
  std::int64_t refuting_ = 0;
  std::int64_t seen_ = 0;
  std::int64_t bytes_seen_ = 0;
};

}  // namespace

std::optional<Diagnostic> look_at_sample_format(const Resources& resources, Store& store,
                                                const segy::FileDescription& file, const segy::TraceTable* table,
                                                bool is_assumed) {
  if (!segy::has_evidence(file.sample_format) || file.traces == 0) return {};
  Communicator& comm = resources.comm;
  std::optional<Diagnostic> found;
  run_on_rank(comm, 0, [&] {
    Look look(store, file);
    if (table != nullptr) {
      if (!is_url(file.path) || !look.at_first_traces(*table)) look.at_spread_traces(*table);
    } else {
      look.at_first_traces();
    }
    found = look.diagnostic(is_assumed);
  });
  std::vector<Grade> grade;
  if (found) grade.push_back(found->grade);
  broadcast_all(comm, grade, 0);
  if (grade.empty()) return {};
  if (!found) found.emplace();
  found->grade = grade.front();
  for (std::string* const text : {&found->problem, &found->where, &found->clause, &found->action})
    broadcast_all(comm, *text, 0);
  return found;
}

}  // namespace sill
