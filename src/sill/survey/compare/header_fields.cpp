#include "sill/survey/compare/header_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/survey/convert/byte_swapped_words.hpp"

namespace sill {
namespace {

// Maximum number of bytes of a field that are shown, so that the differing bytes are visible.
constexpr int bytes_per_field = 8;

struct Named {
  std::string name;
  int byte = 1;
  segy::WordType type;
};

std::vector<Named> named(std::span<const segy::Word* const> words) {
  std::vector<Named> all;
  for (const segy::Word* word : words) all.push_back({std::string(word->shown_name()), word->byte, word->type});
  return all;
}

// Returns the words of bytes `first` to `last` as fields, with fields for the gaps between them; omits words that
// overlap earlier ones. `before` is the byte before the first byte of the header, as the words count bytes.
std::vector<HeaderField> fields_of(const std::vector<Named>& words, int first, int last, int before, int longest_gap) {
  std::vector<HeaderField> fields;
  int next = first;
  const auto fill_to = [&](int byte) {
    for (int end = 0; next < byte; next = end) {
      end = std::min(byte, next + longest_gap);
      fields.push_back(
          {fmt::format("unassigned bytes {}-{}", before + next, before + end - 1), next, end - next, std::nullopt});
    }
  };
  for (const Named& word : words) {
    const int byte = word.byte - before;
    if (byte < next || byte + word.type.bytes - 1 > last) continue;
    fill_to(byte);
    fields.push_back({word.name, byte, word.type.bytes, word.type});
    next = byte + word.type.bytes;
  }
  fill_to(last + 1);
  return fields;
}

// Returns the words that the map defines, and those of `words` that do not overlap them, ordered by byte.
std::vector<Named> with_words_of_layers(const segy::HeaderMap& map, std::vector<Named> words) {
  std::vector<Named> all;
  const auto is_free = [&](const Named& word, std::size_t of) {
    return std::none_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(of), [&](const Named& other) {
      return word.byte < other.byte + other.type.bytes && other.byte < word.byte + word.type.bytes;
    });
  };
  for (const segy::WordRef& word : words_of_layers(map)) {
    Named layered{word.name, word.byte, word.type};
    if (is_free(layered, all.size())) all.push_back(std::move(layered));
  }
  const std::size_t layered = all.size();
  for (Named& word : words)
    if (is_free(word, layered)) all.push_back(std::move(word));
  std::ranges::stable_sort(all, {}, &Named::byte);
  return all;
}

std::vector<HeaderField> trace_fields(const ComparedHeaders& headers, const segy::HeaderMap& map) {
  std::vector<Named> words = named(segy::trace_words_in(headers.revision));
  int last = segy::trace_header_bytes;
  if (headers.su) {
    std::erase_if(words, [](const Named& word) { return word.byte > segy::su_common_bytes; });
    for (const segy::Word& word : segy::su_words())
      words.push_back({std::string(word.shown_name()), word.byte, word.type});
  }
  if (headers.mixed) last = segy::su_common_bytes;
  words = with_words_of_layers(map, std::move(words));
  std::vector<HeaderField> fields = fields_of(words, 1, last, 0, segy::trace_header_bytes);
  words.clear();
  for (const segy::MapWord& word : map.all())
    if (word.layer == 0) words.push_back({word.names.front(), word.byte, word.type});
  words = with_words_of_layers(map, std::move(words));
  for (HeaderField& field : fields_of(words, segy::trace_header_bytes + 1, headers.header_bytes, 0, bytes_per_field))
    fields.push_back(std::move(field));
  return fields;
}

// Returns the fields without the bytes of a word. A partially covered field is compared byte by byte in the rest.
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

// Returns true unless a text has bytes that are not printable, which would look the same.
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

HeaderFields fields_without(const std::vector<std::string>& ignored, const ComparedHeaders& headers,
                            const segy::HeaderMap& map) {
  HeaderFields left{true,
                    fields_of(named(segy::binary_words_in(headers.revision)), 1, binary_header_bytes, binary_header_at,
                              binary_header_bytes),
                    trace_fields(headers, map)};
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
    if (word.byte > headers.header_bytes) {
      throw Error(
          {.code = ErrorCode::usage,
           .problem = fmt::format("'{}' is in an additional header, at byte {}", echoed(name), word.byte),
           .action = fmt::format("name words of bytes 1 to {}: only these are compared", headers.header_bytes)});
    }
    left.trace = without(left.trace, word.byte, word.type.bytes);
  }
  return left;
}

}  // namespace sill
