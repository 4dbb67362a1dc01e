#include "sill/formats/records/record_index.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace sill::records {
namespace {

// Parses a number and the character after it.
template <class T>
bool take(std::string_view& line, T& value, int base, char end) {
  const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), value, base);
  if (error != std::errc() || stop == line.data() + line.size() || *stop != end) return false;
  line.remove_prefix(static_cast<std::size_t>(stop - line.data()) + 1);
  return true;
}

}  // namespace

std::string_view index_head() { return "# id\toffset\tbytes\tcrc32\n"; }

std::string_view index_end() { return "# complete\n"; }

std::string index_line(const RecordPlace& record) {
  return fmt::format("{}\t{}\t{}\t{:08x}\n", record.id, record.offset, record.bytes, record.crc32);
}

FoundIndex parse_index(std::string_view text) {
  FoundIndex found;
  std::int64_t number = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    ++number;
    if (number == 1 && line == index_head()) continue;
    if (number > 1 && line == index_end() && text.empty()) {
      found.is_complete = true;
      return found;
    }
    RecordPlace place;
    const bool is_line = take(line, place.id, 10, '\t') && take(line, place.offset, 10, '\t') &&
                         take(line, place.bytes, 10, '\t') && take(line, place.crc32, 16, '\n') && line.empty();
    const bool continues = found.records.empty()
                               ? place.offset == 0
                               : place.id > found.records.back().id &&
                                     place.offset == found.records.back().offset + found.records.back().bytes;
    if (number == 1 || !is_line || !continues || place.bytes < 0) {
      found.damaged_line = number;
      return found;
    }
    found.records.push_back(place);
  }
  return found;
}

}  // namespace sill::records
