// Trace numbers from 1 in the order of the traces: bytes 1-4, 5-8 and 25-28 of the trace header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/io/resources.hpp"
#include "sill/io/writer.hpp"
#include "sill/layout/range.hpp"

namespace sill {

/// The bytes of a trace header, from 0, that renumbering sets, and those of the ensemble number, which it looks at.
inline constexpr ByteRange sequence_number_bytes{0, 8};
inline constexpr ByteRange number_in_ensemble_bytes{24, 4};
inline constexpr ByteRange ensemble_number_bytes{20, 4};

/// Local. Sets the trace sequence numbers within the line (bytes 1-4) and within the file (bytes 5-8) to `in_file`, and
/// the number within the ensemble (bytes 25-28) to `in_ensemble`. `header` is the address of byte 1. Errors: input,
/// without a place, for numbers beyond the words.
/// Source: SEG-Y rev 1, trace header bytes 1-8 and 25-28: each file and each ensemble start with one.
void renumber(std::byte* header, ByteOrder order, std::int64_t in_file, std::int64_t in_ensemble);

/// Collective. The number of each own trace within its ensemble, from 1: an ensemble is a run of consecutive traces
/// with one ensemble number (bytes 21-24). `ensembles` are the numbers of this rank's traces; those of all ranks follow
/// one another in rank order. `begins_file` tells of each own trace whether it is the first of a file, which begins an
/// ensemble. Errors: io, for lack of memory.
[[nodiscard]] std::vector<std::int64_t> numbers_in_ensembles(Communicator& comm,
                                                             std::span<const std::int32_t> ensembles,
                                                             const std::function<bool(std::int64_t)>& begins_file);

/// Collective. Renumbers the traces of one file that were written to `writer`, before it is finished. This rank does
/// `own`, counted from 0 in the file; those of the ranks follow one another in rank order. `byte_of` tells where each
/// own trace begins, by its number in the file. Takes 12 bytes a trace as memory, over all ranks.
/// Errors: io; input for numbers beyond the words.
void renumber_written(const Resources& resources, Writer& writer, ItemRange own,
                      const std::function<std::int64_t(std::int64_t)>& byte_of, ByteOrder order);

/// Collective. The same of a writer that knows where its `traces` traces lie, each rank those it has written.
void renumber_written(const Resources& resources, Writer& writer, std::int64_t traces, ByteOrder order);

}  // namespace sill
