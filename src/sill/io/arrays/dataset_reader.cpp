#include "sill/io/arrays/dataset_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <utility>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/formats/array/listed_elements.hpp"
#include "sill/io/arrays/checkpoint_files.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/io/arrays/stored_chunks.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/plan/rows.hpp"
#include "sill/plan/subarray.hpp"

namespace sill {
namespace {

// A request for chunks has several, which threads read together, but fits the caches of the processor.
constexpr std::int64_t chunks_of_request = 8;
constexpr std::int64_t min_chunk_stage_bytes = std::int64_t{4} << 20U;
constexpr std::int64_t max_chunk_stage_bytes = std::int64_t{32} << 20U;
constexpr std::int64_t max_open_files = 256;  // of all variables: processes may often open only 1024
constexpr std::int64_t max_open_of_variable = 8;

// A part of which the file contains only the beginning: in the order of the file, followed by fill values.
struct CutPart {
  std::vector<std::byte> bytes;
  ArrayDecoder* to = nullptr;
};

// Adds the data of an extent in memory that is before the end of the file, and fills the rest. The runs of the extent
// begin at elements.
void add_until(std::int64_t file_bytes, const Extent& extent, const Variable& variable, ElementForm form,
               std::vector<Extent>& extents) {
  const FillEncoder fill(variable, form);
  const std::int64_t size = bytes_of(form.type);
  for_each_run(extent, {0, extent.total_bytes()}, [&](const ExtentRun& run) {
    const std::int64_t before = std::clamp<std::int64_t>(file_bytes - run.in_file.offset, 0, run.in_file.length);
    const std::int64_t held = before / size * size;
    if (held > 0) extents.push_back(contiguous(extent.file, {run.in_file.offset, held}, run.memory));
    const std::int64_t rest = run.in_file.length - held;
    fill.fill({0, rest}, {run.memory + held, static_cast<std::size_t>(rest)});
  });
}

}  // namespace

DatasetReader::DatasetReader(const Resources& resources, std::string path, Missing missing)
    : resources_(resources), path_(std::move(path)), missing_(missing) {
  Communicator& comm = resources_.comm;
  require_same_on_all(
      comm, [&] { return path_; }, "arrays: the ranks were given different files");
  contents_ = contents_of_dataset(resources_, path_);
  if (missing_ == Missing::fill) {
    for (const std::string& each : contents_.missing) {
      note(resources_, fmt::format("{}: {}; missing elements are read as fill values", path_, each));
    }
  }
  for (const std::string& each : left_out()) note(resources_, fmt::format("{} is read without {}", path_, each));
  if (!contents_.zarr) {
    MoverFiles files = run_and_agree(comm, [&] { return resources_.files(contents_.files, OpenMode::read); });
    mover_.emplace(comm, std::move(files), resources_.policy, resources_.limits());
  }
  std::int64_t chunked = 0;  // number of variables
  std::int64_t stage_bytes = min_chunk_stage_bytes;
  MoverFiles chunks = run_and_agree(comm, [&] {
    MoverFiles made{.mode = OpenMode::read, .meter = resources_.meter};
    for (std::size_t v = 0; v < description().variables.size(); ++v) {
      made.paths.push_back(fmt::format("{}#{}", path_, description().variables[v].name));
      if (!contents_.is_in_chunks(v)) continue;
      ++chunked;
      const std::int64_t chunk_bytes = std::min(contents_.chunks_of(v).chunk_bytes(), max_chunk_stage_bytes);
      stage_bytes = std::clamp(chunks_of_request * chunk_bytes, stage_bytes, max_chunk_stage_bytes);
    }
    return made;
  });
  if (chunked == 0) return;
  max_open_ = static_cast<std::size_t>(std::clamp<std::int64_t>(max_open_files / chunked, 1, max_open_of_variable));
  chunks.open = [this, chunked, paths = chunks.paths](const std::string& chunk_path, OpenMode) {
    const auto v = static_cast<std::size_t>(std::ranges::find(paths, chunk_path) - paths.begin());
    return open_chunks(resources_, contents_, v, finder_of(v), resources_.memory() / 4 / chunked);
  };
  // Chunks are decompressed by the ranks that need them.
  const Policy policy{.stage_bytes = stage_bytes, .threads = resources_.policy.threads};
  chunk_mover_.emplace(comm, std::move(chunks), policy, resources_.limits());
}

bool DatasetReader::holds(const std::string& variable, std::int64_t step) const {
  const std::size_t v = description().variable_named(variable);
  const bool has_steps = description().has_steps(description().variables[v]);
  if (has_steps) require_step(step);
  return contents_.holds(v, step);
}

std::vector<Box> DatasetReader::absent(const std::string& variable, const Box& box) {
  std::vector<Box> boxes;
  const std::size_t v = description().variable_named(variable);
  if (box.empty() || !contents_.is_in_chunks(v)) return boxes;
  const ChunkGrid grid = contents_.chunks_of(v);
  if (box.count.size() != grid.shape().size()) return boxes;  // `read` refuses such a part
  const std::shared_ptr<ChunkFinder> finder = finder_of(v);
  grid.for_each_piece(box, {.count = box.count, .strides_bytes = Index(box.count.size())},
                      [&](const ChunkGrid::Piece& piece) {
                        if (finder->find(piece.chunk)) return;
                        Box& absent = boxes.emplace_back(piece.in_chunk);
                        const Index at = grid.index_of(piece.chunk);
                        for (std::size_t d = 0; d < at.size(); ++d) absent.first[d] += at[d] * grid.chunk()[d];
                      });
  return boxes;
}

std::shared_ptr<ChunkFinder> DatasetReader::finder_of(std::size_t variable) {
  const std::lock_guard lock(finders_mutex_);
  std::shared_ptr<ChunkFinder>& finder = finders_[variable];
  if (!finder) finder = find_chunks(resources_, contents_, variable, max_open_, chunk_file_);
  return finder;
}

void DatasetReader::require_step(std::int64_t step) const {
  if (step >= 0 && step < contents_.steps) return;
  refuse_dataset(path_, fmt::format("step {} of {}", step, contents_.steps), "count steps from 0");
}

void DatasetReader::read(std::span<const ArrayPart> parts) { read_parts({}, parts); }

void DatasetReader::read_step(std::int64_t step, std::span<const ArrayPart> parts) { read_parts(step, parts); }

void DatasetReader::refuse_missing(std::size_t variable, std::int64_t step) const {
  const Variable& of = contents_.description.variables[variable];
  const std::string of_step = contents_.description.has_steps(of) ? fmt::format("step {} of ", step) : "";
  if (!contents_.layout) {
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("step {} omits variable {}", step, of.name),
                 .where = {.file = path_},
                 .action = "read the variable only in steps that contain it"});
  }
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("the file ends within or before {}variable {}", of_step, of.name),
               .where = {.file = path_, .byte = contents_.file_bytes},
               .action = "get an intact copy of the file, or read the existing elements: `sill arrays copy` replaces "
                         "the missing ones with fill values"});
}

