#include "sill/comm/mpi_communicator.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/launcher.hpp"

namespace sill {
namespace {

// MPI-3 counts are int: longer messages are sent in pieces, all below 1 GiB.
constexpr std::size_t largest_piece_bytes = (std::size_t{1} << 30U) - 4096;
constexpr int message_tag = 1;

// Open MPI 4.1 and MPICH 4.0 used up to 36 descriptors on one node; some are for networks and files.
constexpr rlim_t min_open_files = 64;

std::size_t pieces_of(std::size_t bytes) { return (bytes + largest_piece_bytes - 1) / largest_piece_bytes; }

void check(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  int error_class = MPI_ERR_OTHER;
  MPI_Error_class(status, &error_class);
  // All messages of Sill have the size that their receiver expects, as long as all ranks are in the same call.
  if (error_class == MPI_ERR_TRUNCATE) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format(
                     "the ranks are in different calls: in {} this rank received a message of another call", call),
                 .action = "let all ranks make the same collective calls in the same order: a rank without data makes "
                           "the call with empty data"});
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw Error(
      {.code = ErrorCode::io,
       .problem = fmt::format("{} failed: {}", call, std::string(text.data(), static_cast<std::size_t>(length))),
       .action = "the message layer is broken: end all ranks and see the launcher's messages",
       .system_error_number = system_error_number_of(status)});
}

MPI_Op op_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum: return MPI_SUM;
    case Reduction::min: return MPI_MIN;
    case Reduction::max: return MPI_MAX;
    case Reduction::bit_xor: return MPI_BXOR;
  }
  return MPI_SUM;
}

class MpiCommunicator final : public Communicator {
 public:
  explicit MpiCommunicator(MPI_Comm parent) {
    // Split, not duplicated: a duplicate would inherit the attributes that libraries have attached to the parent. ROMIO
    // attaches node names, and Open MPI 4.1 passes them on to groups created from this communicator, where they are
    // wrong.
    check(MPI_Comm_rank(parent, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_split(parent, 0, rank_, &comm_), "MPI_Comm_split");
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
    MPI_Comm node = MPI_COMM_NULL;
    check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
    check(MPI_Comm_size(node, &ranks_on_node_), "MPI_Comm_size");
    try {
      learn_nodes(node);
    } catch (...) {
      MPI_Comm_free(&node);
      MPI_Comm_free(&comm_);
      throw;
    }
    MPI_Comm_free(&node);
  }
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;
  ~MpiCommunicator() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Comm_free(&comm_);
  }

