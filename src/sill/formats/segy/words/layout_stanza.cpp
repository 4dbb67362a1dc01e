// Finds and reads layout stanzas.
#include "sill/formats/segy/words/layout_stanza.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <pugixml.hpp>
#include <set>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/formats/segy/words/layout_entries.hpp"
#include "sill/formats/segy/words/word_types.hpp"

namespace sill::segy {
namespace {

using namespace word_types;

constexpr std::string_view clause = "SEG-Y rev 2.1, annex D8";
constexpr std::string_view own_header_name = "SEG00000";
constexpr std::size_t max_entries = static_cast<std::size_t>(trace_header_bytes) * (1 + max_additional_headers);
// The parser does not recurse, but the destruction of the parsed document might; a valid layout has at most three
// levels.
constexpr std::size_t max_xml_bytes = 4 << 20;

constexpr std::array entry_types = {LayoutType{"int2", i2, ""},
                                    LayoutType{"int4", i4, ""},
                                    LayoutType{"int8", i8, ""},
                                    LayoutType{"uint1", {WordKind::unsigned_integer, 1}, ""},
                                    LayoutType{"uint2", {WordKind::unsigned_integer, 2}, ""},
                                    LayoutType{"uint4", u4, ""},
                                    LayoutType{"uint8", u8, ""},
                                    LayoutType{"ibmfp", {WordKind::ibm, 4}, ""},
                                    LayoutType{"ieee32", {WordKind::ieee, 4}, ""},
                                    LayoutType{"ieee64", {WordKind::ieee, 8}, ""},
                                    LayoutType{"linetrc", u4, ""},
                                    LayoutType{"reeltrc", u4, ""},
                                    LayoutType{"linetrc8", u8, ""},
                                    LayoutType{"reeltrc8", u8, ""},
                                    LayoutType{"coor4", i4, "scalco"},
                                    LayoutType{"elev4", i4, "scalel"},
                                    LayoutType{"time2", i2, "sctrh"},
                                    LayoutType{"spnum4", i4, "scalsp"},
                                    LayoutType{"scale6", i4, "", true},
                                    LayoutType{"string8", {WordKind::text, 8}, ""}};

std::string allowed_types() {
  std::vector<std::string_view> names;
  for (const LayoutType& type : entry_types) names.push_back(type.name);
  return fmt::format("types are {}", fmt::join(names, ", "));
}

// Returns the standard word with that name in layouts, or nullptr.
const Word* word_of(std::string_view entry, bool in_trace_header, bool in_extension1) {
  if (!in_trace_header && !in_extension1) return nullptr;
  for (const Word& word : in_trace_header ? trace_words() : extension_words()) {
    if (!word.layout.empty() && word.layout == entry) return &word;
  }
  return nullptr;
}

// Reads the XML of a layout. Returns the problem, or an empty text.
std::string load(pugi::xml_document& document, std::string_view xml) {
  if (xml.size() > max_xml_bytes) return "the layout is longer than 4 MiB";
  const std::string_view content = trimmed(xml);
  const pugi::xml_parse_result parsed =
      document.load_buffer(content.data(), content.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) return fmt::format("the layout is not XML: {} at character {}", parsed.description(), parsed.offset + 1);
  const char* const root = document.document_element().name();
  if (std::strcmp(root, "segy-layout") == 0) return {};
  return fmt::format("the layout is a <{}>, not a <segy-layout>", echoed(root));
}

// A problem of an entry, and the recommended action. Both are empty if there is no problem.
struct Flaw {
  std::string problem;
  std::string action;
};

// Reads what an entry states.
Flaw read_entry(const pugi::xml_node& node, LayoutEntry& entry) {
  entry.name = trimmed(node.attribute("name").value());
  const std::string_view type_name = trimmed(node.attribute("type").value());
  entry.type = std::ranges::find(entry_types, type_name, &LayoutType::name);
  if (entry.type == entry_types.end())
    return {fmt::format("has the unknown type '{}'", echoed(type_name)), allowed_types()};
  const std::string_view digits = trimmed(node.attribute("byte").value());
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), entry.byte);
  const int length = entry.type->type.bytes + (entry.type->has_exponent ? 2 : 0);
  if (status != std::errc{} || end != digits.data() + digits.size() || entry.byte < 1 ||
      entry.byte > trace_header_bytes + 1 - length)
    return {fmt::format("cannot be at byte '{}'", echoed(digits)),
            "an entry must be completely in bytes 1-240 of its header"};
  const std::string_view condition = node.attribute("if-non-zero").value();
  entry.only_non_zero = !condition.empty() && condition != "0";
  return {};
}

