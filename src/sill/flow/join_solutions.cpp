#include "sill/flow/join_solutions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/solution/ensight_case.hpp"
#include "sill/io/output_set.hpp"
#include "sill/io/solution_phase.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/store/handle_cache.hpp"

namespace sill {
namespace {

namespace fs = std::filesystem;
using solution::Element;
using solution::EnsightCase;
using solution::Files;
using solution::Form;
using solution::PhaseIndex;

// Opens only what has the size it must have.
Opener of_size(Opener open, std::int64_t size_bytes) {
  return [open = std::move(open), size_bytes](const std::string& path, OpenMode mode) {
    std::unique_ptr<Store> store = open(path, mode);
    const std::int64_t found = store->size_bytes();
    if (found == size_bytes) return store;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("the file has {} bytes instead of {}", found, size_bytes),
                 .where = {.file = path},
                 .action = "write the phase again, or give the folder as it was written"});
  };
}

// Calls `make(item, range, bytes)` for the parts of `range` that lie in items of `item_bytes`.
template <class Make>
void in_items(std::int64_t item_bytes, ByteRange range, std::span<std::byte> bytes, Make&& make) {
  for (std::int64_t done = 0; done < range.length;) {
    const std::int64_t item = (range.offset + done) / item_bytes;
    const std::int64_t at = (range.offset + done) % item_bytes;
    const std::int64_t length = std::min(item_bytes - at, range.length - done);
    make(item, ByteRange{at, length}, bytes.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(length)));
    done += length;
  }
}

// The meshes of neighbouring problems: one coordinate of their nodes, or, for axis 3, their triangles.
class MeshText : public Encoder {
 public:
  MeshText(const EnsightCase& ensight, std::int64_t first, std::span<const Element> elements, std::size_t axis)
      : ensight_(ensight), first_(first), elements_(elements), axis_(axis) {}
  void fill(ByteRange range, std::span<std::byte> bytes) const override {
    const bool is_triangles = axis_ == 3;
    const ByteRange item = is_triangles ? ensight_.triangles_of(0) : ensight_.coordinates_of(0, axis_);
    in_items(item.length, range, bytes, [&](std::int64_t problem, ByteRange within, std::span<std::byte> part) {
      if (is_triangles) {
        ensight_.mesh().write_triangles(ensight_.first_node_of(first_ + problem), within, part);
      } else {
        ensight_.mesh().write_coordinates(elements_[static_cast<std::size_t>(problem)], axis_, within, part);
      }
    });
  }
  [[nodiscard]] bool is_for_threads() const override { return true; }

 private:
  const EnsightCase& ensight_;
  std::int64_t first_;
  std::span<const Element> elements_;
  std::size_t axis_;
};

// Newlines end the records, and are nowhere else. `first`: where in records, one after another, the part begins; `at`:
// where in the file.
void require_records(const Form& form, const Store& store, std::int64_t at, std::int64_t first,
                     std::span<const std::byte> part, const std::string& action) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    const auto in_record = (first + static_cast<std::int64_t>(i)) % form.record_bytes;
    const auto character = static_cast<char>(part[i]);
    const bool is_end = in_record + 1 == form.record_bytes;
    if (is_end ? character == '\n' : character >= ' ' && character <= '~') continue;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("the file is not made of numbers that take {} bytes each", form.record_bytes),
                 .where = {.file = store.name(), .byte = at + static_cast<std::int64_t>(i)},
                 .action = action});
  }
}

// The text of one dimension of neighbouring problems, read from their files.
class JoinedText : public Encoder {
 public:
  JoinedText(HandleCache& files, const Form& form, std::int64_t first, int dimension)
      : files_(files), form_(form), first_(first), dimension_(dimension) {}
  void fill(ByteRange range, std::span<std::byte> bytes) const override {
    const std::int64_t item = solution::points_of(form_.sub_elements) * form_.record_bytes;
    in_items(item, range, bytes, [&](std::int64_t i, ByteRange within, std::span<std::byte> part) {
      const std::int64_t problem = first_ + i;
      const bool is_each = form_.files == Files::each;
      const std::shared_ptr<Store> store = files_.get(is_each ? static_cast<int>(problem) : 0);
      const std::int64_t at = (is_each ? 0 : problem * chunk_bytes(form_)) + dimension_ * item + within.offset;
      read_at(*store, at, part);
      require_records(form_, *store, at, within.offset, part, "write the phase again");
    });
  }
  [[nodiscard]] bool is_for_threads() const override { return true; }

 private:
  HandleCache& files_;
  const Form& form_;
  std::int64_t first_;
  int dimension_;
};

