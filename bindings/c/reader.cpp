// Reading of SEG-Y and Seismic Unix files, for C.
#include "reader.hpp"

#include <algorithm>

#include "file_form.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/formats/segy/text/text_header.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/select/trace_values.hpp"
#include "sill/survey/sort/sort.hpp"
#include "true_values.hpp"

using namespace sill;
using namespace sill::bindings;

namespace {

const SurveyReader& reader_of(const sill_reader* reader) { return object_of(reader, "the reader").reader; }

int checked_file(const SurveyReader& reader, std::int64_t file) {
  if (file < 0 || file >= std::ssize(reader.files())) {
    refuse("there is no file " + std::to_string(file + first_index()) + " of " + std::to_string(reader.files().size()),
           "count files from " + std::to_string(first_index()));
  }
  return static_cast<int>(file);
}

ItemRange checked_traces(const SurveyReader& reader, std::int64_t first, std::int64_t count) {
  reader.require_traces({first, count});
  return {first, count};
}

// Returns the destination of `wanted` bytes. Errors: usage if its size is different.
std::span<std::byte> room(void* into, std::int64_t bytes, std::int64_t wanted) {
  const std::span<std::byte> all = elements(static_cast<std::byte*>(into), bytes);
  if (std::ssize(all) != wanted) {
    refuse(std::to_string(wanted) + " bytes were to be read into " + std::to_string(all.size()),
           "pass room for all bytes of the traces");
  }
  return all;
}

// Returns a list of traces. Errors: usage if a trace does not exist.
std::span<const std::int64_t> checked_list(const SurveyReader& reader, const std::int64_t* traces, std::int64_t count) {
  if (count < 0) refuse("a list of fewer than 0 traces was passed", "pass how many traces it has");
  if (count > 0) (void)at(traces, "the list of traces");
  const std::span<const std::int64_t> list = elements(traces, count);
  for (const std::int64_t trace : list) reader.require_traces({trace, 1});
  return list;
}

std::int64_t samples_of(const SurveyReader& reader, std::span<const std::int64_t> traces) {
  std::int64_t samples = 0;
  for (const std::int64_t trace : traces) samples += reader.shape_of(trace).samples;
  return samples;
}

// Returns the lines of a text header without trailing blanks.
std::vector<std::byte> text_lines(const SurveyReader& reader, int file) {
  const segy::FileDescription& of = reader.files()[static_cast<std::size_t>(file)];
  const std::vector<std::byte> header = reader.file_header(file);
  const auto label = static_cast<std::size_t>(of.label_bytes);
  std::vector<std::byte> all;
  if (header.size() < label + segy::text_header_bytes) return all;
  const auto block = std::span(header).subspan(label).first<segy::text_header_bytes>();
  for (std::string line : segy::decode_text_header(block, of.text_encoding)) {
    line.resize(line.find_last_not_of(' ') + 1);
    line += '\n';
    const auto bytes = std::as_bytes(std::span(line));
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

void copy_part(const std::vector<std::byte>& all, std::int64_t capacity, void* into, std::int64_t* bytes) {
  at(bytes, "the pointer for the number of bytes") = std::ssize(all);
  const std::span<std::byte> to = elements(static_cast<std::byte*>(into), capacity);
  std::copy_n(all.begin(), std::min(all.size(), to.size()), to.begin());
}

// Collective. Returns a text. Errors: usage if it is NULL or not the same on all ranks.
std::string agreed_text(Communicator& comm, const char* given, const char* what) {
  std::string text = run_and_agree(comm, [&] { return std::string(&at(given, what)); });
  require_same_on_all(
      comm, [&] { return text; }, std::string("ranks were given different values of ") + what);
  return text;
}

// Collective. Parses keys. Errors: usage for keys that the survey does not have, or that differ between ranks.
std::vector<segy::TraceKey> agreed_keys(const sill_reader& reader, const char* keys) {
  Communicator& comm = *reader.held->comm;
  const std::string text = agreed_text(comm, keys, "the keys");
  return run_and_agree(comm, [&] { return segy::TraceKey::parse_list(text, reader.reader.words()); });
}

}  // namespace

extern "C" {

int sill_reader_open(sill_session* session, const char* const* paths, int64_t count, sill_reader** reader) {
  return opened(session, reader, [&] { return reader_arguments(paths, count, nullptr, nullptr); });
}

int sill_reader_open_with(sill_session* session, const char* const* paths, int64_t count,
                          const sill_input_options* options, sill_reader** reader) {
  return opened(session, reader, [&] {
    return reader_arguments(paths, count, options == nullptr ? nullptr : options->assume,
                            options == nullptr ? nullptr : options->map);
  });
}

int sill_reader_files(const sill_reader* reader, int64_t* files) {
  return status_of([&] { at(files, "the pointer for the number of files") = std::ssize(reader_of(reader).files()); });
}

int sill_reader_form(const sill_reader* reader, int64_t file, sill_file_form* form) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    const int number = checked_file(of, file);
    at(form, "the pointer for the form") =
        file_form(of.files()[static_cast<std::size_t>(number)], of.table(number).traces());
  });
}