class LayoutReader {
 public:
  LayoutReader(LayoutStanza& stanza, std::span<const std::string> header_names)
      : stanza_(stanza), header_names_(header_names) {}

  void read(std::string_view xml) {
    pugi::xml_document document;
    if (const std::string problem = load(document, xml); !problem.empty()) return whole(problem);
    const pugi::xml_node root = document.document_element();
    read_header(root, 0, std::string(own_header_name));
    int extensions = 0;
    for (const pugi::xml_node child : root.children()) {
      if (stanza_.words.size() > max_entries) break;
      const std::string_view tag = child.name();
      if (tag == "extension") {
        read_extension(child, ++extensions);
      } else if (child.type() == pugi::node_element && tag != "entry" && tag != "desc") {
        left_out(fmt::format("<{}>", echoed(tag)), "is not known", "a layout contains desc, entry and extension");
      }
    }
    if (stanza_.words.size() <= max_entries) return;
    stanza_.words.clear();
    stanza_.diagnostics.clear();
    whole(fmt::format("the layout has more than {} entries", max_entries));
  }

 private:
  void whole(const std::string& problem) {
    stanza_.diagnostics.push_back({Grade::major, problem, "layout stanza", std::string(clause),
                                   "it is ignored: names have the meanings of the standard, or of --map"});
  }

  void left_out(const std::string& what, const std::string& why, const std::string& action) {
    constexpr std::size_t max_listed = 20;
    if (++left_out_ > max_listed) {
      if (left_out_ == max_listed + 1) {
        stanza_.diagnostics.push_back({Grade::minor, "more of the layout cannot be used", "layout stanza",
                                       std::string(clause), "the unusable entries are ignored"});
      }
      return;
    }
    stanza_.diagnostics.push_back({Grade::minor, fmt::format("{} of the layout {}", what, why), "layout stanza",
                                   std::string(clause), action + "; it is ignored"});
  }

  // Returns the index of the trace header that an extension describes: by its name if the headers have names, else by
  // its order.
  [[nodiscard]] std::optional<int> header_of(const std::string& name, int order) const {
    const auto named = std::ranges::find(header_names_, name);
    if (named != header_names_.end()) return static_cast<int>(named - header_names_.begin());
    const auto at = static_cast<std::size_t>(order);
    // If the names of the headers are known, a header with a different name is not this extension.
    if (!header_names_.empty() && (at >= header_names_.size() || !header_names_[at].empty())) return std::nullopt;
    return order;
  }

  void read_extension(const pugi::xml_node& node, int order) {
    const std::string name(trimmed(node.attribute("name").value()));
    if (name == own_header_name) {
      read_header(node, 0, name);
      return;
    }
    const std::optional<int> header = header_of(name, order);
    const std::string stated = fmt::format("extension '{}'", echoed(name));
    if (!header) {
      left_out(stated, "is not a header of the traces", "bytes 233-240 of a trace's headers contain their names");
    } else if (*header > max_additional_headers) {
      left_out(stated, "exceeds the limit", fmt::format("at most {} are read", max_additional_headers));
    } else if (!detail::is_usable_name(name)) {
      left_out(stated, "has no name that is allowed in keys", "letters, digits, `_`, `.` and `-`");
    } else if (!headers_.insert(*header).second) {
      left_out(stated, "occurs twice", "only one description of a header is read");
    } else {
      read_header(node, *header, name);
    }
  }

  void read_header(const pugi::xml_node& node, int header, const std::string& name) {
    for (const pugi::xml_node entry : node.children("entry")) {
      read_entry(entry, header, name);
      if (stanza_.words.size() > max_entries) return;
    }
  }

  void read_entry(const pugi::xml_node& node, int header, const std::string& header_name) {
    LayoutEntry entry;
    const Flaw flaw = segy::read_entry(node, entry);
    const std::string stated = fmt::format("entry '{}'", echoed(entry.name));
    if (!detail::is_usable_name(entry.name)) {
      return left_out(stated, "has no name that is allowed in keys", "letters, digits, `_`, `.` and `-`");
    }
    if (!flaw.problem.empty()) return left_out(stated, flaw.problem, flaw.action);
    const Word* const word = word_of(entry.name, header == 0, header == 1 && header_name == "SEG00001");
    if (entry.only_non_zero && (word == nullptr || word->overrides == 0)) {
      stanza_.diagnostics.push_back({Grade::minor, fmt::format("{} of the layout is only valid if it is not 0", stated),
                                     "layout stanza", std::string(clause),
                                     "the condition is ignored: the word is read under its name"});
    }
    add({.names = {},
         .byte = trace_header_bytes * header + entry.byte,
         .type = entry.type->type,
         .scalar = std::string(entry.type->scalar),
         .factor = 1.0,
         .has_exponent = entry.type->has_exponent},
        entry.name, header, header_name, word);
  }