// The text of a problem, read from the variables of a case.
class SplitText : public Encoder {
 public:
  SplitText(HandleCache& variables, const EnsightCase& ensight, std::int64_t problem)
      : variables_(variables), ensight_(ensight), problem_(problem) {}
  void fill(ByteRange range, std::span<std::byte> bytes) const override {
    const std::int64_t item = ensight_.values_of_problem(0, 0).length;
    in_items(item, range, bytes, [&](std::int64_t d, ByteRange within, std::span<std::byte> part) {
      const auto dimension = static_cast<int>(d);
      const ByteRange values = ensight_.values_of_problem(problem_, dimension);
      const std::shared_ptr<Store> store = variables_.get(dimension);
      const std::int64_t at = values.offset + within.offset;
      read_at(*store, at, part);
      require_records(ensight_.phase().form, *store, at, within.offset, part, "join the phase again");
    });
  }
  [[nodiscard]] bool is_for_threads() const override { return true; }

 private:
  HandleCache& variables_;
  const EnsightCase& ensight_;
  std::int64_t problem_;
};

std::int64_t chosen_step(const JoinSolutionsOptions& options) {
  const std::vector<std::int64_t> steps = solution_steps(options.folder);
  const auto refuse = [&](std::string problem, std::string action) {
    throw Error({.code = options.step || steps.empty() ? ErrorCode::io : ErrorCode::usage,
                 .problem = std::move(problem),
                 .where = {.file = options.folder},
                 .action = std::move(action)});
  };
  if (steps.empty()) {
    refuse("the folder holds no complete output phase of local solutions: no solution*.index",
           "give the folder that a run wrote to, and let the run come to its end");
  }
  std::string told = fmt::format("{}", fmt::join(std::span(steps).first(std::min<std::size_t>(steps.size(), 8)), ", "));
  if (steps.size() > 8) told += ", …";
  if (!options.step) {
    if (steps.size() > 1)
      refuse(fmt::format("the folder holds the phases of steps {}", told), "choose one by its step");
    return steps.front();
  }
  if (!std::binary_search(steps.begin(), steps.end(), *options.step)) {
    refuse(fmt::format("the folder holds no complete phase of step {}", *options.step),
           fmt::format("choose one that is there: {}", told));
  }
  return *options.step;
}

std::string element_path(const std::string& folder, std::int64_t problem) {
  return fmt::format("{}/{}/element.txt", folder, solution::problem_folder(problem));
}
std::string elements_path(const std::string& folder) { return folder + "/elements.txt"; }

// Without elements nobody knows where the problems lie.
void require_described(const std::string& path) {
  std::error_code none;
  if (fs::exists(path, none)) return;
  throw Error(
      {.code = ErrorCode::input,
       .problem = "the elements of the local problems were not written, so that their place is not known",
       .where = {.file = path},
       .action = "let the simulation write them (SolutionWriter::write_problem_files), or the kernel (--describe)"});
}

std::string text_at(Store& store, ByteRange range) {
  std::string text(static_cast<std::size_t>(range.length), '\0');
  read_at(store, range.offset, std::as_writable_bytes(std::span(text)));
  return text;
}

std::vector<Element> read_elements(const Resources& resources, const std::string& folder, const Form& form,
                                   ItemRange mine) {
  std::vector<Element> elements;
  elements.reserve(static_cast<std::size_t>(mine.count));
  const std::int64_t line_bytes = solution::element_bytes;
  if (form.files == Files::each) {
    const Opener open = of_size(resources.open, line_bytes);
    for (std::int64_t p = mine.first; p < mine.end(); ++p) {
      const std::string path = element_path(folder, p);
      require_described(path);
      const std::unique_ptr<Store> store = open(path, OpenMode::read);
      elements.push_back(solution::parse_element(text_at(*store, {0, line_bytes}), path, 1));
    }
    return elements;
  }
  if (mine.empty()) return elements;
  const std::string path = elements_path(folder);
  require_described(path);
  const std::unique_ptr<Store> store = of_size(resources.open, form.problems * line_bytes)(path, OpenMode::read);
  constexpr std::int64_t most_at_once = 4096;
  for (std::int64_t p = mine.first; p < mine.end(); p += most_at_once) {
    const std::int64_t count = std::min(most_at_once, mine.end() - p);
    const std::string lines = text_at(*store, {p * line_bytes, count * line_bytes});
    for (std::int64_t i = 0; i < count; ++i) {
      const auto line = std::string_view(lines).substr(static_cast<std::size_t>(i * line_bytes),
                                                       static_cast<std::size_t>(line_bytes));
      elements.push_back(solution::parse_element(line, path, p + i + 1));
    }
  }
  return elements;
}