std::int64_t DatasetReader::step_to_read(const ArrayPart& part, bool has_steps,
                                         std::optional<std::int64_t> step) const {
  if (has_steps && !step) {
    refuse_dataset(path_, fmt::format("variable {} has steps, but no step is given", part.variable), "use read_step");
  }
  const std::int64_t of_part = has_steps ? step_of(part, *step) : 0;
  if (has_steps) require_step(of_part);
  if (part.is_constant)
    refuse_dataset(path_, fmt::format("variable {} is read into constant memory", part.variable),
                   "pass memory that can be written");
  return of_part;
}

void DatasetReader::read_parts(std::optional<std::int64_t> step, std::span<const ArrayPart> parts) {
  const DatasetDescription& description = contents_.description;
  std::list<ArrayDecoder> decoders;
  std::list<ListedElements> lists;
  std::vector<const ArrayPart*> of_lists;
  std::list<CutPart> cut;
  AccessPlan of_chunks;
  const AccessPlan plan = run_and_agree(resources_.comm, [&] {
    if (step) require_step(*step);
    std::vector<Extent> in_files;
    std::vector<Extent> in_chunks;
    ListOrders orders;
    for (const ArrayPart& part : parts) {
      const CheckedPart checked = checked_part(part, description);
      const Variable& variable = description.variables[checked.variable];
      const bool has_steps = description.has_steps(variable);
      const std::int64_t of_part = step_to_read(part, has_steps, step);
      if (elements_of(part) == 0) continue;
      // A variable that a step omits is treated as data after the end of the file.
      const bool is_held = !has_steps || contents_.holds(checked.variable, of_part);
      const std::int64_t end = is_held ? contents_.file_bytes : 0;
      const VariablePlaces places =
          is_held ? contents_.places_of(checked.variable, of_part)
                  : VariablePlaces{row_major(0, 0, description.shape_of(variable), bytes_of(variable.type)),
                                   {variable.type, contents_.order}};
      const ElementForm form = places.form;
      std::vector<Extent>& extents = places.chunks ? in_chunks : in_files;
      const auto is_cut = [&](const Extent& extent) {
        if (is_held && (contents_.missing.empty() || extent.bounding_range().end() <= end)) return false;
        if (missing_ == Missing::refuse) refuse_missing(checked.variable, of_part);
        return true;
      };
      if (part.elements) {
        ListPlaces of_list;
        if (places.chunks) of_list = places_of_list(places, description.shape_of(variable), *part.elements);
        lists.emplace_back(
            places.chunks ? std::make_shared<const ListOrder>(of_list.numbers) : orders.of(*part.elements), form,
            part.variable);
        of_lists.push_back(&part);
        for (const Extent& each : lists.back().extents(places.chunks ? of_list.array : places.array)) {
          if (is_cut(each)) {
            add_until(end, each, variable, form, extents);
          } else {
            extents.push_back(each);
          }
        }
        continue;
      }
      for_each_array(places, part.box, checked.box, [&](const FileArray& array, const Box& box, const ArrayBox& to) {
        Extent extent = subarray(array, box, nullptr, to.strides_bytes);
        extent.decoder = &decoders.emplace_back(to, form, part.variable);
        if (!is_cut(extent)) {
          extents.push_back(extent);
          return;
        }
        CutPart& of_file = cut.emplace_back();
        of_file.bytes.resize(static_cast<std::size_t>(extent.total_bytes()));
        of_file.to = &decoders.back();
        const Index packed = row_major_strides(box.count, bytes_of(form.type));
        add_until(end, subarray(array, box, of_file.bytes.data(), packed), variable, form, extents);
      });
    }
    of_chunks = AccessPlan::for_reading(std::move(in_chunks));
    return AccessPlan::for_reading(std::move(in_files));
  });
  if (mover_) mover_->read(plan);
  if (chunk_mover_) chunk_mover_->read(of_chunks);
  run_and_agree(resources_.comm, [&] {
    auto list = lists.begin();
    for (const ArrayPart* const part : of_lists) (list++)->put(part->first, part->type);
    for (CutPart& each : cut) each.to->take({0, static_cast<std::int64_t>(each.bytes.size())}, each.bytes);
  });
}

}  // namespace sill
