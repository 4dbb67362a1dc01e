// Checks that the traces of a gather are the panel of given moveouts, which `radon` makes.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/flow/operation/trace_block.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/formats/segy/words/true_value_writing.hpp"

namespace sill::flow {

/// Local. Throws unless the block has a trace for each of the moveouts, in their order. `word` states them in ms,
/// rounded as `radon` does; equal values in all traces state none. Errors: input.
inline void require_panel(TraceBlock& block, const segy::WordRef& word, std::span<const double> moveouts_s) {
  const auto refuse = [](std::int64_t trace, std::string problem) {
    throw Error({.code = ErrorCode::input,
                 .problem = std::move(problem),
                 .where = {.item = trace + 1, .item_word = "trace"},
                 .action = "give the moveouts of the radon that made the panel, and its traces in their order"});
  };
  if (block.count() != std::ssize(moveouts_s))
    refuse(0, fmt::format("the panel has {} traces, but {} moveouts are given", block.count(), moveouts_s.size()));
  const auto stated = [&](std::int64_t i) { return segy::true_value(word, block.header(i).data(), block.order()); };
  bool is_stated = false;
  for (std::int64_t i = 1; i < block.count(); ++i) is_stated = is_stated || stated(i) != stated(0);
  for (std::int64_t i = 0; is_stated && i < block.count(); ++i) {
    const double given = moveouts_s[static_cast<std::size_t>(i)] * ms_per_s;
    // As `radon` writes it.
    std::vector<std::byte> header(block.header(i).begin(), block.header(i).end());
    segy::write_true_value(word, header.data(), block.order(), given);
    if (stated(i) != segy::true_value(word, header.data(), block.order()))
      refuse(i, fmt::format("the trace has moveout {:g} ms in the word {}, but {:g} ms is given", stated(i), word.name,
                            given));
  }
}

}  // namespace sill::flow