void require_no_more_problems(const std::string& folder, const PhaseIndex& phase) {
  if (phase.form.files == Files::shared) return;
  const std::string path = solution::solution_path(folder, phase.form, phase.form.problems, phase.step);
  std::error_code none;
  if (!fs::exists(path, none)) return;
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("there are more local problems than the {} that {} tells of", phase.form.problems,
                                      solution::index_name(phase.step)),
               .where = {.file = path},
               .action = "remove what an earlier, larger run left"});
}

std::vector<std::string> solution_paths(const std::string& folder, const PhaseIndex& phase) {
  std::vector<std::string> paths;
  const std::int64_t files = phase.form.files == Files::each ? phase.form.problems : 1;
  for (std::int64_t p = 0; p < files; ++p) {
    paths.push_back(solution::solution_path(folder, phase.form, p, phase.step));
  }
  return paths;
}

// What rank 0 writes of the case: all that is of no problem.
struct CaseTexts {
  explicit CaseTexts(const EnsightCase& ensight)
      : geometry(ensight.geometry_head()), triangles(ensight.triangles_head()), whole(ensight.case_text()) {
    for (int d = 0; d < ensight.phase().form.dimensions; ++d) variables.push_back(ensight.variable_head(d));
  }
  std::string geometry;
  std::string triangles;
  std::vector<std::string> variables;
  std::string whole;
};

Extent text_extent(int file, std::int64_t at, const std::string& text) {
  return contiguous(file, {at, static_cast<std::int64_t>(text.size())}, std::as_bytes(std::span(text)).data());
}

// The case that a join makes.
EnsightCase case_to_make(const Resources& resources, const JoinSolutionsOptions& options) {
  Communicator& comm = resources.comm;
  std::int64_t step = 0;
  on_rank(comm, 0, [&] { step = chosen_step(options); });
  comm.broadcast(std::as_writable_bytes(std::span(&step, 1)), 0);
  const PhaseIndex phase = read_phase_index(resources, options.folder, step);
  return together(comm, [&] { return EnsightCase(phase, options.target); });
}

// The case that is split.
EnsightCase case_to_split(const Resources& resources, const std::string& case_path) {
  Communicator& comm = resources.comm;
  std::string text;
  on_rank(comm, 0, [&] {
    const std::unique_ptr<Store> store = resources.open(case_path, OpenMode::read);
    constexpr std::int64_t most_bytes = std::int64_t{64} << 20;  // a line a dimension
    text = text_at(*store, {0, std::min(most_bytes, store->size_bytes())});
  });
  broadcast_all(comm, text, 0);
  return together(comm, [&] { return EnsightCase(solution::phase_of_case(text, case_path), case_path); });
}

// Of each file of its own, whatever they were made of.
PhaseIndex phase_of_each(const EnsightCase& ensight) {
  PhaseIndex phase = ensight.phase();
  phase.form.files = Files::each;
  phase.form.stride_bytes = 0;
  return phase;
}

// The case last.
std::vector<std::string> case_files(const EnsightCase& ensight) {
  std::vector<std::string> paths{ensight.geometry_path()};
  for (int d = 0; d < ensight.phase().form.dimensions; ++d) paths.push_back(ensight.variable_path(d));
  paths.push_back(ensight.path());
  return paths;
}

}  // namespace

SolutionPaths paths_of_join(const Resources& resources, const JoinSolutionsOptions& options) {
  const EnsightCase ensight = case_to_make(resources, options);
  return together(resources.comm, [&] {
    SolutionPaths paths{solution_paths(options.folder, ensight.phase()), case_files(ensight)};
    paths.inputs.push_back(options.folder + "/" + solution::index_name(ensight.phase().step));
    if (ensight.phase().form.files == Files::shared) paths.inputs.push_back(elements_path(options.folder));
    for (std::int64_t p = 0; ensight.phase().form.files == Files::each && p < ensight.phase().form.problems; ++p) {
      paths.inputs.push_back(element_path(options.folder, p));
    }
    return paths;
  });
}

SolutionPaths paths_of_split(const Resources& resources, const std::string& case_path, const std::string& folder) {
  const EnsightCase ensight = case_to_split(resources, case_path);
  return together(resources.comm, [&] {
    const PhaseIndex phase = phase_of_each(ensight);
    require_possible(phase.form);
    SolutionPaths paths{case_files(ensight), solution_paths(folder, phase)};
    paths.outputs.push_back(folder + "/" + solution::index_name(phase.step));
    return paths;
  });
}

