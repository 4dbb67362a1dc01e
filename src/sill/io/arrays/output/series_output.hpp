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
#include "sill/io/arrays/output/series_files.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/phase_writer.hpp"

namespace sill {

/// Writes the file of a step when the step is complete, all of it in one call, like other output of simulations; what
/// `write` brings before goes into the file while it has no name. Variables without steps have a file of their own, or
/// are repeated in each. The file that lists the steps is written anew when one is complete.
class SeriesOutput final : public DatasetOutput {
 public:
  /// Collective. As the constructor of DatasetWriter. Precondition: the arguments are the same on all ranks.
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
  // Bytes that become known when extents have been made of them: the text that the file of a step begins with, when the
  // ranks agree on what the step holds.
  class LateBytes final : public Encoder {
   public:
    void set(std::string bytes) { bytes_ = std::move(bytes); }
    void fill(ByteRange range, std::span<std::byte> bytes) const override;
    [[nodiscard]] bool is_for_threads() const override { return true; }

   private:
    std::string bytes_;
  };
  // What extents are written from.
  struct Sources {
    PartSources parts;
    LateBytes text;
    std::optional<image::CoordinateEncoder> coordinates;
  };
  // What a rank brings, as extents of the file of steps or of that of variables without steps.
  struct Brought {
    std::vector<Extent> extents = {};
    std::vector<std::int64_t> elements = {};     // of each variable
    std::vector<image::ValueRange> ranges = {};  // likewise, if the file states them
    std::shared_ptr<Sources> sources = std::make_shared<Sources>();
  };
  // What files of steps repeat: the variables without steps that this rank brought.
  struct Repeated {
    std::list<LateBytes> bytes = {};
    std::vector<Extent> extents = {};
    std::vector<std::int64_t> elements = {};
    std::vector<image::ValueRange> ranges = {};
  };
  // A step of a call that completes one or more.
  struct StepOfCall {
    std::span<const ArrayPart> parts = {};
    std::int64_t end = 0;  // steps when the call ends, on which ranks agree
    std::optional<Error> error = {};
  };
  struct Begun;

  [[nodiscard]] std::string name_of(bool of_steps) const;
  // Errors: usage for a part that is not of a variable of the dataset.
  [[nodiscard]] bool is_empty(const ArrayPart& part) const;
  // The extents in `file` of the parts whose variables have steps, or have none.
  [[nodiscard]] std::vector<Extent> extents_of(std::span<const ArrayPart> parts, bool has_steps,
                                               const image::ImageFile& file, PartSources& sources,
                                               std::vector<std::int64_t>& elements) const;
  [[nodiscard]] Brought bring(std::span<const ArrayPart> parts, bool of_steps) const;
  // Takes the values of parts whose variables have no steps, for files of steps to come.
  void repeat(std::span<const ArrayPart> parts);
  void add_repeated(Brought& brought) const;
  // Whether the file of steps, or that of variables without steps, holds a variable.
  [[nodiscard]] bool is_in(std::size_t variable, bool of_steps) const {
    return files_.file(of_steps).begins[variable].has_value();
  }
  // Adds what a file has beside variables; `first`, if any, makes the first text.
  void add_texts(bool of_steps, const Encoder* first, Brought& brought) const;
  // Collective. Returns the text of the next step.
  [[nodiscard]] std::string text_of(const image::LeftOut& left_out, std::vector<image::ValueRange> ranges) const;
  // Errors: usage if a variable was brought in part, or too often, or nothing.
  [[nodiscard]] image::LeftOut left_out_of_step(const std::vector<std::int64_t>& brought) const;
  [[nodiscard]] bool has_variables(bool of_steps) const;
  [[nodiscard]] bool is_all(bool of_steps, const std::vector<std::int64_t>& brought) const;
  // Collective. Writes into a file that several calls write.
  void write_begun(std::unique_ptr<Begun>& begun, bool of_steps, std::span<const ArrayPart> parts);
  void end_begun(std::unique_ptr<Begun>& begun, bool of_steps);
  // Collective. Takes the places of `begun`. Errors: usage if two of its calls brought the same element.
  void require_once(Begun& begun) const;
  // Collective. Writes the steps of a call from its `first` on, each as a phase.
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
  std::string step_text_;  // of a step that leaves out what the last one did
  Repeated repeated_;
  image::LeftOut left_out_;                  // by the last step
  std::vector<std::int64_t> last_elements_;  // that this rank brought to the last step, of which ranks brought all
  bool may_replace_constant_ = false;        // what another run wrote of variables without steps
  bool is_begun_ = false;                    // something was written
  bool is_closed_ = false;
  std::optional<std::string> written_file_;  // nothing: not known, steps are in flight
  std::unique_ptr<Begun> begun_constant_;
  std::unique_ptr<Begun> begun_step_;
  std::optional<Error> failure_;
  std::optional<PhaseWriter> phases_;
};

}  // namespace sill
