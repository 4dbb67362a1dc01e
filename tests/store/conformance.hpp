// What the suite of all stores runs over: kinds of stores, and somewhere to keep their files.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "sill/store/meter_store.hpp"
#include "sill/store/store.hpp"
#include "store/temporary_folder.hpp"
#include "support/check_store.hpp"
#include "support/fault_store.hpp"
#include "support/memory_store.hpp"

namespace sill::test {

// Somewhere to keep files, and the kind of store they are opened with.
class Shelf {
 public:
  virtual ~Shelf() = default;
  [[nodiscard]] virtual std::string path(const std::string& name) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Store> open(const std::string& path, OpenMode mode) = 0;
  virtual void put(const std::string& path, const Bytes& bytes) = 0;
  [[nodiscard]] virtual Bytes bytes(const std::string& path) const = 0;
};

class MemoryShelf final : public Shelf {
 public:
  [[nodiscard]] std::string path(const std::string& name) const override { return name; }
  [[nodiscard]] std::unique_ptr<Store> open(const std::string& path, OpenMode mode) override {
    return files_.open(path, mode);
  }
  void put(const std::string& path, const Bytes& bytes) override { files_.put(path, bytes); }
  [[nodiscard]] Bytes bytes(const std::string& path) const override { return files_.bytes(path); }

 private:
  MemoryFiles files_;
};

class FolderShelf final : public Shelf {
 public:
  explicit FolderShelf(const std::function<Opener(FolderShelf&)>& opener) : open_(opener(*this)) {}
  [[nodiscard]] std::string path(const std::string& name) const override { return folder_ / name; }
  [[nodiscard]] std::unique_ptr<Store> open(const std::string& path, OpenMode mode) override {
    return open_(path, mode);
  }
  void put(const std::string& path, const Bytes& bytes) override { test::make_file(path, bytes); }
  [[nodiscard]] Bytes bytes(const std::string& path) const override { return test::bytes_of_file(path); }

  Meter meter;
  Fault no_fault{.nth = -1};
  Ledger ledger{{.overlap = false, .unwritten = false}};  // the suite writes over, and reads zeros

 private:
  test::TemporaryFolder folder_;
  Opener open_;
};

struct Kind {
  std::string name;
  std::function<std::unique_ptr<Shelf>()> make;
};

inline std::unique_ptr<Shelf> folder_with(const std::function<Opener(FolderShelf&)>& opener) {
  return std::make_unique<FolderShelf>(opener);
}

// Each test runs with every kind that the program instantiates it for.
class EveryStore : public testing::TestWithParam<Kind> {
 protected:
  // A file of that content, opened.
  std::unique_ptr<Store> file_of(const Bytes& bytes, OpenMode mode) {
    shelf->put(path, bytes);
    return shelf->open(path, mode);
  }

  std::unique_ptr<Shelf> shelf = GetParam().make();
  std::string path = shelf->path("file");
};

}  // namespace sill::test
