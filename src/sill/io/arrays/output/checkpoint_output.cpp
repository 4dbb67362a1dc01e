#include "sill/io/arrays/output/checkpoint_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sill/base/crc32.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/arrays/checkpoint_files.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/io/simulation/continued_files.hpp"

namespace sill {

// A file that is written through stores that compute its checksums.
struct CheckpointOutput::Generation {
  Generation(const Resources& of_output, const std::string& path, DatasetDescription described,
             const DatasetOptions& options, bool rewrites)
      : description(std::move(described)),
        layout(cdf::layout_of(description, options.form)),
        sums(std::make_shared<BlockChecksums>(checksums_of(layout))),
        resources(of_output) {
    const auto summed = [to = sums](std::unique_ptr<Store> store) -> std::unique_ptr<Store> {
      return store == nullptr ? nullptr : std::make_unique<ChecksumStore>(std::move(store), to);
    };
    resources.open = [summed, open = of_output.open](const std::string& name, OpenMode mode) {
      return summed(open(name, mode));
    };
    resources.open_together = [summed, open = of_output.open_together](Communicator& comm, std::span<const int> ranks,
                                                                       const std::string& name, OpenMode mode) {
      return summed(open(comm, ranks, name, mode));
    };
    file.emplace(resources, path, Container::netcdf, description, options, rewrites);
  }

