// Writing of SEG-Y and Seismic Unix files, for C.
#include "sill/io/survey/survey_writer.hpp"

#include <variant>

#include "file_form.hpp"
#include "session.hpp"

using namespace sill;
using namespace sill::bindings;

namespace {

struct BytesToCome {
  ItemList traces;
  std::int64_t trailer_bytes = 0;
};
struct WriterArguments {
  std::string target;
  std::variant<segy::FileForm, BytesToCome> content;
};

SurveyWriter made_writer(const Resources& resources, const WriterArguments& arguments) {
  if (const auto* form = std::get_if<segy::FileForm>(&arguments.content)) {
    return {resources, arguments.target, *form};
  }
  const BytesToCome& bytes = std::get<BytesToCome>(arguments.content);
  return {resources, arguments.target, bytes.traces, SurveyWriter::Space::at_once, bytes.trailer_bytes};
}

}  // namespace

struct sill_writer {
  sill_writer(std::shared_ptr<Session> session, const WriterArguments& arguments)
      : held(std::move(session)), writer(made_writer(held->io->resources("segy"), arguments)) {}
  std::shared_ptr<Session> held;
  SurveyWriter writer;
};

namespace {

SurveyWriter& writer_of(sill_writer* writer) { return object_of(writer, "the writer").writer; }

std::span<const std::byte> bytes_at(const void* from, std::int64_t bytes) {
  return elements(static_cast<const std::byte*>(from), bytes);
}

}  // namespace

extern "C" {

int sill_writer_open(sill_session* session, const char* target, const sill_file_form* form, sill_writer** writer) {
  return opened(session, writer, [&] {
    return WriterArguments{&at(target, "the path of the file"), file_form(at(form, "the form of the file"))};
  });
}

int sill_writer_open_bytes(sill_session* session, const char* target, int64_t header_bytes, int64_t trace_bytes,
                           int64_t traces, int64_t trailer_bytes, sill_writer** writer) {
  return opened(session, writer, [&] {
    if (header_bytes < 0 || trace_bytes < 0 || traces < 0 || trailer_bytes < 0) {
      refuse("a file was announced with a size below 0", "give sizes and the number of traces as 0 or more");
    }
    return WriterArguments{&at(target, "the path of the file"),
                           BytesToCome{{header_bytes, trace_bytes, traces}, trailer_bytes}};
  });
}

int sill_writer_write_header(sill_writer* writer, const void* from, int64_t bytes) {
  return status_of([&] { writer_of(writer).write_header(bytes_at(from, bytes)); });
}

int sill_writer_write_trailer(sill_writer* writer, const void* from, int64_t bytes) {
  return status_of([&] { writer_of(writer).write_trailer(bytes_at(from, bytes)); });
}

int sill_writer_write(sill_writer* writer, int64_t first, int64_t count, const void* from, int64_t bytes) {
  return status_of([&] { writer_of(writer).write({first, count}, bytes_at(from, bytes)); });
}

int sill_writer_write_samples(sill_writer* writer, int64_t first, int64_t count, const void* headers,
                              int64_t header_bytes, const float* samples, int64_t sample_count) {
  return status_of([&] {
    writer_of(writer).write_samples({first, count}, bytes_at(headers, header_bytes), elements(samples, sample_count));
  });
}

int sill_writer_write_list(sill_writer* writer, const int64_t* traces, int64_t count, const void* from, int64_t bytes) {
  return status_of([&] { writer_of(writer).write(elements(traces, count), bytes_at(from, bytes)); });
}

int sill_writer_write_list_samples(sill_writer* writer, const int64_t* traces, int64_t count, const void* headers,
                                   int64_t header_bytes, const float* samples, int64_t sample_count) {
  return status_of([&] {
    writer_of(writer).write_samples(elements(traces, count), bytes_at(headers, header_bytes),
                                    elements(samples, sample_count));
  });
}

int sill_writer_file_bytes(const sill_writer* writer, int64_t* bytes) {
  return status_of(
      [&] { at(bytes, "the pointer for the number of bytes") = object_of(writer, "the writer").writer.file_bytes(); });
}

int sill_writer_longest_trace_bytes(const sill_writer* writer, int64_t* bytes) {
  return status_of([&] {
    at(bytes, "the pointer for the number of bytes") = object_of(writer, "the writer").writer.longest_trace_bytes();
  });
}

int sill_writer_finish(sill_writer** writer) {
  return status_of([&] { taken(writer, "the writer")->writer.finish(); });
}

int sill_writer_free(sill_writer** writer) { return freed(writer, "the pointer to the writer"); }

}  // extern "C"
