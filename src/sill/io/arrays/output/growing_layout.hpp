// The format of one file that grows step by step: all its bytes except the elements, and the places of the elements.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/array/file_piece.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/arrays/dataset_options.hpp"
#include "sill/plan/subarray.hpp"

namespace sill {

class GrowingLayout {
 public:
  virtual ~GrowingLayout() = default;

  /// Local. Replaces the description before the header is written. Errors: usage if the format cannot store it.
  virtual void describe(const DatasetDescription& description) = 0;
  /// Local. Replaces the description of a file that has its header; only attributes differ. Errors: usage if the file
  /// cannot store them.
  virtual void change_attributes(const DatasetDescription& description) = 0;
  /// Collective. Determines the places; called before the header is written. Errors: as describe.
  virtual void lay_out(Communicator& /*comm*/) {}

  // The following functions are Local, and called after lay_out.
  /// Returns the bytes that describe the dataset, without those of `beginning`. Other ranks than 0 may return no bytes.
  [[nodiscard]] virtual std::vector<FilePiece> header() = 0;
  /// Returns the bytes without which the file is not valid, and that state the number of complete steps.
  [[nodiscard]] virtual std::vector<FilePiece> beginning(std::int64_t steps) const = 0;
  /// Returns the place of step `step` (0 for variables without steps) of a variable.
  [[nodiscard]] virtual FileArray places(std::size_t variable, std::int64_t step) const = 0;
  [[nodiscard]] virtual ByteOrder order() const = 0;
  /// Returns the number of steps for which the file has room.
  [[nodiscard]] virtual std::int64_t max_steps() const = 0;
  /// Returns the step that has byte `byte` of the file; nullopt if none has it.
  [[nodiscard]] virtual std::optional<std::int64_t> step_at(std::int64_t byte) const = 0;
};

/// Local. Returns the layout of a new file. Precondition: the container has one file and is not `checkpoint`. Errors:
/// usage if the format cannot store the description, or lacks an option that is given.
[[nodiscard]] std::unique_ptr<GrowingLayout> new_layout(Container container, const DatasetDescription& description,
                                                        const DatasetOptions& options);

/// Local. Returns the layout of an existing file. Errors: usage if steps cannot be added to it.
[[nodiscard]] std::unique_ptr<GrowingLayout> layout_of(const DatasetContents& contents, const std::string& path);

}  // namespace sill
