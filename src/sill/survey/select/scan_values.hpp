// Listing the distinct values of keys with how many traces have them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sill/formats/segy/words/key.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// Called with one value of each key and the number of traces that have them.
using ValuesVisitor = std::function<void(std::span<const segy::WordValue> values, std::int64_t traces)>;

/// Collective. Calls `visit`, on rank 0, with all different values of `keys` (of several, all different tuples) among
/// `traces`, in the order of the keys. Of equal values (0 and -0) that of the first trace is given. Reads the header
/// bytes that the keys need once, and one header of each tuple again. Errors: usage without keys, for keys that take
/// more than 64 bytes, or if half the memory of a rank does not hold the tuples; io; input if a trace has no such key;
/// what `visit` throws.
void scan_values(const Resources& resources, const SurveyReader& reader, ItemRange traces,
                 std::span<const segy::TraceKey> keys, const ValuesVisitor& visit);

}  // namespace sill
