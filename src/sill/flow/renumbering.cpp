#include "sill/flow/renumbering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/flow/who_writes.hpp"

namespace sill {
namespace {

constexpr std::int64_t traces_renumbered_at_once = 4096;

// Of the traces of a rank, what those of the next must know.
struct EnsembleEnds {
  std::int64_t traces = 0;
  std::int64_t last_ensemble = 0;
  std::int64_t last_number = 0;  ///< as counted from the first trace of the rank
  std::int64_t is_one_run = 0;   ///< the last ensemble reaches back to the first trace, which begins no file
};

}  // namespace

void renumber(std::byte* header, ByteOrder order, std::int64_t in_file, std::int64_t in_ensemble) {
  if (in_file > std::numeric_limits<std::int32_t>::max())
    throw Error(
        {.code = ErrorCode::input,
         .problem = fmt::format("the trace would get the number {}, which a word of four bytes cannot hold", in_file),
         .clause = "SEG-Y rev 1, trace header bytes 1-8",
         .action = "write the traces to several files, or do not renumber"});
  store<std::int32_t>(header + sequence_number_bytes.offset, static_cast<std::int32_t>(in_file), order);
  store<std::int32_t>(header + sequence_number_bytes.offset + 4, static_cast<std::int32_t>(in_file), order);
  store<std::int32_t>(header + number_in_ensemble_bytes.offset, static_cast<std::int32_t>(in_ensemble), order);
}

std::vector<std::int64_t> numbers_in_ensembles(Communicator& comm, std::span<const std::int32_t> ensembles,
                                               const std::function<bool(std::int64_t)>& begins_file) {
  std::vector<std::int64_t> numbers = together(comm, [&] { return std::vector<std::int64_t>(ensembles.size()); });
  std::size_t first_run = 0;  // traces of the first ensemble, where it may have begun on a rank before
  for (std::size_t i = 0; i < ensembles.size(); ++i) {
    const bool begins = begins_file(static_cast<std::int64_t>(i)) || (i > 0 && ensembles[i] != ensembles[i - 1]);
    numbers[i] = begins || i == 0 ? 1 : numbers[i - 1] + 1;
    if (!begins && first_run == i) ++first_run;
  }
  EnsembleEnds ends;
  ends.traces = std::ssize(ensembles);
  if (!ensembles.empty()) {
    ends.last_ensemble = ensembles.back();
    ends.last_number = numbers.back();
    ends.is_one_run = first_run == ensembles.size() ? 1 : 0;
  }
  const std::vector<EnsembleEnds> all = all_gather(comm, ends);
  const std::vector<std::int64_t> firsts =
      all_gather(comm, ensembles.empty() ? std::int64_t{0} : std::int64_t{ensembles.front()});
  // The ensemble that the ranks before end with, and how many of its traces they have.
  std::int64_t before = 0;
  std::int64_t ensemble = 0;
  for (int rank = 0; rank < comm.rank(); ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    if (all[r].traces == 0) continue;
    const bool goes_on = all[r].is_one_run == 1 && before > 0 && firsts[r] == ensemble;
    before = (goes_on ? before : 0) + all[r].last_number;
    ensemble = all[r].last_ensemble;
  }
  if (before > 0 && !ensembles.empty() && ensembles.front() == ensemble)
    for (std::size_t i = 0; i < first_run; ++i) numbers[i] += before;
  return numbers;
}

void renumber_written(const Resources& resources, Writer& writer, ItemRange own,
                      const std::function<std::int64_t(std::int64_t)>& byte_of, ByteOrder order) {
  Communicator& comm = resources.comm;
  writer.share();
  Store& file = *together(comm, [&] { return &writer.store(); });
  const std::int64_t chunks = (own.count + traces_renumbered_at_once - 1) / traces_renumbered_at_once;
  const auto chunk_of = [&](std::int64_t task) {
    const std::int64_t first = task * traces_renumbered_at_once;
    return ItemRange{first, std::min(traces_renumbered_at_once, own.count - first)};
  };
  std::vector<std::int32_t> ensembles =
      together(comm, [&] { return std::vector<std::int32_t>(static_cast<std::size_t>(own.count)); });
  together(comm, [&] {
    hand_out(resources.threads(), chunks, [&](std::int64_t task, int /*thread*/) {
      const ItemRange chunk = chunk_of(task);
      std::vector<std::array<std::byte, 4>> words(static_cast<std::size_t>(chunk.count));
      std::vector<iovec> pieces(words.size());
      std::vector<Request> requests(words.size());
      for (std::size_t i = 0; i < words.size(); ++i) {
        pieces[i] = {words[i].data(), words[i].size()};
        const std::int64_t trace = own.first + chunk.first + static_cast<std::int64_t>(i);
        requests[i] = {Operation::read, byte_of(trace) + ensemble_number_bytes.offset, {&pieces[i], 1}};
      }
      file.submit(requests);
      for (std::size_t i = 0; i < words.size(); ++i)
        ensembles[static_cast<std::size_t>(chunk.first) + i] = load<std::int32_t>(words[i].data(), order);
    });
  });
  const std::vector<std::int64_t> numbers =
      numbers_in_ensembles(comm, ensembles, [&](std::int64_t i) { return own.first + i == 0; });
  resources.begin_stage("numbering traces", 0);
  together(comm, [&] {
    hand_out(resources.threads(), chunks, [&](std::int64_t task, int /*thread*/) {
      const ItemRange chunk = chunk_of(task);
      constexpr std::size_t bytes = 28;
      std::vector<std::array<std::byte, bytes>> headers(static_cast<std::size_t>(chunk.count));
      std::vector<iovec> pieces;
      for (std::size_t i = 0; i < headers.size(); ++i) {
        const std::int64_t at = chunk.first + static_cast<std::int64_t>(i);
        renumber(headers[i].data(), order, own.first + at + 1, numbers[static_cast<std::size_t>(at)]);
        pieces.push_back({headers[i].data(), sequence_number_bytes.length});
        pieces.push_back({headers[i].data() + number_in_ensemble_bytes.offset, number_in_ensemble_bytes.length});
      }
      std::vector<Request> requests;
      for (std::size_t i = 0; i < headers.size(); ++i) {
        const std::int64_t byte = byte_of(own.first + chunk.first + static_cast<std::int64_t>(i));
        requests.push_back({Operation::write, byte, {&pieces[2 * i], 1}});
        requests.push_back({Operation::write, byte + number_in_ensemble_bytes.offset, {&pieces[2 * i + 1], 1}});
      }
      file.submit(requests);
    });
  });
}

void renumber_written(const Resources& resources, Writer& writer, std::int64_t traces, ByteOrder order) {
  const auto byte_of = [&](std::int64_t trace) { return writer.bytes_of({trace, 1}).offset; };
  renumber_written(resources, writer, block_to_write(resources, traces), byte_of, order);
}

}  // namespace sill
