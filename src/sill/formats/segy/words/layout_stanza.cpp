// Finds and reads layout stanzas.
#include "sill/formats/segy/words/layout_stanza.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <pugixml.hpp>
#include <set>

#include "sill/base/user_text.hpp"
#include "sill/formats/segy/words/header_map.hpp"
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

struct EntryType {
  std::string_view name;
  WordType type;
  std::string_view scalar;  // standard name of the word that scales it
  bool has_exponent = false;
};

constexpr std::array entry_types = {EntryType{"int2", i2, ""},
                                    EntryType{"int4", i4, ""},
                                    EntryType{"int8", i8, ""},
                                    EntryType{"uint1", {WordKind::unsigned_integer, 1}, ""},
                                    EntryType{"uint2", {WordKind::unsigned_integer, 2}, ""},
                                    EntryType{"uint4", u4, ""},
                                    EntryType{"uint8", u8, ""},
                                    EntryType{"ibmfp", {WordKind::ibm, 4}, ""},
                                    EntryType{"ieee32", {WordKind::ieee, 4}, ""},
                                    EntryType{"ieee64", {WordKind::ieee, 8}, ""},
                                    EntryType{"linetrc", u4, ""},
                                    EntryType{"reeltrc", u4, ""},
                                    EntryType{"linetrc8", u8, ""},
                                    EntryType{"reeltrc8", u8, ""},
                                    EntryType{"coor4", i4, "scalco"},
                                    EntryType{"elev4", i4, "scalel"},
                                    EntryType{"time2", i2, "sctrh"},
                                    EntryType{"spnum4", i4, "scalsp"},
                                    EntryType{"scale6", i4, "", true},
                                    EntryType{"string8", {WordKind::text, 8}, ""}};

std::string allowed_types() {
  std::vector<std::string_view> names;
  for (const EntryType& type : entry_types) names.push_back(type.name);
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

class LayoutReader {
 public:
  LayoutReader(LayoutStanza& stanza, std::span<const std::string> header_names)
      : stanza_(stanza), header_names_(header_names) {}

  void read(std::string_view xml) {
    if (xml.size() > max_xml_bytes) return whole("the layout is longer than 4 MiB");
    pugi::xml_document document;
    const std::string_view content = trimmed(xml);
    const pugi::xml_parse_result parsed =
        document.load_buffer(content.data(), content.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!parsed) {
      return whole(fmt::format("the layout is not XML: {} at character {}", parsed.description(), parsed.offset + 1));
    }
    const pugi::xml_node root = document.document_element();
    if (std::strcmp(root.name(), "segy-layout") != 0) {
      return whole(fmt::format("the layout is a <{}>, not a <segy-layout>", echoed(root.name())));
    }
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

  void read_entry(const pugi::xml_node& entry, int header, const std::string& header_name) {
    const std::string name(trimmed(entry.attribute("name").value()));
    const std::string stated = fmt::format("entry '{}'", echoed(name));
    if (!detail::is_usable_name(name)) {
      return left_out(stated, "has no name that is allowed in keys", "letters, digits, `_`, `.` and `-`");
    }
    const std::string_view type_name = trimmed(entry.attribute("type").value());
    const auto type = std::ranges::find(entry_types, type_name, &EntryType::name);
    if (type == entry_types.end()) {
      return left_out(stated, fmt::format("has the unknown type '{}'", echoed(type_name)), allowed_types());
    }
    const std::string_view digits = trimmed(entry.attribute("byte").value());
    int byte = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), byte);
    const int length = type->type.bytes + (type->has_exponent ? 2 : 0);
    if (status != std::errc{} || end != digits.data() + digits.size() || byte < 1 ||
        byte > trace_header_bytes + 1 - length) {
      return left_out(stated, fmt::format("cannot be at byte '{}'", echoed(digits)),
                      "an entry must be completely in bytes 1-240 of its header");
    }
    const std::string_view condition = entry.attribute("if-non-zero").value();
    const Word* const word = word_of(name, header == 0, header == 1 && header_name == "SEG00001");
    if (!condition.empty() && condition != "0" && (word == nullptr || word->overrides == 0)) {
      stanza_.diagnostics.push_back({Grade::minor, fmt::format("{} of the layout is only valid if it is not 0", stated),
                                     "layout stanza", std::string(clause),
                                     "the condition is ignored: the word is read under its name"});
    }
    add({.names = {},
         .byte = trace_header_bytes * header + byte,
         .type = type->type,
         .scalar = std::string(type->scalar),
         .factor = 1.0,
         .has_exponent = type->has_exponent},
        name, header, header_name, word);
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

}  // namespace sill::segy
