// What an edit makes of the headers of one trace.
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

/// The words of trace headers that an edit sets, and of which traces.
struct HeaderEdits {
  std::vector<segy::Assignment> assignments;  ///< all from the values before the edit
  std::vector<segy::Rescaling> rescalings;
  std::optional<segy::Expression> where;  ///< a condition; all traces without one
  const MatchTable* table = nullptr;      ///< the rows that columns are of; outlives the edit
  bool renumber = false;                  ///< bytes 1-4, 5-8 and 25-28: see survey/edit/renumbering.hpp
};

/// What became of a trace.
enum class TraceFate : std::uint8_t {
  not_chosen,   ///< the condition does not hold
  without_row,  ///< chosen, but the table has no row for it
  unchanged,    ///< chosen; its words had their values already
  changed
};

/// Header edits as they are applied to the traces of a survey. Functions may be called by several threads.
class TraceEdit {
 public:
  /// Local. `reader` and `edits` outlive it. Errors: usage, if two edits set the same byte.
  TraceEdit(const SurveyReader& reader, const HeaderEdits& edits);

  /// Local. The bytes of a trace's headers that it looks at or sets: one range.
  [[nodiscard]] ByteRange needed_bytes() const { return needed_; }
  /// Local. The bytes that it may set, from 0 in a trace, ascending and apart; neighbours are joined.
  [[nodiscard]] std::span<const ByteRange> targets() const { return targets_; }

  /// Local. Sets the words of the trace whose needed bytes are at `fresh` as they are at `old.header`. For
  /// renumbering, `place` is the number of the trace in its file, from 1, and the ensemble that the trace before it
  /// ends, to which it is added.
  struct Place {
    std::int64_t in_file = 1;
    EnsembleRun& ensemble;
  };
  /// Errors: input, without a place: values that words cannot hold, as Assignment::apply and Rescaling::apply; words
  /// that decide where the file's bytes lie and would then be wrong.
  [[nodiscard]] TraceFate apply(const segy::HeaderView& old, std::byte* fresh, const Place& place) const;

  /// Local. Lines that show a trace before and after: the words that are set, and the true values of words whose scalar
  /// is set.
  [[nodiscard]] std::vector<std::string> shown(const segy::HeaderView& old, const std::byte* fresh) const;

  /// Local. Whether a scalar is set by an assignment: the meaning of other words changes with it.
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
  std::vector<segy::WordRef> set_;     // in the order they are shown in
  std::vector<segy::WordRef> scaled_;  // by a scalar that an assignment sets
  bool may_change_layout_ = false;     // a target lies on a word that states lengths or names headers
};

}  // namespace sill
