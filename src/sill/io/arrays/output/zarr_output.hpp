// Arrays in Zarr: a folder of shards, whose chunks are compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/zarr/zarr_array.hpp"
#include "sill/io/arrays/dataset_options.hpp"
#include "sill/io/arrays/output/chunk_encoder.hpp"
#include "sill/io/arrays/output/dataset_output.hpp"
#include "sill/io/arrays/output/fill_account.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/phase_writer.hpp"

namespace sill {

/// Writes a dataset as a group of Zarr, version 3. Each step of a variable is one or more shards. The metadata counts a
/// step after all its shards have their names; the files of metadata are replaced by renaming. Parts passed before a
/// step is completed are copied. Variables without steps are written when the first step is completed, or at `close`;
/// in a dataset without steps, each shard is written by the call that passes its last elements.
class ZarrOutput final : public DatasetOutput {
 public:
  /// Collective. Opens the output, as the constructor of DatasetWriter. Precondition: the arguments are the same on all
  /// ranks.
  ZarrOutput(const Resources& resources, std::string path, DatasetDescription description,
             const DatasetOptions& options);
  ~ZarrOutput() override;

  void set_attribute(const Attribute& attribute, const std::string& variable) override;
  void write(OutputCall& output_call, std::span<const ArrayPart> parts, std::optional<std::int64_t> steps,
             Memory memory) override;
  void write_own(std::int64_t step, std::span<const ArrayPart> parts) override;
  void wait() override;
  void close() override;
  [[nodiscard]] std::int64_t steps() const override { return steps_; }
  [[nodiscard]] const DatasetDescription& description() const override { return description_; }

 private:
  // A part whose elements were copied.
  struct Pending {
    std::vector<std::byte> elements = {};
    std::vector<std::int64_t> numbers = {};  // of a list
    ArrayPart part = {};
  };
  // A shard, and its chunks in the list of a window.
  struct ShardOfVariable {
    std::size_t variable = 0;
    std::int64_t number = 0;
    std::size_t first = 0;
    std::size_t end = 0;
  };
  struct Window {
    std::vector<ShardOfVariable> shards = {};
    std::vector<ChunkOfVariable> chunks = {};
  };

  void open_existing(const DatasetOptions& options);
  template <class Work>
  void perform(Work&& work);
  // Local. Copies parts, unless all their shards are written.
  void keep(std::span<const ArrayPart> parts);
  // Local. Calls `visit(shard, elements)` for each shard of a part of a variable without steps.
  void for_each_shard(const ArrayPart& part,
                      const std::function<void(std::int64_t shard, std::int64_t elements)>& visit) const;
  // Local. Returns true if a part has elements in a shard that is not complete.
  [[nodiscard]] bool is_needed(const ArrayPart& part) const;
  // Collective. Writes the shards of a dataset without steps that `parts` complete. Errors: usage if elements are
  // passed twice.
  void write_complete_shards(OutputCall& output_call, std::span<const ArrayPart> parts);
  // Collective. Writes all shards of step `step` of the variables with steps, or of the other variables, after the
  // ranks have agreed on `opening`.
  void write_shards(OutputCall& output_call, std::span<const ArrayPart> parts, std::optional<std::int64_t> step,
                    const Opening& opening);
  // Local. Returns the shards of `step`, or those of variables without steps that were not written.
  [[nodiscard]] std::vector<Window> windows(std::optional<std::int64_t> step) const;
  // Local. Returns the phase that writes the shards of a window.
  [[nodiscard]] OutputPhase phase_of(const Window& window, EncodedChunks encoded, std::int64_t number,
                                     std::optional<std::int64_t> steps);
  // Local. On rank 0: writes the metadata for `steps` complete steps.
  void publish(std::int64_t steps);
  void finish();

  const Resources& resources_;
  std::string path_;
  DatasetDescription description_;
  std::vector<zarr::ArrayForm> forms_;
  FillAccount account_;
  std::int64_t first_step_ = 0;  // first step of this writer
  std::int64_t steps_ = 0;
  std::int64_t published_steps_ = -1;  // on rank 0; -1: the metadata has not been written
  bool is_closed_ = false;
  bool is_constant_written_ = false;
  bool is_text_new_ = true;  // the description changed since it was last published
  std::int64_t phases_begun_ = 0;
  std::int64_t phases_ended_ = 0;  // on rank 0: without an error
  std::int64_t window_bytes_ = 0;
  std::list<Pending> pending_;
  // Of each variable without steps, the elements of each shard that were not passed; `written` if it was written.
  static constexpr std::int64_t written = -1;
  std::vector<std::vector<std::int64_t>> missing_;
  bool writes_complete_shards_ = false;  // `windows` returns complete shards only
  std::optional<Error> failure_;
  std::optional<ChunkEncoder> encoder_;
  std::optional<PhaseWriter> phases_;
};

}  // namespace sill
