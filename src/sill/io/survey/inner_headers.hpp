// SEG-Y files that were joined: file headers among the traces.
#pragma once

#include <cstdint>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/layout/range.hpp"

namespace sill {

/// File headers after the first, and whether the traces after each are as those of the first.
struct InnerHeaders {
  std::vector<ByteRange> bytes;  ///< text and binary header, and extended text headers
  bool alike = true;             ///< byte order, sample format, samples and interval are the same
};

/// Collective. Looks for inner headers if there may be some: if traces of one length fill the file except for the bytes
/// of headers; or if the header is as long as a number of whole traces, and bytes 1-4 and 5-8 do not number the traces
/// consecutively. Then it reads 4 bytes of each trace, each rank its share; otherwise at most 240 of the last trace.
/// Errors: io.
[[nodiscard]] InnerHeaders find_inner_headers(const Resources& resources, Store& store,
                                              const segy::FileDescription& file);

}  // namespace sill
