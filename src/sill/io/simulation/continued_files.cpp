#include "sill/io/simulation/continued_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"

namespace sill {
namespace {

station::ReceiverContents contents_in(const Resources& resources, const std::string& path,
                                      const station::ReceiverFile& file, std::int64_t steps) {
  const std::unique_ptr<Store> store = resources.open(path, OpenMode::read);
  const std::int64_t bytes = store->size_bytes();
  std::string first_bytes(static_cast<std::size_t>(std::min(bytes, file.contents_bytes())), '\0');
  read_at(*store, 0, std::as_writable_bytes(std::span(first_bytes)));
  const auto contents = file.contents_of(first_bytes);
  const auto refuse = [&](std::string problem, std::string action) {
    throw Error({.code = ErrorCode::input,
                 .problem = std::move(problem),
                 .where = {.file = path},
                 .action = std::move(action)});
  };
  if (!contents) {
    refuse("this is no file of the station that an earlier run would have written",
           "go on with the stations, components, interval and final steps of that run, or begin a new one");
  }
  if (contents->steps < steps || bytes < contents->records.bytes_of({0, steps}).end()) {
    refuse(fmt::format("the run goes on after time step {}, but the file has {}", steps, contents->steps),
           "go on from an earlier checkpoint, or begin a new run");
  }
  return *contents;
}

}  // namespace

std::vector<std::int64_t> keep_steps(const Resources& resources, std::span<const std::string> paths,
                                     std::span<const std::unique_ptr<const station::ReceiverFile>> files,
                                     std::int64_t steps) {
  Communicator& comm = resources.comm;
  std::vector<std::int64_t> begins(paths.size());
  std::vector<std::size_t> header_bytes(paths.size());  // of the files that this rank looks after
  const auto for_each_of_rank = [&](auto&& work) {
    for (auto i = static_cast<std::size_t>(comm.rank()); i < paths.size(); i += static_cast<std::size_t>(comm.size()))
      work(i);
  };
  run_and_agree(comm, [&] {
    for_each_of_rank([&](std::size_t i) {
      const station::ReceiverContents contents = contents_in(resources, paths[i], *files[i], steps);
      begins[i] = contents.records.first_byte;
      header_bytes[i] = files[i]->header(contents.steps).size();
    });
  });
  comm.all_reduce(begins, Reduction::sum);
  // The header first: whoever reads finds what it counts.
  run_and_agree(comm, [&] {
    for_each_of_rank([&](std::size_t i) {
      std::string header = files[i]->header(steps);
      header.resize(std::max({header.size(), header_bytes[i], static_cast<std::size_t>(begins[i])}), ' ');
      const std::unique_ptr<Store> store = resources.open(paths[i], OpenMode::write);
      write_at(*store, 0, std::as_bytes(std::span(header)));
      store->close();
      ItemList records = files[i]->records(steps);
      records.first_byte = begins[i];
      if (::truncate(paths[i].c_str(), records.bytes_of({0, steps}).end()) != 0)
        throw system_error(errno, "cutting the file of an earlier run", {.file = paths[i]});
    });
  });
  return begins;
}

void remove_files(std::span<const std::string> paths) {
  for (const std::string& path : paths) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
      throw system_error(errno, "removing the file of an earlier run", {.file = path});
  }
}

void remove_later_files(std::span<const std::string> names_of_step_0, std::string_view end, std::int64_t last) {
  namespace fs = std::filesystem;
  for (const std::string& name_of_0 : names_of_step_0) {
    const std::size_t slash = name_of_0.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : name_of_0.substr(0, slash + 1);
    std::string begin = name_of_0.substr(slash + 1, name_of_0.size() - (slash + 1) - end.size());
    begin.resize(begin.find_last_not_of('0') + 1);
    std::error_code error;
    std::vector<std::string> later;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (name.size() <= begin.size() + end.size() || !name.starts_with(begin) || !name.ends_with(end)) continue;
      const char* const digits_end = name.data() + name.size() - end.size();
      std::int64_t step = 0;
      const auto [rest, failed] = std::from_chars(name.data() + begin.size(), digits_end, step);
      if (failed == std::errc{} && rest == digits_end && step > last) later.push_back(entry.path().string());
    }
    if (error) throw system_error(error.value(), "looking for files of later steps", {.file = folder});
    remove_files(later);
  }
}

}  // namespace sill
