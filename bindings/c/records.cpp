// Writing of records, for C.
#include "session.hpp"
#include "sill/io/records/records_writer.hpp"

using namespace sill;
using namespace sill::bindings;

namespace {

struct RecordsArguments {
  std::string path;
  RecordsOptions options;
};

RecordsOptions records_options(const sill_records_options& given) {
  RecordsOptions options{.ids = given.ids, .replaces = given.replaces != 0};
  if (const std::string name = text_of(given.codec); !name.empty()) {
    const auto codec = records::codec_named(name);
    if (!codec) refuse("unknown codec " + name, "give none, zstd or bgzf");
    options.form.codec = *codec;
  }
  if (given.level != 0) options.form.level = given.level;
  if (given.frame_bytes != 0) options.form.frame_bytes = given.frame_bytes;
  if (given.files != 0) options.files = given.files;
  return options;
}

}  // namespace

struct sill_records {
  sill_records(std::shared_ptr<Session> session, RecordsArguments arguments)
      : held(std::move(session)),
        writer(held->io->resources("records"), std::move(arguments.path), arguments.options) {}
  std::shared_ptr<Session> held;
  RecordsWriter writer;
};

extern "C" {

int sill_records_open(sill_session* session, const char* path, const sill_records_options* options,
                      sill_records** records) {
  return opened(session, records, [&] {
    return RecordsArguments{&at(path, "the name of the file"),
                            options == nullptr ? RecordsOptions() : records_options(*options)};
  });
}

int sill_records_put(sill_records* records, int64_t id, const void* bytes, int64_t size) {
  return status_of([&] {
    sill_records& found = object_of(records, "the records");
    found.writer.put(id, list_of(static_cast<const std::byte*>(bytes), size, "record " + std::to_string(id)));
  });
}

int sill_records_write(sill_records* records) {
  return status_of([&] { object_of(records, "the records").writer.write(); });
}

int sill_records_close(sill_records** records) {
  return status_of([&] { taken(records, "the records")->writer.close(); });
}

int sill_records_free(sill_records** records) { return freed(records, "the pointer to the records"); }

}  // extern "C"
