// The options and the result of a repair.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/base/diagnostic.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/survey/repair/incomplete_trace.hpp"

namespace sill {

struct RepairOptions {
  std::string input = {};
  std::string output = {};
  std::optional<ByteOrder> byte_order = {};     ///< default: as the traces are read; big for words swapped in pairs
  std::optional<segy::Revision> revision = {};  ///< default: as the file is read, or as assumed
  std::optional<LastTrace> last_trace = {};     ///< treatment of a last trace that was cut; if not set, such a trace is
                                                ///< an error
  bool renumber = false;                        ///< survey/edit/renumbering.hpp
  std::string history = {};                     ///< a line that is added to the text header, or empty
  bool dry_run = false;                         ///< nothing is written
};

/// One repaired property.
struct Repair {
  std::string what;    ///< "samples per trace"
  std::string where;   ///< "bytes 3221-3222", "bytes 115-116 of 7 trace headers, the first of trace 1"
  std::string before;  ///< as text
  std::string after;
  std::string why;  ///< the evidence
};

struct RepairResult {
  std::int64_t traces_in = 0;   ///< complete traces; -1 for a copy in text mode, before it is undone
  std::int64_t traces_out = 0;  ///< -1 if unknown without writing
  std::int64_t output_bytes = 0;
  std::vector<Repair> repairs = {};   ///< empty for a sound file
  std::vector<Diagnostic> left = {};  ///< findings of grade minor or worse about the output, which no repair removes
  std::vector<std::string> notes = {};
  std::optional<segy::FileDescription> after = {};  ///< description of the output, which is described again; not set in
                                                    ///< a dry run
};

}  // namespace sill
