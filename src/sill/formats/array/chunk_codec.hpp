// How the chunks of arrays are stored: rounding, shuffle, compression.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/codec/compressor.hpp"
#include "sill/formats/codec/filters.hpp"

namespace sill {

/// How the chunks of a variable are stored. Text form: what is done, in this order, joined by `+`:
/// "bitround:7+shuffle+zstd:3", "shuffle+deflate", "zstd", "none".
struct ChunkCodec {
  Compression compression = Compression::none;  ///< none, deflate or zstd
  int level = 0;
  bool shuffles = false;  ///< the bytes of elements are sorted by their significance before compression
  int keep_bits = 0;      ///< lossy: the bits of the mantissa to which elements are rounded; 0: all

  /// Local. Parses the text form. Errors: usage.
  [[nodiscard]] static ChunkCodec parse(std::string_view text);
  [[nodiscard]] std::string text() const;
  /// Local. Returns the lossless filters for elements of a type; `deflate`: the filter for deflate, gzip or
  /// zlib, depending on the container.
  [[nodiscard]] std::vector<Filter> filters(ElementType type, Filter::Kind deflate) const;

  friend bool operator==(const ChunkCodec&, const ChunkCodec&) = default;
};

/// The codecs of the variables of a dataset. Text form of an entry: "[VARIABLE=]CODEC"; the codec of an entry without
/// a name is that of all variables that no entry names.
struct ChunkCodecs {
  std::optional<ChunkCodec> all = {};
  std::map<std::string, ChunkCodec> variables = {};

  /// Local. Adds the text form of an entry. Errors: usage.
  void add(std::string_view entry);
  /// Local. Adds the entries of `others`, which replace those of the same name.
  void add(const ChunkCodecs& others);
  [[nodiscard]] std::vector<std::string> entries() const;
  [[nodiscard]] bool empty() const { return !all && variables.empty(); }
  /// Local. Returns the codec of a variable.
  [[nodiscard]] ChunkCodec of(const std::string& variable) const;

  friend bool operator==(const ChunkCodecs&, const ChunkCodecs&) = default;
};

/// Local. Returns the description with the attribute of netCDF that states the rounding of variables. Errors: usage if
/// a codec names a variable that does not exist; if one rounds elements that are not floating-point numbers, or to more
/// bits than they have; if the codec of all variables rounds: coordinates must be exact.
[[nodiscard]] DatasetDescription with_rounding(DatasetDescription description, const ChunkCodecs& codecs);
/// Local. Returns the bits to which the attribute of netCDF states that a variable is rounded; 0: all.
[[nodiscard]] int rounded_bits(const Variable& variable);

/// Local. Returns the grammar of a codec.
[[nodiscard]] std::string_view codec_grammar();

}  // namespace sill
