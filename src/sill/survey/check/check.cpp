#include "sill/survey/check/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>

#include "sill/base/threads.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/description/trace_table.hpp"
#include "sill/formats/segy/detect/header_checks.hpp"
#include "sill/formats/segy/samples/sample_format_diagnostic.hpp"
#include "sill/formats/segy/words/trace_hash.hpp"
#include "sill/io/edit/journal_finding.hpp"
#include "sill/io/survey/describe.hpp"
#include "sill/io/survey/file_words.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/check/check_findings.hpp"
#include "sill/survey/check/trace_tally.hpp"
#include "sill/survey/geometry/geometry.hpp"

namespace sill {
namespace {

// Bytes that a thread reads from the file at once; they then stay in the cache of a core. Longer traces are read in
// pieces.
constexpr std::int64_t piece_bytes = 512 << 10;
constexpr std::int64_t mean_task_bytes = 4 << 20;
// Bytes 1-8 of a trace header are trace numbers, which differ between two copies of a trace.
constexpr std::size_t counting_bytes = 8;
// Number of copies of a record that exist while records are sorted over ranks.
constexpr std::int64_t records_held = 2;
// Maximum number of traces, spread over the file, whose samples are evaluated together to assess the format.
constexpr std::int64_t max_weighed_traces = 256;
constexpr std::array<std::int64_t, 7> percents = {1, 5, 25, 50, 75, 95, 99};

// An open file, with its traces; the last one may be incomplete.
struct CheckedFile {
  std::vector<std::unique_ptr<Store>> stores;  // a single one
  std::vector<segy::FileDescription> files;    // a single one
  segy::TraceTable table;
  segy::HeaderMap words;

  [[nodiscard]] Store& store() const { return *stores.front(); }
  [[nodiscard]] segy::FileDescription& file() { return files.front(); }
  [[nodiscard]] const segy::FileDescription& file() const { return files.front(); }
};

CheckedFile opened(const Resources& resources, const std::string& path, const CheckOptions& options) {
  CheckedFile checked;
  DescribedFile described = open_described(resources, path, options.assume, options.ignores_journal);
  segy::FileDescription& file = described.description;
  if (file.lengths_vary) {
    IndexedFile indexed_file = indexed(resources, *described.store, file);
    file.traces = indexed_file.index.table.traces();
    file.remainder_bytes = indexed_file.index.remainder_bytes;
    if (indexed_file.diagnostic) file.diagnostics.push_back(*indexed_file.diagnostic);
    if (file.remainder_bytes != 0) file.diagnostics.push_back(cut_trace_found(file, indexed_file.index));
    segy::check_trace_count(file);
    checked.table = std::move(indexed_file.index.table);
  } else {
    checked.table = segy::TraceTable(file);
  }
  checked.stores.push_back(std::move(described.store));
  checked.files.push_back(std::move(file));
  checked.words = words_of_files(resources, checked.stores, checked.files, options.map);
  return checked;
}

// Returns bytes that rank 0 reads, on every rank.
std::vector<std::byte> shared_bytes(const Resources& resources, Store& store, ByteRange range) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(range.length));
  run_on_rank(resources.comm, 0, [&] { read_at(store, range.offset, bytes); });
  resources.comm.broadcast(bytes, 0);
  return bytes;
}

// The evidence of one thread about the sample format, for formats that can be assessed.
struct FormatChecks {
  explicit FormatChecks(segy::SampleReading declared) : all(declared), single(declared) {}

  segy::SampleFormatEvidence all;
  segy::TraceFormatCheck single;
};

// The statistics of the traces that one thread checks.
struct Taker {
  Taker(const segy::FileDescription& of, const TraceTally& fresh)
      : file(of), tally(fresh), samples(of.sample_format, of.byte_order) {
    if (segy::has_evidence(file.sample_format))
      format.emplace(segy::SampleReading{file.sample_format, file.byte_order});
  }

