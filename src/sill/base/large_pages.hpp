// Memory of large pages, for buffers that are filled whole: batches, stages.
#pragma once

#include <cstddef>
#include <span>

namespace sill {

/// Local. Asks the system for large pages beneath memory that was not touched yet: then the first pass over it costs
/// one fault for 2 MiB, not one for 4 KiB, of which each takes as long as copying the page. No page reaches beyond
/// `memory`. A system that has none, or does not give them, does as before.
void prefer_large_pages(std::span<const std::byte> memory) noexcept;

}  // namespace sill
