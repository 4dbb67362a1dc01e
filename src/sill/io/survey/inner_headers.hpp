// Joined SEG-Y files: file headers among the traces.
#pragma once

#include <cstdint>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/layout/range.hpp"

namespace sill {

/// File headers after the first one, and whether the traces after each have the form of the first traces.
struct InnerHeaders {
  std::vector<ByteRange> bytes;  ///< ranges of text header, binary header and extended text headers
  bool alike = true;             ///< byte order, sample format, samples and interval are the same
};

/// Collective. Searches for inner headers if the size of the file permits some: if traces of one length fill the file
/// except for the bytes of headers; or if the header is as long as a number of complete traces, and bytes 1-4 and 5-8
/// do not number the traces consecutively. The search reads 4 bytes of each trace, each rank its share; without it at
/// most 240 bytes of the last trace are read. Errors: io.
[[nodiscard]] InnerHeaders find_inner_headers(const Resources& resources, Store& store,
                                              const segy::FileDescription& file);

}  // namespace sill
