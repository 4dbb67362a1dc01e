// The hints that MPI-IO reports, summarized for many files.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace sill {

/// A hint that no MPI implementation defines. An MPI that returns it only repeats the request, as Open MPI 4.1 does;
/// MPICH 4.0 returns the values that ROMIO uses.
inline constexpr const char* unknown_mpiio_hint = "sill_unknown_hint";

/// The state of one hint of an open file, as reported by MPI.
struct MpiioHint {
  std::string name;
  std::string asked;
  std::string in_effect;  ///< empty if MPI reports no value

  friend bool operator==(const MpiioHint&, const MpiioHint&) = default;
};

/// The hints of an open file, as reported by MPI (MPI_File_get_info, MPI 3.1 section 13.2.8).
struct MpiioHintsInEffect {
  std::vector<MpiioHint> hints;
  /// True if MPI also returns a hint that no implementation defines: it only repeats the request, so the reported
  /// values do not show the effect.
  bool is_echo = false;

  friend bool operator==(const MpiioHintsInEffect&, const MpiioHintsInEffect&) = default;
};

/// A short report on the hints of many files. Several threads may add.
class MpiioHintReport {
 public:
  struct Line {
    MpiioHintsInEffect hints;
    std::int64_t files = 0;  ///< number of openings
    std::string first;       ///< the file that was opened first
  };

  /// Local. Adds the opening of a file.
  void add(const std::string& path, const MpiioHintsInEffect& hints);
  /// Local. Returns one line per distinct set of hints in effect.
  [[nodiscard]] std::vector<Line> lines() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Line> lines_;
};

/// Local. Returns the hints as text: "cb_nodes 2 (requested 4), cb_buffer_size 16777216 as requested".
[[nodiscard]] std::string text_of(const MpiioHintsInEffect& hints);

}  // namespace sill
