#include "sill/flow/header_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/segy/header_map.hpp"

namespace sill {
namespace {

// The words of a header of `header_bytes` bytes as fields, the gaps between them filled. `before` is the byte before
// the header's first in the words' own count.
std::vector<HeaderField> fields_of(std::span<const segy::Word> words, int header_bytes, int before) {
  std::vector<HeaderField> fields;
  int next = 1;
  const auto fill_to = [&](int byte) {
    if (byte > next) {
      fields.push_back(
          {fmt::format("unassigned bytes {}-{}", before + next, before + byte - 1), next, byte - next, std::nullopt});
    }
  };
  for (const segy::Word& word : words) {
    const int byte = word.byte - before;
    fill_to(byte);
    fields.push_back({std::string(word.shown_name()), byte, word.type.bytes, word.type});
    next = byte + word.type.bytes;
  }
  fill_to(header_bytes + 1);
  return fields;
}

// The fields of all headers of a trace.
std::vector<HeaderField> trace_fields(segy::FileKind kind, int headers) {
  if (kind == segy::FileKind::seismic_unix) {
    std::vector<segy::Word> words;
    for (const segy::Word& word : segy::trace_words())
      if (word.byte < segy::su_words().front().byte) words.push_back(word);
    words.insert(words.end(), segy::su_words().begin(), segy::su_words().end());
    return fields_of(words, segy::trace_header_bytes, 0);
  }
  std::vector<HeaderField> fields = fields_of(segy::trace_words(), segy::trace_header_bytes, 0);
  for (int header = 1; header < headers; ++header) {
    const int before = header * segy::trace_header_bytes;
    std::vector<segy::Word> words;
    if (header == 1) words.assign(segy::extension_words().begin(), segy::extension_words().end());
    for (segy::Word& word : words) word.byte += before;
    for (HeaderField& field : fields_of(words, segy::trace_header_bytes, before)) {
      field.byte += before;
      fields.push_back(std::move(field));
    }
  }
  return fields;
}

// The fields without the bytes of a word. A field that is only partly covered is compared byte by byte where it is not.
std::vector<HeaderField> without(const std::vector<HeaderField>& fields, int first, int bytes) {
  const int end = first + bytes;
  std::vector<HeaderField> left;
  for (const HeaderField& field : fields) {
    if (field.byte + field.bytes <= first || field.byte >= end) {
      left.push_back(field);
      continue;
    }
    for (int byte = field.byte; byte < field.byte + field.bytes; ++byte) {
      if (byte >= first && byte < end) continue;
      left.push_back({fmt::format("byte {} of {}", byte, field.name), byte, 1, std::nullopt});
    }
  }
  return left;
}

// Text whose every byte shows; others would look alike.
bool shows_itself(const HeaderField& field, const std::byte* header) {
  return field.type->kind != segy::WordKind::text ||
         std::all_of(header + field.byte - 1, header + field.byte - 1 + field.bytes,
                     [](std::byte byte) { return byte >= std::byte{' '} && byte <= std::byte{'~'}; });
}

}  // namespace

std::string shown(const HeaderField& field, const std::byte* header, ByteOrder order) {
  if (field.type && shows_itself(field, header)) return segy::read_word(header, field.byte, *field.type, order).text();
  std::string text;
  for (int i = 0; i < std::min(field.bytes, 8); ++i) {
    text += fmt::format("{:02x}", std::to_integer<int>(header[field.byte - 1 + i]));
  }
  return field.bytes > 8 ? text + "..." : text;
}

bool differs(const HeaderField& field, const std::byte* a, ByteOrder order_a, const std::byte* b, ByteOrder order_b) {
  const auto at = static_cast<std::size_t>(field.byte - 1);
  if (!field.type || order_a == order_b) {
    return std::memcmp(a + at, b + at, static_cast<std::size_t>(field.bytes)) != 0;
  }
  if (field.type->kind == segy::WordKind::text) {
    return std::memcmp(a + at, b + at, static_cast<std::size_t>(field.bytes)) != 0;
  }
  return segy::load_bits(a + at, field.bytes, order_a) != segy::load_bits(b + at, field.bytes, order_b);
}

HeaderFields fields_without(const std::vector<std::string>& ignored, const segy::HeaderMap& map, segy::FileKind kind,
                            int headers) {
  HeaderFields left{true, fields_of(segy::binary_words(), binary_header_bytes, binary_header_at),
                    trace_fields(kind, headers)};
  for (const std::string& entry : ignored) {
    const std::string name(trimmed(entry));
    if (segy::detail::lower_case(name) == "text") {
      left.text = false;
      continue;
    }
    const segy::Word* const in_binary = segy::find_binary_word(name);
    if (in_binary != nullptr) {
      left.binary = without(left.binary, in_binary->byte - binary_header_at, in_binary->type.bytes);
      if (map.find(name) == nullptr) continue;
    }
    std::vector<std::string_view> also{"text"};
    for (const segy::Word& word : segy::binary_words()) also.push_back(word.shown_name());
    const segy::WordRef word = map.word(name, also);
    if (word.byte > segy::trace_header_bytes * headers) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("'{}' lies at byte {}, in a header that the traces have not", echoed(name),
                                          word.byte),
                   .action = fmt::format("name words of bytes 1 to {}", segy::trace_header_bytes * headers)});
    }
    left.trace = without(left.trace, word.byte, word.type.bytes);
  }
  return left;
}

}  // namespace sill
