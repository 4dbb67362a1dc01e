// What a repair is to do, and what it did.
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
  std::optional<segy::Revision> revision = {};  ///< default: as the file is read, or assumed
  std::optional<LastTrace> last_trace = {};  ///< what becomes of a last trace that was cut; without it that is an error
  bool renumber = false;                     ///< survey/edit/renumbering.hpp
  std::string history = {};                  ///< a line to be added to the text header, or empty
  bool dry_run = false;                      ///< nothing is written
};

/// One thing that was repaired.
struct Repair {
  std::string what;    ///< "samples per trace"
  std::string where;   ///< "bytes 3221-3222", "bytes 115-116 of 7 trace headers, the first of trace 1"
  std::string before;  ///< as text
  std::string after;
  std::string why;  ///< the evidence
};

struct RepairResult {
  std::int64_t traces_in = 0;   ///< whole ones; -1 of a copy as text, before it is undone
  std::int64_t traces_out = 0;  ///< -1 if it is not known without writing
  std::int64_t output_bytes = 0;
  std::vector<Repair> repairs = {};   ///< none of a sound file
  std::vector<Diagnostic> left = {};  ///< findings of grade minor or worse about the output, which no repair touches
  std::vector<std::string> notes = {};
  std::optional<segy::FileDescription> after = {};  ///< of the output, which was described anew; nothing of a dry run
};

}  // namespace sill
