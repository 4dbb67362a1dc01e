#include "fuzz/survey_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/changing_operations.hpp"
#include "fuzz/fuzzed_file.hpp"
#include "fuzz/survey_support.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/formats/segy/words/key.hpp"
#include "sill/io/survey/describe.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/check/check.hpp"
#include "sill/survey/compare/compare.hpp"
#include "sill/survey/convert/convert.hpp"
#include "sill/survey/geometry/geometry.hpp"
#include "sill/survey/select/cut.hpp"
#include "sill/survey/select/regular_numbers.hpp"
#include "sill/survey/select/scan.hpp"
#include "sill/survey/select/select_traces.hpp"
#include "sill/survey/sort/sort.hpp"
#include "store/temporary_folder.hpp"
#include "support/memory.hpp"

namespace sill::fuzz {
namespace {

namespace fs = std::filesystem;

// What the operations are given for buffers, and what they may take in all: tables that are as large for any file, and
// so much for each of its bytes.
constexpr std::int64_t memory_bytes = 1 << 20;
constexpr std::int64_t max_bytes = 64 << 20;
constexpr std::int64_t max_bytes_per_byte = 100;

constexpr std::array<std::string_view, 6> sort_keys = {"cdp,offset",    "-tracl",         "abs(true(sx)),trid",
                                                       "-(gx - sx),dt", "@181:f4,-@1:a8", "delrt,azimuth"};
constexpr std::array<std::string_view, 5> conditions = {"", "trace % 2 == 1", "offset > 300",
                                                        "cdp >= 0 and not trid == 2", "true(gx) < 431000"};
constexpr std::array<std::string_view, 4> windows = {"", "0s:10ms", "4ms:", ":1us"};

// The operations on one file.
class Survey {
 public:
  Survey(const test::TemporaryFolder& folder, std::string path, std::span<const std::byte> bytes)
      : folder_(folder), path_(std::move(path)), file_bytes_(static_cast<std::int64_t>(bytes.size())) {
    test::make_file(path_, bytes);
    resources_.policy.threads = 1;
    resources_.memory_bytes = memory_bytes;
  }

  void run(unsigned operations, Choices& choices) {
    const std::string_view keys = choices.one_of(sort_keys);
    const std::string_view condition = choices.one_of(conditions);
    const std::string_view window = choices.one_of(windows);
    const auto form = static_cast<unsigned>(choices.number(1));
    enum Operations : unsigned {
      describing = 1,
      checking = 2,
      comparing = 4,
      scanning = 8,
      inferring = 16,
      sorting = 32,
      converting = 64,
      cutting = 128,
      repairing = 256,
      editing = 512,
      merging = 1024
    };
    const auto wanted = [&](unsigned operation) { return operations == 0 || (operations & operation) != 0; };
    if (wanted(describing)) (void)is_done("info", [&] { (void)open_described(resources_, path_); });
    if (wanted(checking)) (void)is_done("check", [&] { check_file(); });
    if (wanted(comparing)) (void)is_done("compare", [&] { compare_with_itself(); });
    const SurveyFile file{resources_, path_, output_, file_bytes_};
    if (wanted(repairing)) (void)is_done("repair", [&] { repair_file(file, form); });
    (void)is_done("read", [&] {
      const SurveyReader reader(resources_, {path_});
      if (wanted(scanning)) (void)is_done("scan", [&] { scan_all(reader); });
      if (wanted(inferring))
        (void)is_done("geometry", [&] {
          const SurveyGeometry found = find_geometry(resources_, reader);
          require(found.traces + found.auxiliary == reader.traces(), "geometry: of other traces");
        });
      if (wanted(sorting)) (void)is_done("sort", [&] { sort_by(reader, keys); });
      if (wanted(converting)) (void)is_done("convert", [&] { convert_to(reader, form); });
      if (wanted(editing)) (void)is_done("edit", [&] { edit_file(file, reader, condition, edited_); });
      if (wanted(merging)) (void)is_done("merge", [&] { merge_with_converted(file, reader, form, converted_); });
      if (wanted(cutting)) {
        (void)is_done("cut", [&] { cut_where(reader, condition, window); });
        for (const std::string_view sought : {condition, std::string_view("fldr > 1"), std::string_view("tracf == 2")})
          if (!sought.empty()) (void)is_done("choose", [&] { seek_where(reader, sought); });
      }
    });
  }

