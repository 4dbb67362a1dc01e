#include "sill/formats/records/record_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill::records {
namespace {

[[noreturn]] void refuse_text(std::int64_t id, const std::string& problem) {
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("record {} is not XML: {}", id, problem),
               .action = "write the records unchanged (--plain)"});
}

}  // namespace

std::string xml_element(std::int64_t id, std::string_view record) {
  std::string shown(record);
  std::ranges::replace_if(
      shown, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  if (echoed(shown, shown.size() + 3) != shown) refuse_text(id, "it contains control characters or invalid UTF-8");
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(
      record.data(), record.size(), pugi::parse_default | pugi::parse_fragment, pugi::encoding_utf8);
  if (!parsed) refuse_text(id, fmt::format("byte {}: {}", parsed.offset, parsed.description()));
  for (const pugi::xml_node& each : document.children()) {
    if (each.type() != pugi::node_element) continue;
    const auto begin = static_cast<std::size_t>(each.offset_debug()) - 1;  // the offset points to its name
    return fmt::format("<record id=\"{}\">{}</record>\n", id, record.substr(begin));
  }
  refuse_text(id, "it has no element");
}

}  // namespace sill::records
