#include "sill/survey/repair/header_consistency.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"

namespace sill {
namespace {

// Returns "7 trace headers, the first of trace 12,".
std::string headers_of(const Contradictions& found) {
  return fmt::format("{} trace header{}, the first of trace {},", format_count(found.traces),
                     found.traces == 1 ? "" : "s", found.first_trace + 1);
}

class StatedLengthsCheck {
 public:
  StatedLengthsCheck(const RepairContext& to, const StatedLengths::Found& found, RepairResult& result)
      : to_(to), found_(found), result_(result) {}

  void evaluate(const StatedLengths& shapes) {
    if (to_.was_cut) require_one_number();
    if (!to_.assume.samples) require_headers();
    if (found_.unlike.traces > 0)
      result_.notes.push_back(fmt::format(
          "{} {} unlike the first headers of the file: if they are not headers, bytes are missing before them",
          headers_of(found_.unlike), found_.unlike.traces == 1 ? "is" : "are"));
    report(found_.samples, "number of samples that traces state", "115-116", fmt::format("{}", to_.file.samples),
           why_of("115-116"));
    if (shapes.sets_interval())
      report(found_.interval, "interval that traces state", "117-118", fmt::format("{} us", to_.file.interval_us),
             fmt::format("--assume interval={}", to_.file.interval_us));
    else
      leave_intervals();
  }

 private:
  // Returns the finding about these bytes in the sampled trace headers.
  [[nodiscard]] std::string why_of(std::string_view bytes) const {
    for (const Diagnostic& found : to_.file.diagnostics)
      if (found.where.starts_with("trace") && found.where.ends_with(bytes))
        return fmt::format("{}; {}", found.problem, found.action);
    return to_.file.kind == segy::FileKind::segy ? "the value of the binary header is used"
                                                 : "the value of the first trace is used";
  }

  void report(const Contradictions& word, const char* what, const char* bytes, std::string after, std::string why) {
    if (word.traces == 0) return;
    result_.repairs.push_back(
        {.what = what,
         .where = fmt::format("bytes {} of {} trace header{}, the first of trace {}", bytes, format_count(word.traces),
                              word.traces == 1 ? "" : "s", word.first_trace + 1),
         .before = word.text(),
         .after = std::move(after),
         .why = std::move(why)});
  }

  [[noreturn]] void refuse_samples(const Contradictions& word, std::string problem, std::string action) const {
    throw Error({.code = ErrorCode::input,
                 .problem = std::move(problem),
                 .where = {.file = to_.file.path, .item = word.first_trace + 1, .item_word = "trace"},
                 .clause = "SEG-Y rev 1, trace header bytes 115-116",
                 .action = std::move(action)});
  }

  // The size of a truncated file does not show which number is right, and a contradicting header is possibly not a
  // header. A single trace proves no length.
  void require_one_number() const {
    const Contradictions& others = found_.samples;
    const bool is_certain = to_.whole_traces > 1 || to_.assume.samples;
    const bool is_one = is_certain && others.traces == to_.traces && others.min == others.max;
    if (others.traces == 0 || is_one) return;
    refuse_samples(
        others,
        fmt::format("the file does not end with a complete trace, and bytes 115-116 of {} state {} samples instead of "
                    "{}: bytes may be missing inside the file",
                    headers_of(others), others.text(), to_.file.samples),
        "get an intact copy of the file; if the headers are at their positions, correct the words with sill edit");
  }

  // A contradicting header that is unlike the others may consist of samples.
  void require_headers() const {
    const Contradictions& doubtful = found_.doubtful;
    if (doubtful.traces == 0) return;
    refuse_samples(doubtful,
                   fmt::format("{} state {} samples instead of {}, and are unlike the first headers of the file: bytes "
                               "may be missing before them",
                               headers_of(doubtful), doubtful.text(), to_.file.samples),
                   fmt::format("check them (sill header); if they are at their positions, give --assume samples={}",
                               to_.file.samples));
  }

  // The size of a file shows which number of samples is right; nothing shows which interval is right. If some traces
  // agree with the file header, the others may differ on purpose.
  void leave_intervals() {
    const Contradictions& others = found_.interval;
    const double interval_us = to_.file.interval_us;
    if (others.traces == 0) return;
    if (others.traces < to_.traces) {
      result_.notes.push_back(
          fmt::format("bytes 117-118 of {} state an interval of {} us instead of {} us: not changed, because the "
                      "difference may be intended; --assume interval={} sets the interval in all traces",
                      headers_of(others), others.text(), interval_us, interval_us));
      return;
    }
    const bool is_one = others.min == others.max;
    throw Error(
        {.code = ErrorCode::input,
         .problem = fmt::format("the file header states an interval of {} us, and all {} trace headers state {} us",
                                interval_us, format_count(others.traces), others.text()),
         .where = {.file = to_.file.path},
         .clause = "SEG-Y rev 1, bytes 3217-3218 and trace header bytes 117-118",
         .action = fmt::format("it is unknown which one is correct: give it with --assume interval={}{}, which is then "
                               "written into the file header and all traces",
                               interval_us, is_one ? fmt::format(" or interval={}", others.min) : "")});
  }

  const RepairContext& to_;
  const StatedLengths::Found& found_;
  RepairResult& result_;
};

}  // namespace

void evaluate_stated(const RepairContext& context, const StatedLengths& shapes, const StatedLengths::Found& found,
                     RepairResult& result) {
  StatedLengthsCheck(context, found, result).evaluate(shapes);
}

}  // namespace sill