  // Samples of auxiliary traces are excluded from the amplitudes.
  segy::SampleStatistics& statistics() {
    if (!tally.is_auxiliary()) return samples;
    if (!auxiliary) auxiliary.emplace(file.sample_format, file.byte_order);
    return *auxiliary;
  }

  const segy::FileDescription& file;
  TraceTally tally;
  segy::SampleStatistics samples;
  std::optional<segy::SampleStatistics> auxiliary;
  std::optional<FormatChecks> format;
  std::vector<std::byte> bytes;
};

// The pass over the traces of this rank.
class Pass {
 public:
  Pass(const Resources& resources, CheckedFile& checked, const TraceTally& fresh, bool wants_records)
      : resources_(resources),
        checked_(checked),
        own_(block_of(checked.table.traces(), resources.comm.size(), resources.comm.rank())),
        sample_bytes_(segy::bytes_of(checked.file().sample_format)) {
    if (wants_records) records_.resize(static_cast<std::size_t>(own_.count));
    for (int thread = 0; thread < resources.threads(); ++thread)
      takers_.push_back(std::make_unique<Taker>(checked.file(), fresh));
  }

  void run() {
    if (own_.empty()) return;
    const std::int64_t bytes = checked_.table.bytes_of(own_).length;
    const std::int64_t traces_per_task = std::max<std::int64_t>(1, mean_task_bytes / (1 + bytes / own_.count));
    parallel_for(
        static_cast<int>(takers_.size()), (own_.count + traces_per_task - 1) / traces_per_task,
        [&](std::int64_t task, int thread) {
          const std::int64_t first = own_.first + task * traces_per_task;
          take({first, std::min(traces_per_task, own_.end() - first)}, *takers_[static_cast<std::size_t>(thread)]);
        });
  }

  // Merges the results of all threads into the first.
  Taker& joined() {
    for (std::size_t t = 1; t < takers_.size(); ++t) {
      takers_.front()->tally.merge(takers_[t]->tally);
      takers_.front()->samples.histogram().merge(takers_[t]->samples.histogram());
      if (takers_.front()->format) takers_.front()->format->all.merge(takers_[t]->format->all);
    }
    takers_.resize(1);
    return *takers_.front();
  }

  [[nodiscard]] std::vector<KeyRecord<2>> take_records() { return std::move(records_); }

 private:
  void take(ItemRange traces, Taker& taker) {
    checked_.table.for_each_stretch(traces, [&](ItemRange alike, ByteRange bytes, segy::TraceShape shape) {
      const std::int64_t trace_bytes = bytes.length / alike.count;
      const std::int64_t at_once = std::max<std::int64_t>(1, piece_bytes / trace_bytes);
      for (std::int64_t done = 0; done < alike.count; done += at_once) {
        const std::int64_t count = std::min(at_once, alike.count - done);
        const ByteRange piece{bytes.offset + done * trace_bytes, count * trace_bytes};
        if (trace_bytes > piece_bytes) {
          take_in_parts(alike.first + done, piece, shape, taker);
          continue;
        }
        read(piece, taker);
        for (std::int64_t i = 0; i < count; ++i) {
          const auto trace = std::span<const std::byte>(taker.bytes).subspan(static_cast<std::size_t>(i * trace_bytes));
          const auto headers = static_cast<std::size_t>(shape.header_bytes());
          segy::TraceHash hash = begin_trace(alike.first + done + i, trace.first(headers), taker);
          const auto samples = trace.subspan(headers, static_cast<std::size_t>(trace_bytes) - headers);
          add_samples(samples, hash, taker);
          look_at_format(alike.first + done + i, samples, taker);
          end_trace(alike.first + done + i, hash, taker);
        }
      }
    });
  }

