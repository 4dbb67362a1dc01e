// What the user says that a file is, over what its headers state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/description/file_description.hpp"

namespace sill::segy {

/// What is given here counts, whatever the file says; the rest is found out as ever.
struct Assumptions {
  std::optional<FileKind> kind = {};
  std::optional<ByteOrder> byte_order = {};
  std::optional<int> revision = {};                   ///< 0, 1 or 2
  std::optional<std::int64_t> samples = {};           ///< of each trace, at least 1
  std::optional<double> interval_us = {};             ///< above 0
  std::optional<int> format_code = {};                ///< one of the standard's
  std::optional<std::int64_t> first_trace_byte = {};  ///< from 0, as `sill info` prints it
  std::optional<int> extended_text_headers = {};
  std::optional<TextEncoding> text_encoding = {};  ///< of the text header
  std::optional<bool> lengths_vary = {};           ///< each trace has the length that its own header states
  std::optional<Domain> domain = {};               ///< what the samples lie along
  std::vector<std::string> stated = {};            ///< each as it was written, "samples=751"

  [[nodiscard]] bool empty() const { return stated.empty(); }

  /// Local. Adds "byte_order=little,revision=1" and the like. A name that was given is not given again. Errors: usage
  /// for unknown names (with those that may have been meant), values that no file can have, and a name given twice.
  void add(std::string_view text);
};

/// Local. The names and values that `Assumptions::add` reads, for help texts.
[[nodiscard]] std::string assumption_grammar();

/// Local. Whether the assumptions can be true of a file of so many bytes that is SEG-Y. Errors: usage.
void require_possible(const Assumptions& assume, const std::string& path, std::int64_t file_bytes);

}  // namespace sill::segy
