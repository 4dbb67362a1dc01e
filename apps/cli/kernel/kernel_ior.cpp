// sill kernel ior: large blocks, as written by IOR.
#include "cli/kernel/kernel_command.hpp"
#include "kernels/ior.hpp"
#include "sill/base/units.hpp"

namespace sill::cli {

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
      [sizes](Communicator& comm, const KernelArguments& common) -> std::unique_ptr<kernels::Kernel> {
        const bool is_paper = common.is_paper;
        const kernels::IorRun run{
            .block_bytes = is_paper ? paper_bytes / comm.size() : parse_bytes(sizes->block, "--block"),
            .transfer_bytes = is_paper ? 256 << 10 : parse_bytes(sizes->transfer, "--transfer"),
            .is_shared = is_paper || sizes->is_shared};
        if (run.block_bytes < 1 || run.transfer_bytes < 1) {
          throw usage_error("--block and --transfer must be at least 1 byte");
        }
        return std::make_unique<kernels::IorKernel>(common.setting, run, comm.size());
      });
  kernel.size(
      kernel.parser.add_option("--block", sizes->block, "Size of the block that each rank writes")->type_name("SIZE"));
  kernel.size(kernel.parser
                  .add_option("--transfer", sizes->transfer,
                              "Bytes that a rank writes per transfer, from a buffer of this size")
                  ->type_name("SIZE"));
  kernel.size(kernel.parser.add_flag("--shared", sizes->is_shared, "Write all blocks into one file"));
}

}  // namespace sill::cli