  void take_in_parts(std::int64_t trace, ByteRange bytes, segy::TraceShape shape, Taker& taker) {
    const std::int64_t headers = shape.header_bytes();
    read({bytes.offset, headers}, taker);
    segy::TraceHash hash = begin_trace(trace, taker.bytes, taker);
    const std::int64_t block = static_cast<std::int64_t>(segy::statistics_block_samples) * sample_bytes_;
    const std::int64_t part = std::max(block, piece_bytes / block * block);
    for (std::int64_t at = bytes.offset + headers; at < bytes.end(); at += part) {
      read({at, std::min(part, bytes.end() - at)}, taker);
      add_samples(taker.bytes, hash, taker);
      if (at == bytes.offset + headers) look_at_format(trace, taker.bytes, taker);
    }
    end_trace(trace, hash, taker);
  }

  void read(ByteRange bytes, Taker& taker) {
    taker.bytes.resize(static_cast<std::size_t>(bytes.length));
    read_at(checked_.store(), bytes.offset, taker.bytes);
    count_done(resources_.progress, bytes.length);
  }

  segy::TraceHash begin_trace(std::int64_t trace, std::span<const std::byte> headers, Taker& taker) const {
    taker.tally.see_headers(trace, headers.data());
    taker.statistics().begin_trace();
    segy::TraceHash hash;
    if (!records_.empty()) hash.add(headers.subspan(counting_bytes));
    return hash;
  }

  // Adds samples in complete blocks, except at the end of the trace.
  void add_samples(std::span<const std::byte> samples, segy::TraceHash& hash, Taker& taker) const {
    const std::size_t block_bytes = segy::statistics_block_samples * static_cast<std::size_t>(sample_bytes_);
    for (; !samples.empty(); samples = samples.subspan(std::min(block_bytes, samples.size()))) {
      const auto block = samples.first(std::min(block_bytes, samples.size()));
      taker.statistics().add(block);
      if (!records_.empty()) hash.add(block);
    }
  }

  // Checks the sample format. A trace that is read in pieces is represented by its first piece.
  void look_at_format(std::int64_t trace, std::span<const std::byte> samples, Taker& taker) const {
    if (!taker.format) return;
    const std::int64_t stride = (checked_.table.traces() + max_weighed_traces - 1) / max_weighed_traces;
    if (trace % stride == 0) taker.format->all.add_trace(samples);
    if (taker.format->single.refutes(samples)) taker.tally.see_refuted_format();
  }

  void end_trace(std::int64_t trace, const segy::TraceHash& hash, Taker& taker) {
    taker.tally.see_samples(taker.statistics().end_trace());
    if (!records_.empty()) records_[static_cast<std::size_t>(trace - own_.first)] = {hash.value(), trace};
  }

  const Resources& resources_;
  CheckedFile& checked_;
  ItemRange own_;
  std::int64_t sample_bytes_;
  std::vector<KeyRecord<2>> records_;
  std::vector<std::unique_ptr<Taker>> takers_;
};

// Returns true if two traces are equal, except for the bytes that number them.
bool are_equal(const CheckedFile& checked, TracePair pair) {
  const ByteRange a = checked.table.bytes_of({pair.first, 1});
  const ByteRange b = checked.table.bytes_of({pair.repeat, 1});
  if (a.length != b.length) return false;
  std::vector<std::byte> of_a;
  std::vector<std::byte> of_b;
  for (std::int64_t at = counting_bytes; at < a.length; at += piece_bytes) {
    const auto part = static_cast<std::size_t>(std::min(piece_bytes, a.length - at));
    of_a.resize(part);
    of_b.resize(part);
    read_at(checked.store(), a.offset + at, of_a);
    read_at(checked.store(), b.offset + at, of_b);
    if (of_a != of_b) return false;
  }
  return true;
}

// Returns only the pairs whose bytes are equal; the other pairs had the same hash by chance.
DuplicateTraces verified(const Resources& resources, const CheckedFile& checked, DuplicateTraces found) {
  std::vector<std::uint8_t> equal(found.first.size());
  run_on_rank(resources.comm, 0, [&] {
    for (std::size_t i = 0; i < equal.size(); ++i) equal[i] = are_equal(checked, found.first[i]) ? 1 : 0;
  });
  resources.comm.broadcast(std::as_writable_bytes(std::span(equal)), 0);
  DuplicateTraces sure{found.repeats, {}};
  for (std::size_t i = 0; i < equal.size(); ++i) {
    if (equal[i] != 0) {
      sure.first.push_back(found.first[i]);
    } else {
      --sure.repeats;
    }
  }
  return sure;
}

