#include "sill/io/records/records_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <utility>

#include "sill/base/crc32.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/io/simulation/phase_writer.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

[[noreturn]] void refuse_records(const std::string& path, std::string problem, std::string action) {
  throw Error(
      {.code = ErrorCode::usage, .problem = std::move(problem), .where = {.file = path}, .action = std::move(action)});
}

// The description of a new record that a rank sends to the others.
struct Said {
  std::int64_t id = 0;
  std::int64_t bytes = 0;
  std::int64_t crc32 = 0;
  std::int64_t rank = 0;
};

// The data that requests refer to.
struct Written {
  std::vector<std::byte> bytes;
  std::string lines;
};

std::int64_t end_of(const records::RecordPlace& place) { return place.offset + place.bytes; }

}  // namespace

std::vector<std::string> records_paths(const std::string& path, std::int64_t files) {
  if (files == 1) return {path};
  const std::filesystem::path name = path;
  std::vector<std::string> paths;
  for (std::int64_t f = 0; f < files; ++f) {
    const std::string of_file = fmt::format("{}.{}{}", name.stem().string(), f, name.extension().string());
    paths.push_back((name.parent_path() / of_file).string());
  }
  return paths;
}

RecordsWriter::RecordsWriter(const Resources& resources, std::string path, const RecordsOptions& options)
    : resources_(resources), path_(std::move(path)), options_(options) {
  Communicator& comm = resources_.comm;
  require_same_on_all(
      comm,
      [&] {
        return fmt::format("{}\n{} {} {} {} {} {}", path_, name_of(options.form.codec), options.form.level,
                           options.form.frame_bytes, options.files, options.ids, options.replaces);
      },
      "records: the ranks were given different names or options");
  std::vector<std::string> paths;
  run_and_agree(comm, [&] {
    options_.form = records::checked(options_.form);
    constexpr std::int64_t max_files = 1 << 16;
    if (options_.files < 1 || options_.files > max_files || (options_.files > 1 && options_.ids < options_.files)) {
      refuse_records(path_, fmt::format("{} files for {} ids", options_.files, options_.ids),
                     "set `ids` to the number of ids, and use at most that many files");
    }
    for (const std::string& each : records_paths(path_, options_.files)) {
      paths.push_back(each);
      paths.push_back(records::index_path(each));
    }
  });
  require_folder_of(comm, path_);
  lock_.emplace(comm, path_, OutputOf::dataset);
  run_on_rank(comm, 0, [&] {
    for (const std::string& each : paths) {
      if (!std::filesystem::exists(std::filesystem::symlink_status(each))) continue;
      if (!options_.replaces) refuse_records(each, "the file exists already", "name another file, or remove this one");
      std::error_code error;
      std::filesystem::remove(each, error);
      if (error) throw system_error(error.value(), "removing the file to replace", {.file = each});
    }
    for (const std::string& each : paths)
      resources_.open(each, OpenMode::write_or_create)->close();  // also files that
                                                                  // will have no
                                                                  // records
  });
  files_.resize(static_cast<std::size_t>(options_.files));
  for (std::size_t f = 0; f < files_.size(); ++f) {
    const auto id_from = [&](std::size_t file) {
      if (file == files_.size()) return std::numeric_limits<std::int64_t>::max();
      return file == 0 ? 0 : block_of(options_.ids, static_cast<int>(files_.size()), static_cast<int>(file)).first;
    };
    files_[f].first_id = files_[f].next_id = id_from(f);
    files_[f].end_id = id_from(f + 1);
  }
  MoverFiles made = run_and_agree(comm, [&] { return resources_.files(paths, OpenMode::write_or_create); });
  output_.emplace(resources_, std::move(made), [](std::int64_t) { return AccessPlan(); });
  for (std::size_t f = 0; f < files_.size(); ++f) append(f, {}, 0, 0, std::string(records::index_head()));
}

RecordsWriter::~RecordsWriter() = default;

std::size_t RecordsWriter::file_of(std::int64_t id) const {
  const auto after = std::ranges::upper_bound(files_, id, {}, &File::first_id);
  return static_cast<std::size_t>(after - files_.begin()) - 1;
}

void RecordsWriter::put(std::int64_t id, std::span<const std::byte> record) {
  if (id < 0 || (options_.ids > 0 && id >= options_.ids)) {
    refuse_records(path_, fmt::format("a record has the id {}", id),
                   options_.ids > 0 ? fmt::format("count ids from 0 to {}", options_.ids - 1) : "count ids from 0");
  }
  if (!records_.emplace(id, std::vector<std::byte>(record.begin(), record.end())).second) {
    refuse_records(path_, fmt::format("record {} was passed twice", id), "pass each record once");
  }
  unannounced_.push_back(id);
}

template <class Work>
void RecordsWriter::perform(Work&& work) {
  if (failure_) throw Error(*failure_);
  try {
    work();
  } catch (const Error& error) {
    failure_ = error;
    throw;
  }
}

