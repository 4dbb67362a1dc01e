#include "sill/formats/segy/expression/assignment.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/base/whole_number.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/expression/expression_reader.hpp"
#include "sill/formats/segy/words/true_value_writing.hpp"

namespace sill::segy {

void Assignment::apply(const HeaderView& old, std::byte* fresh) const {
  if (is_true) {
    store_true_value(word, fresh, old.order, value.real(old));
    return store_twin(word, old, fresh);
  }
  WordValue result = value.value(old);
  if (is_float(word.type)) result.number = value.kind() == ValueKind::integer ? value.real(old) : result.as_double();
  if (const auto* real = std::get_if<double>(&result.number);
      real != nullptr && !is_float(word.type) && *real != std::trunc(*real))
    throw Error(
        {.code = ErrorCode::input,
         .problem =
             fmt::format("{} would become {}, but an integer word can only store integers", word.name, result.text()),
         .action = word.scaling.kind == Scaling::Kind::none || word.scaling.kind == Scaling::Kind::missing
                       ? fmt::format("write {}=round({})", word.name, value.text())
                       : fmt::format("write true({})={} if this is the value with its scalar applied, or {}=round({})",
                                     word.name, value.text(), word.name, value.text())});
  store_value(word, result, old, fresh);
}

void store_value(const WordRef& word, const WordValue& value, const HeaderView& old, std::byte* fresh) {
  try {
    write_word(fresh, word.byte, word.type, old.order, value, word.name);
  } catch (const Error& error) {
    throw Error({.code = ErrorCode::input, .problem = error.parts().problem, .action = error.parts().action});
  }
  store_twin(word, old, fresh);
}

void store_twin(const WordRef& word, const HeaderView& old, std::byte* fresh) {
  if (word.twin_byte == 0 || !is_extension_1(old.header + second_name_at)) return;
  if (read_word(old.header, word.twin_byte, word.twin_type, old.order).as_double() == 0.0) return;
  WordRef base = word;
  base.twin_byte = 0;
  const double truth = true_value(base, fresh, old.order);
  const std::optional<std::int64_t> whole = nearest_integer(truth);
  WordValue of_twin{.number = truth};
  if (!is_float(word.twin_type) && whole) of_twin.number = *whole;
  write_word(fresh, word.twin_byte, word.twin_type, old.order, of_twin, word.name);
}

void apply(std::span<const Assignment> assignments, const HeaderView& old, std::byte* fresh) {
  for (const bool is_true : {false, true})
    for (const Assignment& assignment : assignments)
      if (assignment.is_true == is_true) assignment.apply(old, fresh);
  for (const Assignment& assignment : assignments) store_twin(assignment.word, old, fresh);
}

const char* shape_word_in(const HeaderMap& map, const WordRef& word) {
  for (const char* const name : {"ns", "dt"})
    if (const MapWord* const shape = map.find(name);
        shape != nullptr && overlap(bytes_of(word), {shape->byte - 1, shape->type.bytes}))
      return name;
  return nullptr;
}

std::vector<ByteRange> Assignment::targets() const {
  std::vector<ByteRange> bytes{bytes_of(word)};
  if (word.twin_byte != 0) bytes.push_back({word.twin_byte - 1, word.twin_type.bytes});
  return bytes;
}

ByteRange Assignment::needed_bytes() const {
  const TrueBytes bytes = bytes_of_true_value(word);
  return word.twin_byte == 0 && !is_true ? bytes_of(word) : ByteRange{bytes.first, bytes.end - bytes.first};
}

std::vector<Assignment> parse_assignments(std::span<const std::string> texts, const HeaderMap& map,
                                          std::span<const ExpressionColumn> columns) {
  std::vector<Assignment> assignments;
  for (const std::string& text : texts) {
    ExpressionReader reader(text, map, columns);
    do {
      (void)reader.at_end();
      const std::size_t begin = reader.position();
      const bool is_true = reader.accept_word("true") && reader.accept("(");
      WordRef word = is_true ? reader.word_of_true(begin) : reader.word();
      const std::size_t word_end = reader.position();
      if (!reader.accept("="))
        reader.fail(begin, word_end, "an assignment is WORD=VALUE or true(WORD)=VALUE, but no = follows this",
                    "write cdp=100, for example");
      if (reader.accept("="))
        reader.fail(reader.position() - 2, reader.position(), "== compares, but this is an assignment", "write one =");
      (void)reader.at_end();
      const std::size_t value_begin = reader.position();
      Expression value = reader.expression();
      if (value.kind() == ValueKind::truth)
        reader.fail(value_begin, reader.position(), "a condition is not a value of a word",
                    "give it a number; --where selects traces");
      const bool takes_text = word.type.kind == WordKind::text;
      if (takes_text != (value.kind() == ValueKind::text))
        reader.fail(value_begin, reader.position(),
                    fmt::format("{} stores {}, but this is {}", echoed(word.name), takes_text ? "text" : "a number",
                                takes_text ? "a number" : "text"),
                    takes_text ? "write 'text' in quotes" : "give it a number");
      // If an assignment sets a word of extension 1 directly, the assignment to the word that it overrides does not set
      // it, too.
      for (Assignment& other : assignments) {
        if (other.word.twin_byte != 0 && overlap(bytes_of(word), other.targets().back())) other.word.twin_byte = 0;
        if (word.twin_byte != 0 && overlap(bytes_of(other.word), {word.twin_byte - 1, word.twin_type.bytes}))
          word.twin_byte = 0;
      }
      for (const Assignment& other : assignments)
        if (overlap(bytes_of(word), bytes_of(other.word)))
          reader.fail(begin, word_end,
                      fmt::format("{} and {} have bytes in common, and both would be set", echoed(other.word.name),
                                  echoed(word.name)),
                      "set each byte once");
      assignments.push_back({std::move(word), std::move(value), is_true});
    } while (reader.accept(","));
    if (!reader.at_end()) reader.refuse_rest();
  }
  return assignments;
}

std::vector<int> place_columns(std::span<Assignment> assignments, std::span<const ExpressionColumn> columns) {
  std::vector<int> places(columns.size(), -1);
  for (const Assignment& assignment : assignments)
    for (const int column : assignment.value.columns()) places[static_cast<std::size_t>(column)] = 0;
  std::vector<int> used;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0) continue;
    places[i] = static_cast<int>(used.size());
    used.push_back(static_cast<int>(i));
  }
  for (Assignment& assignment : assignments) assignment.value.place_columns(places);
  return used;
}

}  // namespace sill::segy
