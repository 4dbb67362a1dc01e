// Arrays in chunks, in any container: collects the parts of a step, and compresses its chunks window by window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sill/io/arrays/dataset_options.hpp"
#include "sill/io/arrays/output/chunk_encoder.hpp"
#include "sill/io/arrays/output/dataset_output.hpp"
#include "sill/io/arrays/output/fill_account.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Writes the chunks of a dataset. A chunk contains elements of one step. Parts passed before a step is completed are
/// copied. Variables without steps are written when the first step is completed, or at `close`; in a dataset without
/// steps, a unit that is stored independently of others is written by the call that passes its last elements.
class ChunkedOutput : public DatasetOutput {
 public:
  void set_attribute(const Attribute& attribute, const std::string& variable) override;
  void write(OutputCall& output_call, std::span<const ArrayPart> parts, std::optional<std::int64_t> steps,
             Memory memory) override;
  void write_own(std::int64_t step, std::span<const ArrayPart> parts) override;
  void wait() override;
  void close() override;
  [[nodiscard]] std::int64_t steps() const override { return steps_; }
  [[nodiscard]] const DatasetDescription& description() const override { return description_; }

 protected:
  /// Collective. Checks the description. The derived class then calls `begin`.
  ChunkedOutput(const Resources& resources, std::string path, DatasetDescription description,
                const DatasetOptions& options);
  /// Collective. Prepares the compression of the chunks that `chunked` returns.
  void begin();
  /// Local. Continues an existing dataset, whose variables without steps are written.
  void continue_at(std::int64_t step, DatasetDescription description);

  /// Local. Checks that the options do not ask for other storage of a variable than an existing dataset has. Errors:
  /// usage.
  void require_same_storage(const Variable& variable, bool has_same_chunk, bool has_same_filters) const;

  using Window = std::vector<ChunkOfVariable>;
  struct WindowCall {
    OutputCall& output_call;
    std::size_t window = 0;  ///< index in the last result of `windows`
    const Window& chunks;
    EncodedChunks encoded;
    std::int64_t begin = 0;                 ///< rank 0's next_byte
    std::optional<std::int64_t> step = {};  ///< nullopt: variables without steps
    bool is_last = false;                   ///< the last window of a step
    std::int64_t steps_of_call = 0;         ///< of the last window of a call: the number of its steps
  };

  /// Local. Determines the storage of the variables of description(); called again when the description changes.
  virtual void describe() = 0;
  [[nodiscard]] virtual std::vector<ChunkedVariable> chunked() const = 0;
  /// Local. Returns the chunks of step `step` of the variables with steps, or of the other variables, in pieces that
  /// are in memory together: at most window_bytes() bytes, but at least one chunk.
  [[nodiscard]] virtual std::vector<Window> windows(std::optional<std::int64_t> step) = 0;
  /// Local. Returns the units of a variable without steps that are stored independently of all others; nullopt if
  /// there are none.
  [[nodiscard]] virtual std::optional<ChunkGrid> units(std::size_t variable) const = 0;
  /// Local. Returns true if units are written in the order of their places only.
  [[nodiscard]] virtual bool has_unit_order() const { return false; }
  /// Local. Returns the units, of `all` of a variable, that `windows` includes, in ascending order: in a dataset
  /// without steps those with elements that are not yet written, and complete if they have to be.
  [[nodiscard]] std::vector<std::int64_t> due_units(std::size_t variable, std::int64_t all) const;
  /// Place of a unit in the order of units: number of a window (DatasetOptions::window), variable, unit.
  using UnitPlace = std::tuple<std::int64_t, std::size_t, std::int64_t>;
  /// Local. Returns the place of a unit of a variable without steps.
  [[nodiscard]] UnitPlace unit_place(std::size_t variable, std::int64_t unit) const;
  /// Local. Forgets what was written since the last `end_step`, because it failed; called before each step, and before
  /// units are written.
  virtual void begin_step() {}
  /// Local. Called when a step, or the complete units of a call, were written.
  virtual void end_step() {}
  /// Local. Returns the first byte after the data, on rank 0; 0 on other ranks.
  [[nodiscard]] virtual std::int64_t next_byte() const { return 0; }
  /// Collective. Writes the compressed chunks of a window.
  virtual void write_window(WindowCall call) = 0;
  /// Collective. Returns when all steps are complete.
  virtual void finish() = 0;
  /// Collective. Makes the dataset complete, when it is closed without an error.
  virtual void complete() = 0;

