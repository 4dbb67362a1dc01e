// Determines which rank moves bytes, and how. A policy never changes the content of a file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sill {

/// Values on the axes of a policy (docs/policies.md). Text form: a preset, axes such as
/// `writers=all,stage=0,threads=2`, or a preset followed by axes that override it. Axes that are not named have their
/// value in the preset, or in `auto` if no preset is named. An axis must not occur twice. Blanks at both ends and
/// around commas and `=` are ignored. `Policy{}` is the preset `direct`.
struct Policy {
  /// The ranks that perform the requests of a file.
  enum class Writers {
    all,        ///< every rank for the data that it holds
    root,       ///< rank 0
    first,      ///< the lowest rank that holds data of the file
    elected,    ///< one rank per file: of the ranks that hold its data, the one with the fewest bytes of other files
    node,       ///< one rank of every node, each for a contiguous range (a file domain)
    number,     ///< `domains` ranks, each for a contiguous range
    automatic,  ///< chosen for each access (PolicyChooser)
  };
  enum class Call {
    posix,             ///< pread and pwrite
    mpiio,             ///< MPI-IO, each rank independently
    mpiio_collective,  ///< collective MPI-IO over the ranks that hold data of a file
  };
  /// The permitted boundaries of file domains and of staged requests.
  enum class Align {
    none,
    size,    ///< multiples of `align_bytes`
    stripe,  ///< the stripes that the file system reports, or its blocks if it reports no stripes
    automatic,
  };
  enum class Sync {
    never,  ///< the system decides when to write back
    close,  ///< a file is on stable storage when it has been closed
    phase,  ///< as `close`, and also after every collective write
  };

  Writers writers = Writers::all;
  int domains = 0;  ///< with Writers::number: number of writers, at least 1; otherwise 0
  static constexpr std::int64_t automatic_stage = -1;
  /// 0: one request per extent; otherwise extents are coalesced in a buffer of this size, 512 bytes to 1 GiB, or of
  /// `automatic_stage`.
  std::int64_t stage_bytes = 0;
  Call call = Call::posix;
  Align align = Align::none;
  std::int64_t align_bytes = 0;  ///< with Align::size: at least 1; otherwise 0
  int stripe_count = 0;          ///< stripes of files that are created; 0: the default of the file system
  std::int64_t stripe_bytes = 0;
  Sync sync = Sync::never;
  static constexpr int max_async = 64;
  int async = 0;    ///< phases in flight: collective writes that may be unfinished when the call returns
  int threads = 0;  ///< workers per rank; 0: as many as the rank has cores
  /// A folder to which written data goes first (BurstLog); empty: none. If it is set, `async` is at least 1.
  std::string burst = {};
  static constexpr int burst_async = 16;  ///< phases in flight if `burst` is given and `async` is not

  /// Local. Returns the preset `auto`: writers, stages and alignment are chosen for each access.
  [[nodiscard]] static Policy automatic();
  /// Local. Returns true if any axis is automatic.
  [[nodiscard]] bool is_automatic() const;
  /// Local. Returns this policy with its automatic axes set to their values in `direct`.
  [[nodiscard]] Policy plainest() const;
  /// Local. Returns true if `other` has the same values on all axes except the axes that are automatic here.
  [[nodiscard]] bool allows(const Policy& other) const;
  /// Local. Returns the policy that `text` describes. Errors: usage if the text is not a policy or if values contradict
  /// each other.
  [[nodiscard]] static Policy parse(std::string_view text);
  /// Local. Checks a policy that was not parsed. Errors: usage if values are out of bounds or contradict each other.
  void check() const;
  /// Local. Returns true if a collective write has read all of its caller's memory when it returns, without copies for
  /// requests in flight: the requests are done, or their bytes are in a log.
  [[nodiscard]] bool takes_memory_at_once() const { return async == 0 || !burst.empty(); }
  /// Local. Returns true if requests may still use memory that was lent to a collective write after the write has
  /// returned: each rank writes the data that it holds, directly from memory. With any other policy lent memory is free
  /// when the write returns.
  [[nodiscard]] bool keeps_lent_memory() const;
  /// Local. Returns true if a rank may write its data at any time (Mover::write_own). Otherwise ranks write
  /// collectively.
  [[nodiscard]] bool writes_own() const;
  /// Local. Returns true if a file whose data only one rank holds is written by that rank.
  [[nodiscard]] bool owners_write() const;
  /// Local. Returns true if written files, including their names, are on stable storage once they are closed.
  [[nodiscard]] bool is_durable() const { return sync != Sync::never; }
  /// Local. Returns the stage size of this policy, or `unnamed_bytes` if it has none.
  [[nodiscard]] std::int64_t stage_or(std::int64_t unnamed_bytes) const {
    return stage_bytes > 0 ? stage_bytes : unnamed_bytes;
  }
  /// Local. Returns the text form with every axis; `parse` of the text returns an equal policy.
  [[nodiscard]] std::string text() const;
  /// Local. Returns the axes whose values differ from those in `other`, in the text form; empty if none differ.
  [[nodiscard]] std::string changes_from(const Policy& other) const;
  /// Local. Returns the shortest usual form: "auto", "sync=close", "direct,async=2". `parse` of the text returns an
  /// equal policy.
  [[nodiscard]] std::string short_text() const;
  /// Local. Returns the axes whose values differ from those in `direct`; "direct" if none differ.
  [[nodiscard]] std::string brief() const;

  friend bool operator==(const Policy&, const Policy&) = default;
};

/// A preset: a name for values on the axes.
struct PolicyPreset {
  std::string_view name;
  Policy policy;
  std::string_view meaning;  ///< one line
};

/// Local. Returns all presets.
[[nodiscard]] std::span<const PolicyPreset> policy_presets();

/// An axis, as described to users.
struct PolicyAxis {
  std::string_view name;
  std::string_view values;   ///< the grammar of its values
  std::string_view meaning;  ///< one line
};

/// Local. Returns all axes, in the order of the text form.
[[nodiscard]] std::span<const PolicyAxis> policy_axes();

/// The value of a policy on one axis.
struct PolicyValue {
  std::string_view axis;
  std::string value;    ///< as in the text form
  std::string meaning;  ///< in words
};

/// Local. Returns the value of `policy` on every axis, in the order of the text form.
[[nodiscard]] std::vector<PolicyValue> values_of(const Policy& policy);

/// What errors in texts of policies advise.
inline constexpr std::string_view see_policies = "see `sill policies`";

}  // namespace sill
