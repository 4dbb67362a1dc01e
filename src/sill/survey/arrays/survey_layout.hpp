// A survey described as arrays: the variables of its dataset, and the data that each contains for a trace.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/formats/segy/words/word.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/arrays/trace_grid.hpp"

namespace sill {

/// The version of the layout, in the attribute `sill_survey` of a dataset.
inline constexpr std::int64_t survey_layout_version = 1;

/// A field of a structured type: bytes of a trace header, little-endian.
struct MdioField {
  std::string name;
  int byte = 1;  ///< from 1 in the trace
  segy::WordType type = {};
};

/// Local. Returns the fields that MDIO has for trace headers: bytes 1-232 as integers, with the names of SEG-Y revision
/// 1.
[[nodiscard]] std::vector<MdioField> mdio_fields();
/// Local. Returns the size in bytes of a structured type with these fields, and its text in the metadata of Zarr.
[[nodiscard]] std::int64_t bytes_of_fields(const std::vector<MdioField>& fields);
[[nodiscard]] std::string zarr_type_of_fields(const std::vector<MdioField>& fields);

/// A variable that holds elements of each trace.
struct CellVariable {
  enum class Kind : std::uint8_t {
    samples,
    trace,    ///< number of the trace, -1 for none
    mask,     ///< 1 for a trace
    headers,  ///< all header bytes
    word,
    fields,  ///< mdio_fields()
    x,       ///< cdpx in true units
    y
  };
  Kind kind = Kind::word;
  std::string name;
  ElementType type = ElementType::i4;
  std::int64_t elements = 0;  ///< per trace, in a dimension of their own; 0: one element, without such a dimension
  int byte = 0;               ///< of a word of a file, from 1 in the trace
  segy::WordType word = {};   ///< of a word of a file

  [[nodiscard]] std::int64_t bytes() const { return std::max<std::int64_t>(1, elements) * bytes_of(type); }
};

/// Local. Returns the element type that holds every value of a sample format, and the format of samples in memory:
/// floats of 4 bytes for IBM floats.
[[nodiscard]] ElementType element_type_of(segy::SampleFormat format);
[[nodiscard]] segy::SampleFormat memory_format_of(segy::SampleFormat format);
/// Local. Returns the name of a sample format on the command line.
[[nodiscard]] std::string word_of(segy::SampleFormat format);

/// Local. Returns the checksum of the values of a coordinate, or of a text, that are not written back.
[[nodiscard]] std::string checksum_of(std::span<const std::byte> bytes);
/// The attribute of a dataset with the checksum of NAME is called `sill_checksum_NAME`.
inline constexpr std::string_view checksum_prefix = "sill_checksum_";

/// Local. Returns the word whose true value is a coordinate of MDIO: bytes 181-188, with the scalar in 71-72.
[[nodiscard]] inline segy::WordRef word_of_coordinate(CellVariable::Kind kind) {
  return segy::HeaderMap::standard().word(kind == CellVariable::Kind::x ? "cdpx" : "cdpy");
}

/// The arrays of traces, and the bytes around the traces.
struct SurveyArrays {
  std::vector<CellVariable> variables = {};  ///< over the dimensions of the traces
  Index shape = {};                          ///< of the dimensions of the traces
  std::vector<std::byte> file_header = {};
  std::vector<std::byte> file_trailer = {};  ///< all bytes after the last trace

  /// Local. Returns the bytes that all variables have for each trace.
  [[nodiscard]] std::int64_t cell_bytes() const;
};

struct SurveyLayout : SurveyArrays {
  DatasetDescription description = {};
  std::vector<double> axis = {};  ///< positions of the samples
  std::string axis_name = {};
};

/// Local. Returns true for the name of a dataset with the names and the layout of MDIO.
[[nodiscard]] inline bool is_mdio(const std::string& path) {
  return path.substr(0, path.find_last_not_of('/') + 1).ends_with(".mdio");
}

/// Collective. Describes the survey of one file; `mdio`: with the names of MDIO version 1. Errors: usage if the traces
/// differ in length, or if the records of the file are wrapped; io.
[[nodiscard]] SurveyLayout layout_of_survey(const Resources& resources, const SurveyReader& reader,
                                            const TraceGrid& grid, const HeaderPass& pass, bool mdio);

/// Local. Returns the maximum number of traces in a window of this variable of samples.
[[nodiscard]] inline std::int64_t cells_of_window(const CellVariable& samples) {
  constexpr std::int64_t max_window_bytes = std::int64_t{32} << 20U;
  return std::max<std::int64_t>(1, max_window_bytes / samples.bytes());
}

/// Local. Returns the part of a variable that consists of the traces of a box, stored at `first`.
[[nodiscard]] ArrayPart part_of_cells(const CellVariable& variable, const Box& cells, std::byte* first);

}  // namespace sill
