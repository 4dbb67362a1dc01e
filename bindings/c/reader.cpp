// Reading SEG-Y and Seismic Unix files for C.
#include "sill/io/survey/survey_reader.hpp"

#include <algorithm>

#include "file_form.hpp"
#include "session.hpp"

using namespace sill;
using namespace sill::bindings;

struct sill_reader {
  sill_reader(std::shared_ptr<Session> session, const std::vector<std::string>& paths)
      : held(std::move(session)), reader(held->io->resources("segy"), paths) {}
  std::shared_ptr<Session> held;
  SurveyReader reader;
};

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

// Where so many bytes go. Errors: usage if there is no room for them.
std::span<std::byte> room(void* into, std::int64_t bytes, std::int64_t wanted) {
  const std::span<std::byte> all = elements(static_cast<std::byte*>(into), bytes);
  if (std::ssize(all) != wanted) {
    refuse(std::to_string(wanted) + " bytes were to be read into " + std::to_string(all.size()),
           "pass room for as many bytes as the traces take");
  }
  return all;
}

void copy_part(const std::vector<std::byte>& all, std::int64_t most, void* into, std::int64_t* bytes) {
  at(bytes, "the place for the number of bytes") = std::ssize(all);
  const std::span<std::byte> to = elements(static_cast<std::byte*>(into), most);
  std::copy_n(all.begin(), std::min(all.size(), to.size()), to.begin());
}

}  // namespace

extern "C" {

int sill_reader_open(sill_session* session, const char* const* paths, int64_t count, sill_reader** reader) {
  return opened(session, reader, [&] {
    if (count > 0) (void)at(paths, "the array of paths");
    std::vector<std::string> all;
    for (const char* path : elements(paths, count)) all.emplace_back(&at(path, "a path"));
    return all;
  });
}

int sill_reader_files(const sill_reader* reader, int64_t* files) {
  return status_of([&] { at(files, "the place for the number of files") = std::ssize(reader_of(reader).files()); });
}

int sill_reader_form(const sill_reader* reader, int64_t file, sill_file_form* form) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    const int number = checked_file(of, file);
    at(form, "the place for the form") =
        file_form(of.files()[static_cast<std::size_t>(number)], of.table(number).traces());
  });
}

int sill_reader_traces(const sill_reader* reader, int64_t* traces) {
  return status_of([&] { at(traces, "the place for the number of traces") = reader_of(reader).traces(); });
}

int sill_reader_file_of(const sill_reader* reader, int64_t trace, int64_t* file) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    at(file, "the place for the file") = of.file_of(checked_traces(of, trace, 1).first);
  });
}

int sill_reader_is_uniform(const sill_reader* reader, int* is_uniform) {
  return status_of([&] { at(is_uniform, "the place for the answer") = reader_of(reader).is_uniform() ? 1 : 0; });
}

int sill_reader_trace_bytes(const sill_reader* reader, int64_t* bytes) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    at(bytes, "the place for the number of bytes") = of.is_uniform() ? of.trace_bytes() : 0;
  });
}

int sill_reader_longest_trace_bytes(const sill_reader* reader, int64_t* bytes) {
  return status_of([&] { at(bytes, "the place for the number of bytes") = reader_of(reader).longest_trace_bytes(); });
}

int sill_reader_bytes_of(const sill_reader* reader, int64_t first, int64_t count, int64_t* bytes) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    at(bytes, "the place for the number of bytes") = of.bytes_of(checked_traces(of, first, count));
  });
}

int sill_reader_samples_of(const sill_reader* reader, int64_t first, int64_t count, int64_t* samples) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    at(samples, "the place for the number of samples") = of.samples_of(checked_traces(of, first, count));
  });
}

int sill_reader_file_header(const sill_reader* reader, int64_t file, int64_t most, void* into, int64_t* bytes) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    copy_part(of.file_header(checked_file(of, file)), most, into, bytes);
  });
}

int sill_reader_file_trailer(const sill_reader* reader, int64_t file, int64_t most, void* into, int64_t* bytes) {
  return status_of([&] {
    const SurveyReader& of = reader_of(reader);
    copy_part(of.file_trailer(checked_file(of, file)), most, into, bytes);
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

int sill_reader_require_unchanged(const sill_reader* reader) {
  return status_of([&] { reader_of(reader).require_unchanged(*reader->held->comm); });
}

int sill_reader_close(sill_reader** reader) {
  return status_of([&] { (void)taken(reader, "the reader"); });
}

int sill_reader_free(sill_reader** reader) { return freed(reader, "the place of the reader"); }

}  // extern "C"
