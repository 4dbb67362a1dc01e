// sill kernel blast-records: the output of a parallel BLAST.
#include "cli/kernel/kernel_command.hpp"
#include "kernels/blast_records.hpp"
#include "sill/base/units.hpp"

namespace sill::cli {

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
      [run, buffer](Communicator&, const KernelArguments& common) -> std::unique_ptr<kernels::Kernel> {
        kernels::BlastRun of_run = *run;
        of_run.buffer_bytes = parse_bytes(*buffer, "--buffer");
        if (common.is_paper) {
          of_run.records = 1'000'000;
          of_run.buffer_bytes = 768'000'000;
        }
        return std::make_unique<kernels::BlastKernel>(common.setting, of_run);
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