  DatasetDescription description;
  cdf::FileLayout layout;
  std::shared_ptr<BlockChecksums> sums;
  Resources resources;
  std::optional<GrowingOutput> file;
};

namespace {

// Returns the program that writes a dataset, and its version, in the form of the CF conventions.
std::string source_of(const DatasetDescription& description) {
  const auto found = std::ranges::find(description.attributes, "source", &Attribute::name);
  return found == description.attributes.end() ? std::string() : found->text();
}

}  // namespace

CheckpointOutput::CheckpointOutput(const Resources& resources, std::string path, DatasetDescription description,
                                   const DatasetOptions& options)
    : resources_(resources), path_(std::move(path)), description_(std::move(description)), options_(options) {
  using Existing = DatasetOptions::Existing;
  options_.fill = false;  // each byte is written once
  options_.existing = Existing::replace;
  run_and_agree(resources_.comm, [&] {
    if (options.first_step)
      refuse_dataset(path_, "a checkpoint can only continue after its last step", "omit first_step");
    (void)described_generation(description_, 1, options_.form);
  });
  if (options.existing == Existing::append) {
    const std::optional<CheckpointGeneration> whole = newest_whole_generation(resources_, path_);
    run_and_agree(resources_.comm, [&] {
      if (!whole) return;
      // The next generation replaces the other one, even if that is newer but damaged.
      steps_ = whole->number;
      if (has_same_arrays(description_, whole->contents.description)) return;
      refuse_dataset(path_,
                     fmt::format("{} differs from the checkpoint that the run continues",
                                 first_difference_of_arrays(description_, whole->contents.description)),
                     "read the checkpoint with a program of the same grid and types, or write another one");
    });
    if (whole && source_of(whole->contents.description) != source_of(description_)) {
      note(resources_, fmt::format("{}: written by {:?}, and continued by {:?}", whole->path,
                                   source_of(whole->contents.description), source_of(description_)));
    }
  } else {
    const std::vector<CheckpointGeneration> there = checkpoint_generations(resources_, path_);
    run_on_rank(resources_.comm, 0, [&] {
      for (const CheckpointGeneration& each : there) {
        if (options.existing == Existing::refuse)
          refuse_dataset(each.path, "the checkpoint exists already",
                         "name another one, or allow replacement or appending");
        remove_files({&each.path, 1});
      }
    });
  }
}

CheckpointOutput::~CheckpointOutput() = default;

template <class Work>
void CheckpointOutput::perform(Work&& work) {
  const std::optional<Error> error = attempt_together(resources_.comm, std::forward<Work>(work));
  if (!error) return;
  if (begun_) {
    begun_.reset();
    is_written_ = false;
    (void)attempt_together(resources_.comm, [&] {
      run_on_rank(resources_.comm, 0, [&] {
        const std::string path = generation_path(path_, steps_);
        remove_files({&path, 1});
      });
    });
    --steps_;
  }
  throw Error(*error);
}

void CheckpointOutput::set_attribute(const Attribute& attribute, const std::string& variable) {
  run_and_agree(resources_.comm, [&] {
    if (is_closed_) refuse_closed(path_);
    description_ = with_attribute(description_, attribute, variable);
  });
}

void CheckpointOutput::begin() {
  const DatasetDescription described =
      run_and_agree(resources_.comm, [&] { return described_generation(description_, steps_ + 1, options_.form); });
  // The bytes have the same positions: no space must be released and allocated again.
  cdf::FileLayout& written = written_[static_cast<std::size_t>((steps_ + 1) % 2)];
  const bool rewrites = cdf::layout_of(described, options_.form) == written;
  written = {};
  begun_ = std::make_unique<Generation>(resources_, generation_path(path_, steps_ + 1), described, options_, rewrites);
  ++steps_;
}

void CheckpointOutput::write(OutputCall& output_call, std::span<const ArrayPart> parts,
                             std::optional<std::int64_t> steps, Memory memory) {
  perform([&] {
    if (is_written_) finish();  // an error of this call does not affect the previous one
    run_and_agree(resources_.comm, [&] {
      if (is_closed_) refuse_closed(path_);
      if (steps.value_or(1) != 1)
        refuse_dataset(path_, "several steps are written in one call", "write one checkpoint per step");
    });
    if (!begun_) begin();
    OutputCall uncounted(nullptr);
    begun_->file->write(uncounted, parts, {}, memory);
    if (!steps) return;
    is_written_ = true;
    output_call.completes_phase();
    if (resources_.policy.async == 0) finish();
  });
}

void CheckpointOutput::finish() {
  Generation& generation = *begun_;
  generation.file->wait();
  std::vector<std::int64_t> shares = generation.sums->shares();
  resources_.comm.all_reduce(shares, Reduction::bit_xor);
  std::vector<std::int32_t> sums;
  run_and_agree(resources_.comm, [&] {
    const std::uint32_t of_header = crc32_of(cdf::header_of(generation.description, generation.layout, 1));
    sums.push_back(static_cast<std::int32_t>(of_header));
    for (const std::uint32_t each : generation.sums->complete(shares)) sums.push_back(static_cast<std::int32_t>(each));
  });
  std::vector<ArrayPart> parts;
  if (resources_.comm.rank() == 0)
    parts.emplace_back(checkpoint_checksums, Box{{0}, {static_cast<std::int64_t>(sums.size())}}, sums.data());
  OutputCall uncounted(nullptr);
  generation.file->write(uncounted, parts, {}, Memory::copied);
  generation.file->write(uncounted, {}, 1, Memory::copied);
  generation.file->close();
  written_[static_cast<std::size_t>(steps_ % 2)] = generation.layout;
  begun_.reset();
  is_written_ = false;
}

void CheckpointOutput::write_own(std::int64_t, std::span<const ArrayPart>) {
  refuse_dataset(path_, "only one rank writes to a checkpoint", "write the data in the call of all ranks");
}

void CheckpointOutput::wait() {
  perform([&] {
    if (is_written_) finish();
  });
}

void CheckpointOutput::close() {
  is_closed_ = true;
  perform([&] {
    if (is_written_) finish();
    run_and_agree(resources_.comm, [&] {
      if (begun_)
        refuse_dataset(path_, "the checkpoint is closed before its last step is complete",
                       "complete the step with write_step");
    });
  });
}

Where CheckpointOutput::place_of(std::int64_t byte) const {
  return begun_ ? begun_->file->place_of(byte) : Where{.file = path_};
}

}  // namespace sill