void RecordsWriter::announce() {
  Communicator& comm = resources_.comm;
  const std::vector<Said> mine = run_and_agree(comm, [&] {
    std::vector<Said> said;
    for (const std::int64_t id : unannounced_) {
      const std::vector<std::byte>& record = records_.at(id);
      said.push_back({id, std::ssize(record), crc32_of(record), comm.rank()});
    }
    return said;
  });
  unannounced_.clear();
  const std::vector<Said> all = all_gather_all<Said>(comm, mine);
  run_and_agree(comm, [&] {
    for (const Said& each : all) {
      File& file = files_[file_of(each.id)];
      const Known known{{each.id, 0, each.bytes, static_cast<std::uint32_t>(each.crc32)}, each.rank};
      if (each.id >= file.next_id && file.waiting.emplace(each.id, known).second) continue;
      refuse_records(path_, fmt::format("record {} was passed twice", each.id), "pass each record on one rank, once");
    }
  });
}

void RecordsWriter::write_frames(std::size_t number, bool all) {
  File& file = files_[number];
  while (!file.waiting.empty() && (all || file.waiting.begin()->first == file.next_id)) {
    Known next = file.waiting.begin()->second;
    file.waiting.erase(file.waiting.begin());
    next.place.offset = file.raw_end;
    file.raw_end += next.place.bytes;
    file.next_id = next.place.id + 1;
    file.placed.push_back(next);
  }
  const std::int64_t size = options_.form.frame_bytes;
  const std::int64_t first = file.raw_written / size;
  const std::int64_t end = all ? (file.raw_end + size - 1) / size : file.raw_end / size;
  const int ranks = resources_.comm.size();
  const std::int64_t of_rank = std::clamp<std::int64_t>(
      resources_.memory() / 4 / size, 1, 8 * resources_.threads() * std::max<std::int64_t>(1, (1 << 20) / size));
  const std::int64_t round = all_reduce(resources_.comm, of_rank, Reduction::min) * ranks;
  for (std::int64_t at = first; at < end; at += round) write_round(number, at, std::min(at + round, end));
  if (all && !file.placed.empty()) {  // empty records after the last frame
    std::string lines;
    for (const Known& each : file.placed) lines += records::index_line(each.place);
    append(number, {}, 0, 0, std::move(lines));
    file.placed.clear();
  }
}

void RecordsWriter::collect(const File& file, std::int64_t first, std::int64_t end) {
  Communicator& comm = resources_.comm;
  const std::int64_t size = options_.form.frame_bytes;
  const auto ranks = static_cast<std::size_t>(comm.size());
  const auto bytes_for = [&](std::size_t rank) {
    const ItemRange frames = block_of(end - first, comm.size(), static_cast<int>(rank));
    const std::int64_t begin = (first + frames.first) * size;
    return ByteRange{
        begin, std::max<std::int64_t>(0, std::min((first + frames.first + frames.count) * size, file.raw_end) - begin)};
  };
  // Visits the pieces of records in the frames of a rank, in order.
  const auto for_each_piece = [&](ByteRange of, auto&& visit) {
    for (const Known& each : file.placed) {
      const std::int64_t begin = std::max(each.place.offset, of.offset);
      const std::int64_t stop = std::min(end_of(each.place), of.offset + of.length);
      if (begin < stop) visit(each, begin, stop - begin);
      if (each.place.offset >= of.offset + of.length) break;
    }
  };
  const auto bytes_at = [&](const Known& each, std::int64_t begin) {
    return records_.at(each.place.id).data() + (begin - each.place.offset);
  };
  const std::int64_t rank = comm.rank();
  const auto parts = run_and_agree(comm, [&] {
    std::vector<std::vector<std::byte>> made(ranks);  // for the other ranks
    for (std::size_t r = 0; r < ranks; ++r) {
      if (static_cast<std::int64_t>(r) == rank) continue;
      std::int64_t all = 0;
      for_each_piece(bytes_for(r), [&](const Known& each, std::int64_t, std::int64_t bytes) {
        if (each.rank == rank) all += bytes;
      });
      made[r].reserve(static_cast<std::size_t>(all));
      for_each_piece(bytes_for(r), [&](const Known& each, std::int64_t begin, std::int64_t bytes) {
        if (each.rank == rank) made[r].insert(made[r].end(), bytes_at(each, begin), bytes_at(each, begin) + bytes);
      });
    }
    return made;
  });
  const std::vector<std::span<const std::byte>> views(parts.begin(), parts.end());
  const std::vector<std::byte> come = comm.size() > 1 ? all_to_all<std::byte>(comm, views) : std::vector<std::byte>();
  const ByteRange mine = bytes_for(static_cast<std::size_t>(rank));
  run_and_agree(comm, [&] {
    std::vector<std::int64_t> at(ranks + 1);  // first byte of the data from each rank
    for_each_piece(mine, [&](const Known& each, std::int64_t, std::int64_t bytes) {
      if (each.rank != rank) at[static_cast<std::size_t>(each.rank) + 1] += bytes;
    });
    for (std::size_t r = 0; r < ranks; ++r) at[r + 1] += at[r];
    raw_.clear();
    raw_.reserve(static_cast<std::size_t>(mine.length));
    for_each_piece(mine, [&](const Known& each, std::int64_t begin, std::int64_t bytes) {
      std::int64_t& from = at[static_cast<std::size_t>(each.rank)];
      const std::byte* const piece = each.rank == rank ? bytes_at(each, begin) : come.data() + from;
      raw_.insert(raw_.end(), piece, piece + bytes);
      if (each.rank != rank) from += bytes;
    });
  });
}

