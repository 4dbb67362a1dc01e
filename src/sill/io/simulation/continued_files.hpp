// The files of an earlier run that a simulation continues, for example after a checkpoint.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/station/channel_file.hpp"
#include "sill/formats/station/station_file.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Local. Throw Error(input) because the file at `path` was not written by an earlier run with these stations; because
/// it has `found` steps, but is to be continued after `steps`.
[[noreturn]] void refuse_other(const std::string& path);
[[noreturn]] void refuse_shorter(const std::string& path, std::int64_t steps, std::int64_t found);

/// Collective. Truncates the files of receivers after their first `steps` steps: file i is at paths[i] and described by
/// files[i]. Each rank truncates some of the files. No file is changed unless all files can be continued. Returns the
/// first byte of the records of each file. Errors: input if a file does not match its description, or has fewer
/// complete steps; io. Precondition: steps > 0.
[[nodiscard]] std::vector<std::int64_t> keep_steps(const Resources& resources, std::span<const std::string> paths,
                                                   std::span<const std::unique_ptr<const station::ReceiverFile>> files,
                                                   std::int64_t steps);

/// Collective. Checks that a file of channels can be continued after `steps` steps, without changing it. Errors: input
/// if the file does not match its description, or has fewer steps; io. Precondition: steps > 0.
void require_channels(const Resources& resources, const std::string& path, const station::ChannelFile& file,
                      std::int64_t steps);

/// Local. Removes the existing files among `paths`. Errors: io.
void remove_files(std::span<const std::string> paths);

/// Local. Removes the files of steps after `last`. Their names are `names_of_step_0` with another number in place of
/// the zeros before `end`. Errors: io.
void remove_later_files(std::span<const std::string> names_of_step_0, std::string_view end, std::int64_t last);

}  // namespace sill
