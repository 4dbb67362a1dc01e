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

/// Collective. Looks for them where there may be some: traces of one length do not fill the file but for the bytes of
/// headers; or the header is as long as whole traces, and the traces are not numbered through at bytes 1-4 or 5-8.
/// Reads 4 bytes of each trace then, each rank its share, else 240 of the last trace at most. Errors: io.
[[nodiscard]] InnerHeaders find_inner_headers(const Resources& resources, Store& store,
                                              const segy::FileDescription& file);

}  // namespace sill