// Returns the diagnostic on the sample format, after all traces were read.
std::optional<Diagnostic> format_diagnostic(const Resources& resources, const CheckedFile& checked, const Taker& all,
                                            bool is_assumed) {
  if (!all.format || checked.table.traces() == 0) return {};
  const segy::SampleReading declared{checked.file().sample_format, checked.file().byte_order};
  const TraceCount& refuting = all.tally.kinds().refuting_format;
  // The first traces that contradict the format show which formats are possible.
  std::vector<std::uint32_t> of_first;
  run_on_rank(resources.comm, 0, [&] {
    segy::SampleFormatEvidence first(declared);
    std::vector<std::byte> samples;
    for (const std::int64_t trace : refuting.listed()) {
      const segy::TraceShape shape = checked.table.shape_of(trace);
      samples.resize(static_cast<std::size_t>(std::min(piece_bytes, shape.samples * checked.table.sample_bytes())));
      read_at(checked.store(), checked.table.bytes_of({trace, 1}).offset + shape.header_bytes(), samples);
      first.add_trace(samples);
    }
    of_first = first.packed();
  });
  broadcast_all(resources.comm, of_first, 0);
  const std::vector<std::uint32_t> mine = all.format->all.packed();
  const std::vector<std::uint32_t> of_ranks = all_gather_all(resources.comm, std::span<const std::uint32_t>(mine));
  return run_and_agree(resources.comm, [&] {
    segy::SampleFormatEvidence weighed(declared);
    for (std::span<const std::uint32_t> rest = of_ranks; !rest.empty();) rest = weighed.merge_packed(rest);
    segy::SampleFormatEvidence first(declared);
    (void)first.merge_packed(of_first);
    std::vector<std::int64_t> numbers;
    for (const std::int64_t trace : refuting.listed()) numbers.push_back(trace + 1);
    return segy::sample_format_diagnostic(
        checked.file(), weighed.evaluate(),
        {.count = refuting.traces, .of = checked.table.traces(), .first = numbers, .others = first.evaluate().others},
        is_assumed);
  });
}

Amplitudes amplitudes_of(const TraceKinds& kinds, segy::AmplitudeHistogram histogram, bool whole_numbers) {
  Amplitudes amplitudes;
  amplitudes.samples = kinds.samples;
  amplitudes.zeros = kinds.zeros;
  amplitudes.nans = kinds.nans;
  amplitudes.infinities = kinds.infinities;
  const std::int64_t finite = amplitudes.finite();
  if (finite == 0) return amplitudes;
  amplitudes.smallest = kinds.smallest;
  amplitudes.largest = kinds.largest;
  amplitudes.rms = kinds.squares_beyond ? std::numeric_limits<double>::infinity()
                                        : std::sqrt(kinds.squares.value() / static_cast<double>(finite));
  for (const std::int64_t percent : percents) {
    const std::int64_t rank = (percent * finite + 99) / 100;
    segy::BoundedValue value = histogram.at_rank(std::max<std::int64_t>(rank, 1) - 1, whole_numbers);
    value.lowest = std::max(value.lowest, kinds.smallest);
    value.highest = std::min(value.highest, kinds.largest);
    amplitudes.percentiles.push_back({static_cast<double>(percent), value});
  }
  amplitudes.histogram = std::move(histogram);
  return amplitudes;
}

std::vector<std::string> text_lines(const Resources& resources, CheckedFile& checked) {
  const segy::FileDescription& file = checked.file();
  if (file.kind != segy::FileKind::segy) return {};
  const std::vector<std::byte> bytes =
      shared_bytes(resources, checked.store(), {file.label_bytes, std::int64_t{segy::text_header_bytes}});
  const auto lines = segy::decode_text_header(std::span(bytes).first<segy::text_header_bytes>(), file.text_encoding);
  return {lines.begin(), lines.end()};
}

