// Stand-ins for Lustre, BeeGFS and CephFS: they take the calls that these take, and refuse what these refuse. Layouts
// of bytes and numbers of calls are written out here, apart from those of the code under test.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sill/store/posix/file_system_calls.hpp"
#include "store/temporary_folder.hpp"
#include "support/memory_store.hpp"

namespace sill::test {

/// A file system of some kind, without stripes; its files are also in `files`, to be opened.
class FakeFileSystem : public FileSystemCalls {
 public:
  explicit FakeFileSystem(std::int64_t magic) : magic_(magic) {}

  [[nodiscard]] std::int64_t magic_of(const std::string& /*path*/) override { return magic_; }
  [[nodiscard]] std::int64_t block_bytes_of(const std::string& /*path*/) override { return 8192; }
  [[nodiscard]] int create(const std::string& path, unsigned /*mode*/) override {
    if (create_error != 0) return create_error;
    if (!names.insert(path).second) return EEXIST;
    files.put(path, {});
    return 0;
  }
  [[nodiscard]] int set_attribute(const std::string& /*path*/, const char* /*name*/,
                                  std::span<const std::byte> /*value*/) override {
    return EOPNOTSUPP;
  }
  [[nodiscard]] int get_attribute(const std::string& /*path*/, const char* /*name*/,
                                  std::vector<std::byte>& /*value*/) override {
    return EOPNOTSUPP;
  }
  [[nodiscard]] int control(const std::string& /*path*/, unsigned long /*request*/, void* /*argument*/) override {
    return ENOTTY;
  }

  MemoryFiles files;
  std::set<std::string> names;
  int create_error = 0;
  int set_error = 0;     // what asking for stripes fails with
  bool ignores = false;  // asking for stripes succeeds and does nothing

 private:
  std::int64_t magic_;
};

/// Four servers; a layout can be set once, and a second time without effect.
class FakeLustre final : public FakeFileSystem {
 public:
  FakeLustre() : FakeFileSystem(0x0BD00BD0) {}

  [[nodiscard]] int set_attribute(const std::string& path, const char* name,
                                  std::span<const std::byte> value) override {
    if (std::string(name) != "lustre.lov" || !names.contains(path)) return ENODATA;
    if (set_error != 0) return set_error;
    was_set.assign(value.begin(), value.end());
    if (value.size() < 32) return ERANGE;
    std::uint32_t magic = 0;
    std::uint32_t unit = 0;
    std::uint16_t count = 0;
    std::memcpy(&magic, value.data(), 4);
    std::memcpy(&unit, value.data() + 24, 4);
    std::memcpy(&count, value.data() + 28, 2);
    if (magic != 0x0BD10BD0 || unit % 65536 != 0) return EINVAL;
    if (ignores || layouts.contains(path)) return 0;
    count = std::min<std::uint16_t>(count, 4);
    Bytes layout(value.begin(), value.end());
    std::memcpy(layout.data() + 28, &count, 2);
    layout[30] = layout[31] = std::byte{};                   // when read: the generation of the layout
    layout.resize(layout.size() + std::size_t{24} * count);  // the objects
    layouts[path] = layout;
    return 0;
  }
  [[nodiscard]] int get_attribute(const std::string& path, const char* name, std::vector<std::byte>& value) override {
    if (std::string(name) != "lustre.lov" || !layouts.contains(path)) return ENODATA;
    value = layouts[path];
    return 0;
  }

  std::map<std::string, Bytes> layouts;
  Bytes was_set;
};

/// Takes units that are powers of two, when a file is made.
class FakeBeegfs final : public FakeFileSystem {
 public:
  FakeBeegfs() : FakeFileSystem(0x19830326) {}

  [[nodiscard]] int control(const std::string& path, unsigned long request, void* argument) override {
    constexpr unsigned long make_file = 0x4018661B;    // written, 24 bytes, 'f', 27
    constexpr unsigned long get_stripes = 0x800C6619;  // read, 12 bytes, 'f', 25
    auto* bytes = static_cast<std::byte*>(argument);
    if (request == make_file) {
      if (set_error != 0) return set_error;
      const char* name = nullptr;
      unsigned mode = 0;
      std::memcpy(&name, bytes, 8);
      std::memcpy(&mode, bytes + 8, 4);
      Bytes stripes(8);
      std::memcpy(stripes.data(), bytes + 12, 8);
      unsigned unit = 0;
      std::memcpy(&unit, bytes + 16, 4);
      if (mode != 0666 || unit < 65536 || (unit & (unit - 1)) != 0) return EINVAL;
      if (const int reason = create(path + "/" + name, 0666)) return reason;
      if (!ignores) stripes_[path + "/" + name] = stripes;
      return 0;
    }
    if (request == get_stripes) {
      if (!names.contains(path)) return ENOENT;
      const unsigned pattern = 1;
      unsigned unit = 524288;
      std::uint16_t count = 4;
      if (stripes_.contains(path)) {
        std::memcpy(&count, stripes_[path].data(), 2);
        std::memcpy(&unit, stripes_[path].data() + 4, 4);
      }
      std::memcpy(bytes, &pattern, 4);
      std::memcpy(bytes + 4, &unit, 4);
      std::memcpy(bytes + 8, &count, 2);
      return 0;
    }
    return ENOTTY;
  }

 private:
  std::map<std::string, Bytes> stripes_;
};

/// Takes a layout number by number, each of which must leave it right.
class FakeCephfs final : public FakeFileSystem {
 public:
  struct Layout {
    std::int64_t unit = 4194304;
    std::int64_t count = 1;
    std::int64_t object = 4194304;
  };

  explicit FakeCephfs(std::int64_t magic = 0x00C36400) : FakeFileSystem(magic) {}

  [[nodiscard]] int set_attribute(const std::string& path, const char* name,
                                  std::span<const std::byte> value) override {
    if (!names.contains(path)) return ENOENT;
    if (set_error != 0) return set_error;
    Layout layout = layouts[path];
    std::int64_t* number = member(layout, name);
    if (number == nullptr) return ENODATA;
    *number = std::stoll(std::string(reinterpret_cast<const char*>(value.data()), value.size()));
    ++sets;
    if (layout.count < 1 || layout.unit < 65536 || layout.unit % 65536 != 0 || layout.object % layout.unit != 0) {
      return EINVAL;
    }
    if (!ignores) layouts[path] = layout;
    return 0;
  }
  [[nodiscard]] int get_attribute(const std::string& path, const char* name, std::vector<std::byte>& value) override {
    if (!names.contains(path)) return ENODATA;
    const std::int64_t* number = member(layouts[path], name);
    if (number == nullptr) return ENODATA;
    const std::string text = std::to_string(*number);
    value.assign(reinterpret_cast<const std::byte*>(text.data()),
                 reinterpret_cast<const std::byte*>(text.data()) + text.size());
    return 0;
  }

  std::map<std::string, Layout> layouts;
  int sets = 0;

 private:
  static std::int64_t* member(Layout& layout, const std::string& name) {
    if (name == "ceph.file.layout.stripe_unit") return &layout.unit;
    if (name == "ceph.file.layout.stripe_count") return &layout.count;
    if (name == "ceph.file.layout.object_size") return &layout.object;
    return nullptr;
  }
};

}  // namespace sill::test
