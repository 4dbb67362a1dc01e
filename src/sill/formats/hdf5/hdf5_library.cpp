#ifdef SILL_HDF5_LIBRARY
#include "sill/formats/hdf5/hdf5_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill::hdf5 {
namespace {

const char* const library_variable = "SILL_HDF5";

[[noreturn]] void refuse_library(std::string problem) {
  throw Error(
      {.code = ErrorCode::usage,
       .problem = std::move(problem),
       .action = fmt::format("install HDF5 {}.{} (Debian: libhdf5-dev), or name the library by its absolute path in {}",
                             H5_VERS_MAJOR, H5_VERS_MINOR, library_variable)});
}

Library loaded() {
  const std::string name = environment_text(library_variable).value_or(SILL_HDF5_LIBRARY);
  void* const handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = ::dlerror();
    refuse_library(fmt::format("HDF5 cannot be loaded: {}", reason == nullptr ? name : echoed(reason, 200)));
  }
  const auto find = [&](const char* symbol) {
    void* const found = ::dlsym(handle, symbol);
    if (found == nullptr) refuse_library(fmt::format("{} lacks the function {}", name, symbol));
    return found;
  };
  Library made{};
#define SILL_HDF5_LOAD(function) made.function = reinterpret_cast<decltype(made.function)>(find(#function));
  SILL_HDF5_FUNCTIONS(SILL_HDF5_LOAD)
#undef SILL_HDF5_LOAD
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  made.H5get_libversion(&major, &minor, &release);
  if (major != H5_VERS_MAJOR || minor != H5_VERS_MINOR) {
    refuse_library(fmt::format("{} is HDF5 {}.{}.{}, but this program was built for {}.{}", name, major, minor, release,
                               H5_VERS_MAJOR, H5_VERS_MINOR));
  }
  if (made.H5open() < 0) refuse_library(fmt::format("HDF5 {} does not start", name));
  const auto id = [&](const char* symbol) { return *static_cast<const hid_t*>(find(symbol)); };
  made.file_access = id("H5P_CLS_FILE_ACCESS_ID_g");
  made.file_creation = id("H5P_CLS_FILE_CREATE_ID_g");
  made.group_creation = id("H5P_CLS_GROUP_CREATE_ID_g");
  made.dataset_creation = id("H5P_CLS_DATASET_CREATE_ID_g");
  made.string = id("H5T_C_S1_g");
  made.object_reference = id("H5T_STD_REF_OBJ_g");
  made.u4 = id("H5T_STD_U32LE_g");
  made.f4_big_endian = id("H5T_IEEE_F32BE_g");
  for (const char* const type :
       {"H5T_STD_I8LE_g", "H5T_STD_I16LE_g", "H5T_STD_I32LE_g", "H5T_STD_I64LE_g", "H5T_STD_U8LE_g", "H5T_STD_U16LE_g",
        "H5T_STD_U32LE_g", "H5T_STD_U64LE_g", "H5T_IEEE_F32LE_g", "H5T_IEEE_F64LE_g", "H5T_C_S1_g"}) {
    made.types.push_back(id(type));
  }
  return made;
}

// The library's view of a DriverFile.
struct OpenFile {
  H5FD_t base;  // must be first
  DriverFile* file;
};

DriverFile& file_of(H5FD_t* file) { return *reinterpret_cast<OpenFile*>(file)->file; }
const DriverFile& file_of(const H5FD_t* file) { return *reinterpret_cast<const OpenFile*>(file)->file; }

H5FD_t* open_file(const char* /*name*/, unsigned /*flags*/, hid_t access, haddr_t /*max_address*/) {
  auto* const open = new OpenFile{};
  std::memcpy(&open->file, library().H5Pget_driver_info(access), sizeof open->file);
  return &open->base;
}

herr_t close_file(H5FD_t* file) {
  delete reinterpret_cast<OpenFile*>(file);
  return 0;
}

herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA |
           H5FD_FEAT_DATA_SIEVE;
  return 0;
}

// Without these flags, the library allocates every object by a call of `allocate`.
herr_t query_each(const H5FD_t* /*file*/, unsigned long* flags) {
  *flags = 0;
  return 0;
}

haddr_t allocate(H5FD_t* in, H5FD_mem_t type, hid_t /*transfer*/, hsize_t size) {
  DriverFile& file = file_of(in);
  try {
    const auto bytes = static_cast<std::int64_t>(size);
    const std::int64_t place = file.allocate(bytes, type == H5FD_MEM_DRAW);
    if (place < 0) return HADDR_UNDEF;
    file.end = std::max(file.end, place + bytes);
    return static_cast<haddr_t>(place);
  } catch (...) {
    file.error = std::current_exception();
    return HADDR_UNDEF;
  }
}

