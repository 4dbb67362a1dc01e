#include "sill/survey/edit/match_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/packer.hpp"
#include "sill/formats/segy/expression/expression_reader.hpp"
#include "sill/store/store.hpp"

namespace sill {
namespace {

// Returns the number in a cell; nothing if the cell is not completely a number.
template <class Number>
std::optional<Number> number_in(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  Number number{};
  const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (read.ec != std::errc() || read.ptr != cell.data() + cell.size()) return std::nullopt;
  return number;
}

bool is_integer_text(std::string_view cell) {
  if (cell.starts_with('+') || cell.starts_with('-')) cell.remove_prefix(1);
  return !cell.empty() && cell.find_first_not_of("0123456789") == cell.npos;
}

// Returns the reason why a cell is not a number that a column can hold.
const char* trouble_with(std::string_view cell) {
  if (is_integer_text(cell)) return "contains an integer beyond 64 bits, which a double would round";
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double number = 0.0;
  const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  const bool is_all = !cell.empty() && read.ptr == cell.data() + cell.size();
  if (is_all && read.ec == std::errc::result_out_of_range) return "contains a number beyond the range of a double";
  return "contains a value that is not a number";
}

// Returns the kind of a column, determined by all its cells.
segy::ExpressionColumn column_of(const CsvText& text, std::size_t column) {
  segy::ExpressionColumn made{.name = text.names[column], .kind = segy::ValueKind::integer};
  constexpr std::int64_t exact_integers = std::int64_t{1} << 53U;  // of a double
  std::optional<std::size_t> long_integer;                         // a row
  for (std::size_t row = 0; row < text.lines.size(); ++row) {
    const std::string_view cell = text.cells[row * text.names.size() + column];
    const std::optional<std::int64_t> whole = number_in<std::int64_t>(cell);
    if (whole && (*whole > exact_integers || *whole < -exact_integers)) long_integer = row;
    if (made.kind == segy::ValueKind::integer && whole) continue;
    // Integers beyond 64 bits would be rounded as doubles.
    const bool exceeds = is_integer_text(cell) && !whole;
    const std::optional<double> real = number_in<double>(cell);
    if (exceeds || !real || !std::isfinite(*real)) {
      made.trouble = cell.empty()
                         ? fmt::format("has an empty cell in line {}", text.lines[row])
                         : fmt::format("{}: line {} has '{}'", trouble_with(cell), text.lines[row], echoed(cell, 30));
      return made;
    }
    made.kind = segy::ValueKind::real;
  }
  if (made.kind == segy::ValueKind::real && long_integer)
    made.trouble = fmt::format("contains fractions, and in line {} an integer beyond 2^53, which a double would round",
                               text.lines[*long_integer]);
  return made;
}

std::int64_t bits_of(double value) { return std::bit_cast<std::int64_t>(value == 0.0 ? 0.0 : value); }

// Returns a cell as a column or a word of that kind stores it. Precondition: the column is valid.
std::int64_t bits_in(std::string_view cell, bool is_real) {
  if (!is_real) return *number_in<std::int64_t>(cell);
  return bits_of(*number_in<double>(cell));
}

}  // namespace

CsvFile::CsvFile(const Resources& resources, const std::string& path) : path_(path) {
  Communicator& comm = resources.comm;
  const auto exchange = [&](auto& message) {
    message.size(columns_);
    for (segy::ExpressionColumn& each : columns_) message(each.kind, each.name, each.trouble);
  };
  std::vector<std::byte> stated = value_from_rank(comm, 0, [&] {
    const std::unique_ptr<Store> file = open_posix(path, OpenMode::read);
    bytes_.resize(static_cast<std::size_t>(file->size_bytes()));
    if (!bytes_.empty()) read_at(*file, 0, std::as_writable_bytes(std::span(bytes_)));
    text_ = read_csv(bytes_, path);
    for (std::size_t column = 0; column < text_.names.size(); ++column) columns_.push_back(column_of(text_, column));
    Packer packer;
    exchange(packer);
    return packer.take();
  });
  Unpacker unpacker(stated);
  exchange(unpacker);
}

MatchTable::MatchTable(const Resources& resources, const CsvFile& file, const std::string& match,
                       const segy::HeaderMap& map, std::span<const int> used)
    : columns_(used.size()) {
  Communicator& comm = resources.comm;
  std::vector<int> match_columns;
  run_and_agree(comm, [&] {
    segy::ExpressionReader reader(match, map);
    do {
      (void)reader.at_end();
      const std::size_t begin = reader.position();
      words_.push_back(reader.word());
      const segy::WordRef& word = words_.back();
      std::string_view name = word.name;
      std::size_t end = reader.position();
      if (reader.accept("=")) {
        const std::size_t comma = std::min(match.find(',', reader.position()), match.size());
        name = trimmed(std::string_view(match).substr(reader.position(), comma - reader.position()));
        end = comma;
        while (reader.position() < comma && !reader.accept(match.substr(reader.position(), comma - reader.position())))
          (void)reader.at_end();
      }
      if (word.type.kind == segy::WordKind::text)
        reader.fail(begin, end, "traces are matched by numbers, but this word is text",
                    "name words that contain numbers");
      const std::string small = segy::detail::lower_case(name);
      auto found = std::ranges::find_if(
          file.columns_, [&](const auto& column) { return segy::detail::lower_case(column.name) == small; });
      // The column may have any other name of the word.
      if (const segy::MapWord* const known = map.find(name); found == file.columns_.end() && known != nullptr)
        found = std::ranges::find_if(file.columns_, [&](const auto& column) { return map.find(column.name) == known; });
      std::string there;
      for (const segy::ExpressionColumn& column : file.columns_)
        there += (there.empty() ? "" : ", ") + echoed(column.name);
      if (found == file.columns_.end())
        reader.fail(begin, end, fmt::format("the table has no column '{}'", echoed(name)),
                    fmt::format("write WORD=COLUMN; the table has {}", there));
      std::string trouble = found->trouble;
      if (trouble.empty() && !segy::is_float(word.type) && found->kind != segy::ValueKind::integer)
        trouble = "contains fractions, but the word can only store integers";
      if (!trouble.empty())
        reader.fail(begin, end, fmt::format("the column '{}' {}", echoed(name), trouble), "correct the table");
      match_columns.push_back(static_cast<int>(found - file.columns_.begin()));
      needed_ = segy::joined(needed_, {word.byte - 1, word.byte - 1 + word.type.bytes});
    } while (reader.accept(","));
    if (!reader.at_end()) reader.refuse_rest();
  });
  run_on_rank(comm, 0, [&] { build(file, match_columns, used); });
  broadcast_all(comm, keys_, 0);
  broadcast_all(comm, values_, 0);
  rows_ = std::ssize(keys_) / std::ssize(words_);
  run_and_agree(comm, [&] { found_ = std::make_unique<std::atomic<bool>[]>(static_cast<std::size_t>(rows_)); });
}

void MatchTable::build(const CsvFile& file, std::span<const int> match_columns, std::span<const int> used) {
  const CsvText& text = file.text_;
  const std::size_t words = words_.size();
  const auto cell = [&](std::size_t row, int column) {
    return text.cells[row * text.names.size() + static_cast<std::size_t>(column)];
  };
  std::vector<std::int64_t> keys(text.lines.size() * words);
  for (std::size_t row = 0; row < text.lines.size(); ++row)
    for (std::size_t w = 0; w < words; ++w)
      keys[row * words + w] = bits_in(cell(row, match_columns[w]), segy::is_float(words_[w].type));
  std::vector<std::size_t> order(text.lines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t row) { return std::span(keys).subspan(row * words, words); };
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return std::ranges::lexicographical_compare(key(a), key(b)); });
  std::vector<std::int64_t> values(columns_);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t row = order[i];
    for (std::size_t c = 0; c < columns_; ++c) {
      const bool is_real = file.columns_[static_cast<std::size_t>(used[c])].kind == segy::ValueKind::real;
      values[c] = bits_in(cell(row, used[c]), is_real);
    }
    if (i > 0 && std::ranges::equal(key(row), key(order[i - 1]))) {
      if (std::equal(values.begin(), values.end(), values_.end() - std::ssize(values))) continue;
      throw Error(
          {.code = ErrorCode::input,
           .problem = fmt::format("this row and the row of line {} apply to the same traces, but have different values",
                                  text.lines[order[i - 1]]),
           .where = {.file = file.path_, .item = text.lines[row], .item_word = "line"},
           .action = "remove one of them, or match by more words"});
    }
    const auto own = key(row);
    keys_.insert(keys_.end(), own.begin(), own.end());
    values_.insert(values_.end(), values.begin(), values.end());
  }
}

