#include "sill/survey/edit/text_history.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/base/ascii.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/files/small_text.hpp"

namespace sill {
namespace {

constexpr std::size_t lines_for_history = 38;
constexpr std::int64_t max_text_bytes = 8 << 20;  // more than a thousand text headers

// Returns true if a line is empty except for an optional number such as "C12" or "C 1"; sets `kept` to the length of
// the number.
bool is_free_line(std::string_view line, std::size_t& kept) {
  kept = 0;
  if (line.starts_with('C')) {
    kept = 1;
    while (kept < 3 && (line[kept] == ' ' || is_digit(line[kept]))) ++kept;
    if (line.substr(1, kept - 1).find_first_not_of(' ') == line.npos) return false;
  }
  return line.substr(kept).find_first_not_of(' ') == line.npos;
}

// Returns the lines for `count` history entries; fewer, or none, if not enough lines are free.
std::vector<std::size_t> lines_for(std::size_t count, const std::array<std::string, segy::text_header_lines>& lines) {
  std::vector<std::size_t> free;
  for (std::size_t n = 0; n < lines_for_history; ++n) {
    std::size_t kept = 0;
    if (is_free_line(lines[n], kept)) free.push_back(n);
  }
  const auto is_run = [&](std::size_t first) {
    return first + count <= free.size() && free[first + count - 1] - free[first] == count - 1;
  };
  std::size_t last_run = free.size();  // after the last line with text
  while (last_run > 0 && free[last_run - 1] == lines_for_history - (free.size() - last_run) - 1) --last_run;
  std::size_t first = 0;
  while (first < free.size() && !is_run(first)) ++first;
  if (is_run(last_run)) first = last_run;
  if (first == free.size()) first = 0;
  return {free.begin() + static_cast<std::ptrdiff_t>(first),
          free.begin() + static_cast<std::ptrdiff_t>(std::min(free.size(), first + count))};
}

}  // namespace

std::vector<std::string> read_text_lines(const Resources& resources, const std::string& path) {
  Communicator& comm = resources.comm;
  const std::string text = read_text_on_all_ranks(comm, path, max_text_bytes, "text headers");
  return run_and_agree(comm, [&] {
    std::vector<std::string> lines;
    std::string_view rest = text;
    if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
    while (!rest.empty()) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (line.ends_with('\r')) line.remove_suffix(1);
      const auto refuse = [&](std::string problem) {
        throw Error({.code = ErrorCode::usage,
                     .problem = std::move(problem),
                     .where = {.file = path, .item = std::ssize(lines) + 1, .item_word = "line"},
                     .clause = "SEG-Y rev 1, bytes 1-3200",
                     .action = "write lines of at most 80 printable characters"});
      };
      std::int64_t columns = 0;
      for (const char c : line) {
        const bool continues = (static_cast<unsigned char>(c) & 0xC0U) == 0x80;  // a continuation byte of UTF-8
        if (!continues) ++columns;
        if (static_cast<unsigned char>(c) < ' ' || c == 0x7F)
          refuse(fmt::format("the character at column {} is not allowed in a text header", columns));
      }
      if (columns > std::int64_t{segy::text_header_columns})
        refuse(fmt::format("the line has {} characters, but a line of a text header has 80", columns));
      lines.emplace_back(line);
    }
    // `sill text` prints a blank text header as forty empty lines.
    if (trimmed(text).empty() && lines.size() < segy::text_header_lines)
      throw Error({.code = ErrorCode::usage,
                   .problem = "this text is empty",
                   .where = {.file = path},
                   .action = "write the lines of the text header into it"});
    return lines;
  });
}

void require_text_header(Communicator& comm, const std::string& history, segy::FileKind kind) {
  if (history.empty() || kind == segy::FileKind::segy) return;
  run_and_agree(comm, [&] {
    throw Error({.code = ErrorCode::usage,
                 .problem = "Seismic Unix data has no text header, so --history cannot be written",
                 .action = "omit --history, or write SEG-Y"});
  });
}

std::size_t add_history(std::span<std::byte, segy::text_header_bytes> text, segy::TextEncoding encoding,
                        std::span<const std::string> what, const std::string& file) {
  const auto refuse = [&](const char* problem, const char* action) {
    throw Error({.code = ErrorCode::usage,
                 .problem = problem,
                 .where = {.file = file},
                 .clause = "SEG-Y rev 1, bytes 1-3200",
                 .action = action});
  };
  if (encoding == segy::TextEncoding::unknown)
    refuse("the text header is neither EBCDIC nor ASCII: a line for the history cannot be added",
           "give it a text with sill edit --text, or omit --history (convert --scale always adds a line)");
  const auto lines = segy::decode_text_header(text, encoding);
  const std::vector<std::size_t> free = lines_for(what.size(), lines);
  if (free.empty())
    refuse("no line of the text header is free for the history: lines 1 to 38 all contain text",
           "empty one with sill edit --text, or omit --history (convert --scale always adds a line)");
  for (std::size_t i = 0; i < free.size(); ++i) {
    const std::size_t n = free[i];
    std::size_t kept = 0;
    (void)is_free_line(lines[n], kept);
    std::string line = kept > 0 ? lines[n].substr(0, kept) : fmt::format("C{:2}", n + 1);
    line += ' ';
    for (const char c : what[i]) line += c < ' ' || c > '~' ? '?' : c;
    if (line.size() > segy::text_header_columns) line = line.substr(0, segy::text_header_columns - 3) + "...";
    std::array<std::byte, segy::text_header_bytes> encoded{};
    segy::encode_text_header({&line, 1}, encoding, encoded);
    std::ranges::copy(std::span(encoded).first(segy::text_header_columns),
                      text.begin() + static_cast<std::ptrdiff_t>(n * segy::text_header_columns));
  }
  return free.size();
}

void add_history(std::span<std::byte, segy::text_header_bytes> text, segy::TextEncoding encoding, std::string_view what,
                 const std::string& file) {
  const std::string line(what);
  (void)add_history(text, encoding, std::span(&line, 1), file);
}

}  // namespace sill
