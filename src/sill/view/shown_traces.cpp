#include "sill/view/shown_traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/expression/expression.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/select/select_traces.hpp"
#include "sill/survey/select/trace_ranges.hpp"

namespace sill::view {
namespace {

// Values of a word, both ends included.
struct WordRange {
  std::string word;
  std::string first_text;
  std::string last_text;
  double first = 0.0;
  double last = 0.0;

  [[nodiscard]] bool is_one() const { return first == last; }
  [[nodiscard]] std::string condition() const {
    return is_one() ? fmt::format("{} == {}", word, first_text)
                    : fmt::format("{0} >= {1} and {0} <= {2}", word, first_text, last_text);
  }
};

double gather_number(std::string_view text, std::string_view gather) {
  double value = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || result.ec != std::errc{} || result.ptr != text.data() + text.size() || !std::isfinite(value))
    throw usage_error(fmt::format("`{}` does not name a gather", echoed(gather)),
                      "write WORD=VALUE or WORD=FIRST:LAST, such as cdp=1200");
  return value;
}

WordRange parse_gather(const std::string& text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  WordRange range;
  range.word = trimmed(std::string_view(text).substr(0, equals));
  const std::string_view values = trimmed(std::string_view(text).substr(std::min(equals + 1, text.size())));
  const std::size_t colon = std::min(values.find(':'), values.size());
  range.first_text = trimmed(values.substr(0, colon));
  range.last_text = colon == values.size() ? range.first_text : std::string(trimmed(values.substr(colon + 1)));
  range.first = gather_number(range.first_text, text);
  range.last = gather_number(range.last_text, text);
  if (range.word.empty() || range.last < range.first) (void)gather_number("", text);
  return range;
}

WordRange line_of(const char* word, std::int64_t number) {
  const std::string text = fmt::format("{}", number);
  return {word, text, text, static_cast<double>(number), static_cast<double>(number)};
}

// The values nearest to a range, among the values of all traces.
struct NearValues {
  double below = -std::numeric_limits<double>::infinity();
  double above = std::numeric_limits<double>::infinity();
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
  bool is_met = false;  // a value is in the range

  void add(double value, const WordRange& range) {
    if (std::isnan(value)) return;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
    if (value < range.first) below = std::max(below, value);
    if (value > range.last) above = std::min(above, value);
    is_met = is_met || (value >= range.first && value <= range.last);
  }
  void add(const NearValues& other) {
    below = std::max(below, other.below);
    above = std::min(above, other.above);
    smallest = std::min(smallest, other.smallest);
    largest = std::max(largest, other.largest);
    is_met = is_met || other.is_met;
  }
};

// Collective. Returns the values of all traces that are nearest to `range`.
NearValues near_values(const Resources& resources, const SurveyReader& reader, const WordRange& range) {
  const NearValues mine = run_and_agree(resources.comm, [&] {
    const segy::Expression word = segy::Expression::parse(range.word, reader.words());
    std::vector<NearValues> of_threads(static_cast<std::size_t>(resources.threads()));
    const ItemRange block = block_of(reader.traces(), resources.comm.size(), resources.comm.rank());
    visit_where(reader, block, nullptr, word.needed_bytes(), resources.threads(),
                [&](std::int64_t /*trace*/, const segy::HeaderView& header, int thread) {
                  of_threads[static_cast<std::size_t>(thread)].add(word.real(header), range);
                });
    NearValues all;
    for (const NearValues& one : of_threads) all.add(one);
    return all;
  });
  NearValues all;
  for (const NearValues& one : all_gather(resources.comm, mine)) all.add(one);
  return all;
}

Error no_such_gather(const WordRange& range, const NearValues& near) {
  std::string nearest;
  if (std::isfinite(near.below)) nearest = fmt::format("{}", near.below);
  if (std::isfinite(near.above)) nearest += fmt::format("{}{}", nearest.empty() ? "" : " and ", near.above);
  const bool is_both = std::isfinite(near.below) && std::isfinite(near.above);
  std::string problem = fmt::format("no trace has {}", range.condition());
  if (!nearest.empty())
    problem += fmt::format("; the nearest value{} {} {}, of {} to {}", is_both ? "s" : "", is_both ? "are" : "is",
                           nearest, near.smallest, near.largest);
  return usage_error(
      problem, fmt::format("use one of these, or see all values: 'sill scan FILE --keys \"{}\" --values'", range.word));
}

// Collective. Throws an error that states why no trace was selected.
[[noreturn]] void throw_empty(const Resources& resources, const SurveyReader& reader, const std::string& condition,
                              std::span<const WordRange> ranges) {
  for (const WordRange& range : ranges) {
    const NearValues near = near_values(resources, reader, range);
    if (!near.is_met) throw Error(no_such_gather(range, near));
  }
  if (condition.empty()) throw usage_error("the survey has no traces", "choose a file with traces");
  throw usage_error("no trace satisfies " + condition, "use another condition; 'sill scan --stats' shows the values");
}

std::int64_t stride_of(std::int64_t selected, std::int64_t max_traces) {
  if (selected <= max_traces) return 1;
  const std::int64_t target = std::max<std::int64_t>(1, max_traces * 9 / 10);
  return (selected + target - 1) / target;
}

std::vector<WordRange> ranges_of(const TracesRequest& request) {
  std::vector<WordRange> ranges;
  if (!request.gather.empty()) ranges.push_back(parse_gather(request.gather));
  if (request.inline_number) ranges.push_back(line_of("iline", *request.inline_number));
  if (request.crossline_number) ranges.push_back(line_of("xline", *request.crossline_number));
  return ranges;
}

}  // namespace