  [[nodiscard]] const Resources& resources() const { return resources_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const DatasetOptions& options() const { return options_; }
  [[nodiscard]] std::int64_t window_bytes() const { return window_bytes_; }
  [[nodiscard]] bool has_begun() const { return steps_ > 0 || is_constant_written_ || is_unit_written_; }

 private:
  // A part whose elements were copied.
  struct Pending {
    std::vector<std::byte> elements = {};
    std::vector<std::int64_t> numbers = {};  // of a list
    ArrayPart part = {};
  };

  // The units of a variable of which elements were passed; the same on all ranks.
  struct Units {
    ChunkGrid grid = {};
    std::map<std::int64_t, std::int64_t> missing = {};  // of units that are not written: the elements that were not
                                                        // passed
    std::unordered_set<std::int64_t> written = {};

    [[nodiscard]] std::int64_t elements_of(std::int64_t unit) const;
  };
  // Elements of a unit that a rank passes to a call.
  struct Passed {
    std::size_t variable = 0;
    std::int64_t unit = 0;
    std::int64_t elements = 0;
  };

  template <class Work>
  void perform(Work&& work);
  // Local. Calls `visit(unit, elements)` for each unit of a part of a variable without steps.
  void for_each_unit(const ArrayPart& part,
                     const std::function<void(std::int64_t unit, std::int64_t elements)>& visit) const;
  // Local. Returns true if a part has elements in a unit that is not written.
  [[nodiscard]] bool is_needed(const ArrayPart& part) const;
  // Local. Returns true if units are written before the dataset is closed.
  [[nodiscard]] bool writes_units() const { return !units_.empty(); }
  // Local. Returns the units of which `parts` have elements.
  [[nodiscard]] std::vector<Passed> passed_in(std::span<const ArrayPart> parts) const;
  // Local. Counts elements as passed. Errors: usage if they are passed twice; then nothing is counted.
  void take(const Passed& passed);
  [[nodiscard]] bool is_due(std::size_t variable, std::int64_t unit, std::int64_t missing) const;
  // Local. Sets due_end_.
  void find_due_end();
  // Collective. Writes the units that `parts` complete, which have the elements `mine`. Errors: usage if elements are
  // passed twice.
  void write_complete_units(OutputCall& output_call, std::span<const ArrayPart> parts, std::span<const Passed> mine);
  // Local. Copies parts, unless all their units are written. Errors: usage if the copies exceed the memory.
  void keep(std::span<const ArrayPart> parts);
  // Local. Forgets the copies.
  void forget_pending();
  // Local. Checks the parts of a call.
  void require_parts(std::span<const ArrayPart> parts, std::optional<std::int64_t> steps) const;
  // Collective. Writes the parts of `steps` steps, from step steps_ on, after the ranks have agreed on `opening`.
  void write_all_steps(OutputCall& output_call, std::span<const ArrayPart> parts, std::int64_t steps,
                       const Opening& opening);
  // Collective. Writes all chunks of step `step` of the variables with steps, or of the other variables, after the
  // ranks have agreed on `opening`. `steps_of_call` is not 0 for the last step of a call.
  void write_chunks(OutputCall& output_call, std::span<const ArrayPart> parts, std::optional<std::int64_t> step,
                    std::int64_t steps_of_call, const Opening& opening);
  [[nodiscard]] bool has_steps(const ArrayPart& part) const;

  const Resources& resources_;
  std::string path_;
  DatasetDescription description_;
  DatasetOptions options_;
  FillAccount account_;
  std::int64_t first_step_ = 0;  // first step of this writer
  std::int64_t steps_ = 0;
  bool is_closed_ = false;
  bool is_constant_written_ = false;
  std::int64_t window_bytes_ = 0;
  std::list<Pending> pending_;
  std::int64_t pending_bytes_ = 0;
  std::vector<Units> units_;  // of each variable, in a dataset without steps
  bool is_unit_written_ = false;
  bool needs_complete_units_ = false;
  std::vector<UnitPlace> unit_order_;  // of all units, ascending, if windows order them
  UnitPlace due_end_ = {};             // of complete units: the first place not due
  std::optional<Error> failure_;
  std::optional<ChunkEncoder> encoder_;
};

}  // namespace sill
