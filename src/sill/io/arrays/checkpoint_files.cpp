#include "sill/io/arrays/checkpoint_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <utility>

#include "sill/base/crc32.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

constexpr const char* number_attribute = "checkpoint_number";
constexpr const char* blocks_dimension = "checkpoint_blocks";
constexpr std::int64_t block_bytes = 1 << 20;

Error fault_of(const std::string& path, std::string problem) {
  return Error({.code = ErrorCode::input, .problem = std::move(problem), .where = {.file = path}});
}

// Removes the variable of checksums and the number from a description.
void take_checksums(const Resources& resources, CheckpointGeneration& generation) {
  DatasetContents& contents = generation.contents;
  DatasetDescription& description = contents.description;
  const auto number = std::ranges::find(description.attributes, number_attribute, &Attribute::name);
  const bool is_described = number != description.attributes.end() && number->type == ElementType::i4 &&
                            number->count() == 1 && !description.variables.empty() &&
                            description.variables.back().name == checkpoint_checksums && contents.layout;
  if (!is_described) {
    generation.fault = fault_of(generation.path, "it is not a file of a checkpoint");
    return;
  }
  std::int32_t value = 0;
  std::ranges::copy(number->values, std::as_writable_bytes(std::span(&value, 1)).begin());
  generation.number = value;
  const std::size_t v = description.variables.size() - 1;
  const std::int64_t blocks = checksums_of(*contents.layout).blocks();
  if (contents.steps != 1 || !contents.missing.empty() ||
      description.element_bytes(description.variables[v]) != 4 * (blocks + 1)) {
    generation.fault = fault_of(generation.path, "it was not completed");
    return;
  }
  std::vector<std::byte> stored(static_cast<std::size_t>(4 * (blocks + 1)));
  std::uint32_t of_header = 0;
  run_on_rank(resources.comm, 0, [&] {
    const std::unique_ptr<Store> file = resources.open(generation.path, OpenMode::read);
    read_at(*file, contents.layout->begins[v], stored);
    std::vector<std::byte> header(static_cast<std::size_t>(contents.layout->header_bytes));
    read_at(*file, 0, header);
    of_header = crc32_of(header);
  });
  broadcast_all(resources.comm, stored, 0);
  resources.comm.broadcast(std::as_writable_bytes(std::span(&of_header, 1)), 0);
  for (std::size_t i = 0; i < stored.size(); i += 4)
    generation.sums.push_back(load<std::uint32_t>(stored.data() + i, ByteOrder::big));
  if (of_header != generation.sums.front())
    generation.fault = fault_of(generation.path, "it was not completed, or its header is damaged");
  description.variables.pop_back();
  contents.layout->begins.pop_back();
  std::erase_if(description.dimensions, [](const Dimension& each) { return each.name == blocks_dimension; });
  std::erase_if(description.attributes, [](const Attribute& each) { return each.name == number_attribute; });
}

}  // namespace

std::string generation_path(const std::string& path, std::int64_t number) {
  return fmt::format("{}.{}.nc", path, number % 2);
}

DatasetDescription described_generation(DatasetDescription description, std::int64_t number,
                                        const cdf::FileForm& form) {
  for (const Variable& each : description.variables) {
    if (description.has_steps(each)) continue;
    refuse_dataset(
        "",
        fmt::format(
            "variable {} has no steps, which a checkpoint does not allow: each generation contains the complete state",
            each.name),
        "also give this variable the unlimited dimension");
  }
  if (number > std::numeric_limits<std::int32_t>::max())
    refuse_dataset("", "too many generations", "begin another checkpoint");
  description.attributes.emplace_back(number_attribute, static_cast<std::int32_t>(number));
  description.dimensions.push_back({blocks_dimension, 1});
  description.variables.push_back(
      {checkpoint_checksums,
       ElementType::i4,
       {blocks_dimension},
       {{"checksum", fmt::format("CRC-32 of the header, and of each {} bytes from the first step on", block_bytes)}}});
  require_possible(description);
  // The number of blocks does not affect the bytes of the blocks.
  description.dimensions.back().length = checksums_of(cdf::layout_of(description, form)).blocks() + 1;
  return description;
}

BlockChecksums checksums_of(const cdf::FileLayout& layout) {
  return {{layout.records_begin, layout.record_bytes}, block_bytes};
}