herr_t release(H5FD_t* /*file*/, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t /*address*/, hsize_t /*size*/) {
  return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t /*type*/) { return static_cast<haddr_t>(file_of(file).end); }

herr_t set_end(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t address) {
  file_of(file).end = static_cast<std::int64_t>(address);
  return 0;
}

haddr_t get_file_end(const H5FD_t* file, H5FD_mem_t /*type*/) {
  const DriverFile& of = file_of(file);
  return static_cast<haddr_t>(of.read ? of.file_bytes : of.end);
}

// Sets the bytes of `buffer`, which begins at `first`, that the pieces contain.
void copy_pieces(const DriverFile& from, std::int64_t first, std::byte* buffer, std::int64_t size) {
  auto piece = from.pieces.upper_bound(first);
  if (piece != from.pieces.begin()) --piece;
  for (; piece != from.pieces.end() && piece->first < first + size; ++piece) {
    const std::int64_t begin = std::max(first, piece->first);
    const std::int64_t end = std::min(first + size, piece->first + std::ssize(piece->second));
    if (begin < end) std::copy_n(piece->second.data() + (begin - piece->first), end - begin, buffer + (begin - first));
  }
}

// Returns false for a global heap with objects that do not fit it: the library reads bytes after the heap then, or
// never ends. The library reads a long heap in two requests; `beginning`, at `first`, is what the first one has read.
// Source: HDF5 File Format Specification, "Disk Format: Level 1E - Global Heap".
bool is_intact_if_heap(const DriverFile& file, std::int64_t first, std::span<const std::byte> beginning) {
  constexpr std::uint64_t header_bytes = 16;  // of the heap and of each object
  constexpr std::uint64_t window_bytes = 1 << 16;
  constexpr std::string_view heap_signature = "GCOL";
  if (beginning.size() < header_bytes ||
      std::memcmp(beginning.data(), heap_signature.data(), heap_signature.size()) != 0)
    return true;
  const auto heap_bytes = load<std::uint64_t>(beginning.data() + 8, ByteOrder::little);
  if (heap_bytes < header_bytes || std::cmp_greater(heap_bytes, file.file_bytes - first)) return false;
  std::vector<std::byte> window(beginning.begin(), beginning.end());
  std::uint64_t window_begin = 0;
  for (std::uint64_t at = header_bytes; heap_bytes - at >= header_bytes;) {
    if (at + header_bytes > window_begin + window.size()) {
      window_begin = at;
      window.resize(static_cast<std::size_t>(std::min(window_bytes, heap_bytes - at)));
      file.read(first + static_cast<std::int64_t>(at), window);
    }
    const std::byte* const object = window.data() + (at - window_begin);
    const bool is_free = load<std::uint16_t>(object, ByteOrder::little) == 0;
    const auto length = load<std::uint64_t>(object + 8, ByteOrder::little);
    if (length > heap_bytes - at || (is_free && length < header_bytes)) return false;
    const std::uint64_t bytes = is_free ? length : header_bytes + (length + 7) / 8 * 8;
    if (bytes > heap_bytes - at) return false;
    at += bytes;
  }
  return true;
}

herr_t read(H5FD_t* from, H5FD_mem_t type, hid_t /*transfer*/, haddr_t address, std::size_t size, void* buffer) {
  DriverFile& file = file_of(from);
  const auto first = static_cast<std::int64_t>(address);
  if (file.located != nullptr && type == H5FD_MEM_DRAW) {
    *file.located = {first, static_cast<std::int64_t>(size)};
    return 0;
  }
  constexpr std::int64_t max_after_end = 1 << 16;  // damaged metadata may state more than any file has
  if (file.read && static_cast<std::int64_t>(size) > file.file_bytes + max_after_end) return -1;
  try {
    const std::span<std::byte> bytes(static_cast<std::byte*>(buffer), size);
    std::ranges::fill(bytes, std::byte{0});  // also bytes that were never written, and bytes after the end of the file
    if (!file.read) {
      copy_pieces(file, first, bytes.data(), std::ssize(bytes));
    } else if (first < file.file_bytes) {
      file.read(first, bytes.first(static_cast<std::size_t>(std::min(std::ssize(bytes), file.file_bytes - first))));
      if (!is_intact_if_heap(file, first, bytes)) return -1;
    }
    return 0;
  } catch (...) {
    file.error = std::current_exception();
    return -1;
  }
}

