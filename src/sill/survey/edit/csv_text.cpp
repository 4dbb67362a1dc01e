#include "sill/survey/edit/csv_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill {
namespace {

class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& file, CsvText& into) : text_(text), file_(file), into_(into) {}

  void read() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    const std::string_view first = text_.substr(at_, text_.find('\n', at_) - at_);
    separator_ = first.find('\t') != first.npos ? '\t' : first.find(';') != first.npos ? ';' : ',';
    std::vector<std::string_view> row;
    while (at_ < text_.size()) {
      const std::int64_t line = line_;
      read_row(row);
      if (row.size() == 1 && row.front().empty()) continue;
      if (into_.names.empty()) {
        take_names(row, line);
        continue;
      }
      if (row.size() != into_.names.size())
        fail(line, fmt::format("the row has {} cells, but the first line has {} names", row.size(), into_.names.size()),
             "give each row one cell for each column");
      into_.cells.insert(into_.cells.end(), row.begin(), row.end());
      into_.lines.push_back(line);
    }
    if (into_.names.empty())
      fail(1, "the table has no line with column names", "begin it with the names of its columns");
  }

 private:
  [[noreturn]] void fail(std::int64_t line, std::string problem, std::string action) const {
    throw Error({.code = ErrorCode::input,
                 .problem = std::move(problem),
                 .where = {.file = file_, .item = line, .item_word = "line"},
                 .action = std::move(action)});
  }

  void take_names(const std::vector<std::string_view>& row, std::int64_t line) {
    const auto is_number = [](std::string_view cell) {
      return !cell.empty() && cell.find_first_not_of("0123456789+-.eE") == cell.npos;
    };
    if (std::ranges::all_of(row, is_number))
      fail(line, "the first line contains numbers instead of names", "begin the table with the names of its columns");
    for (const std::string_view name : row) {
      const auto is_same = [&](const std::string& other) {
        return segy::detail::lower_case(other) == segy::detail::lower_case(name);
      };
      if (!name.empty() && std::ranges::any_of(into_.names, is_same))
        fail(line, fmt::format("two columns have the name '{}'", echoed(name)), "give each column a different name");
      into_.names.emplace_back(name);
    }
  }

  void read_row(std::vector<std::string_view>& row) {
    row.clear();
    while (true) {
      row.push_back(read_cell());
      if (at_ == text_.size()) break;
      const char end = text_[at_++];
      if (end == separator_) continue;
      ++line_;
      break;
    }
  }

  // Reads a cell up to the next separator or newline, which is not consumed.
  std::string_view read_cell() {
    while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] == '\t' && separator_ != '\t'))) ++at_;
    if (at_ < text_.size() && text_[at_] == '"') return read_quoted();
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') ++at_;
    return trimmed(text_.substr(begin, at_ - begin));
  }

  std::string_view read_quoted() {
    const std::int64_t line = line_;
    const std::size_t begin = ++at_;
    bool has_doubled = false;
    while (true) {
      if (at_ == text_.size()) fail(line, "a quote is not closed", "close the quote, or remove it");
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '"') {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
        has_doubled = true;
        ++at_;
      }
      ++at_;
    }
    std::string_view cell = text_.substr(begin, at_ - begin);
    ++at_;
    const std::size_t after = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') ++at_;
    if (!trimmed(text_.substr(after, at_ - after)).empty())
      fail(line_, "text follows a closing quote", "write a quote inside quotes twice");
    if (!has_doubled) return cell;
    std::string single;
    for (std::size_t i = 0; i < cell.size(); ++i) {
      single += cell[i];
      if (cell[i] == '"') ++i;
    }
    return into_.unquoted.emplace_back(std::move(single));
  }

  std::string_view text_;
  const std::string& file_;
  CsvText& into_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
  char separator_ = ',';
};

}  // namespace

CsvText read_csv(std::string_view text, const std::string& file) {
  CsvText table;
  CsvReader(text, file, table).read();
  return table;
}

std::string csv_cell(const std::string& value) {
  if (value.find_first_of(",\"") == value.npos) return value;
  std::string quoted = "\"";
  for (const char c : value) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace sill
