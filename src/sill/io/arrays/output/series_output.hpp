// Arrays in files of VTK, Tecplot or raw bytes: one for each step.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/io/arrays/dataset_options.hpp"
#include "sill/io/arrays/dataset_parts.hpp"
#include "sill/io/arrays/output/dataset_output.hpp"
#include "sill/io/arrays/output/grid_coordinates.hpp"
#include "sill/io/arrays/output/series_files.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/phase_writer.hpp"

namespace sill {

/// Writes the file of a step when the step is complete, with all its data in one call, like other output of
/// simulations. Data of an earlier `write` is written to the file while it has no name. Variables without steps have a
/// separate file, or are repeated in each file. The file that lists the steps is rewritten when a step is complete.
class SeriesOutput final : public DatasetOutput {
 public:
  /// Collective. Opens the output, as the constructor of DatasetWriter. Precondition: the arguments are the same on all
  /// ranks.
  SeriesOutput(const Resources& resources, std::string path, DatasetDescription description,
               const DatasetOptions& options);
  ~SeriesOutput() override;

  void set_attribute(const Attribute& attribute, const std::string& variable) override;
  void write(OutputCall& output_call, std::span<const ArrayPart> parts, std::optional<std::int64_t> steps,
             Memory memory) override;
  void write_own(std::int64_t step, std::span<const ArrayPart> parts) override;
  void wait() override;
  void close() override;
  [[nodiscard]] std::int64_t steps() const override { return steps_; }
  [[nodiscard]] const DatasetDescription& description() const override { return files_.description(); }
  [[nodiscard]] Where place_of(std::int64_t byte) const override;

 private:
  // Bytes that are set after their extents are planned: the text at the beginning of the file of a step, which is known
  // when the ranks agree on the contents of the step.
  class LateBytes final : public Encoder {
   public:
    void set(std::string bytes) { bytes_ = std::move(bytes); }
    void fill(ByteRange range, std::span<std::byte> bytes) const override;
    [[nodiscard]] bool is_for_threads() const override { return true; }

   private:
    std::string bytes_;
  };
  // The encoders that extents refer to.
  struct Sources {
    PartSources parts;
    LateBytes text;
    std::optional<image::CoordinateEncoder> coordinates;
    std::list<InterleavedExtents> interleaved;
  };
  // The parts of a rank as extents of the file of a step, or of the file of variables without steps.
  struct Brought {
    std::vector<Extent> extents = {};
    std::vector<std::int64_t> elements = {};     // number of elements of each variable
    std::vector<image::ValueRange> ranges = {};  // range of each variable, if the file states it
    std::shared_ptr<Sources> sources = std::make_shared<Sources>();
  };
  // The data that files of steps repeat: the variables without steps that this rank passed.
  struct Repeated {
    std::list<LateBytes> bytes = {};
    std::vector<Extent> extents = {};
    std::vector<std::int64_t> elements = {};
    std::vector<image::ValueRange> ranges = {};
  };
  // One step of a call that completes one or more steps.
  struct StepOfCall {
    std::span<const ArrayPart> parts = {};
    std::int64_t end = 0;  // number of steps at the end of the call, on which ranks agree
    std::optional<Error> error = {};
  };
  struct Begun;

  [[nodiscard]] std::string name_of(bool of_steps) const;
  // Returns true if a part has no elements. Errors: usage for a part that is not a part of a variable of the dataset.
  [[nodiscard]] bool is_empty(const ArrayPart& part) const;
  // Returns the extents in `file` of the parts whose variables have steps, or have none.
  [[nodiscard]] std::vector<Extent> extents_of(std::span<const ArrayPart> parts, bool has_steps,
                                               const image::ImageFile& file, PartSources& sources,
                                               std::vector<std::int64_t>& elements) const;
  [[nodiscard]] Brought bring(std::span<const ArrayPart> parts, bool of_steps);
  // Stores the values of parts whose variables have no steps, for the files of later steps.
  void repeat(std::span<const ArrayPart> parts);
  void add_repeated(Brought& brought) const;
  // Returns true if the file of steps, or the file of variables without steps, contains a variable.
  [[nodiscard]] bool is_in(std::size_t variable, bool of_steps) const {
    return files_.file(of_steps).begins[variable].has_value();
  }
  // Adds the texts that a file contains in addition to variables; `first`, if given, produces the first text.
  void add_texts(bool of_steps, const Encoder* first, Brought& brought) const;
  // Joins the coordinates of points that this rank passes.
  void join_points(bool of_steps, Brought& brought) const;
  // Collective. Returns the text of the next step.
  [[nodiscard]] std::string text_of(const image::LeftOut& left_out, std::vector<image::ValueRange> ranges);
  // Returns the variables that a step omits. Errors: usage if a variable was passed only in part or too often, or if no
  // variable was passed.
  [[nodiscard]] image::LeftOut left_out_of_step(const std::vector<std::int64_t>& brought) const;
  [[nodiscard]] bool has_variables(bool of_steps) const;
  [[nodiscard]] bool is_all(bool of_steps, const std::vector<std::int64_t>& brought) const;
  // The parts that all ranks pass to a call, of variables with steps and without.
  struct PartsOfCall {
    enum Kind : std::int64_t { none, empty, some };
    std::int64_t of_step = none;
    std::int64_t constant = none;
  };
  // Collective. Checks a call, and returns the kinds of its parts.
  [[nodiscard]] PartsOfCall checked_parts(std::span<const ArrayPart> parts, std::optional<std::int64_t> steps) const;
  // Collective. Writes into a file that several calls write.
  void write_begun(std::unique_ptr<Begun>& begun, bool of_steps, std::span<const ArrayPart> parts);
  void end_begun(std::unique_ptr<Begun>& begun, bool of_steps);
  // Collective. Checks the written places of `begun`. Errors: usage if two of its calls passed the same element.
  void require_once(Begun& begun) const;
  // Collective. Writes the steps of a call, starting at `first`, each as a phase.
  void write_steps(OutputCall& output_call, std::span<const ArrayPart> parts, std::int64_t steps, std::int64_t first,
                   Memory memory);
  void write_step(OutputCall& output_call, const StepOfCall& call, Memory memory);
  void require_all(bool of_steps, const std::vector<std::int64_t>& brought) const;
  // Collective. Ends all phases, and lists their steps.
  void finish();
  template <class Work>
  void perform(Work&& work);

  const Resources& resources_;
  std::string path_;
  SeriesFiles files_;
  std::int64_t steps_ = 0;
  std::string step_text_;  // text of a step that omits the same variables as the last one
  Repeated repeated_;
  std::optional<CoordinateValues> coordinates_;  // whose values texts state; nullopt: there are none, or they are known
  image::LeftOut left_out_;                      // variables omitted by the last step
  std::vector<std::int64_t> last_elements_;  // number of elements of each variable that this rank passed to the last
                                             // step; all ranks together passed all elements
  bool may_replace_constant_ = false;        // data of variables without steps of another run
  bool is_begun_ = false;                    // something was written
  bool is_closed_ = false;
  std::optional<std::string> written_file_;  // nullopt: not known, because steps are in flight
  std::unique_ptr<Begun> begun_constant_;
  std::unique_ptr<Begun> begun_step_;
  std::optional<Error> failure_;
  std::optional<PhaseWriter> phases_;
};

}  // namespace sill
