// sill words: the available header words, their positions and their names.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/json_text.hpp"
#include "cli/session.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill::cli {
namespace {

struct WordsArguments {
  std::string pattern;
  bool json = false;
  bool markdown = false;
};

// A word to print, of the standard or of a map.
struct Row {
  std::string header;
  int byte = 1;
  std::string type;
  std::vector<std::string> names;
  std::string unit;
  std::string scalar;
  std::string revision;
  std::string clause;
  std::string text;
};

struct Table {
  std::string_view header;
  std::span<const segy::Word> words;
};

const std::vector<Table>& tables() {
  static const std::vector<Table> all = {{"binary header", segy::binary_words()},
                                         {"binary header, former words", segy::former_binary_words()},
                                         {"trace header", segy::trace_words()},
                                         {"trace header, former words", segy::former_trace_words()},
                                         {"trace header extension 1", segy::extension_words()},
                                         {"Seismic Unix trace header", segy::su_words()}};
  return all;
}

// Returns the factor or the name of the word by which a word is scaled.
std::string scalar_of(const segy::MapWord& word) {
  switch (word.scaling.kind) {
    case segy::Scaling::Kind::none: return {};
    case segy::Scaling::Kind::factor: return fmt::format("{}", word.scaling.factor);
    case segy::Scaling::Kind::word:
    case segy::Scaling::Kind::missing: return word.scalar;
    case segy::Scaling::Kind::power_of_ten: return fmt::format("10^@{}:i2", word.scaling.byte);
  }
  return {};
}

std::string revision_of(const segy::Word& word) {
  if (word.until == segy::Revision::none) return std::string(name_of(word.since));
  return fmt::format("{}, not {}", name_of(word.since), name_of(word.until));
}

Row row_of(std::string_view header, const segy::Word& word) {
  Row row{std::string(header), word.byte,     name_of(word.type),    {}, std::string(word.unit), "",
          revision_of(word),   word.clause(), std::string(word.text)};
  for (const std::string_view name : {word.segyio, word.su, word.standard}) row.names.emplace_back(name);
  const segy::MapWord* const known =
      word.block == segy::WordBlock::trace ? segy::HeaderMap::standard().find(word.shown_name()) : nullptr;
  if (known != nullptr) row.scalar = scalar_of(*known);
  return row;
}

Row row_of(const segy::MapWord& word) {
  Row row{"header map", word.byte, name_of(word.type), word.names, word.unit, scalar_of(word), "", "", word.text};
  if (word.standard != nullptr) row.revision = revision_of(*word.standard);
  return row;
}

std::string lower(std::string_view text) { return segy::detail::lower_case(text); }

// `*` stands for any text, `?` for any character.
bool matches_glob(const std::string& text, std::string_view glob) {
  std::string pattern;
  for (const char c : glob) pattern += c == '[' ? "[[]" : std::string(1, c);
  return ::fnmatch(pattern.c_str(), text.c_str(), FNM_NOESCAPE) == 0;
}

bool matches(const Row& row, const std::string& pattern) {
  const std::string wanted = lower(trimmed(pattern));
  const bool is_glob = wanted.find_first_of("*?") != wanted.npos;
  const auto fits = [&](const std::string& text) {
    return is_glob ? matches_glob(lower(text), wanted) : lower(text).find(wanted) != std::string::npos;
  };
  return wanted.empty() || fits(row.text) || std::ranges::any_of(row.names, fits);
}

std::vector<Row> rows_of(const segy::HeaderMap* map) {
  std::vector<Row> rows;
  if (map != nullptr) {
    for (const segy::MapWord& word : map->all()) rows.push_back(row_of(word));
    return rows;
  }
  for (const Table& table : tables()) {
    for (const segy::Word& word : table.words) rows.push_back(row_of(table.header, word));
  }
  return rows;
}

std::string joined_names(const Row& row) {
  std::vector<std::string> names;
  for (const std::string& name : row.names) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string text_of(const std::vector<Row>& rows) {
  std::size_t widest = 0;
  for (const Row& row : rows) widest = std::max(widest, joined_names(row).size());
  std::string text;
  std::string header;
  for (const Row& row : rows) {
    if (row.header != header) {
      text += fmt::format("{}{}\n", header.empty() ? "" : "\n", row.header);
      header = row.header;
    }
    std::string line = fmt::format("  {:>5} {:<5} {:<{}}  {}", row.byte, row.type, joined_names(row), widest, row.text);
    if (!row.unit.empty()) line += fmt::format(" [{}]", row.unit);
    if (!row.scalar.empty()) line += fmt::format(", scaled by {}", row.scalar);
    if (!row.revision.empty()) line += fmt::format(" ({}{})", row.revision == "SU" ? "" : "rev ", row.revision);
    text += line + "\n";
  }
  text.pop_back();
  return text;
}

nlohmann::ordered_json json_of(const std::vector<Row>& rows) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json word{{"header", row.header}, {"byte", row.byte}, {"type", row.type}};
    if (row.header == "header map") {
      word["names"] = row.names;
    } else {
      word["segyio"] = row.names[0];
      word["su"] = row.names[1];
      word["standard"] = row.names[2];
      word["clause"] = row.clause;
    }
    word.update({{"unit", row.unit}, {"scalar", row.scalar}, {"revision", row.revision}, {"text", row.text}});
    all.push_back(word);
  }
  return all;
}

