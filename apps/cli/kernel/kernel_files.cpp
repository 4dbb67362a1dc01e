// sill kernel mslio, ior, blast-records: the solutions of MHM, as MSLIO mimics it, the blocks of IOR, and the records
// of a parallel BLAST.

#include "cli/kernel/kernel_command.hpp"
#include "kernels/kernels.hpp"
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
      [options](Communicator&, const KernelArguments& common) {
        kernels::SolutionRun run = options->run;
        if (run.describe && has_original(common.against)) {
          throw usage_error(
              "--describe: the original program does not write these files, so the compared ways would write different "
              "files",
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
        return kernels::make_solution_kernel(common.setting, run);
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
             "Files to write: one per local problem and output phase, in one folder per problem (each), or one per "
             "output phase (shared)");
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

void add_kernel_ior(CLI::App& kernels, Commands& commands) {
  struct Sizes {
    std::string block = "256M";
    std::string transfer = "1M";
    bool is_shared = false;
  };
  auto sizes = std::make_shared<Sizes>();
  constexpr std::int64_t paper_bytes = 512LL << 30U;
  const KernelCommand kernel = add_kernel_command(
      kernels, commands, "ior",
      "Write one block per rank in equal transfers, as the benchmark IOR does\nShows what the file system can do, and "
      "how a policy changes that.",
      "the sizes of figure 3 of the PnetCDF paper (J. Brzenski et al. 2021): 512 GiB in total in one shared file, 256 "
      "KiB per transfer",
      "  sill kernel ior --verify\n"
      "  mpiexec -n 4 sill kernel ior --shared --policy collective --report ior.json\n"
      "  mpiexec -n 4 sill kernel ior --shared --block 64M --against original,direct,aggregated,collective\n",
      [sizes](Communicator& comm, const KernelArguments& common) {
        const bool is_paper = common.is_paper;
        const kernels::IorRun run{
            .block_bytes = is_paper ? paper_bytes / comm.size() : parse_bytes(sizes->block, "--block"),
            .transfer_bytes = is_paper ? 256 << 10 : parse_bytes(sizes->transfer, "--transfer"),
            .is_shared = is_paper || sizes->is_shared};
        if (run.block_bytes < 1 || run.transfer_bytes < 1) {
          throw usage_error("--block and --transfer must be at least 1 byte");
        }
        return kernels::make_ior_kernel(common.setting, run, comm.size());
      });
  kernel.size(
      kernel.parser.add_option("--block", sizes->block, "Size of the block that each rank writes")->type_name("SIZE"));
  kernel.size(kernel.parser
                  .add_option("--transfer", sizes->transfer,
                              "Bytes that a rank writes per transfer, from a buffer of this size")
                  ->type_name("SIZE"));
  kernel.size(kernel.parser.add_flag("--shared", sizes->is_shared, "Write all blocks into one file"));
}

void add_kernel_records(CLI::App& kernels, Commands& commands) {
  auto run = std::make_shared<kernels::BlastRun>();
  auto buffer = std::make_shared<std::string>("64M");
  const KernelCommand kernel = add_kernel_command(
      kernels, commands, "blast-records",
      "Write the output of a parallel BLAST\n"
      "One compressed file of XML records; in the original, the first rank of each node writes its "
      "records.",
      "the sizes of L. D. Crosby et al. 2011: 1,000,000 records of 8192 bytes, 768 MB of records per call",
      "  sill kernel blast-records --verify\n"
      "  mpiexec -n 4 sill kernel blast-records --records 1000 --codec bgzf --files 2\n"
      "  mpiexec -n 4 sill kernel blast-records --codec bgzf --against original,auto\n",
      [run, buffer](Communicator&, const KernelArguments& common) {
        kernels::BlastRun of_run = *run;
        of_run.buffer_bytes = parse_bytes(*buffer, "--buffer");
        if (common.is_paper) {
          of_run.records = 1'000'000;
          of_run.buffer_bytes = 768'000'000;
        }
        return kernels::make_blast_kernel(common.setting, of_run);
      });
  kernel.command.output = "records";
  kernel.size(kernel.parser.add_option("--records", run->records, "Number of records, one per query"));
  kernel.size(kernel.parser.add_option("--record-bytes", run->record_bytes, "Approximate size of a record in bytes"));
  kernel.size(kernel.parser.add_option("--buffer", *buffer,
                                       "Approximate size of the records that all ranks pass to one call together"));
  const std::map<std::string, records::Codec> names{
      {"none", records::Codec::none}, {"zstd", records::Codec::zstd}, {"bgzf", records::Codec::bgzf}};
  kernel.parser
      .add_option("--codec", run->options.form.codec, "Compression of the records: none, zstd or bgzf. Default: zstd")
      ->transform(CLI::CheckedTransformer(names).description(""));
  kernel.parser.add_option("--level", run->options.form.level, "Compression level")->capture_default_str();
  kernel.parser.add_option("--files", run->options.files, "Number of files, each with a range of records")
      ->capture_default_str();
}

}  // namespace sill::cli