  [[nodiscard]] MPI_Comm handle() const { return comm_; }
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] int ranks_on_node() const override { return ranks_on_node_; }
  [[nodiscard]] int ranks_on_cores() const override { return ranks_on_cores_; }
  [[nodiscard]] std::span<const int> node_of_ranks() const override { return node_of_ranks_; }

  void barrier() override { check(MPI_Barrier(comm_), "MPI_Barrier"); }

  void broadcast(std::span<std::byte> bytes, int root) override {
    while (!bytes.empty()) {
      const std::size_t piece = std::min(bytes.size(), largest_piece_bytes);
      check(MPI_Bcast(bytes.data(), static_cast<int>(piece), MPI_BYTE, root, comm_), "MPI_Bcast");
      bytes = bytes.subspan(piece);
    }
  }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    if (mine.size() <= largest_piece_bytes) {
      const int count = static_cast<int>(mine.size());
      check(MPI_Allgather(mine.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, comm_), "MPI_Allgather");
      return;
    }
    std::vector<Outgoing> sends;
    std::vector<Incoming> receives;
    for (int r = 0; r < size_; ++r) {
      sends.push_back({r, mine});
      receives.push_back({r, all.subspan(static_cast<std::size_t>(r) * mine.size(), mine.size())});
    }
    exchange(sends, receives);
  }

  void all_gather_all(std::span<const std::byte> mine, std::span<std::byte> all,
                      std::span<const std::int64_t> sizes) override {
    if (all.size() <= largest_piece_bytes) {
      std::copy(sizes.begin(), sizes.end(), counts_.begin());
      for (std::size_t r = 1; r < counts_.size(); ++r) begins_[r] = begins_[r - 1] + counts_[r - 1];
      check(MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, all.data(), counts_.data(),
                           begins_.data(), MPI_BYTE, comm_),
            "MPI_Allgatherv");
      return;
    }
    std::vector<Outgoing> sends;
    std::vector<Incoming> receives;
    std::size_t begin = 0;
    for (int r = 0; r < size_; ++r) {
      const auto length = static_cast<std::size_t>(sizes[static_cast<std::size_t>(r)]);
      if (!mine.empty()) sends.push_back({r, mine});
      if (length > 0) receives.push_back({r, all.subspan(begin, length)});
      begin += length;
    }
    exchange(sends, receives);
  }

  void all_to_all(std::span<const std::int64_t> out, std::span<std::int64_t> in) override {
    check(MPI_Alltoall(out.data(), 1, MPI_INT64_T, in.data(), 1, MPI_INT64_T, comm_), "MPI_Alltoall");
  }

  void all_reduce(std::span<std::int64_t> values, Reduction reduction) override {
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, op_of(reduction),
                        comm_),
          "MPI_Allreduce");
  }

  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) override {
    // Reserves memory for all requests first: if that fails, no message is in progress into memory that the caller then
    // frees.
    std::vector<MPI_Request> requests;
    std::size_t pieces = 0;
    for (const Incoming& receive : receives) pieces += pieces_of(receive.bytes.size());
    for (const Outgoing& send : sends) pieces += pieces_of(send.bytes.size());
    requests.reserve(pieces);
    for (const Incoming& receive : receives) {
      for (std::size_t at = 0; at < receive.bytes.size(); at += largest_piece_bytes) {
        const std::size_t piece = std::min(receive.bytes.size() - at, largest_piece_bytes);
        check(MPI_Irecv(receive.bytes.data() + at, static_cast<int>(piece), MPI_BYTE, receive.peer, message_tag, comm_,
                        &requests.emplace_back()),
              "MPI_Irecv");
      }
    }
    for (const Outgoing& send : sends) {
      for (std::size_t at = 0; at < send.bytes.size(); at += largest_piece_bytes) {
        const std::size_t piece = std::min(send.bytes.size() - at, largest_piece_bytes);
        check(MPI_Issend(send.bytes.data() + at, static_cast<int>(piece), MPI_BYTE, send.peer, message_tag, comm_,
                         &requests.emplace_back()),
              "MPI_Issend");
      }
    }
    check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }

 private:
  // Allocates the lists where ranks agree on errors, so that no rank waits for one without memory.
  void learn_nodes(MPI_Comm node) {
    std::vector<cpu_set_t> core_sets;
    std::vector<int> lowest_of_ranks;
    std::vector<int> number;
    run_and_agree(*this, [&] {
      core_sets.resize(static_cast<std::size_t>(ranks_on_node_));
      lowest_of_ranks.resize(static_cast<std::size_t>(size_));
      number.resize(lowest_of_ranks.size());
      node_of_ranks_.resize(lowest_of_ranks.size());
      counts_.resize(lowest_of_ranks.size());
      begins_.resize(lowest_of_ranks.size());
    });
    cpu_set_t mine;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_ZERO(&mine);
    check(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, core_sets.data(), sizeof mine, MPI_BYTE, node), "MPI_Allgather");
    ranks_on_cores_ = static_cast<int>(std::count_if(
        core_sets.begin(), core_sets.end(), [&](const cpu_set_t& other) { return CPU_EQUAL(&mine, &other) != 0; }));

    int lowest = rank_;
    check(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, node), "MPI_Allreduce");
    check(MPI_Allgather(&lowest, 1, MPI_INT, lowest_of_ranks.data(), 1, MPI_INT, comm_), "MPI_Allgather");
    int nodes = 0;
    for (std::size_t r = 0; r < number.size(); ++r) {
      const auto first = static_cast<std::size_t>(lowest_of_ranks[r]);
      if (first == r) number[r] = nodes++;
      node_of_ranks_[r] = number[first];
    }
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  int ranks_on_node_ = 1;
  int ranks_on_cores_ = 1;
  std::vector<int> node_of_ranks_;
  std::vector<int> counts_;  // bytes of each rank in an MPI_Allgatherv, and their offsets
  std::vector<int> begins_;
};

}  // namespace

