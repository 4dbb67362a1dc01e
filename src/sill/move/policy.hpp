// Who moves bytes, and how. A policy never changes what a file holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sill {

/// Values on the axes of a policy. Text form: a preset (`direct`, `staged`) or axes `writers=all,stage=0,threads=2`, or
/// a preset followed by axes that change it.
struct Policy {
  enum class Writers {
    all,    ///< every rank writes what it holds
    first,  ///< the lowest rank that holds data of a file writes all of it
  };
  enum class Sync {
    never,  ///< the system writes back when it likes
    close,  ///< a file is on stable storage before it takes its name
  };

  Writers writers = Writers::all;
  std::int64_t stage_bytes = 0;  ///< 0: a request per extent; else extents are coalesced in a buffer of this size
  Sync sync = Sync::never;
  int threads = 0;  ///< workers a rank; 0: the cores it has

  /// Local. Errors: usage, with the grammar, for what is no policy; usage for axes and values that this version of Sill
  /// does not have yet.
  [[nodiscard]] static Policy parse(std::string_view text);
  /// Local. The text form with every axis; `parse` of it gives an equal policy.
  [[nodiscard]] std::string text() const;

  friend bool operator==(const Policy&, const Policy&) = default;
};

/// Local. The grammar of policy texts, for help and messages.
[[nodiscard]] std::string policy_grammar();

}  // namespace sill