  [[nodiscard]] std::vector<std::string> files() const { return {path_, output_, edited_, converted_}; }

 private:
  void check_file() {
    const CheckResult result = check(resources_, path_, {});
    require(result.file.traces >= 0 && result.amplitudes.samples >= 0, "check: less than nothing");
    require(result.amplitudes.samples <= file_bytes_, "check: more samples than bytes");
    for (const Finding& finding : result.findings) {
      require(!finding.kind.empty() && !finding.diagnostic.problem.empty(), "check: a finding that says nothing");
      require(finding.traces <= result.file.traces, "check: " + finding.kind + " is of more traces than there are");
    }
  }

  void compare_with_itself() {
    require(compared(resources_, path_, path_).equal(), "compare: a file does not equal itself");
  }

  void scan_all(const SurveyReader& reader) {
    ScanOptions options;
    options.traces = {0, reader.traces()};
    options.keys = all_words(reader.words());
    options.statistics = true;
    std::int64_t lines = 0;
    options.csv = [&](std::string_view text) { lines += std::ranges::count(text, '\n'); };
    const ScanResult result = scan(resources_, reader, options);
    require(lines == 1 + reader.traces(), "scan: another number of lines than of traces");
    for (const KeyRange& range : result.ranges)
      require(range.smallest <= range.largest && range.distinct.value_or(1) <= reader.traces(),
              "scan: " + range.key + " has no range");
  }

  void sort_by(const SurveyReader& reader, std::string_view keys) {
    SortOptions options;
    options.output = output_;
    options.keys = segy::TraceKey::parse_list(keys, reader.words());
    const SortResult result = sort(resources_, reader, options);
    require(result.traces == reader.traces(), "sort: another number of traces");
    require(static_cast<std::int64_t>(fs::file_size(output_)) <= file_bytes_, "sort: a larger file");
    const SurveyReader sorted = read_again(resources_, output_, "sort");
    auto before = traces_of(reader);
    auto after = traces_of(sorted);
    std::ranges::sort(before);
    std::ranges::sort(after);
    require(before == after, "sort: other traces");
    options.keys = segy::TraceKey::parse_list(keys, sorted.words());
    const ScanOptions in_order{.traces = {0, sorted.traces()}, .keys = options.keys, .statistics = true, .csv = {}};
    require(scan(resources_, sorted, in_order).in_order.value_or(true), "sort: not in order");
  }

  void convert_to(const SurveyReader& reader, unsigned form) {
    const ConvertOptions options = conversion_to(output_, form);
    const ConvertResult result = convert(resources_, reader, options);
    const auto written = static_cast<std::int64_t>(fs::file_size(output_));
    require(written == result.output_bytes, "convert: another size than told");
    require(written <= 10 * file_bytes_ + 4000, "convert: a file out of proportion");
    const SurveyReader converted = read_again(resources_, output_, "convert");
    require(converted.traces() == reader.traces(), "convert: another number of traces");
    if (result.form.sample_format != reader.files().front().sample_format) return;
    const CompareResult difference = compared(resources_, path_, output_);
    require(difference.samples.samples == 0 && difference.trace_samples.traces == 0, "convert: other samples");
    if (result.form.kind == reader.files().front().kind)
      require(!difference.text_differs && !difference.trailers_differ, "convert: other texts");
  }

  void cut_where(const SurveyReader& reader, std::string_view condition, std::string_view window) {
    CutOptions options;
    options.output = output_;
    if (!condition.empty()) options.where = segy::Expression::parse_condition(condition, reader.words());
    if (!window.empty()) options.window = segy::parse_time_window(window);
    const WrittenTraces written = cut(resources_, reader, options).written;
    require(static_cast<std::int64_t>(fs::file_size(output_)) <= file_bytes_, "cut: a larger file");
    const SurveyReader part = read_again(resources_, output_, "cut");
    require(part.traces() == written.traces, "cut: another number of traces than told");
    if (!window.empty()) return;
    const auto all = traces_of(reader);
    auto from = all.begin();
    for (const auto& trace : traces_of(part)) {
      from = std::find(from, all.end(), trace);
      require(from != all.end(), "cut: a trace that the input has not, or not there");
      ++from;
    }
  }

