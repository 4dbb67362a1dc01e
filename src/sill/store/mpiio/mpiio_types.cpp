#include "sill/store/mpiio/mpiio_types.hpp"

#include <fmt/format.h>

#include <utility>

#include "sill/base/error.hpp"

namespace sill {
namespace {

void require_success(int status, const char* call) {
  if (status != MPI_SUCCESS) throw Error({.code = ErrorCode::io, .problem = fmt::format("{} failed", call)});
}

// Returns repetition `index` of the outermost step, without that step.
Extent repetition(const Extent& extent, std::int64_t index) {
  const Step& step = extent.steps.front();
  Extent one{.file = extent.file,
             .offset_bytes = extent.offset_bytes + index * step.file_stride_bytes,
             .run_bytes = extent.run_bytes,
             .steps = Steps(std::span(extent.steps.begin() + 1, extent.steps.end()))};
  if (extent.memory != nullptr) one.memory = extent.memory + index * step.memory_stride_bytes;
  return one;
}

void add_part(const Extent& extent, ByteRange packed, std::vector<Extent>& result) {
  if (packed.empty()) return;
  if (packed.length == extent.total_bytes()) {
    result.push_back(extent);
    return;
  }
  if (extent.steps.empty()) {
    std::byte* memory = extent.memory == nullptr ? nullptr : extent.memory + packed.offset;
    result.push_back(contiguous(extent.file, {extent.offset_bytes + packed.offset, packed.length}, memory));
    return;
  }
  // The end of a repetition, complete repetitions, the beginning of another.
  const std::int64_t inside = extent.total_bytes() / extent.steps.front().count;
  std::int64_t first = packed.offset / inside;
  const std::int64_t last = (packed.end() - 1) / inside;
  const std::int64_t from = packed.offset - first * inside;
  const std::int64_t until = packed.end() - last * inside;
  if (first == last) {
    add_part(repetition(extent, first), {from, packed.length}, result);
    return;
  }
  if (from > 0) {
    add_part(repetition(extent, first), {from, inside - from}, result);
    ++first;
  }
  const std::int64_t whole = last - first + (until == inside ? 1 : 0);
  if (whole > 0) {
    Extent middle = repetition(extent, first);
    if (whole > 1) {
      middle.steps = extent.steps;
      middle.steps[0].count = whole;
    }
    result.push_back(std::move(middle));
  }
  if (until < inside) add_part(repetition(extent, last), {0, until}, result);
}

MpiType nested_vector(const Extent& extent) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  require_success(MPI_Type_contiguous(static_cast<int>(extent.run_bytes), MPI_BYTE, &made), "MPI_Type_contiguous");
  MpiType type(made);
  for (std::size_t i = extent.steps.size(); i-- > 0;) {
    const Step& step = extent.steps[i];
    require_success(MPI_Type_create_hvector(static_cast<int>(step.count), 1, step.file_stride_bytes, type.get(), &made),
                    "MPI_Type_create_hvector");
    type = MpiType(made);  // MPI retains the inner type as long as it needs it
  }
  return type;
}

}  // namespace

std::vector<Extent> extents_of(std::span<const Part> parts) {
  std::vector<Extent> result;
  for (const Part& part : parts) add_part(*part.extent, part.packed, result);
  return result;
}

MpiType::MpiType(MpiType&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}

MpiType& MpiType::operator=(MpiType&& other) noexcept {
  std::swap(type_, other.type_);
  return *this;
}

MpiType::~MpiType() {
  if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

MpiType file_type(std::span<const Extent> extents, std::int64_t base) {
  std::vector<MpiType> owned;
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Aint> places;
  for (const Extent& extent : extents) {
    owned.push_back(nested_vector(extent));
    types.push_back(owned.back().get());
    places.push_back(extent.offset_bytes - base);
  }
  const std::vector<int> ones(types.size(), 1);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  require_success(
      MPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), places.data(), types.data(), &made),
      "MPI_Type_create_struct");
  MpiType type(made);
  require_success(MPI_Type_commit(&made), "MPI_Type_commit");
  return type;
}

MpiType file_type(std::span<const ByteRange> runs, std::int64_t base) {
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  for (const ByteRange& run : runs) {
    lengths.push_back(static_cast<int>(run.length));
    places.push_back(run.offset - base);
  }
  MPI_Datatype made = MPI_DATATYPE_NULL;
  require_success(
      MPI_Type_create_hindexed(static_cast<int>(runs.size()), lengths.data(), places.data(), MPI_BYTE, &made),
      "MPI_Type_create_hindexed");
  MpiType type(made);
  require_success(MPI_Type_commit(&made), "MPI_Type_commit");
  return type;
}

}  // namespace sill
