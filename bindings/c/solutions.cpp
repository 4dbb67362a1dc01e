// Output of local solutions for C.
#include "memory.hpp"
#include "session.hpp"
#include "sill/io/simulation/solution_writer.hpp"

using namespace sill;
using namespace sill::bindings;

struct sill_solutions {
  sill_solutions(std::shared_ptr<Session> session, const SolutionOutput& output)
      : held(std::move(session)), writer(held->io->resources("solutions"), output) {}
  std::shared_ptr<Session> held;
  SolutionWriter writer;
};

namespace {

SolutionOutput solution_output(const sill_solution_output& output) {
  if (output.files != SILL_EACH && output.files != SILL_SHARED) {
    refuse("the files of solutions are " + std::to_string(output.files), "give SILL_EACH or SILL_SHARED");
  }
  return {.folder = text_of(output.folder),
          .my_problems = output.my_problems,
          .sub_elements = output.sub_elements,
          .dimensions = output.dimensions,
          .record_bytes = output.record_bytes,
          .files = output.files == SILL_SHARED ? solution::Files::shared : solution::Files::each,
          .chunk_align_bytes = output.chunk_align_bytes,
          .align_to_stripes = output.align_to_stripes != 0};
}

SolutionWriter& writer_of(sill_solutions* solutions) { return object_of(solutions, "the solution output").writer; }
const SolutionWriter& writer_of(const sill_solutions* solutions) {
  return object_of(solutions, "the solution output").writer;
}

}  // namespace

extern "C" {

int sill_solutions_open(sill_session* session, const sill_solution_output* output, sill_solutions** solutions) {
  return opened(session, solutions, [&] { return solution_output(at(output, "what the solutions are")); });
}

int sill_solutions_problems(const sill_solutions* solutions, int64_t* first, int64_t* count) {
  return status_of([&] {
    const ItemRange mine = writer_of(solutions).problems();
    at(first, "the pointer for the first problem") = mine.first;
    at(count, "the pointer for the number of problems") = mine.count;
  });
}

int sill_solutions_write_problem_files(sill_solutions* solutions, const double* corners, int64_t elements,
                                       const char* parameters) {
  return status_of([&] {
    SolutionWriter& writer = writer_of(solutions);
    std::string text;
    const auto all = run_and_agree(*solutions->held->comm, [&] {
      text = text_of(parameters);
      std::vector<solution::Element> made;
      const std::int64_t given = corners == nullptr || elements < 0 ? 0 : elements;
      for (std::int64_t i = 0; i < given; ++i) {
        solution::Element& element = made.emplace_back();
        for (std::int64_t c = 0; c < 9; ++c) {
          element[static_cast<std::size_t>(c / 3)][static_cast<std::size_t>(c % 3)] = corners[9 * i + c];
        }
      }
      return made;
    });
    writer.write_problem_files(all, text);
  });
}

int sill_solutions_write_phase(sill_solutions* solutions, int64_t step, const double* values, int64_t count,
                               int memory) {
  return status_of([&] { writer_of(solutions).write_phase(step, elements(values, count), memory_of(memory)); });
}

int sill_solutions_wait(sill_solutions* solutions) {
  return status_of([&] { writer_of(solutions).wait(); });
}

int sill_solutions_phase_bytes(const sill_solutions* solutions, int64_t* bytes) {
  return status_of([&] { at(bytes, "the pointer for the number of bytes") = writer_of(solutions).phase_bytes(); });
}

int sill_solutions_close(sill_solutions** solutions) {
  return status_of([&] { taken(solutions, "the solution output")->writer.close(); });
}

int sill_solutions_free(sill_solutions** solutions) { return freed(solutions, "the pointer to the solution output"); }

}  // extern "C"