std::vector<CheckpointGeneration> checkpoint_generations(const Resources& resources, const std::string& path) {
  std::vector<CheckpointGeneration> found;
  for (const std::int64_t number : {0, 1}) {
    const std::string file = generation_path(path, number);
    if (!value_from_rank(resources.comm, 0, [&] { return std::filesystem::exists(status_at(file)); })) continue;
    CheckpointGeneration& generation = found.emplace_back();
    generation.path = file;
    const std::optional<Error> error = attempt_together(resources.comm, [&] {
      generation.contents = read_contents(resources, file);
      take_checksums(resources, generation);
    });
    if (error) generation.fault = error->code() == ErrorCode::input ? fault_of(file, "it was not completed") : *error;
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &CheckpointGeneration::number);
  return found;
}

void verify_generation(const Resources& resources, CheckpointGeneration& generation) {
  if (generation.fault) return;
  const BlockChecksums blocks = checksums_of(*generation.contents.layout);
  std::atomic<std::int64_t> first_bad{blocks.blocks()};
  const std::optional<Error> error = attempt_together(resources.comm, [&] {
    run_and_agree(resources.comm, [&] {
      const std::unique_ptr<Store> file = resources.open(generation.path, OpenMode::read);
      const std::int64_t file_bytes = file->size_bytes();
      if (file_bytes + 3 < blocks.covered().end()) throw fault_of(generation.path, "the file is truncated");
      const ItemRange mine = block_of(blocks.blocks(), resources.comm.size(), resources.comm.rank());
      std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(resources.threads()));
      parallel_for(resources.threads(), mine.count, [&](std::int64_t task, int thread) {
        const std::int64_t number = mine.first + task;
        const ByteRange range = blocks.block(number);
        std::vector<std::byte>& bytes = buffers[static_cast<std::size_t>(thread)];
        bytes.resize(static_cast<std::size_t>(range.length));
        // The last variable may end before its record does.
        const std::int64_t there = std::min(range.length, file_bytes - range.offset);
        std::ranges::fill(std::span(bytes).subspan(static_cast<std::size_t>(there)), std::byte{0});
        read_at(*file, range.offset, std::span(bytes).first(static_cast<std::size_t>(there)));
        if (crc32_of(bytes) == generation.sums[static_cast<std::size_t>(number) + 1]) return;
        for (std::int64_t bad = first_bad; number < bad && !first_bad.compare_exchange_weak(bad, number);) continue;
      });
    });
  });
  if (error) {
    generation.fault = error;
    return;
  }
  const std::int64_t bad = all_reduce(resources.comm, first_bad, Reduction::min);
  if (bad == blocks.blocks()) return;
  const ByteRange range = blocks.block(bad);
  generation.fault = fault_of(
      generation.path, fmt::format("bytes {} to {} differ from the written bytes", range.offset, range.end() - 1));
}

std::optional<CheckpointGeneration> newest_whole_generation(const Resources& resources, const std::string& path) {
  std::vector<CheckpointGeneration> found = checkpoint_generations(resources, path);
  std::string faults;
  for (CheckpointGeneration& each : found) {
    verify_generation(resources, each);
    if (!each.fault) {
      if (!faults.empty()) note(resources, fmt::format("{} is used: {}", each.path, faults));
      return std::move(each);
    }
    faults += fmt::format("{}{}: {}", faults.empty() ? "" : "; ", each.path, each.fault->parts().problem);
  }
  if (found.empty()) return std::nullopt;
  for (const CheckpointGeneration& each : found) {
    if (each.fault->code() != ErrorCode::input) throw Error(*each.fault);  // all ranks have the same error
  }
  return run_and_agree(resources.comm, [&]() -> std::optional<CheckpointGeneration> {
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("no generation of the checkpoint is intact: {}", faults),
                 .where = {.file = path},
                 .action = "restart from another checkpoint; the remaining data can be read as netCDF"});
  });
}

DatasetContents contents_of_dataset(const Resources& resources, const std::string& path, ListedFiles listed) {
  bool is_checkpoint = container_for(resources, path) == Container::checkpoint;
  if (!is_checkpoint) {  // unless the program selected it without the ending
    is_checkpoint = value_from_rank(resources.comm, 0, [&] {
      const auto exists = [](const std::string& file) { return std::filesystem::exists(status_at(file)); };
      const bool has_other_file = dataset_named(resources, path) != path || exists(path);
      return !has_other_file && (exists(generation_path(path, 0)) || exists(generation_path(path, 1)));
    });
  }
  if (!is_checkpoint) return read_contents(resources, path, listed);
  std::optional<CheckpointGeneration> newest = newest_whole_generation(resources, path);
  return run_and_agree(resources.comm, [&] {
    if (newest) return std::move(newest->contents);
    throw Error({.code = ErrorCode::io,
                 .problem = "no file of this checkpoint exists",
                 .where = {.file = generation_path(path, 1)},
                 .action = "start without a checkpoint, or name another one",
                 .system_error_number = ENOENT});
  });
}

}  // namespace sill