void put(std::map<std::int64_t, std::vector<std::byte>>& pieces, std::int64_t begin, const void* buffer,
         std::size_t size) {
  const std::int64_t end = begin + static_cast<std::int64_t>(size);
  auto piece = pieces.upper_bound(begin);
  if (piece == pieces.begin() || std::prev(piece)->first + std::ssize(std::prev(piece)->second) < begin) {
    piece = pieces.try_emplace(piece, begin);
  } else {
    --piece;
  }
  std::vector<std::byte>& bytes = piece->second;
  bytes.resize(std::max(bytes.size(), static_cast<std::size_t>(end - piece->first)));
  for (auto next = std::next(piece); next != pieces.end() && next->first <= end; next = pieces.erase(next)) {
    const std::size_t at = static_cast<std::size_t>(next->first - piece->first);
    bytes.resize(std::max(bytes.size(), at + next->second.size()));
    std::ranges::copy(next->second, bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  std::memcpy(bytes.data() + (begin - piece->first), buffer, size);
}

herr_t write(H5FD_t* to, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t address, std::size_t size,
             const void* buffer) {
  DriverFile& file = file_of(to);
  try {
    const auto begin = static_cast<std::int64_t>(address);
    if (begin == file.dropped) return 0;
    put(file.pieces, begin, buffer, size);
    if (file.allocate) put(file.changed, begin, buffer, size);
    return 0;
  } catch (...) {
    file.error = std::current_exception();
    return -1;
  }
}

hid_t registered(bool allocates) {
  H5FD_class_t made{};
#if H5_VERSION_GE(1, 13, 0)
  made.version = H5FD_CLASS_VERSION;
  // Of the range for drivers that are not registered with HDF.
  made.value = static_cast<H5FD_class_value_t>(allocates ? 601 : 600);
#endif
  made.name = allocates ? "sill_chunks" : "sill";
  made.maxaddr = static_cast<haddr_t>(std::numeric_limits<std::int64_t>::max());
  made.fc_degree = H5F_CLOSE_STRONG;
  made.fapl_size = sizeof(DriverFile*);
  made.open = open_file;
  made.close = close_file;
  made.query = allocates ? query_each : query;
  made.get_eoa = get_end;
  made.set_eoa = set_end;
  made.get_eof = get_file_end;
  made.read = read;
  made.write = write;
  constexpr H5FD_mem_t kinds[] = H5FD_FLMAP_DICHOTOMY;
  std::ranges::copy(kinds, made.fl_map);
  if (allocates) {
    made.alloc = allocate;
    made.free = release;
    made.fl_map[H5FD_MEM_GHEAP] = H5FD_MEM_SUPER;  // never among elements
  }
  return require(library().H5FDregister(&made), "H5FDregister");
}

hid_t registered_driver(bool allocates) {
  static const std::array<hid_t, 2> drivers{registered(false), registered(true)};
  return drivers[allocates ? 1 : 0];
}

}  // namespace

const Library& library() {
  static const Library functions = loaded();
  return functions;
}

Use::Use() {
  static std::mutex mutex;
  lock_ = std::unique_lock(mutex);
  library().H5Eget_auto2(H5E_DEFAULT, &print_, &of_print_);
  library().H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Use::~Use() { library().H5Eset_auto2(H5E_DEFAULT, print_, of_print_); }

std::string reason_of_failure() {
  std::string reason;
  library().H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned number, const H5E_error2_t* error, void* text) -> herr_t {
        if (number == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
        return 0;
      },
      &reason);
  return reason;
}

void fail(const char* call) { throw CallFailed{fmt::format("{}: {}", call, echoed(reason_of_failure(), 300))}; }
hobj_ref_t reference_to(const Id& object) {
  hobj_ref_t reference = 0;
  require(library().H5Rcreate(&reference, object.get(), ".", H5R_OBJECT, H5I_INVALID_HID), "H5Rcreate");
  return reference;
}

Id driver_access(DriverFile& file) {
  Id access(library().H5Pcreate(library().file_access), "H5Pcreate");
  DriverFile* const info = &file;
  require(library().H5Pset_driver(access.get(), registered_driver(file.allocate != nullptr), &info), "H5Pset_driver");
  return access;
}

std::vector<FilePiece> taken_header(DriverFile& file) {
  std::vector<FilePiece> header;
  for (auto& [offset, bytes] : file.pieces) header.push_back({offset, std::move(bytes)});
  // The signature is written last, and makes the file valid. A zero byte at the end gives the file the length that its
  // metadata state.
  FilePiece& first = header.front();
  first.offset = std::ssize(signature);
  first.bytes.erase(first.bytes.begin(), first.bytes.begin() + std::ssize(signature));
  const FilePiece& last = header.back();
  if (last.offset + std::ssize(last.bytes) < file.end) header.push_back({file.end, {std::byte{0}}});
  return header;
}

std::string build_version() { return fmt::format("{}.{}.{}", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE); }

}  // namespace sill::hdf5
#endif
