// Properties of a file that the user assumes instead of the values in its headers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/description/file_description.hpp"

namespace sill::segy {

/// Assumed properties override the headers of the file; all other properties are detected.
struct Assumptions {
  std::optional<FileKind> kind = {};
  std::optional<ByteOrder> byte_order = {};
  std::optional<int> revision = {};                   ///< 0, 1 or 2
  std::optional<std::int64_t> samples = {};           ///< per trace, at least 1
  std::optional<double> interval_us = {};             ///< microseconds between samples, above 0
  std::optional<int> format_code = {};                ///< a format code of the standard
  std::optional<std::int64_t> first_trace_byte = {};  ///< from 0, as `sill info` prints it
  std::optional<int> extended_text_headers = {};
  std::optional<TextEncoding> text_encoding = {};  ///< encoding of the text header
  std::optional<bool> lengths_vary = {};           ///< each trace has the length that its own header states
  std::optional<Domain> domain = {};               ///< the axis of the samples
  std::vector<std::string> stated = {};            ///< each assumption as the user wrote it, "samples=751"

  [[nodiscard]] bool empty() const { return stated.empty(); }

  /// Local. Adds assumptions such as "byte_order=little,revision=1". Errors: usage, for unknown names (with similar
  /// names), values that no file can have, and a name that is already assumed.
  void add(std::string_view text);
};

/// Local. Returns the names and values that `Assumptions::add` reads, for help texts.
[[nodiscard]] std::string assumption_grammar();

/// Local. Throws Error(usage) if the assumptions cannot be true for a file of `file_bytes` bytes.
void require_possible(const Assumptions& assume, const std::string& path, std::int64_t file_bytes);

}  // namespace sill::segy