std::string condition_of(const TracesRequest& request, const segy::HeaderMap& words) {
  std::string condition;
  for (const WordRange& range : ranges_of(request)) {  // each separately, for messages that show the user's text
    (void)segy::Expression::parse(range.word, words);
    condition += (condition.empty() ? "" : " and ") + range.condition();
  }
  if (request.where.empty()) return condition;
  (void)segy::Expression::parse_condition(request.where, words);
  return condition.empty() ? request.where : fmt::format("{} and ({})", condition, request.where);
}

void thin_out(ShownTraces& shown, std::int64_t max_traces) {
  shown.stride = stride_of(shown.selected, max_traces);
  const auto stride = static_cast<std::size_t>(shown.stride);
  std::size_t left = 0;
  for (std::size_t i = 0; i < shown.numbers.size(); i += stride) shown.numbers[left++] = shown.numbers[i];
  shown.numbers.resize(left);
}

ShownTraces choose_shown_traces(const Resources& resources, const SurveyReader& reader, const TracesRequest& request,
                                std::int64_t max_traces) {
  Communicator& comm = resources.comm;
  ShownTraces shown;
  std::vector<WordRange> ranges;
  std::optional<ItemRange> numbers;
  std::optional<segy::Expression> where;
  run_and_agree(comm, [&] {
    if (!request.range.empty()) numbers = parse_trace_range(request.range, reader.traces());
    ranges = ranges_of(request);
    if (!request.gather.empty()) shown.gather_word = ranges.front().word;
    shown.condition = condition_of(request, reader.words());
    if (!request.has_condition()) return;
    std::string all = shown.condition;
    if (numbers) all = fmt::format("({}) and trace >= {} and trace <= {}", all, numbers->first + 1, numbers->end());
    where = segy::Expression::parse_condition(all, reader.words());
  });
  if (!where) {
    const ItemRange all = numbers.value_or(ItemRange{0, reader.traces()});
    if (all.count == 0) throw_empty(resources, reader, "", {});
    shown.selected = all.count;
    shown.stride = stride_of(all.count, max_traces);
    for (std::int64_t trace = all.first; trace < all.end(); trace += shown.stride) shown.numbers.push_back(trace);
    return shown;
  }
  const TraceList mine = select_traces(resources, reader, &*where, nullptr, {}).traces;
  shown.selected = all_reduce(comm, mine.count(), Reduction::sum);
  if (shown.selected == 0) throw_empty(resources, reader, where->text(), ranges);
  shown.stride = stride_of(shown.selected, max_traces);
  const std::int64_t before = exclusive_sum(comm, mine.count()).before;
  std::vector<std::int64_t> own;
  TraceList::Cursor cursor(mine);
  for (std::int64_t i = 0; i < mine.count(); ++i) {
    const std::int64_t trace = cursor.next().trace;
    if ((before + i) % shown.stride == 0) own.push_back(trace);
  }
  shown.numbers = all_gather_all(comm, std::span<const std::int64_t>(own));
  return shown;
}

}  // namespace sill::view
