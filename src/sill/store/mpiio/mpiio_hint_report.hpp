// What MPI-IO says of the hints that it was given, for many files.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace sill {

/// A hint that nobody knows. An MPI that returns it repeats what it is asked, as Open MPI 4.1 does; MPICH 4.0 returns
/// what ROMIO works with.
inline constexpr const char* unknown_mpiio_hint = "sill_unknown_hint";

/// What MPI states of one hint of an open file.
struct MpiioHint {
  std::string name;
  std::string asked;
  std::string in_effect;  ///< empty if MPI states nothing of it

  friend bool operator==(const MpiioHint&, const MpiioHint&) = default;
};

/// What MPI states of the hints of an open file (MPI_File_get_info, MPI 3.1 section 13.2.8).
struct MpiioHintsInEffect {
  std::vector<MpiioHint> hints;
  /// MPI also returns a hint that nobody knows: it repeats what it is asked, which says nothing of the effect.
  bool is_echo = false;

  friend bool operator==(const MpiioHintsInEffect&, const MpiioHintsInEffect&) = default;
};

/// What was reported of many files, in few lines. Several threads may add.
class MpiioHintReport {
 public:
  struct Line {
    MpiioHintsInEffect hints;
    std::int64_t files = 0;  ///< openings
    std::string first;       ///< the file that was opened first
  };

  /// Local.
  void add(const std::string& path, const MpiioHintsInEffect& hints);
  /// Local. A line for each answer that differs from the others.
  [[nodiscard]] std::vector<Line> lines() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Line> lines_;
};

/// Local. In words: "cb_nodes 2 (asked 4), cb_buffer_size 16777216 as asked".
[[nodiscard]] std::string text_of(const MpiioHintsInEffect& hints);

}  // namespace sill
