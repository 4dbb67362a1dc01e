#include "sill/store/mpiio/mpiio_fault_trial.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <optional>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/launcher.hpp"
#include "sill/comm/mpi_communicator.hpp"
#include "sill/store/mpiio/mpiio_ranks.hpp"
#include "sill/store/posix/file_size_limit.hpp"

namespace sill {
namespace {

constexpr int piece_bytes = 1024;
constexpr int trial_pieces = 1024;
constexpr int bytes_of_rank = trial_pieces * piece_bytes;
constexpr const char* round_bytes = "262144";

// The writes of a rank: pieces with a stride, from `first` on.
struct Places {
  std::int64_t first = 0;
  std::int64_t stride = piece_bytes;
  std::vector<char> bytes;
};

bool are_in_file(const Places& places, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, piece_bytes> found{};
  for (std::size_t at = 0; at < places.bytes.size(); at += piece_bytes) {
    in.seekg(places.first + static_cast<std::int64_t>(at) / piece_bytes * places.stride);
    if (!in.read(found.data(), piece_bytes) || !std::equal(found.begin(), found.end(), &places.bytes[at])) return false;
  }
  return true;
}

void choose_driver(MpiioDriver driver) {
  const bool is_open_mpi = mpi_library().starts_with("Open MPI");
  if (driver == MpiioDriver::ompio && !is_open_mpi) {
    throw Error({.code = ErrorCode::usage, .problem = "OMPIO belongs to Open MPI; this is " + mpi_library()});
  }
  if (driver != MpiioDriver::standard)
    ::setenv("OMPI_MCA_io", driver == MpiioDriver::ompio ? "ompio" : "^ompio", 1);  // read at the first MPI_File_open
}

class TriedFile {
 public:
  TriedFile(MPI_Comm comm, const std::string& path, const char* buffer_bytes) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    if (buffer_bytes != nullptr) MPI_Info_set(info, "cb_buffer_size", buffer_bytes);
    const int status = MPI_File_open(comm, path.c_str(), MPI_MODE_WRONLY | MPI_MODE_CREATE, info, &file_);
    MPI_Info_free(&info);
    if (status != MPI_SUCCESS)
      throw Error(
          {.code = ErrorCode::usage, .problem = "this driver of MPI-IO opens no file", .where = {.file = path}});
  }

  // Collective if `together`. Returns true if MPI returned success for the write and for closing the file.
  [[nodiscard]] bool write(const Places& places, bool together, int& count) {
    MPI_Datatype type = MPI_BYTE;
    if (together) {
      MPI_Type_vector(trial_pieces, piece_bytes, static_cast<int>(places.stride), MPI_BYTE, &type);
      MPI_Type_commit(&type);
      MPI_File_set_view(file_, places.first, MPI_BYTE, type, "native", MPI_INFO_NULL);
    }
    MPI_Status status;
    const auto write = together ? MPI_File_write_at_all : MPI_File_write_at;
    const int written = write(file_, 0, places.bytes.data(), static_cast<int>(places.bytes.size()), MPI_BYTE, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (together) MPI_Type_free(&type);
    return MPI_File_close(&file_) == MPI_SUCCESS && written == MPI_SUCCESS;
  }

 private:
  MPI_File file_ = MPI_FILE_NULL;
};

// Collective over `together`, unless it is null. Adds a write to `outcome`.
void write_and_compare(TriedFile& file, const std::string& path, const Places& places, Communicator* together,
                       std::optional<std::int64_t> limit_bytes, MpiioOutcome& outcome) {
  int count = 0;
  std::optional<FileSizeLimit> limit;
  if (limit_bytes) limit.emplace(*limit_bytes);
  const bool succeeded = file.write(places, together != nullptr, count);
  limit.reset();
  if (together != nullptr) together->barrier();
  const bool is_missing = path == "/dev/full" || !are_in_file(places, path);
  if (!succeeded) ++outcome.failed;
  if (!is_missing) return;
  ++outcome.missing;
  if (!succeeded) return;
  ++outcome.unreported;
  if (count < static_cast<int>(places.bytes.size())) ++outcome.short_counts;
}

MpiioOutcome try_alone(const std::string& path) {
  MpiioOutcome outcome;
  for (const std::string& each : {path, std::string("/dev/full")}) {
    TriedFile file(MPI_COMM_SELF, each, nullptr);
    write_and_compare(file, each, {.bytes = std::vector<char>(bytes_of_rank, 'a')}, nullptr, bytes_of_rank / 2,
                      outcome);
  }
  return outcome;
}

MpiioOutcome try_together(Communicator& comm, const std::string& path, MpiioFault fault) {
  std::vector<int> everyone(static_cast<std::size_t>(comm.size()));
  std::iota(everyone.begin(), everyone.end(), 0);
  const MpiRanks all(mpi_handle(comm), everyone);
  const bool is_limited = fault != MpiioFault::empty_ranks;
  const std::int64_t ranks = comm.size();
  const Places places{comm.rank() * std::int64_t{piece_bytes}, ranks * piece_bytes,
                      std::vector<char>(is_limited || comm.rank() + 1 == ranks ? bytes_of_rank : 0,
                                        static_cast<char>('a' + comm.rank() % 26))};
  std::optional<TriedFile> file;
  run_and_agree(comm, [&] { file.emplace(all.get(), path, fault == MpiioFault::in_rounds ? round_bytes : nullptr); });
  MpiioOutcome outcome;
  write_and_compare(*file, path, places, &comm,
                    is_limited ? std::optional<std::int64_t>(bytes_of_rank / 2) : std::nullopt, outcome);
  return outcome;
}

}  // namespace

MpiioOutcome try_mpiio_fault(Communicator& comm, const std::string& folder, MpiioDriver driver, MpiioFault fault) {
  run_and_agree(comm, [&] {
    choose_driver(driver);
    (void)mpi_handle(comm);  // starts MPI
  });
  const MpiioOutcome mine =
      fault == MpiioFault::alone
          ? run_and_agree(comm, [&] { return try_alone(folder + "/alone" + std::to_string(comm.rank())); })
          : try_together(comm, folder + "/together", fault);
  std::array<std::int64_t, 4> sums{mine.failed, mine.missing, mine.unreported, mine.short_counts};
  comm.all_reduce(sums, Reduction::sum);
  return {sums[0], sums[1], sums[2], sums[3]};
}

}  // namespace sill
