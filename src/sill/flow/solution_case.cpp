#include "sill/flow/solution_case.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "sill/base/error.hpp"

namespace sill {
namespace {

using solution::EnsightCase;
using solution::Files;
using solution::Form;
using solution::PhaseIndex;

}  // namespace

Opener of_size(Opener open, std::int64_t size_bytes) {
  return [open = std::move(open), size_bytes](const std::string& path, OpenMode mode) {
    std::unique_ptr<Store> store = open(path, mode);
    const std::int64_t found = store->size_bytes();
    if (found == size_bytes) return store;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("the file has {} bytes instead of {}", found, size_bytes),
                 .where = {.file = path},
                 .action = "write the phase again, or give the folder as it was written"});
  };
}

std::string text_at(Store& store, ByteRange range) {
  std::string text(static_cast<std::size_t>(range.length), '\0');
  read_at(store, range.offset, std::as_writable_bytes(std::span(text)));
  return text;
}

void require_records(const Form& form, const Store& store, std::int64_t at, std::int64_t first,
                     std::span<const std::byte> part, const std::string& action) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    const auto in_record = (first + static_cast<std::int64_t>(i)) % form.record_bytes;
    const auto character = static_cast<char>(part[i]);
    const bool is_end = in_record + 1 == form.record_bytes;
    if (is_end ? character == '\n' : character >= ' ' && character <= '~') continue;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("the file is not made of numbers that take {} bytes each", form.record_bytes),
                 .where = {.file = store.name(), .byte = at + static_cast<std::int64_t>(i)},
                 .action = action});
  }
}

std::vector<std::string> solution_paths(const std::string& folder, const PhaseIndex& phase) {
  std::vector<std::string> paths;
  const std::int64_t files = phase.form.files == Files::each ? phase.form.problems : 1;
  for (std::int64_t p = 0; p < files; ++p) {
    paths.push_back(solution::solution_path(folder, phase.form, p, phase.step));
  }
  return paths;
}

std::vector<std::string> case_files(const EnsightCase& ensight) {
  std::vector<std::string> paths{ensight.geometry_path()};
  for (int d = 0; d < ensight.phase().form.dimensions; ++d) paths.push_back(ensight.variable_path(d));
  paths.push_back(ensight.path());
  return paths;
}

}  // namespace sill