// Reports bins whose sides are outside the range of real surveys, for example because of a wrong coordinate scalar. The
// limits are Sill's: they include sides of 1 to 200 m, and three times as much in feet.
void report_bins(const GridFit& fit, std::string_view unit, std::vector<Finding>& findings) {
  if (!fit.good || !fit.between_ilines) return;
  constexpr double min = 0.5;
  constexpr double max = 700.0;
  const auto [small, large] = std::minmax({std::abs(*fit.between_ilines), std::abs(*fit.between_xlines)});
  if (small <= max && large >= min) return;
  constexpr double usual = 20.0;
  const double power = std::round(std::log10(small / usual));
  add_finding(findings, Finding{"bin-size",
                                {.grade = Grade::minor,
                                 .problem = fmt::format("bins have sides of {:g} and {:g} {}, which is implausible: "
                                                        "the scalar of coordinates may be wrong by a factor of {:g}",
                                                        small, large, unit, std::pow(10.0, std::abs(power))),
                                 .where = "trace header bytes 71-72",
                                 .clause = "SEG-Y rev 1, trace header bytes 71-72",
                                 .action = "used unchanged; correct the scalar (sill edit --set scalco=...)"},
                                0,
                                {}});
}

// Reports what the geometry states about words that were or were not used.
void report_geometry(const SurveyGeometry& geometry, bool is_assigned, std::vector<Finding>& findings) {
  if (geometry.rejected) {
    const RejectedPositions& rejected = *geometry.rejected;
    const std::string where = fmt::format("trace header bytes {}-{}", rejected.first_byte, rejected.last_byte);
    add_finding(findings,
                Finding{"ensemble-coordinates",
                        {.grade = is_assigned ? Grade::minor : Grade::info,
                         .problem = fmt::format("{} do not behave as coordinates: {}", rejected.words, rejected.reason),
                         .where = where,
                         .clause = "SEG-Y rev 1, trace header bytes 181-188",
                         .action = fmt::format("positions are read from: {}", name_of(geometry.positions))},
                        0,
                        {}});
  }
  if (!geometry.implausible_positions.empty())
    add_finding(
        findings,
        Finding{
            "positions",
            {.grade = Grade::major,
             .problem = geometry.implausible_positions,
             .where = "trace header bytes 71-72, 73-88 and 181-188",
             .clause = "SEG-Y rev 1, trace header bytes 71-72, 89-90",
             .action =
                 "used unchanged; correct scalar or unit (sill edit), or name the right words in a header map (--map)"},
            0,
            {}});
  if (geometry.fit) report_bins(*geometry.fit, name_of(geometry.unit), findings);
  if (!geometry.rejected_lines.empty())
    add_finding(findings, Finding{"line-numbers",
                                  {.grade = Grade::minor,
                                   .problem = "iline and xline do not number lines: " + geometry.rejected_lines,
                                   .where = "trace header bytes 189-196",
                                   .clause = "SEG-Y rev 1, trace header bytes 189-196",
                                   .action = "lines are read from other words; name them in a header map (--map)"},
                                  0,
                                  {}});
  if (!geometry.candidates.empty()) {
    const GridCandidate& first = geometry.candidates.front();
    const auto bytes = [](LinePlace place) { return fmt::format("{}-{}", place.byte, place.byte + place.bytes - 1); };
    add_finding(findings, Finding{"lines-elsewhere",
                                  {.grade = Grade::info,
                                   .problem = fmt::format("bytes {} and {} number the examined traces as a grid",
                                                          bytes(first.ilines.place), bytes(first.xlines.place)),
                                   .where = "trace headers",
                                   .clause = "",
                                   .action = "not used; if they are inline and crossline, " + first.advice()},
                                  0,
                                  {}});
  }
}

