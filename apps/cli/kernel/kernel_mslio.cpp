// sill kernel mslio: the solution output of MHM, as MSLIO mimics it.
#include <fmt/format.h>

#include "cli/kernel/kernel_command.hpp"
#include "kernels/mslio.hpp"
#include "sill/base/units.hpp"

namespace sill::cli {

void add_kernel_mslio(CLI::App& kernels, Commands& commands) {
  struct Sizes {
    kernels::SolutionRun run;
    std::string files = "each";
    std::string chunk_align;
  };
  auto options = std::make_shared<Sizes>();
  const KernelCommand kernel = add_kernel_command(
      kernels, commands, "mslio",
      "Write the solution files of MHM, as its kernel MSLIO does\n"
      "One text file per local problem and phase, or one shared file per phase (F. Z. Boito et al. "
      "2022).",
      "the sizes of the largest run of F. Z. Boito et al. 2022 (ccross 8, 128 sub-elements): 65,536 files, 6.65 GiB",
      "  sill kernel mslio --verify\n"
      "  mpiexec -n 4 sill kernel mslio --ccross 6 --against original,direct,elected,collective\n"
      "  mpiexec -n 4 sill kernel mslio --files shared --chunk-align stripe --policy aggregated\n",
      [options](Communicator&, const KernelArguments& common) -> std::unique_ptr<kernels::Kernel> {
        kernels::SolutionRun run = options->run;
        if (run.describe && has_original(common.against)) {
          throw usage_error(
              "--describe: the original program does not write these files, so the compared ways "
              "would write different files",
              "omit --describe, or `original` in --against");
        }
        if (common.is_paper) {
          run.ccross = 8;
          run.sub_elements = 128;
        }
        run.files = options->files == "each" ? solution::Files::each : solution::Files::shared;
        if (!options->chunk_align.empty()) {
          if (run.files == solution::Files::each) {
            throw usage_error("--chunk-align: one file per problem has no chunks", "also give --files shared");
          }
          run.align_to_stripes = options->chunk_align == "stripe";
          if (!run.align_to_stripes) run.chunk_align_bytes = parse_bytes(options->chunk_align);
        }
        return std::make_unique<kernels::SolutionKernel>(common.setting, run);
      });
  kernel.command.output = "solutions";
  CLI::App& parser = kernel.parser;
  kernel.size(
      parser.add_option("--ccross", options->run.ccross, "Exponent of the number of local problems, which is 4^CCROSS")
          ->check(CLI::Range(0, 12)));
  kernel.size(parser
                  .add_option("--sub-elements", options->run.sub_elements,
                              "Segments per edge of a local mesh: S of them make (S+1)(S+2)/2 points")
                  ->check(CLI::Range(std::int64_t{1}, std::int64_t{60'000})));
  parser.add_option("--dimensions", options->run.dimensions, "Values per point")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  parser.add_option("--phases", options->run.phases, "Number of output phases")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{999'999}))
      ->capture_default_str();
  parser.add_option("--record-width", options->run.record_bytes, "Bytes per value, including its newline")
      ->check(CLI::IsMember({13, 14}))
      ->capture_default_str();
  add_choice(parser, "--files", options->files, {"each", "shared"},
             "Files to write: one per local problem and output phase, in one folder per problem (each), or "
             "one per output phase (shared)");
  parser
      .add_option("--chunk-align", options->chunk_align,
                  "Begin the chunks of a shared file at multiples of this size, or of the file system's stripes, and "
                  "fill the gaps with blanks. Default: no gaps")
      ->type_name("SIZE|stripe");
  kernel.lend(options->run.lends);
  parser
      .add_flag("--describe", options->run.describe,
                "Also write a description of each local problem before the time loop, which `sill solutions "
                "join` needs. MSLIO does not write it")
      ->excludes(&kernel.original);
}

}  // namespace sill::cli
