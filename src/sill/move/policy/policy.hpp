// Who moves bytes, and how. A policy never changes what a file holds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sill {

/// Values on the axes of a policy (docs/policies.md). Text form: a preset, axes such as
/// `writers=all,stage=0,threads=2`, or a preset followed by axes that change it; axes that are not named are as in the
/// preset, without one as in `auto`. Each axis is given once. Blanks around commas, `=` and the whole do not count.
/// `Policy{}` is the preset `direct`.
struct Policy {
  /// Who performs the requests of a file.
  enum class Writers {
    all,        ///< every rank what it holds
    root,       ///< rank 0
    first,      ///< the lowest rank that holds data of the file
    elected,    ///< one a file: of the ranks that hold its data, the one with the fewest bytes of other files
    node,       ///< one rank of every node, each for a contiguous part (a file domain)
    number,     ///< `domains` ranks, each for a contiguous part
    automatic,  ///< chosen for each access (PolicyChooser)
  };
  enum class Call {
    posix,             ///< pread and pwrite
    mpiio,             ///< MPI-IO, each rank on its own
    mpiio_collective,  ///< MPI-IO, the ranks that hold data of a file together
  };
  /// Where the boundaries of file domains and of staged requests may lie.
  enum class Align {
    none,
    size,    ///< multiples of `align_bytes`
    stripe,  ///< the stripes or else the blocks that the file system reports
    automatic,
  };
  enum class Sync {
    never,  ///< the system writes back when it likes
    close,  ///< a file is on stable storage when it has been closed
    phase,  ///< and after every collective write
  };

  Writers writers = Writers::all;
  int domains = 0;  ///< with Writers::number: how many, at least 1; else 0
  static constexpr std::int64_t automatic_stage = -1;
  /// 0: a request per extent; else extents are coalesced in a buffer of this size, 512 to 1 GiB, or `automatic_stage`.
  std::int64_t stage_bytes = 0;
  Call call = Call::posix;
  Align align = Align::none;
  std::int64_t align_bytes = 0;  ///< with Align::size: at least 1; else 0
  int stripe_count = 0;          ///< stripes of files that are created; 0: as the file system does
  std::int64_t stripe_bytes = 0;
  Sync sync = Sync::never;
  static constexpr int max_async = 64;
  int async = 0;    ///< phases in flight: collective writes that may be unfinished when the call returns
  int threads = 0;  ///< workers per rank; 0: the cores it has
  /// A folder through which what is written goes first (BurstLog); empty: none. With it `async` is at least 1.
  std::string burst = {};
  static constexpr int burst_async = 16;  ///< phases in flight where `burst` is given and `async` is not

  /// Local. The preset `auto`: writers, stages and alignment are chosen for each access.
  [[nodiscard]] static Policy automatic();
  /// Local. Whether any axis is to be chosen.
  [[nodiscard]] bool is_automatic() const;
  /// Local. This policy with its automatic axes as in `direct`.
  [[nodiscard]] Policy plainest() const;
  /// Local. Whether `other` has the same values on all axes but those that are automatic here.
  [[nodiscard]] bool allows(const Policy& other) const;
  /// Local. Errors: usage, with the grammar, for what is no policy and for values that contradict each other.
  [[nodiscard]] static Policy parse(std::string_view text);
  /// Local. For policies that were not parsed. Errors: usage for values out of bounds or that contradict each other.
  void check() const;
  /// Local. Whether a collective write has taken all it needs of its caller's memory when it returns, without copies
  /// for requests in flight: they are done, or in a log.
  [[nodiscard]] bool takes_memory_at_once() const { return async == 0 || !burst.empty(); }
  /// Local. Whether requests behind a collective write may work from memory that was lent to it: each rank writes what
  /// it holds, as it lies. With any other policy lent memory is free when the write returns.
  [[nodiscard]] bool keeps_lent_memory() const;
  /// Local. Whether a rank may write what it holds whenever it likes (Mover::write_own). If not, ranks write together.
  [[nodiscard]] bool writes_own() const;
  /// Local. Whether a file that one rank alone holds is written by that rank.
  [[nodiscard]] bool owners_write() const;
  /// Local. Whether what was written is on stable storage once it is closed, names included.
  [[nodiscard]] bool is_durable() const { return sync != Sync::never; }
  /// Local. The stage that is named, or `unnamed_bytes` if none is.
  [[nodiscard]] std::int64_t stage_or(std::int64_t unnamed_bytes) const {
    return stage_bytes > 0 ? stage_bytes : unnamed_bytes;
  }
  /// Local. The text form with every axis; `parse` of it gives an equal policy.
  [[nodiscard]] std::string text() const;
  /// Local. The axes that differ from those of `other`, in the same form; empty if none do.
  [[nodiscard]] std::string changes_from(const Policy& other) const;
  /// Local. As one would write it: "auto", "sync=close", "direct,async=2". `parse` of it gives an equal policy.
  [[nodiscard]] std::string short_text() const;
  /// Local. The axes that differ from those of `direct`, or "direct".
  [[nodiscard]] std::string brief() const;

  friend bool operator==(const Policy&, const Policy&) = default;
};

/// A preset: a name for values on the axes.
struct PolicyPreset {
  std::string_view name;
  Policy policy;
  std::string_view meaning;  ///< one line
};

/// Local. All presets, the plainest first.
[[nodiscard]] std::span<const PolicyPreset> policy_presets();

/// An axis, as described to users.
struct PolicyAxis {
  std::string_view name;
  std::string_view values;   ///< its grammar
  std::string_view meaning;  ///< one line
};

/// Local. All axes, in the order of the text form.
[[nodiscard]] std::span<const PolicyAxis> policy_axes();

/// What a policy says on one axis.
struct PolicyValue {
  std::string_view axis;
  std::string value;    ///< as in the text form
  std::string meaning;  ///< in words
};

/// Local. What `policy` says on every axis, in the order of the text form.
[[nodiscard]] std::vector<PolicyValue> values_of(const Policy& policy);

/// Local. The grammar of policy texts, for help and messages.
[[nodiscard]] std::string policy_grammar();

}  // namespace sill