// If the memory is too small, the geometry is skipped, so that the earlier findings are not lost.
void add_geometry(const Resources& resources, const CheckOptions& options, CheckResult& result) {
  const auto is_journal = [&](const Diagnostic& found) {
    return found.grade == Grade::critical && found.where == journal_path_of(result.file.path);
  };
  if (const auto found = std::ranges::find_if(result.file.diagnostics, is_journal);
      found != result.file.diagnostics.end()) {
    result.no_geometry = found->problem;
    return;
  }
  bool is_open = false;
  try {
    const SurveyReader reader(resources, {result.file.path}, options.map,
                              {.assume = options.assume, .ignores_journals = options.ignores_journal});
    is_open = true;
    result.geometry = find_geometry(resources, reader);
    report_geometry(*result.geometry, result.file.revision >= 1, result.findings);
  } catch (const Error& error) {
    require_known_to_all(resources.comm, error);
    const bool lacks_memory = is_open && error.code() == ErrorCode::usage;
    if (error.code() != ErrorCode::input && !lacks_memory) throw;
    result.no_geometry = error.parts().problem;  // its other parts are among the findings
    if (lacks_memory) result.no_geometry += ": " + error.parts().action;
  }
}

}  // namespace

Grade CheckResult::worst() const { return findings.empty() ? Grade::info : findings.front().diagnostic.grade; }

CheckResult check(const Resources& resources, const std::string& path, const CheckOptions& options) {
  Communicator& comm = resources.comm;
  CheckedFile checked = opened(resources, path, options);
  const segy::TraceTable& table = checked.table;
  CheckResult result;
  result.text_header = text_lines(resources, checked);

  std::vector<std::byte> first_headers;
  if (table.traces() > 0) {
    const std::int64_t bytes = std::int64_t{segy::trace_header_bytes} * table.min_headers({0, table.traces()});
    first_headers = shared_bytes(resources, checked.store(), {table.bytes_of({0, 1}).offset, bytes});
  }
  const CountedPlaces places = counted_places(checked.file(), checked.words);
  const TraceTally fresh(checked.file(), places, first_headers);
  const std::int64_t max_own = block_of(table.traces(), comm.size(), 0).count;
  const std::int64_t record_bytes =
      max_own * static_cast<std::int64_t>(sizeof(KeyRecord<2>)) * (comm.size() > 1 ? records_held : 1);
  const bool looks_for_duplicates = all_reduce(comm, resources.memory() >= record_bytes ? 1 : 0, Reduction::min) == 1;

  Pass pass = run_and_agree(comm, [&] { return Pass(resources, checked, fresh, looks_for_duplicates); });
  resources.begin_stage("checking traces",
                        table.bytes_of(block_of({0, table.traces()}, comm.size(), comm.rank())).length);
  run_and_agree(comm, [&] { pass.run(); });
  Taker& all = pass.joined();
  all.tally.add_ranks(comm);
  comm.all_reduce(all.samples.histogram().counts(), Reduction::sum);
  DuplicateTraces duplicates;
  if (looks_for_duplicates)
    duplicates = verified(resources, checked, find_duplicates(comm, pass.take_records(), TraceCount::max_listed));

  const std::optional<Diagnostic> of_format =
      format_diagnostic(resources, checked, all, options.assume.format_code.has_value());
  run_and_agree(comm, [&] {
    result.file = checked.file();
    result.duplicates = duplicates.first;
    result.amplitudes = amplitudes_of(all.tally.kinds(), std::move(all.samples.histogram()),
                                      segy::holds_whole_numbers(result.file.sample_format));
    result.same_words = same_words(checked.words, all.tally, first_headers, result.file, table.traces());
    result.findings = findings_of(result.file, places, all.tally, result.same_words);
    if (of_format) add_finding(result.findings, format_found(*of_format, all.tally.kinds().refuting_format));
    add_finding(result.findings, looks_for_duplicates ? duplicates_found(duplicates) : duplicates_not_sought());
  });
  if (options.geometry) add_geometry(resources, options, result);
  return result;
}

}  // namespace sill