void require_mpi_running() {
  int is_initialized = 0;
  int is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (is_initialized == 0)
    throw Error(
        {.code = ErrorCode::usage, .problem = "MPI is not initialized", .action = "call MPI_Init_thread first"});
  if (is_finalized != 0)
    throw Error({.code = ErrorCode::usage, .problem = "MPI has ended", .action = "do this before MPI_Finalize"});
}

void require_intracommunicator(MPI_Comm comm) {
  int is_inter = 0;
  if (comm != MPI_COMM_NULL) MPI_Comm_test_inter(comm, &is_inter);
  if (comm != MPI_COMM_NULL && is_inter == 0) return;
  throw Error({.code = ErrorCode::usage,
               .problem = comm == MPI_COMM_NULL ? "the communicator is MPI_COMM_NULL"
                                                : "the communicator is an intercommunicator",
               .action = "pass the communicator of the ranks that write together"});
}

std::unique_ptr<Communicator> make_mpi_communicator(MPI_Comm parent) {
  return std::make_unique<MpiCommunicator>(parent);
}

MPI_Comm mpi_handle(const Communicator& comm) {
  if (const auto* mine = dynamic_cast<const MpiCommunicator*>(&comm)) return mine->handle();
  if (comm.size() > 1) {
    throw Error(
        {.code = ErrorCode::usage, .problem = "MPI calls need a communicator that was made from an MPI communicator"});
  }
  start_mpi_alone();
  return MPI_COMM_SELF;
}

int system_error_number_of(int mpi_status) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(mpi_status, &error_class);
  switch (error_class) {
    case MPI_ERR_NO_SPACE: return ENOSPC;
    case MPI_ERR_QUOTA: return EDQUOT;
    case MPI_ERR_NO_SUCH_FILE: return ENOENT;
    case MPI_ERR_FILE_EXISTS: return EEXIST;
    case MPI_ERR_FILE_IN_USE: return EBUSY;
    case MPI_ERR_ACCESS: return EACCES;
    case MPI_ERR_READ_ONLY: return EROFS;
    case MPI_ERR_NO_MEM: return ENOMEM;
    default: return 0;
  }
}

void start_mpi() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < min_open_files) {
    throw Error({.code = ErrorCode::io,
                 .problem = fmt::format("this process may open {} files, too few for MPI to start", limit.rlim_cur),
                 .action = fmt::format("raise the limit on open files (ulimit -n) to {} or more, or run one process "
                                       "with a policy of call=posix, which needs no MPI",
                                       min_open_files)});
  }
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_FUNNELED) {
    throw Error({.code = ErrorCode::io,
                 .problem = fmt::format("{} could not be initialized for a program with threads", mpi_library()),
                 .action = "see the launcher's messages"});
  }
}

void start_mpi_alone() {
  int started = 0;
  int ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (ended != 0) throw Error({.code = ErrorCode::usage, .problem = "MPI has ended in this process"});
  if (started != 0) return;
  const std::optional<Announcement> announced = launcher_announcement();
  if (announced && announced->ranks != 1) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("MPI is needed but was not started, although {} announces several ranks",
                                        announced->variable),
                 .action = "start MPI before Sill is called"});
  }
  start_mpi();
  std::atexit([] {
    int over = 0;
    MPI_Finalized(&over);
    if (over == 0) MPI_Finalize();
  });
}

}  // namespace sill