void RecordsWriter::write_round(std::size_t number, std::int64_t first, std::int64_t end) {
  Communicator& comm = resources_.comm;
  File& file = files_[number];
  const std::int64_t size = options_.form.frame_bytes;
  collect(file, first, end);
  std::vector<records::FrameSize> mine;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::byte> packed = run_and_agree(comm, [&] {
    const std::span<const std::byte> raw = raw_;
    const std::int64_t frames = (std::ssize(raw) + size - 1) / size;
    const int threads = static_cast<int>(std::clamp<std::int64_t>(frames, 1, resources_.threads()));
    while (std::ssize(packers_) < threads) packers_.emplace_back(options_.form);
    mine.resize(static_cast<std::size_t>(frames));
    std::vector<std::vector<std::byte>> of_threads(static_cast<std::size_t>(threads));
    run_on_threads(threads, [&](int thread) {
      const auto t = static_cast<std::size_t>(thread);
      const ItemRange of_thread = block_of(frames, threads, thread);
      for (std::int64_t f = of_thread.first; f < of_thread.first + of_thread.count; ++f) {
        const std::int64_t bytes = std::min(size, std::ssize(raw) - f * size);
        mine[static_cast<std::size_t>(f)] = {
            packers_[t].add(raw.subspan(static_cast<std::size_t>(f * size), static_cast<std::size_t>(bytes)),
                            of_threads[t]),
            bytes};
      }
    });
    std::vector<std::byte> all = std::move(of_threads.front());
    for (std::size_t t = 1; t < of_threads.size(); ++t)
      all.insert(all.end(), of_threads[t].begin(), of_threads[t].end());
    return all;
  });
  if (resources_.meter != nullptr) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    resources_.meter->count_preparing(took.count());
  }
  const ExclusiveSum sum = exclusive_sum(all_gather(comm, std::int64_t{std::ssize(packed)}), comm.rank());
  if (options_.form.codec == records::Codec::zstd) {
    const std::vector<records::FrameSize> of_all = all_gather_all<records::FrameSize>(comm, mine);
    if (comm.rank() == 0) file.frames.insert(file.frames.end(), of_all.begin(), of_all.end());
  }
  file.raw_written = std::min(end * size, file.raw_end);
  std::string lines;
  while (!file.placed.empty() && end_of(file.placed.front().place) <= file.raw_written) {
    const Known& done = file.placed.front();
    if (comm.rank() == 0) lines += records::index_line(done.place);
    if (done.rank == comm.rank()) records_.erase(done.place.id);
    file.placed.pop_front();
  }
  append(number, std::move(packed), sum.before, sum.all, std::move(lines));
}

void RecordsWriter::append(std::size_t number, std::vector<std::byte> mine, std::int64_t before, std::int64_t all,
                           std::string lines) {
  File& file = files_[number];
  Communicator& comm = resources_.comm;
  auto written = std::make_shared<Written>(Written{std::move(mine), std::move(lines)});
  const int at = static_cast<int>(2 * number);
  std::vector<AccessPlan> plans(2);
  Opening opening;
  opening.error = attempt([&] {
    const std::int64_t bytes = std::ssize(written->bytes);
    if (bytes > 0)
      plans[0] = AccessPlan::for_writing({contiguous(at, {file.file_end + before, bytes}, written->bytes.data())});
    const std::int64_t text = std::ssize(written->lines);
    if (comm.rank() == 0 && text > 0) {
      plans[1] = AccessPlan::for_writing(
          {contiguous(at + 1, {file.index_end, text}, std::as_bytes(std::span(written->lines)).data())});
    }
    file.index_end += text;
  });
  file.file_end += all;
  ++calls_;
  output_->write(plans, opening, {calls_}, written, Memory::lent);
}

void RecordsWriter::write() {
  OutputCall call(resources_.meter);
  perform([&] {
    announce();
    for (std::size_t f = 0; f < files_.size(); ++f) write_frames(f, false);
  });
  call.completes_phase();
}

void RecordsWriter::close() {
  const OutputCall call(resources_.meter);
  perform([&] {
    announce();
    for (std::size_t f = 0; f < files_.size(); ++f) {
      write_frames(f, true);
      std::vector<std::byte> end;
      run_on_rank(resources_.comm, 0, [&] { end = records::end_of_frames(options_.form.codec, files_[f].frames); });
      const std::int64_t bytes = all_reduce(resources_.comm, std::ssize(end), Reduction::max);
      append(f, std::move(end), 0, bytes, std::string(records::index_end()));
    }
    output_->close();
  });
}

}  // namespace sill