int sill_reader_traces(const sill_reader* reader, int64_t* traces) {
  return status_of([&] { at(traces, "the pointer for the number of traces") = reader_of(reader).traces(); });
}

int sill_reader_file_of(const sill_reader* reader, int64_t trace, int64_t* file) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    at(file, "the pointer for the file") = of.file_of(checked_traces(of, trace, 1).first);
  });
}

int sill_reader_is_uniform(const sill_reader* reader, int* is_uniform) {
  return status_of([&] { at(is_uniform, "the pointer for the answer") = reader_of(reader).is_uniform() ? 1 : 0; });
}

int sill_reader_trace_bytes(const sill_reader* reader, int64_t* bytes) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    at(bytes, "the pointer for the number of bytes") = of.is_uniform() ? of.trace_bytes() : 0;
  });
}

int sill_reader_longest_trace_bytes(const sill_reader* reader, int64_t* bytes) {
  return status_of([&] { at(bytes, "the pointer for the number of bytes") = reader_of(reader).longest_trace_bytes(); });
}

int sill_reader_bytes_of(const sill_reader* reader, int64_t first, int64_t count, int64_t* bytes) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    at(bytes, "the pointer for the number of bytes") = of.bytes_of(checked_traces(of, first, count));
  });
}

int sill_reader_samples_of(const sill_reader* reader, int64_t first, int64_t count, int64_t* samples) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    at(samples, "the pointer for the number of samples") = of.samples_of(checked_traces(of, first, count));
  });
}

int sill_reader_file_header(const sill_reader* reader, int64_t file, int64_t capacity, void* into, int64_t* bytes) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    copy_part(of.file_header(checked_file(of, file)), capacity, into, bytes);
  });
}

int sill_reader_file_trailer(const sill_reader* reader, int64_t file, int64_t capacity, void* into, int64_t* bytes) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    copy_part(of.file_trailer(checked_file(of, file)), capacity, into, bytes);
  });
}

int sill_reader_read_headers(const sill_reader* reader, int64_t first, int64_t count, void* into, int64_t bytes) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    const ItemRange traces = checked_traces(of, first, count);
    of.read_headers(traces, room(into, bytes, traces.count * segy::trace_header_bytes));
  });
}

int sill_reader_read_own(const sill_reader* reader, int64_t first, int64_t count, void* into, int64_t bytes) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    const ItemRange traces = checked_traces(of, first, count);
    of.read_own(traces, room(into, bytes, of.bytes_of(traces)));
  });
}

int sill_reader_read(const sill_reader* reader, int64_t first, int64_t count, void* into, int64_t bytes) {
  return status_of([&] { reader_of(reader).read({first, count}, elements(static_cast<std::byte*>(into), bytes)); });
}

int sill_reader_read_samples(const sill_reader* reader, int64_t first, int64_t count, float* into, int64_t samples) {
  return status_of([&] { reader_of(reader).read_samples({first, count}, elements(into, samples)); });
}

int sill_reader_text(const sill_reader* reader, int64_t file, int64_t capacity, char* into, int64_t* bytes) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    copy_part(text_lines(of, checked_file(of, file)), capacity, into, bytes);
  });
}

int sill_reader_bytes_of_list(const sill_reader* reader, const int64_t* traces, int64_t count, int64_t* bytes) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    at(bytes, "the pointer for the number of bytes") = of.bytes_of(checked_list(of, traces, count));
  });
}

int sill_reader_samples_of_list(const sill_reader* reader, const int64_t* traces, int64_t count, int64_t* samples) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    at(samples, "the pointer for the number of samples") = samples_of(of, checked_list(of, traces, count));
  });
}

int sill_reader_read_list(const sill_reader* reader, const int64_t* traces, int64_t count, void* into, int64_t bytes) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    const std::span<const std::int64_t> list = checked_list(of, traces, count);
    of.read_own(list, room(into, bytes, of.bytes_of(list)));
  });
}

