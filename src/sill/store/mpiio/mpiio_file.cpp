#include "sill/store/mpiio/mpiio_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/comm/mpi_communicator.hpp"
#include "sill/store/mpiio/mpiio_thread.hpp"

namespace sill {
namespace {

constexpr std::int64_t largest_mpiio_call_bytes = (std::int64_t{1} << 30U) - 4096;  // counts of MPI-IO are int

// Files and groups use one communicator each; the remaining ones are left to the program.
constexpr int max_handles = 1500;

// The only driver of ROMIO that the guards are tested with; OMPIO does not know this prefix.
std::string driver_path(const std::string& path) { return "ufs:" + path; }

class Info {
 public:
  Info() { MPI_Info_create(&info_); }
  explicit Info(MPI_Info info) : info_(info) {}
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  ~Info() {
    if (info_ != MPI_INFO_NULL) MPI_Info_free(&info_);
  }
  void set(const char* key, const std::string& value) { MPI_Info_set(info_, key, value.c_str()); }
  [[nodiscard]] std::string value_of(const char* key) const {
    std::string value(MPI_MAX_INFO_VAL + 1, '\0');
    int is_there = 0;
    if (info_ != MPI_INFO_NULL) MPI_Info_get(info_, key, MPI_MAX_INFO_VAL, value.data(), &is_there);
    return is_there != 0 ? std::string(value.c_str()) : std::string();
  }
  [[nodiscard]] MPI_Info get() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

std::string text_of(int status) {
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return text.substr(0, text.find('\n'));
}

// Returns an error if MPI-IO does not report the failure of a write that must fail.
std::optional<Error> report_full_disk() {
  const char* full = "/dev/full";
  MPI_File file = MPI_FILE_NULL;
  const int opened = MPI_File_open(MPI_COMM_SELF, driver_path(full).c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  int written = MPI_SUCCESS;
  if (opened == MPI_SUCCESS) {
    const char byte = 0;
    MPI_Status status;
    written = MPI_File_write_at(file, 0, &byte, 1, MPI_BYTE, &status);
    MPI_File_close(&file);
  }
  if (opened == MPI_SUCCESS && written != MPI_SUCCESS) return std::nullopt;
  return Error({.code = ErrorCode::usage,
                .problem = opened == MPI_SUCCESS
                               ? "MPI-IO cannot be trusted here: it reports success where a disk is full"
                               : fmt::format("MPI-IO cannot be trusted here: it is not ROMIO ({})", text_of(opened)),
                .where = {.file = full},
                .action = "with Open MPI, set OMPI_MCA_io=^ompio before the program starts MPI; or use posix calls "
                          "(call=posix)"});
}

bool is_complete(int result, const MPI_Status& status, std::int64_t bytes) {
  MPI_Count moved = 0;
  return result == MPI_SUCCESS && MPI_Get_elements_x(&status, MPI_BYTE, &moved) == MPI_SUCCESS && moved == bytes;
}

}  // namespace

void require_sound_mpiio() {
  start_mpi_alone();
  require_mpi_thread();
  static const std::optional<Error> unsound = [] {
    // MPI reads the variable when it opens its first file. A value set by the user is not replaced, and is tested in
    // the same way.
    const int keep_existing = 0;
    ::setenv("OMPI_MCA_io", "^ompio", keep_existing);
    return report_full_disk();
  }();
  if (unsound) throw *unsound;
}

void require_sensible(const MpiioHints& hints) {
  if (hints.aggregators >= 0 && hints.buffer_bytes > 0 && hints.buffer_bytes <= largest_mpiio_call_bytes) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("{} aggregators with buffers of {} bytes are not valid hints for MPI-IO",
                                      hints.aggregators, hints.buffer_bytes),
               .action = fmt::format("use buffers of 1 to {} bytes", largest_mpiio_call_bytes)});
}

int& open_mpi_handles() {
  static int handles = 0;
  return handles;
}

void require_mpi_handles() {
  if (open_mpi_handles() < max_handles) return;
  throw Error({.code = ErrorCode::io,
               .problem = fmt::format("{} files and groups of ranks are open in MPI", open_mpi_handles()),
               .action = "keep fewer files open at once"});
}

MpiFile::MpiFile(MPI_Comm comm, const std::string& path, bool writable, const MpiioHints& hints) {
  Info info;
  const auto ask = [&](const char* name, const std::string& value) {
    info.set(name, value);
    asked_.push_back({name, value, ""});
  };
  ask("romio_ds_write", "disable");  // data sieving writes gaps back, and leaves them locked after an error
  ask("romio_cb_write", "enable");
  ask("cb_buffer_size", std::to_string(hints.buffer_bytes));
  info.set(unknown_mpiio_hint, "1");
  int size = 1;
  MPI_Comm_size(comm, &size);
  alone_ = size == 1;
  if (hints.aggregators > 0) {
    ask("cb_nodes", std::to_string(std::min(hints.aggregators, size)));  // with more, ROMIO 3.2.1 ends the program
    ask("cb_config_list", "*:*");                                        // allows several per node
  }
  const int status =
      MPI_File_open(comm, driver_path(path).c_str(), writable ? MPI_MODE_RDWR : MPI_MODE_RDONLY, info.get(), &file_);
  if (status != MPI_SUCCESS) {
    throw Error({.code = ErrorCode::io,
                 .problem = fmt::format("MPI-IO cannot open the file: {}", text_of(status)),
                 .where = {.file = path},
                 .system_error_number = system_error_number_of(status)});
  }
  ++open_mpi_handles();
}

MpiFile::~MpiFile() {
  int ended = 0;
  MPI_Finalized(&ended);
  if (alone_ && ended == 0) (void)close();
}

MpiioHintsInEffect MpiFile::hints() const {
  MPI_Info used = MPI_INFO_NULL;
  if (MPI_File_get_info(file_, &used) != MPI_SUCCESS) used = MPI_INFO_NULL;
  const Info info(used);
  MpiioHintsInEffect found{asked_, !info.value_of(unknown_mpiio_hint).empty()};
  for (MpiioHint& hint : found.hints) hint.in_effect = info.value_of(hint.name.c_str());
  return found;
}

bool MpiFile::close() {
  if (file_ == MPI_FILE_NULL) return true;
  --open_mpi_handles();
  return MPI_File_close(&file_) == MPI_SUCCESS;
}

bool MpiFile::move(Operation operation, ByteRange bytes, std::byte* memory) {
  if (viewed_ && MPI_File_set_view(file_, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL) != MPI_SUCCESS) return false;
  viewed_ = false;
  while (!bytes.empty()) {
    const std::int64_t length = std::min(bytes.length, largest_mpiio_call_bytes);
    const int count = static_cast<int>(length);
    MPI_Status status;
    const int result = operation == Operation::read
                           ? MPI_File_read_at(file_, bytes.offset, memory, count, MPI_BYTE, &status)
                           : MPI_File_write_at(file_, bytes.offset, memory, count, MPI_BYTE, &status);
    if (!is_complete(result, status, length)) return false;
    bytes = {bytes.offset + length, bytes.length - length};
    memory += length;
  }
  return true;
}

bool MpiFile::move(Operation operation, const MpiType& type, std::int64_t base, std::span<std::byte> packed,
                   bool sieve) {
  Info info;
  info.set("romio_ds_read", sieve ? "enable" : "disable");
  if (MPI_File_set_view(file_, base, MPI_BYTE, type.get(), "native", info.get()) != MPI_SUCCESS) return false;
  viewed_ = true;
  const int count = static_cast<int>(packed.size());
  MPI_Status status;
  const int result = operation == Operation::read
                         ? MPI_File_read_at(file_, 0, packed.data(), count, MPI_BYTE, &status)
                         : MPI_File_write_at(file_, 0, packed.data(), count, MPI_BYTE, &status);
  return is_complete(result, status, static_cast<std::int64_t>(packed.size()));
}

bool MpiFile::write_together(const MpiType& type, std::int64_t base, std::span<const std::byte> packed) {
  const MPI_Datatype places = type.get() == MPI_DATATYPE_NULL ? MPI_BYTE : type.get();
  const bool viewed = MPI_File_set_view(file_, base, MPI_BYTE, places, "native", MPI_INFO_NULL) == MPI_SUCCESS;
  const std::size_t bytes = viewed ? packed.size() : 0;  // the rank takes part in any case
  MPI_Status status;
  const int result = MPI_File_write_at_all(file_, 0, packed.data(), static_cast<int>(bytes), MPI_BYTE, &status);
  return viewed && is_complete(result, status, static_cast<std::int64_t>(bytes));
}

}  // namespace sill
