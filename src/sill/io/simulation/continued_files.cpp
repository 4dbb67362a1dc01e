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
#include "sill/layout/decomposition.hpp"

namespace sill {

void refuse_other(const std::string& path) {
  throw Error(
      {.code = ErrorCode::input,
       .problem = "this file was not written by an earlier run with these stations",
       .where = {.file = path},
       .action =
           "continue with the stations, components, interval and final steps of the earlier run, or begin a new one"});
}

void refuse_shorter(const std::string& path, std::int64_t steps, std::int64_t found) {
  throw Error(
      {.code = ErrorCode::input,
       .problem = fmt::format("the run continues after time step {}, but the file has {} time steps", steps, found),
       .where = {.file = path},
       .action = "continue from an earlier checkpoint, or begin a new run"});
}

namespace {

station::ReceiverContents contents_in(const Resources& resources, const std::string& path,
                                      const station::ReceiverFile& file, std::int64_t steps) {
  const std::unique_ptr<Store> store = resources.open(path, OpenMode::read);
  const std::int64_t bytes = store->size_bytes();
  std::string first_bytes(static_cast<std::size_t>(std::min(bytes, file.contents_bytes())), '\0');
  read_at(*store, 0, std::as_writable_bytes(std::span(first_bytes)));
  const auto contents = file.contents_of(first_bytes);
  if (!contents) refuse_other(path);
  if (contents->steps < steps || bytes < contents->records.bytes_of({0, steps}).end())
    refuse_shorter(path, steps, contents->steps);
  return *contents;
}

}  // namespace

std::vector<std::int64_t> keep_steps(const Resources& resources, std::span<const std::string> paths,
                                     std::span<const std::unique_ptr<const station::ReceiverFile>> files,
                                     std::int64_t steps) {
  Communicator& comm = resources.comm;
  std::vector<std::int64_t> begins(paths.size());
  std::vector<std::size_t> header_bytes(paths.size());  // header sizes of the files that this rank treats
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
  // Writes the header first: every reader finds the steps that it counts.
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
        throw system_error(errno, "truncating the file of an earlier run", {.file = paths[i]});
    });
  });
  return begins;
}

void require_channels(const Resources& resources, const std::string& path, const station::ChannelFile& file,
                      std::int64_t steps) {
  run_and_agree(resources.comm, [&] {
    const std::unique_ptr<Store> store = resources.open(path, OpenMode::read);
    if (store->size_bytes() < file.file_bytes(steps)) refuse_shorter(path, steps, 0);
    std::vector<std::byte> header(file.file_header().size());
    read_at(*store, 0, header);
    if (header != file.file_header()) refuse_other(path);
    const std::int64_t block = (steps - 1) / file.block_steps();
    const auto each_bytes = static_cast<std::size_t>(file.record_header_bytes());
    const ItemRange mine = block_of(file.channels(), resources.comm.size(), resources.comm.rank());
    std::vector<std::byte> found(each_bytes * static_cast<std::size_t>(mine.count));
    if (mine.empty()) return;
    store->submit_strided({.offset_bytes = file.begin_of(block, mine.first),
                           .length_bytes = file.record_header_bytes(),
                           .stride_bytes = file.record_bytes(),
                           .count = mine.count,
                           .memory = found.data()});
    header.resize(each_bytes);
    for (std::int64_t i = 0; i < mine.count; ++i) {
      const std::span<const std::byte> of_channel =
          std::span(found).subspan(static_cast<std::size_t>(i) * each_bytes, each_bytes);
      const std::int64_t counted = file.steps_in(of_channel);
      file.record_header(block, mine.first + i, counted, header);
      if (!std::ranges::equal(header, of_channel)) refuse_other(path);
      if (block * file.block_steps() + counted < steps)
        refuse_shorter(path, steps, block * file.block_steps() + counted);
    }
  });
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
    if (error) throw system_error(error.value(), "searching for files of later steps", {.file = folder});
    remove_files(later);
  }
}

}  // namespace sill