SolutionFiles join_solutions(const Resources& resources, const JoinSolutionsOptions& options) {
  Communicator& comm = resources.comm;
  const EnsightCase ensight = case_to_make(resources, options);
  const PhaseIndex& phase = ensight.phase();
  const Form& form = phase.form;
  const ItemRange mine = block_of(form.problems, comm.size(), comm.rank());
  on_rank(comm, 0, [&] { require_no_more_problems(options.folder, phase); });
  const std::vector<Element> elements =
      together(comm, [&] { return read_elements(resources, options.folder, form, mine); });

  const std::int64_t file_bytes = form.files == Files::each ? problem_bytes(form) : phase_bytes(form);
  const auto inputs = together(comm, [&] {
    return std::make_unique<HandleCache>(of_size(resources.open, file_bytes), solution_paths(options.folder, phase),
                                         OpenMode::read);
  });
  const CaseTexts texts(ensight);
  std::vector<std::string> targets = case_files(ensight);

  resources.begin_stage("joining local solutions", 0);
  std::deque<MeshText> meshes;
  std::deque<JoinedText> values;
  OutputSet outputs(resources, std::move(targets), resources.memory());
  outputs.write(together(comm, [&] {
    std::vector<Extent> extents;
    if (comm.rank() == 0) {
      extents.push_back(text_extent(0, 0, texts.geometry));
      extents.push_back(text_extent(0, ensight.triangles_head_offset(), texts.triangles));
      for (int d = 0; d < form.dimensions; ++d) {
        extents.push_back(text_extent(1 + d, 0, texts.variables[static_cast<std::size_t>(d)]));
      }
      extents.push_back(text_extent(1 + form.dimensions, 0, texts.whole));
    }
    if (mine.empty()) return AccessPlan::for_writing(std::move(extents));
    const auto add = [&](int file, ByteRange of_first, const Encoder& encoder) {
      extents.push_back({.file = file,
                         .offset_bytes = of_first.offset,
                         .run_bytes = of_first.length * mine.count,
                         .encoder = &encoder});
    };
    for (std::size_t axis = 0; axis < 4; ++axis) {
      meshes.emplace_back(ensight, mine.first, elements, axis);
      add(0, axis == 3 ? ensight.triangles_of(mine.first) : ensight.coordinates_of(mine.first, axis), meshes.back());
    }
    for (int d = 0; d < form.dimensions; ++d) {
      values.emplace_back(*inputs, form, mine.first, d);
      add(1 + d, ensight.values_of_problem(mine.first, d), values.back());
    }
    return AccessPlan::for_writing(std::move(extents));
  }));
  outputs.finish();
  SolutionFiles joined{.phase = phase, .files = form.dimensions + 2, .bytes = ensight.geometry_bytes()};
  for (int d = 0; d < form.dimensions; ++d) joined.bytes += ensight.variable_bytes(d);
  joined.bytes += std::ssize(texts.whole);
  return joined;
}

SolutionFiles split_solutions(const Resources& resources, const std::string& case_path, const std::string& folder) {
  Communicator& comm = resources.comm;
  const EnsightCase ensight = case_to_split(resources, case_path);
  const PhaseIndex phase = phase_of_each(ensight);
  const int dimensions = phase.form.dimensions;
  const ItemRange mine = block_of(phase.form.problems, comm.size(), comm.rank());
  std::unique_ptr<HandleCache> variables;
  together(comm, [&] {
    require_possible(phase.form);
    std::vector<std::string> paths;
    for (int d = 0; d < dimensions; ++d) paths.push_back(ensight.variable_path(d));
    variables = std::make_unique<HandleCache>(resources.open, paths, OpenMode::read);
  });
  on_rank(comm, 0, [&] {
    for (int d = 0; d < dimensions; ++d) {
      const std::string head = ensight.variable_head(d);
      const auto store = of_size(resources.open, ensight.variable_bytes(d))(ensight.variable_path(d), OpenMode::read);
      if (text_at(*store, {0, std::ssize(head)}) == head) continue;
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("the file does not begin as that of dimension {} does", d + 1),
                   .where = {.file = store->name()},
                   .action = "give a case as it was joined, with its files beside it"});
    }
  });
  make_solution_folders(resources, folder, phase.form, mine);
  resources.begin_stage("splitting local solutions", 0);
  std::deque<SplitText> encoders;
  SolutionPhase outputs(resources, folder, phase, resources.memory());
  outputs.write(together(comm, [&] {
    std::vector<Extent> extents;
    for (std::int64_t p = mine.first; p < mine.end(); ++p) {
      encoders.emplace_back(*variables, ensight, p);
      extents.push_back(outputs.extent_of({p, 1}, encoders.back()));
    }
    return AccessPlan::for_writing(std::move(extents));
  }));
  outputs.finish();
  return {.phase = phase, .files = phase.form.problems, .bytes = phase_bytes(phase.form)};
}

}  // namespace sill
