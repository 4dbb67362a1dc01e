#include "segy_file.hpp"

#include <fmt/format.h>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <variant>

#include "errors.hpp"
#include "process.hpp"
#include "sill/base/error.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/formats/segy/words/layout_entries.hpp"
#include "sill/formats/segy/words/word.hpp"
#include "sill/formats/segy/words/words.hpp"
#include "sill/io/edit/journal_finding.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

// Returns the number of bytes for each of `positions`. Errors: usage if they do not divide `bytes`.
std::int64_t bytes_of_each(std::span<const std::int64_t> positions, std::span<const std::byte> bytes) {
  const auto count = std::ssize(positions);
  if (count == 0 ? bytes.empty() : std::ssize(bytes) % count == 0) return count == 0 ? 0 : std::ssize(bytes) / count;
  refuse(fmt::format("{} bytes do not divide into {} equal parts", bytes.size(), count),
         "pass an array of the shape of what is replaced");
}

// Returns the part of `all` that belongs to `count` items of `item_bytes` bytes.
template <class Element>
std::span<Element> part(std::span<Element> all, std::int64_t first, std::int64_t count, std::int64_t item_bytes = 1) {
  return all.subspan(static_cast<std::size_t>(first * item_bytes), static_cast<std::size_t>(count * item_bytes));
}

void move_parts(Operation operation, Store& store, std::span<const std::int64_t> positions,
                std::span<const std::byte> bytes) {
  if (positions.empty()) return;
  const std::size_t each = bytes.size() / positions.size();
  std::vector<iovec> memory(positions.size());
  std::vector<Request> requests(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    memory[i] = {const_cast<std::byte*>(bytes.data()) + i * each, each};  // iovec has no const
    requests[i] = {operation, positions[i], std::span(memory).subspan(i, 1)};
  }
  store.submit(requests);
}

segy::WordType word_type_of(const std::string& name) {
  if (const auto type = segy::parse_word_type(name)) return *type;
  refuse(fmt::format("{} is not a type of header words", name), "use i1 to i8, u1 to u8, f4, f8, ibm4, or a1 to a8");
}

// Checks that a header contains a word.
void require_word(std::size_t header_bytes, int byte, segy::WordType type) {
  if (byte >= 1 && static_cast<std::size_t>(byte - 1 + type.bytes) <= header_bytes) return;
  refuse(fmt::format("there is no word of {} bytes at byte {} of a header of {} bytes", type.bytes, byte, header_bytes),
         "count bytes from 1");
}

nb::object get_word(const nb::bytearray& header, int byte, const std::string& type_name, const std::string& order) {
  const segy::WordType type = word_type_of(type_name);
  require_word(header.size(), byte, type);
  const auto* block = static_cast<const std::byte*>(header.data());
  return std::visit(
      [](const auto& number) -> nb::object {
        if constexpr (std::is_same_v<std::decay_t<decltype(number)>, segy::WordText>) {
          return nb::bytes(number.bytes.data(), number.length);
        } else {
          return nb::cast(number);
        }
      },
      segy::read_word(block, byte, type, byte_order_of(order)).number);
}

segy::WordValue value_of(nb::handle value) {
  if (nb::isinstance<nb::bytes>(value)) {
    const auto text = nb::borrow<nb::bytes>(value);
    segy::WordText stored;
    if (text.size() > stored.bytes.size()) refuse("a text word has at most 8 bytes", "shorten it");
    std::memcpy(stored.bytes.data(), text.c_str(), text.size());
    stored.length = static_cast<std::uint8_t>(text.size());
    return {.number = stored};
  }
  if (PyFloat_Check(value.ptr())) return {.number = nb::cast<double>(value)};
  std::int64_t integer = 0;
  std::uint64_t large = 0;
  if (nb::try_cast(value, integer)) return {.number = integer};
  if (nb::try_cast(value, large)) return {.number = large};
  refuse("the value is neither a number of at most 64 bits nor bytes", "pass an int, a float or bytes");
}

void set_word(nb::bytearray header, int byte, const std::string& type_name, const std::string& order,
              nb::handle value) {
  const segy::WordType type = word_type_of(type_name);
  require_word(header.size(), byte, type);
  segy::write_word(static_cast<std::byte*>(header.data()), byte, type, byte_order_of(order), value_of(value));
}

nb::list standard_words(const std::string& block) {
  nb::list list;
  const auto add = [&](std::span<const segy::Word> words) {
    for (const segy::Word& word : words) {
      const std::string_view name = !word.layout.empty() ? word.layout : !word.su.empty() ? word.su : word.standard;
      list.append(nb::make_tuple(word.byte, segy::name_of(word.type), std::string(word.segyio), std::string(word.su),
                                 std::string(name), word.overrides != 0));
    }
  };
  add(block == "binary" ? segy::binary_words() : block == "trace" ? segy::trace_words() : segy::extension_words());
  return list;
}

nb::dict types_of_layouts() {
  nb::dict types;
  for (const segy::LayoutType& type : segy::layout_types())
    if (!type.has_exponent) types[nb::cast(std::string(type.name))] = segy::name_of(type.type);
  return types;
}