  // The name in the standard map comes first, so that the layer does not contradict itself.
  void add(LayerWord layer, const std::string& name, int header, const std::string& header_name, const Word* word) {
    const std::string full = header == 0 ? name : header_name + "." + name;
    const MapWord* const known = HeaderMap::standard().find(word != nullptr ? word->shown_name() : full);
    layer.names = {known != nullptr ? known->names.front() : full};
    if (!names_.insert(detail::lower_case(layer.names.front())).second) {
      return left_out(fmt::format("entry '{}'", echoed(name)), "occurs twice", "the first is read");
    }
    for (const std::string& other : {full, name}) {
      if (other != layer.names.front()) layer.if_free.push_back(other);
    }
    stanza_.words.push_back(std::move(layer));
  }

  LayoutStanza& stanza_;
  std::span<const std::string> header_names_;
  std::set<int> headers_;
  std::set<std::string> names_;
  std::size_t left_out_ = 0;
};

// Returns the position of the next stanza, "((...:", or npos.
std::size_t next_stanza(std::string_view text, std::size_t from) {
  constexpr std::size_t longest_name = 200;
  for (std::size_t at = text.find("((", from); at != text.npos; at = text.find("((", at + 1)) {
    const std::string_view after = text.substr(at + 2, longest_name + 2);
    const std::string_view name = after.substr(0, std::min(after.find("))"), after.size()));
    if (name.size() <= longest_name && name.size() < after.size() && name.find(':') != name.npos &&
        name.find('<') == name.npos)
      return at;
  }
  return text.npos;
}

}  // namespace

std::optional<std::string> find_layout_stanza(std::span<const std::byte> extended_text_headers) {
  for (const TextEncoding encoding : {TextEncoding::ascii, TextEncoding::ebcdic}) {
    const std::string text = decode_text(extended_text_headers, encoding);
    for (std::size_t at = next_stanza(text, 0); at != text.npos; at = next_stanza(text, at + 2)) {
      const std::size_t end = text.find("))", at);
      std::string name = detail::lower_case(std::string_view(text).substr(at + 2, end - at - 2));
      std::erase_if(name, [](char c) { return c == ' ' || c == '\0' || c == '\n' || c == '\r' || c == '\t'; });
      if (!name.starts_with("seg:layout")) continue;
      std::string xml = text.substr(end + 2, next_stanza(text, end + 2) - (end + 2));
      std::ranges::replace(xml, '\0', ' ');
      return xml;
    }
  }
  return std::nullopt;
}

LayoutStanza parse_layout_stanza(std::string_view xml, const std::string& source_name,
                                 std::span<const std::string> header_names) {
  LayoutStanza stanza{source_name, {}, {}};
  LayoutReader(stanza, header_names).read(xml);
  return stanza;
}

std::span<const LayoutType> layout_types() { return entry_types; }

std::vector<LayoutHeader> layout_entries(std::string_view xml) {
  const auto fail = [](std::string problem, std::string action) {
    throw Error({.code = ErrorCode::input,
                 .problem = std::move(problem),
                 .clause = std::string(clause),
                 .action = std::move(action)});
  };
  pugi::xml_document document;
  if (const std::string problem = load(document, xml); !problem.empty()) fail(problem, "correct the layout");
  std::vector<LayoutHeader> headers;
  const auto add = [&](const pugi::xml_node& header, std::string name) {
    headers.push_back({std::move(name), {}});
    for (const pugi::xml_node node : header.children("entry")) {
      LayoutEntry& entry = headers.back().entries.emplace_back();
      const Flaw flaw = segy::read_entry(node, entry);
      if (entry.name.empty()) fail("an entry of the layout has no name", "add the attribute name");
      if (!flaw.problem.empty())
        fail(fmt::format("entry '{}' of the layout {}", echoed(entry.name), flaw.problem), flaw.action);
    }
  };
  add(document.document_element(), std::string(own_header_name));
  for (const pugi::xml_node extension : document.document_element().children("extension"))
    add(extension, extension.attribute("name").value());
  return headers;
}

}  // namespace sill::segy