  // However few the traces, seeking finds none that does not belong there, and all where the words count regularly.
  void seek_where(const SurveyReader& reader, std::string_view condition) {
    const segy::Expression where = segy::Expression::parse_condition(condition, reader.words());
    const auto numbers = [](const TraceChoice& choice) {
      std::vector<std::int64_t> traces(static_cast<std::size_t>(choice.traces.count()));
      TraceList::Cursor cursor(choice.traces);
      for (std::int64_t& trace : traces) trace = cursor.next().trace;
      return traces;
    };
    const auto all = numbers(select_traces(resources_, reader, &where, nullptr, {}));
    TraceChoice choice;
    const HeadersRead few{.seek = true, .min_traces_to_seek = 1, .min_traces_per_look = 0};
    require(is_done("seek", [&] { choice = select_traces(resources_, reader, &where, nullptr, few); }),
            "seek: refuses what every header states");
    const auto found = numbers(choice);
    require(std::ranges::includes(all, found), "seek: a trace for which the condition does not hold");
    if (choice.search.sought) ++work_done()["sought"];
    if (!choice.search.sought || counts_everywhere(reader, where)) require(found == all, "seek: a trace is missing");
  }

  static bool counts_everywhere(const SurveyReader& reader, const segy::Expression& where) {
    const std::optional<segy::WholeNumbers> inputs = where.whole_numbers();
    std::vector<std::byte> headers(static_cast<std::size_t>(reader.traces()) * segy::trace_header_bytes);
    reader.read_headers({0, reader.traces()}, headers);
    return inputs && std::ranges::all_of(inputs->words, [&](const segy::WordRef& word) {
             const auto value_of = [&](std::int64_t trace) {
               const std::byte* const header = headers.data() + trace * segy::trace_header_bytes;
               return integer_of(word, header, reader.view(trace, header).order);
             };
             const std::optional<Counting> counting = counting_of(reader.traces(), value_of);
             for (std::int64_t trace = 0; counting && trace < reader.traces(); ++trace)
               if (counting->value_of(trace) != value_of(trace)) return false;
             return counting.has_value();
           });
  }

  const test::TemporaryFolder& folder_;
  std::string path_;
  std::string output_ = folder_ / "out.sgy";
  std::string edited_ = folder_ / "edited.sgy";
  std::string converted_ = folder_ / "converted.sgy";
  std::int64_t file_bytes_;
  std::unique_ptr<Communicator> alone_ = make_alone();
  Resources resources_{*alone_};
};

}  // namespace

void feed_survey(std::span<const std::byte> input) {
  static const test::TemporaryFolder folder(test::in_memory());
  for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove(entry.path());
  Choices choices(input);
  const auto operations = static_cast<unsigned>(choices.number(2));
  const std::string name = choices.below(8) == 0 ? "in.su" : "in.sgy";
  Choices of_operations(choices.rest().first(std::min<std::size_t>(4, choices.rest().size())));
  (void)choices.number(4);
  std::vector<std::byte> file;
  if (!is_done("make", [&] { file = fuzzed_file(choices); })) return;
  if (const char* const keep = std::getenv("SILL_FUZZ_KEEP")) test::make_file(keep, file);
  const auto max = max_bytes + max_bytes_per_byte * static_cast<std::int64_t>(file.size());
  const test::HeldMemory held;
  std::vector<std::string> files;
  {
    Survey survey(folder, folder / name, file);
    survey.run(operations, of_operations);
    files = survey.files();
  }
  require(held.max_bytes() <= max, fmt::format("{} bytes of memory for a file of {}", held.max_bytes(), file.size()));
  for (const std::string& left : test::names_in(folder.path()))
    require(std::ranges::find(files, folder / left) != files.end(), "left behind: " + left);
}

}  // namespace sill::fuzz
