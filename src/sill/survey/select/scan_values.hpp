// Lists the distinct values of keys with their numbers of traces.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sill/formats/segy/words/key.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// Called with one value of each key and the number of traces that have these values.
using ValuesVisitor = std::function<void(std::span<const segy::WordValue> values, std::int64_t traces)>;

/// Collective. Calls `visit`, on rank 0, with all distinct values of `keys` (with several keys, all distinct tuples)
/// among `traces`, in the order of the keys. Among equal values (0 and -0) the first trace's value is passed. Reads the
/// header bytes that the keys need once, and one header of each tuple again. Errors: usage without keys, for keys that
/// take more than 64 bytes, or if half the memory of a rank does not hold the tuples; io; input if a trace does not
/// have a key; exceptions of `visit`.
void scan_values(const Resources& resources, const SurveyReader& reader, ItemRange traces,
                 std::span<const segy::TraceKey> keys, const ValuesVisitor& visit);

}  // namespace sill
