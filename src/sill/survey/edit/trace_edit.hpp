// Applies an edit to the headers of one trace.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/expression/assignment.hpp"
#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/samples/rescaling.hpp"
#include "sill/formats/segy/words/header_view.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/layout/range.hpp"
#include "sill/survey/edit/match_table.hpp"
#include "sill/survey/edit/renumbering.hpp"

namespace sill {

/// The words of trace headers that an edit sets, and the traces to which it applies.
struct HeaderEdits {
  std::vector<segy::Assignment> assignments;  ///< all assignments use the values before the edit
  std::vector<segy::Rescaling> rescalings;
  std::optional<segy::Expression> where;  ///< a condition; without it, all traces
  const MatchTable* table = nullptr;      ///< the table of the columns in expressions; must outlive the edit
  bool renumber = false;                  ///< bytes 1-4, 5-8 and 25-28: see survey/edit/renumbering.hpp
};

/// The result of an edit for one trace.
enum class TraceFate : std::uint8_t {
  not_chosen,   ///< the condition does not hold
  without_row,  ///< chosen, but the table has no row for it
  unchanged,    ///< chosen; its words already had the new values
  changed
};

/// Applies header edits to the traces of a survey. Functions may be called by several threads.
class TraceEdit {
 public:
  /// Local. Prepares the edit of the traces of `reader`. `reader` and `edits` must outlive this object. Errors: usage,
  /// if two edits set the same byte.
  TraceEdit(const SurveyReader& reader, const HeaderEdits& edits);

  /// Local. Returns the range of header bytes of a trace that the edit reads or sets.
  [[nodiscard]] ByteRange needed_bytes() const { return needed_; }
  /// Local. Returns the bytes that the edit may set, from 0 in a trace, in ascending order; adjacent ranges are joined.
  [[nodiscard]] std::span<const ByteRange> targets() const { return targets_; }

  /// The position of a trace, for renumbering: its number in its file, from 1, and the ensemble at the end of the trace
  /// before it, to which the trace is added.
  struct Place {
    std::int64_t in_file = 1;
    EnsembleRun& ensemble;
  };
  /// Local. Sets words in `fresh`, which contains a copy of the trace's needed bytes at `old.header`. Errors: input,
  /// without a position: values that words cannot hold, as Assignment::apply and Rescaling::apply; words that determine
  /// the file layout and would become wrong.
  [[nodiscard]] TraceFate apply(const segy::HeaderView& old, std::byte* fresh, const Place& place) const;

  /// Local. Returns lines that show a trace before and after: the words that are set, and the true values of words
  /// whose scalar is set.
  [[nodiscard]] std::vector<std::string> shown(const segy::HeaderView& old, const std::byte* fresh) const;

  /// Local. Returns true if an assignment sets a scalar, which changes the meaning of other words.
  [[nodiscard]] bool sets_scalar() const { return !scaled_.empty(); }

 private:
  void need(ByteRange bytes);
  void add_word(const segy::WordRef& word);
  void add_target(ByteRange bytes, const std::string& name);
  void find_scaled_words();
  void join_targets();
  void require_same_layout(const segy::HeaderView& old, const std::byte* fresh) const;

  const SurveyReader& reader_;
  const HeaderEdits& edits_;
  ByteRange needed_;
  std::vector<ByteRange> targets_;
  std::vector<segy::WordRef> set_;     // in the order in which they are shown
  std::vector<segy::WordRef> scaled_;  // words whose scalar an assignment sets
  bool may_change_layout_ = false;     // a target overlaps a word that states lengths or names headers
};

}  // namespace sill
