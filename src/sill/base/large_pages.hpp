// Large memory pages for buffers that are filled completely, such as batches and stages.
#pragma once

#include <cstddef>
#include <span>

namespace sill {

/// Local. Asks the system for large pages for memory that was not touched yet. The first pass over the memory then
/// costs one fault per 2 MiB instead of one per 4 KiB; each fault takes as long as copying the page. No page extends
/// beyond `memory`. On a system without large pages nothing changes.
void prefer_large_pages(std::span<const std::byte> memory) noexcept;

}  // namespace sill
