#include "sill/survey/arrays/stored_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "sill/base/error.hpp"

namespace sill {
namespace {

constexpr const char* name_of_words = "sill_words";
constexpr const char* name_of_sizes = "sill_file_header_sizes";

std::optional<std::string> text_in(const std::vector<Attribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  if (found == attributes.end()) return std::nullopt;
  return found->text();
}

[[noreturn]] void refuse_stated(ErrorCode code, const std::string& path, std::string problem, std::string action) {
  throw Error({.code = code, .problem = std::move(problem), .where = {.file = path}, .action = std::move(action)});
}

// Bytes of a SEG-Y file header that state what follows it, from 1: samples, format, byte order, revision, headers,
// traces, trailers.
struct SizeBytes {
  std::size_t byte = 1;
  std::size_t count = 2;
};
constexpr SizeBytes bytes_of_sizes[] = {{3221, 2}, {3225, 2}, {3269, 4}, {3297, 4}, {3501, 2},
                                        {3505, 2}, {3507, 4}, {3513, 8}, {3521, 8}, {3529, 4}};

// Returns the length of the label and of the file header, and the bytes of each size.
std::vector<std::string> sizes_in(std::span<const std::byte> file_header, std::size_t label_bytes) {
  std::vector<std::string> sizes{fmt::format("{}", label_bytes), fmt::format("length={}", file_header.size())};
  for (const SizeBytes& each : bytes_of_sizes) {
    const std::size_t begin = label_bytes + each.byte - 1;
    if (begin + each.count > file_header.size()) break;
    sizes.push_back(fmt::format("{}-{}=", each.byte, each.byte + each.count - 1));
    for (const std::byte value : file_header.subspan(begin, each.count))
      sizes.back() += fmt::format("{:02x}", std::to_integer<unsigned>(value));
  }
  return sizes;
}

}  // namespace

Attribute attribute_of_words(const WordPlaces& words) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, place] : words) json[name] = fmt::format("{}:{}", place.byte, segy::name_of(place.type));
  return {name_of_words, json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace)};
}

std::optional<WordPlaces> words_stated_in(const std::vector<Attribute>& attributes, const std::string& path) {
  const std::optional<std::string> text = text_in(attributes, name_of_words);
  if (!text) return std::nullopt;
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
  const auto refuse = [&] {
    refuse_stated(ErrorCode::usage, path, fmt::format("the attribute {} is damaged", name_of_words),
                  "restore the attribute");
  };
  if (!json.is_object()) refuse();
  WordPlaces words;
  for (const auto& [name, value] : json.items()) {
    const std::string place = value.is_string() ? value.get<std::string>() : std::string();
    const std::size_t colon = std::min(place.find(':'), place.size());
    int byte = 0;
    std::from_chars(place.data(), place.data() + colon, byte);
    const auto type = segy::parse_word_type(colon < place.size() ? place.substr(colon + 1) : std::string());
    if (byte < 1 || !type) refuse();
    words[name] = {byte, *type};
  }
  return words;
}

Attribute attribute_of_sizes(std::span<const std::byte> file_header, std::size_t label_bytes) {
  return {name_of_sizes, fmt::format("{}", fmt::join(sizes_in(file_header, label_bytes), " "))};
}

void require_same_sizes(const std::vector<Attribute>& attributes, std::span<const std::byte> file_header,
                        const std::string& path) {
  const std::optional<std::string> stated = text_in(attributes, name_of_sizes);
  if (!stated) return;
  std::size_t label_bytes = 0;
  std::from_chars(stated->data(), stated->data() + stated->size(), label_bytes);
  const std::string text = " " + *stated + " ";
  for (const std::string& each : sizes_in(file_header, label_bytes)) {
    if (text.find(" " + each + " ") != std::string::npos) continue;
    const std::size_t sign = std::min(each.find('='), each.size() - 1);
    const std::string part = each.substr(0, sign);
    const std::size_t before = std::min(text.find(" " + part + "="), text.size() - 1) + 1;
    const std::string original = text.substr(before, text.find(' ', before) - before);
    refuse_stated(ErrorCode::input, path,
                  fmt::format("{} of file_header is {} instead of {}, but such sizes, formats and numbers of records "
                              "must fit the traces",
                              part == "length" ? part : "the value in bytes " + part, each.substr(sign + 1),
                              original.substr(original.find('=') + 1)),
                  "restore it in the dataset; change sizes and formats of the SEG-Y file with Sill");
  }
}

void require_unpacked(const Variable& variable, const std::string& path) {
  for (const auto& [name, neutral] : {std::pair{"scale_factor", 1.0}, std::pair{"add_offset", 0.0}}) {
    const std::optional<std::string> text = text_in(variable.attributes, name);
    if (!text) continue;
    double value = 0.0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error == std::errc() && end == text->data() + text->size() && value == neutral) continue;
    refuse_stated(ErrorCode::usage, path,
                  fmt::format("the values of {} are packed: its attribute {} is {}", variable.name, name, *text),
                  fmt::format("write the dataset again without packing (xarray: ds[\"{}\"].encoding.clear() before "
                              "writing)",
                              variable.name));
  }
}

}  // namespace sill
