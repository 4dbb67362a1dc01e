// Requests for stripes on Lustre, BeeGFS and CephFS. None of their libraries is needed: the code uses the interfaces
// that their documentation guarantees to programs (Lustre: the attribute lustre.lov, lustre_user.h; BeeGFS: the
// striping API, beegfs_client.h; CephFS: the attributes ceph.file.layout.*).
#include "sill/store/striping.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/store/part/part_name.hpp"

namespace sill {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t lustre = 0x0BD00BD0;
constexpr std::int64_t beegfs = 0x19830326;
constexpr std::int64_t cephfs = 0x00C36400;
constexpr std::int64_t fuse = 0x65735546;

constexpr int all_servers = 0xFFFF;

struct KnownFileSystem {
  std::int64_t magic;
  const char* name;
  FileSystemKind kind = FileSystemKind::local;
};

constexpr std::array<KnownFileSystem, 16> file_systems{
    {{lustre, "Lustre", FileSystemKind::network},
     {beegfs, "BeeGFS", FileSystemKind::network},
     {cephfs, "CephFS", FileSystemKind::network},
     {fuse, "a file system in user space (FUSE)", FileSystemKind::user_space},
     {0xEF53, "ext4"},
     {0x58465342, "XFS"},
     {0x9123683E, "Btrfs"},
     {0x2FC12FC1, "ZFS"},
     {0x01021994, "tmpfs", FileSystemKind::memory},
     {0x858458F6, "ramfs", FileSystemKind::memory},
     {0x794C7630, "overlayfs"},
     {0x6969, "NFS", FileSystemKind::network},
     {0xFE534D42, "SMB", FileSystemKind::network},
     {0x01021997, "9P", FileSystemKind::network},
     {0x47504653, "GPFS", FileSystemKind::network},
     {0, "the file system"}}};

std::string file_system_name(std::int64_t magic) {
  const auto found = std::ranges::find(file_systems, magic, &KnownFileSystem::magic);
  return found != file_systems.end() ? found->name : fmt::format("file system {:#x}", magic);
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

std::string in_words(const Striping& striping) {
  // Lustre reports this count for stripes that are not allocated yet.
  if (striping.count == all_servers) {
    return fmt::format("stripes of {} over all servers", exact_bytes(striping.unit_bytes));
  }
  return fmt::format("{} stripe{} of {}", striping.count, striping.count == 1 ? "" : "s",
                     exact_bytes(striping.unit_bytes));
}

std::string reason_of(int errno_value) { return std::strerror(errno_value); }

// Lustre: a layout is an attribute, in the native byte order.
namespace lov {

constexpr const char* attribute = "lustre.lov";
constexpr std::uint32_t plain = 0x0BD10BD0;         // LOV_USER_MAGIC_V1
constexpr std::uint32_t of_pool = 0x0BD30BD0;       // LOV_USER_MAGIC_V3: the same fields, then the name of a pool
constexpr std::uint32_t with_objects = 0x0BD50BD0;  // LOV_USER_MAGIC_SPECIFIC: the same fields, then the name of a pool
constexpr std::uint32_t composite = 0x0BD60BD0;     // LOV_USER_MAGIC_COMP_V1: entries that point to other layouts
constexpr std::uint32_t raid0 = 1;
constexpr std::uint16_t any_server = 0xFFFF;
constexpr std::size_t bytes = 32;
constexpr std::size_t pattern_at = 4;
constexpr std::size_t unit_at = 24;
constexpr std::size_t count_at = 28;
constexpr std::size_t first_server_at = 30;
constexpr std::size_t entry_count_at = 14;  // of a composite layout
constexpr std::size_t entries_at = 32;
constexpr std::size_t entry_bytes = 48;
constexpr std::size_t place_in_entry = 24;

template <class Number>
Number get(std::span<const std::byte> from, std::size_t at) {
  Number number = 0;
  if (at + sizeof(number) <= from.size()) std::memcpy(&number, from.data() + at, sizeof(number));
  return number;
}

std::optional<Striping> parse(std::span<const std::byte> layout) {
  if (get<std::uint32_t>(layout, 0) == composite) {
    const auto entries = get<std::uint16_t>(layout, entry_count_at);
    if (entries == 0) return std::nullopt;
    const auto place = get<std::uint32_t>(layout, entries_at + (entries - 1U) * entry_bytes + place_in_entry);
    // A layout within a composite layout must not be composite, so the recursion ends.
    if (place < entries_at || place > layout.size() || get<std::uint32_t>(layout, place) == composite) return {};
    return parse(layout.subspan(place));
  }
  const auto magic = get<std::uint32_t>(layout, 0);
  if (layout.size() < bytes || (magic != plain && magic != of_pool && magic != with_objects)) return std::nullopt;
  return Striping{get<std::uint16_t>(layout, count_at), get<std::uint32_t>(layout, unit_at)};
}

int set(FileSystemCalls& calls, const std::string& path, const Striping& asked) {
  std::array<std::byte, bytes> layout{};
  const auto put = [&](std::size_t at, auto number) { std::memcpy(layout.data() + at, &number, sizeof(number)); };
  put(0, plain);
  put(pattern_at, raid0);
  put(unit_at, static_cast<std::uint32_t>(asked.unit_bytes));
  put(count_at, static_cast<std::uint16_t>(asked.count));
  put(first_server_at, any_server);
  return calls.set_attribute(path, attribute, layout);
}

}  // namespace lov

// CephFS: a layout consists of three numbers, each a text attribute. The size of an object is a multiple of the unit.
namespace ceph {

constexpr const char* unit_attribute = "ceph.file.layout.stripe_unit";
constexpr const char* count_attribute = "ceph.file.layout.stripe_count";
constexpr const char* object_attribute = "ceph.file.layout.object_size";
constexpr std::int64_t unit_of_all_bytes = 64 * 1024;  // every unit and every object is a multiple of this

int get(FileSystemCalls& calls, const std::string& path, const char* attribute, std::int64_t& number) {
  std::vector<std::byte> value;
  if (const int reason = calls.get_attribute(path, attribute, value)) return reason;
  const char* text = reinterpret_cast<const char*>(value.data());
  return std::from_chars(text, text + value.size(), number).ec == std::errc{} ? 0 : EBADMSG;
}

int set(FileSystemCalls& calls, const std::string& path, const char* attribute, std::int64_t number) {
  const std::string text = fmt::format("{}", number);
  return calls.set_attribute(path, attribute, std::as_bytes(std::span(text)));
}

int get(FileSystemCalls& calls, const std::string& path, Striping& striping) {
  std::int64_t count = 0;
  if (const int reason = get(calls, path, count_attribute, count)) return reason;
  striping.count = static_cast<int>(count);
  return get(calls, path, unit_attribute, striping.unit_bytes);
}

int set(FileSystemCalls& calls, const std::string& path, const Striping& asked) {
  std::int64_t object_bytes = 0;
  if (const int reason = get(calls, path, object_attribute, object_bytes)) return reason;
  if (const int reason = set(calls, path, count_attribute, asked.count)) return reason;
  if (object_bytes % asked.unit_bytes != 0) {
    // Each step must leave a valid layout, so the unit is first set to one that divides the old and the new object
    // size.
    const std::int64_t units = (object_bytes + asked.unit_bytes - 1) / asked.unit_bytes;
    if (const int reason = set(calls, path, unit_attribute, unit_of_all_bytes)) return reason;
    if (const int reason = set(calls, path, object_attribute, units * asked.unit_bytes)) return reason;
  }
  return set(calls, path, unit_attribute, asked.unit_bytes);
}

}  // namespace ceph

// BeeGFS: stripes are set when a file is created, by a call on its folder.
namespace bee {

struct NewFile {
  const char* name;
  unsigned mode;
  unsigned count;
  unsigned unit_bytes;
};
struct Stripes {
  unsigned pattern;
  unsigned unit_bytes;
  std::uint16_t count;
};
constexpr unsigned long create_call = _IOW('f', 27, NewFile);
constexpr unsigned long stripes_call = _IOR('f', 25, Stripes);

int create(FileSystemCalls& calls, const std::string& path, const Striping& asked, unsigned mode) {
  const std::string name = fs::path(path).filename().string();
  NewFile file{name.c_str(), mode, static_cast<unsigned>(asked.count), static_cast<unsigned>(asked.unit_bytes)};
  return calls.control(folder_of(path), create_call, &file);
}

int get(FileSystemCalls& calls, const std::string& path, Striping& striping) {
  Stripes stripes{};
  if (const int reason = calls.control(path, stripes_call, &stripes)) return reason;
  striping = {stripes.count, stripes.unit_bytes};
  return 0;
}

}  // namespace bee

// A CephFS mounted in user space is recognized by its attributes.
std::int64_t kind_of(FileSystemCalls& calls, const std::string& path) {
  const std::int64_t magic = calls.magic_of(path);
  std::int64_t count = 0;
  return magic == fuse && ceph::get(calls, path, ceph::count_attribute, count) == 0 ? cephfs : magic;
}

}  // namespace

FileSystemKind file_system_kind_of(const std::string& path, FileSystemCalls& calls) {
  std::int64_t magic = calls.magic_of(path);
  if (magic == 0) magic = calls.magic_of(folder_of(path));
  const auto found = std::ranges::find(file_systems, magic, &KnownFileSystem::magic);
  return found != file_systems.end() ? found->kind : FileSystemKind::local;
}

StripingFound striping_of(const std::string& path, FileSystemCalls& calls) {
  const std::int64_t kind = kind_of(calls, path);
  StripingFound found{.file_system = file_system_name(kind), .striping = {}, .reason = {}};
  Striping striping;
  int reason = 0;
  if (kind == lustre) {
    std::vector<std::byte> layout;
    reason = calls.get_attribute(path, lov::attribute, layout);
    found.striping = reason == 0 ? lov::parse(layout) : std::nullopt;
    if (reason == 0 && !found.striping) found.reason = "its layout is of an unknown kind";
  } else if (kind == cephfs || kind == beegfs) {
    reason = kind == cephfs ? ceph::get(calls, path, striping) : bee::get(calls, path, striping);
    if (reason == 0) found.striping = striping;
  } else {
    found.reason = "stripes cannot be requested on this file system";
  }
  if (reason != 0) found.reason = reason_of(reason);
  return found;
}

std::int64_t stripe_bytes_of(const std::string& path, FileSystemCalls& calls) {
  constexpr std::int64_t page_bytes = 4096;
  const StripingFound found = striping_of(path, calls);
  if (found.striping && found.striping->unit_bytes > 0) return found.striping->unit_bytes;
  const std::int64_t block_bytes = calls.block_bytes_of(path);
  return block_bytes > 0 ? block_bytes : page_bytes;
}

std::string StripingOutcome::text() const {
  const std::string because = reason.empty() ? "" : fmt::format(" ({})", reason);
  if (found.striping == asked) return fmt::format("{}: {}, as requested", found.file_system, in_words(asked));
  if (found.striping) {
    return fmt::format("{}: {}; the request was {}{}", found.file_system, in_words(*found.striping), in_words(asked),
                       because);
  }
  return fmt::format("{}: {}; the request was {}{}", found.file_system, found.reason, in_words(asked), because);
}

std::optional<StripingOutcome> create_striped(const std::string& path, const Striping& asked, unsigned mode,
                                              FileSystemCalls& calls) {
  StripingOutcome outcome{.asked = asked, .found = {}, .reason = {}};
  const auto refused = [&](int reason) { outcome.reason = fmt::format("refused: {}", reason_of(reason)); };
  const auto create = [&] {
    const int reason = calls.create(path, mode);
    if (reason != 0 && reason != EEXIST) throw system_error(reason, "creating", {.file = target_of_part(path)});
    return reason == 0;
  };
  if (calls.magic_of(folder_of(path)) == beegfs) {
    const int reason = bee::create(calls, path, asked, mode);
    if (reason == EEXIST) return std::nullopt;
    if (reason != 0) {
      refused(reason);
      if (!create()) return std::nullopt;
    }
  } else {
    // The file is created without opening it for writing: Lustre fixes the stripes of a file when it is opened for
    // writing.
    if (!create()) return std::nullopt;
    const std::int64_t kind = kind_of(calls, path);
    int reason = 0;
    if (kind == lustre) reason = lov::set(calls, path, asked);
    if (kind == cephfs) reason = ceph::set(calls, path, asked);
    if (reason != 0) refused(reason);
  }
  // Some file systems accept a request and do something else, or nothing, so the stripes are read back from the file.
  outcome.found = striping_of(path, calls);
  return outcome;
}

void StripingReport::add(const std::string& path, const StripingOutcome& outcome) {
  const std::lock_guard lock(mutex_);
  const std::string text = outcome.text();
  Line& line = lines_.try_emplace(text, Line{text, 0, target_of_part(path)}).first->second;
  ++line.files;
}

std::vector<StripingReport::Line> StripingReport::lines() const {
  const std::lock_guard lock(mutex_);
  std::vector<Line> lines;
  for (const auto& [text, line] : lines_) lines.push_back(line);
  return lines;
}

Opener striped(Opener inner, const Striping& asked, StripingReport& report, FileSystemCalls& calls) {
  return [inner = std::move(inner), asked, &report, &calls](const std::string& path, OpenMode mode) {
    if (mode == OpenMode::read || mode == OpenMode::write) return inner(path, mode);
    std::optional<StripingOutcome> outcome = create_striped(path, asked, 0666, calls);
    if (!outcome) {
      if (mode == OpenMode::create) throw system_error(EEXIST, "opening", {.file = path});
      outcome = {.asked = asked, .found = striping_of(path, calls), .reason = "it already existed"};
    }
    report.add(path, *outcome);
    return inner(path, mode == OpenMode::create ? OpenMode::write : mode);
  };
}

}  // namespace sill