constexpr std::string_view markdown_head =
    R"(# Header words

This page is printed by `sill words --markdown`; a test compares the two.

**A word is named** with its name in segyio, Seismic Unix or the standard, in upper or lower case, or with its
position: `@BYTE:TYPE`. Bytes count from 1. Byte 241 is the first byte of a trace's first additional header, byte 481
the first byte of its second. A word is completely inside one header. Types: `i1`-`i8` two's complement, `u1`-`u8`
unsigned, `f4` and `f8` IEEE, `ibm4` IBM floating point, `a1`-`a8` text (ASCII, or EBCDIC if it is printable
only in EBCDIC). `NAME` is the stored integer. `true(NAME)` is the value with the scalar applied: a positive scalar
multiplies, a negative scalar divides, and 0 is treated as 1. If a trace has extension 1 ("SEG00001" at its bytes
233-240), `true(NAME)` is the value in the extension, unless this value is 0.

## Header maps
`--map` states the positions of words: a preset, or a file in TOML or JSON. Every command that names words has this
option.

| preset | means |
|---|---|
| `standard` | SEG-Y revision 2.1; the file's layout stanza is ignored |
| `petrel` | in-line at byte 5, cross-line at 21, ensemble coordinates at 73 and 77 |
| `rev2.1-ext1` | names of words that extension 1 overrides mean the words of extension 1 |
| `su` | bytes 1-180 of SEG-Y, then the words of Seismic Unix |
| `text` | the positions that the file's text header states ("INLINE BYTES 181-184"), where they differ from the standard |

```toml
base = "petrel"          # the preset that the map changes; optional
[words.iline]
byte = 233
type = "i4"
scalar = "scalco"        # the name of a scalar word, or a number that multiplies
unit = "m"
text = "in-line number"
also = ["MY_LINE"]       # additional names
```

JSON has the same keys: `{"base": "petrel", "words": {"iline": {"byte": 233, "type": "i4"}}}`.

- A word with the name of a known word moves this word: a map of `iline` also moves `INLINE_3D` and `inline`, and a map
  of `sx` changes `calc_offset` and `azimuth`. A map of `scalco` changes the scalar of all coordinates.
- Without `scalar`, an integer keeps the scalar of the word that it moves; floats and text have no scalar. `scalar = 1`
  means no scalar.
- Extension 1 does not override words that the user has moved.
- The user's map has priority over the layout stanza of the file (revision 2.1, annex D8), and the stanza has priority
  over the standard. The words of a stanza replace the standard words at the same bytes; those standard words are
  then unknown. The presets `standard` and `su` replace the stanza completely.

## Words
A unit applies to the stored value, before its scalar. `rev` is the first revision that defines the word.

)";

std::string cell(std::string_view text) { return text.empty() ? "" : fmt::format(" {} ", text); }

std::string code_cell(std::string_view text) { return text.empty() ? "" : fmt::format(" `{}` ", text); }

std::string markdown_of(const std::vector<Row>& rows) {
  std::string text(markdown_head);
  std::string header;
  for (const Row& row : rows) {
    if (row.header != header) {
      text += fmt::format(
          "{}### {}\n| byte | type | segyio | Seismic Unix | standard | unit | scalar | rev | |\n"
          "|---|---|---|---|---|---|---|---|---|\n",
          header.empty() ? "" : "\n", row.header);
      header = row.header;
    }
    text += fmt::format("| {} | {} |{}|{}|{}|{}|{}|{}|{}|\n", row.byte, row.type, code_cell(row.names[0]),
                        code_cell(row.names[1]), code_cell(row.names[2]), cell(row.unit), code_cell(row.scalar),
                        cell(row.revision), cell(row.text));
  }
  text.pop_back();
  return text;
}

int run_words(Session& session, const WordsArguments& options) {
  session.reserve_files({}, {});
  const std::string text = run_and_agree(session.comm(), [&] {
    if (options.markdown) return markdown_of(rows_of(nullptr));
    std::vector<Row> rows = rows_of(session.map());
    std::vector<std::string_view> names;
    const std::vector<Row> all = rows;
    for (const Row& row : all) names.insert(names.end(), row.names.begin(), row.names.end());
    std::erase_if(rows, [&](const Row& row) { return !matches(row, options.pattern); });
    if (rows.empty()) {
      throw usage_error(fmt::format("no header word has '{}' in its names or its description", echoed(options.pattern)),
                        did_you_mean(nearest_names(options.pattern, names)) +
                            "give a piece of a name or of a description, or a pattern with * and ?");
    }
    return options.json ? json_text(json_of(rows)) : text_of(rows);
  });
  session.print(text);
  return session.finish();
}

}  // namespace

void add_words(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "words", "Show header words: names, bytes, types, units, scalars",
                  "  sill words elevation\n"
                  "  sill words 'Source*' --json\n"
                  "  sill words line --map petrel\n",
                  run_words);
  remove_mover_options(parser);
  parser.add_option("PATTERN", options->pattern, "Text in a name or a description, or a pattern with * and ?");
  CLI::Option* const json = parser.add_flag("--json", options->json, "Print JSON");
  add_map_option({parser, command});
  CLI::Option* const markdown = parser.add_flag("--markdown", options->markdown, "Print docs/words.md");
  markdown->excludes(json)->excludes(parser.get_option("PATTERN"))->excludes(parser.get_option("--map"));
}

}  // namespace sill::cli