int sill_reader_read_list_samples(const sill_reader* reader, const int64_t* traces, int64_t count, float* into,
                                  int64_t samples) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    const std::span<const std::int64_t> list = checked_list(of, traces, count);
    const std::span<float> to = elements(into, samples);
    if (const std::int64_t wanted = samples_of(of, list); std::ssize(to) != wanted)
      refuse(std::to_string(wanted) + " samples were to be read into room for " + std::to_string(to.size()),
             "pass room for as many samples as the traces have");
    of.read_own_samples(list, to);
  });
}

int sill_reader_check_samples(const sill_reader* reader) {
  return status_of([&] { reader_of(reader).require_sample_format(); });
}

int sill_block_of(int64_t items, int ranks, int rank, int64_t* first, int64_t* own) {
  return status_of([&] {
    if (items < 0) refuse("there are fewer than 0 items", "pass how many there are");
    if (ranks < 1 || rank < 0 || rank >= ranks)
      refuse("there is no rank " + std::to_string(rank) + " of " + std::to_string(ranks), "count ranks from 0");
    const ItemRange block = block_of(items, ranks, rank);
    at(first, "the pointer for the first item") = block.first;
    at(own, "the pointer for the number of items") = block.count;
  });
}

int sill_reader_read_values(const sill_reader* reader, const char* keys, int64_t first, int64_t count, double* values,
                            int64_t size) {
  return status_of([&] {
    const sill_reader& of = object_of(reader, "the reader");
    const std::vector<segy::TraceKey> wanted = agreed_keys(of, keys);
    const std::span<double> into = run_and_agree(*of.held->comm, [&] {
      of.reader.require_traces({first, count});
      const std::span<double> room = elements(values, size);
      if (std::ssize(room) != std::ssize(wanted) * count)
        refuse(std::to_string(std::ssize(wanted) * count) + " values were to be read into room for " +
                   std::to_string(room.size()),
               "pass room for the values of each key of each trace");
      return room;
    });
    std::ranges::copy(read_values(of.held->io->resources("segy"), of.reader, {first, count}, wanted), into.begin());
  });
}

int sill_reader_extremes(const sill_reader* reader, const char* key, sill_extremes* extremes) {
  return status_of([&] {
    const sill_reader& of = object_of(reader, "the reader");
    const std::vector<segy::TraceKey> wanted = agreed_keys(of, key);
    run_and_agree(*of.held->comm, [&] {
      (void)at(extremes, "the pointer for the extremes");
      if (wanted.size() != 1) refuse("several keys were passed", "pass one");
    });
    const KeyExtremes found = find_extremes(of.held->io->resources("segy"), of.reader, wanted.front());
    *extremes = {found.smallest.value, found.largest.value, found.smallest.trace, found.largest.trace};
  });
}

int sill_reader_order(const sill_reader* reader, const char* keys, int64_t capacity, int64_t* traces, int64_t* count) {
  return status_of([&] {
    const sill_reader& of = object_of(reader, "the reader");
    const std::vector<segy::TraceKey> wanted = agreed_keys(of, keys);
    run_and_agree(*of.held->comm, [&] { (void)at(count, "the pointer for the number of traces"); });
    const std::vector<std::int64_t> order = find_order(of.held->io->resources("segy"), of.reader, wanted);
    *count = std::ssize(order);
    const std::span<std::int64_t> to = elements(traces, capacity);
    std::copy_n(order.begin(), std::min(order.size(), to.size()), to.begin());
  });
}

int sill_reader_sort(const sill_reader* reader, const char* keys, const char* target) {
  return status_of([&] {
    const sill_reader& of = object_of(reader, "the reader");
    SortOptions options;
    options.keys = agreed_keys(of, keys);
    options.output = agreed_text(*of.held->comm, target, "the path of the output");
    (void)sort(of.held->io->resources("segy"), of.reader, options);
  });
}

int sill_reader_true_values(const sill_reader* reader, const char* word, const void* headers, int64_t header_bytes,
                            int64_t count, double* values) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    read_true_values(of.words(), word, {count, header_bytes, of.files().front().byte_order}, headers, values);
  });
}

int sill_reader_set_true_values(const sill_reader* reader, const char* word, void* headers, int64_t header_bytes,
                                int64_t count, const double* values) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    write_true_values(of.words(), word, {count, header_bytes, of.files().front().byte_order}, headers, values);
  });
}

int sill_reader_require_unchanged(const sill_reader* reader) {
  return status_of([&] { reader_of(reader).require_unchanged(*reader->held->comm); });
}

int sill_reader_close(sill_reader** reader) {
  return status_of([&] { (void)taken(reader, "the reader"); });
}

int sill_reader_free(sill_reader** reader) { return freed(reader, "the pointer to the reader"); }

}  // extern "C"