std::int64_t MatchTable::key_of(std::size_t word, const segy::HeaderView& trace, bool& can_match) const {
  const segy::WordRef& ref = words_[word];
  const segy::WordValue value = segy::read_word(trace.header, ref.byte, ref.type, trace.order);
  if (segy::is_float(ref.type)) {
    const double real = value.as_double();
    can_match = can_match && !std::isnan(real);
    return bits_of(real);
  }
  if (const auto* number = std::get_if<std::int64_t>(&value.number)) return *number;
  const auto number = std::get<std::uint64_t>(value.number);
  can_match = can_match && number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(number);
}

const std::int64_t* MatchTable::row_of(const segy::HeaderView& trace) const {
  const std::size_t words = words_.size();
  bool can_match = true;
  // The keys of a trace are few, so they are stored on the stack.
  std::array<std::int64_t, 16> few{};
  std::vector<std::int64_t> many;
  std::span<std::int64_t> wanted(few);
  if (words > few.size()) {
    many.resize(words);
    wanted = many;
  }
  wanted = wanted.first(words);
  for (std::size_t w = 0; w < words; ++w) wanted[w] = key_of(w, trace, can_match);
  if (!can_match) return nullptr;
  std::size_t first = 0;
  std::size_t count = static_cast<std::size_t>(rows_);
  const auto key = [&](std::size_t row) { return std::span(keys_).subspan(row * words, words); };
  while (count > 0) {
    const std::size_t half = count / 2;
    if (std::ranges::lexicographical_compare(key(first + half), wanted)) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  if (first == static_cast<std::size_t>(rows_) || !std::ranges::equal(key(first), wanted)) return nullptr;
  // Most rows are found more than once; the load avoids taking the cache line from other cores.
  if (!found_[first].load(std::memory_order_relaxed)) found_[first].store(true, std::memory_order_relaxed);
  return values_.data() + first * columns_;
}

std::string MatchTable::key_text(const segy::HeaderView& trace) const {
  std::string text;
  for (const segy::WordRef& word : words_)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", word.name,
                        segy::read_word(trace.header, word.byte, word.type, trace.order).text());
  return text;
}

std::int64_t MatchTable::rows_not_found(Communicator& comm) const {
  constexpr std::int64_t at_once = 1 << 20;
  std::int64_t missing = 0;
  std::vector<std::int64_t> some;
  for (std::int64_t first = 0; first < rows_; first += at_once) {
    some.resize(static_cast<std::size_t>(std::min(at_once, rows_ - first)));
    for (std::size_t i = 0; i < some.size(); ++i)
      some[i] = found_[static_cast<std::size_t>(first) + i].load(std::memory_order_relaxed) ? 1 : 0;
    comm.all_reduce(some, Reduction::max);
    missing += std::ranges::count(some, 0);
  }
  return missing;
}

}  // namespace sill
