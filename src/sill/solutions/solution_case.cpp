#include "sill/solutions/solution_case.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/solution/record_check.hpp"

namespace sill {
namespace {

using solution::EnsightCase;
using solution::Files;
using solution::PhaseIndex;

}  // namespace

void require_size(const std::string& path, std::int64_t found_bytes, std::int64_t size_bytes) {
  if (found_bytes == size_bytes) return;
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("the file has {} bytes instead of {}", found_bytes, size_bytes),
               .where = {.file = path},
               .action = "write the phase again, or name the folder that the program wrote"});
}

Opener of_size(Opener open, std::int64_t size_bytes) {
  return [open = std::move(open), size_bytes](const std::string& path, OpenMode mode) {
    std::unique_ptr<Store> store = open(path, mode);
    require_size(path, store->size_bytes(), size_bytes);
    return store;
  };
}

std::string text_at(Store& store, ByteRange range) {
  std::string text(static_cast<std::size_t>(range.length), '\0');
  read_at(store, range.offset, std::as_writable_bytes(std::span(text)));
  return text;
}

void read_records(Store& store, const Records& records, ByteRange range, std::span<std::byte> bytes) {
  read_at(store, records.offset_bytes + range.offset, bytes);
  const std::int64_t record = records.form.record_bytes;
  const auto require = [&](std::int64_t at, std::string_view text) {
    const std::optional<std::int64_t> wrong = solution::first_no_number(records.form, text);
    if (!wrong) return;
    const std::int64_t line = *wrong / record;
    throw Error(
        {.code = ErrorCode::input,
         .problem = fmt::format("this is not a number of {} characters in Sill's format: {:?}", record - 1,
                                text.substr(static_cast<std::size_t>(line * record), static_cast<std::size_t>(record))),
         .where = {.file = store.name(),
                   .byte = records.offset_bytes + at + *wrong,
                   .item = records.line + at / record + line,
                   .item_word = "line"},
         .action = std::string(records.action)});
  };
  const auto require_one = [&](std::int64_t at) { require(at, text_at(store, {records.offset_bytes + at, record})); };
  const std::int64_t first = range.offset / record * record;
  const std::int64_t behind = range.end() / record * record;  // beginning of the last record, if it is cut
  const std::int64_t whole = (range.offset + record - 1) / record * record;
  if (first < whole) require_one(first);
  if (whole < behind) {
    require(whole,
            std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())
                .substr(static_cast<std::size_t>(whole - range.offset), static_cast<std::size_t>(behind - whole)));
  }
  if (behind < range.end() && behind >= whole) require_one(behind);
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