// Returns (name, entries) of each header, and of each entry name, byte, type and whether it is used only if it is not
// 0.
nb::list entries_of_layout(const nb::bytes& xml) {
  nb::list headers;
  for (const segy::LayoutHeader& header : segy::layout_entries({xml.c_str(), xml.size()})) {
    nb::list entries;
    for (const segy::LayoutEntry& entry : header.entries) {
      const auto add = [&](const std::string& suffix, int at, std::string_view type) {
        entries.append(nb::make_tuple(entry.name + suffix, entry.byte + at, std::string(type), entry.only_non_zero));
      };
      if (!entry.type->has_exponent) {
        add("", 0, entry.type->name);
      } else {
        add("_mant", 0, "int4");
        add("_exp", 4, "int2");
      }
    }
    headers.append(nb::make_tuple(header.name, entries));
  }
  return headers;
}

}  // namespace

NewFile::NewFile(const std::string& path) {
  if (has_journal(path))
    throw Error({.code = ErrorCode::usage,
                 .problem = "the file has the journal of an interrupted edit, which would be applied to the new file",
                 .where = {.file = path},
                 .action = "undo the edit first (sill edit FILE --recover), or remove the journal"});
  std::error_code unknown;
  if (std::filesystem::is_regular_file(path, unknown) && !replaced_.emplace(path).try_alone())
    throw Error({.code = ErrorCode::io,
                 .problem = "the file is being edited, or is open for writing",
                 .where = {.file = path},
                 .action = "wait until it is closed; nothing was changed"});
  part_.emplace(path);
}

NewFile::NewFile(const std::string& path, std::span<const std::byte> start, std::int64_t size_bytes) : NewFile(path) {
  const std::unique_ptr<Store> store = shared_resources().open(part_->path(), OpenMode::write);
  store->allocate(size_bytes);
  write_at(*store, 0, start);
  store->close();
}

EditableFile::EditableFile(const std::string& path, bool is_writable, bool locks) : is_writable_(is_writable) {
  if (locks) has_lock_ = lock_.emplace(path).try_alone();
  store_ = shared_resources().open(path, is_writable ? OpenMode::write : OpenMode::read);
  size_bytes_ = store_->size_bytes();
}

std::vector<std::byte> EditableFile::read(ByteRange range) const {
  require_memory(range.length);
  std::vector<std::byte> bytes(static_cast<std::size_t>(range.length));
  read_at(*store_, range.offset, bytes);
  return bytes;
}

std::vector<std::byte> EditableFile::read_parts(std::span<const std::int64_t> positions, std::int64_t length) const {
  require_memory(length * std::ssize(positions));
  std::vector<std::byte> bytes(static_cast<std::size_t>(length * std::ssize(positions)));
  for_pieces(std::ssize(positions), length, [&](std::int64_t first, std::int64_t count) {
    move_parts(Operation::read, *store_, part(positions, first, count),
               part(std::span<const std::byte>(bytes), first, count, length));
  });
  return bytes;
}

void EditableFile::write(std::span<const std::int64_t> positions, std::span<const std::byte> bytes) const {
  const std::int64_t each = bytes_of_each(positions, bytes);
  if (!is_writable_)
    throw Error({.code = ErrorCode::usage,
                 .problem = "the file is open for reading only",
                 .where = {.file = store_->name()},
                 .action = "open it with mode r+"});
  for (const std::int64_t position : positions)
    if (position < 0 || position > size_bytes_ - each)
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("{} bytes at byte {} are not within the {} bytes of the file", each,
                                          position + 1, size_bytes_),
                   .where = {.file = store_->name()},
                   .action = "write existing traces only"});
  for_pieces(std::ssize(positions), each, [&](std::int64_t first, std::int64_t count) {
    move_parts(Operation::write, *store_, part(positions, first, count), part(bytes, first, count, each));
  });
}

void EditableFile::write_samples(std::span<const std::int64_t> positions, std::span<const std::byte> samples,
                                 segy::SampleFormat from, segy::SampleFormat to, ByteOrder order) const {
  const std::int64_t given = bytes_of_each(positions, samples);
  const std::int64_t each = given / segy::bytes_of(from) * segy::bytes_of(to);
  const segy::SampleConversion conversion(from, native_order, to, order, {});
  // Everything is converted before anything is written: a sample that the format cannot represent leaves the file as
  // is.
  require_memory(each * std::ssize(positions));
  std::vector<std::byte> converted(static_cast<std::size_t>(each * std::ssize(positions)));
  for_pieces(std::ssize(positions), given, [&](std::int64_t first, std::int64_t count) {
    segy::ConversionAccount account;
    conversion.convert(part(samples, first, count, given), part(std::span(converted), first, count, each), account);
    const std::scoped_lock lock(accounting_);
    account_.add(account);
    format_ = to;
  });
  write(positions, converted);
}

void EditableFile::require_signal(const std::string& path) const {
  segy::require_signal(account_, {}, format_, path, "multiply the samples by a factor");
}

ByteOrder byte_order_of(const std::string& name) {
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise})
    if (name_of(order) == name) return order;
  refuse(fmt::format("{} is not a byte order", name), "use big, little or pairwise");
}

segy::SampleFormat sample_format_of(int code, int revision) {
  if (const auto format = segy::sample_format_from_code(code, revision)) return *format;
  refuse(fmt::format("{} is not a code of a sample format", code), "use a code of bytes 3225-3226: 1 to 12, 15 or 16");
}

void add_words(nb::module_& module) {
  module.def("get_word", &get_word);
  module.def("set_word", &set_word, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  module.def("standard_words", &standard_words);
  module.def("layout_types", &types_of_layouts);
  module.def("layout_entries", &entries_of_layout);
}

}  // namespace sill::python
