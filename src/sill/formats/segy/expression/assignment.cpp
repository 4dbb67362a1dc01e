#include "sill/formats/segy/expression/assignment.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/segy/expression/expression_reader.hpp"

namespace sill::segy {

void Assignment::apply(const HeaderView& old, std::byte* fresh) const {
  WordValue result = value.value(old);
  if (is_float(word.type)) result.number = value.kind() == ValueKind::integer ? value.real(old) : result.as_double();
  if (const auto* real = std::get_if<double>(&result.number);
      real != nullptr && !is_float(word.type) && *real != std::trunc(*real))
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("{} would become {}, and an integer word holds whole numbers only", word.name,
                                        result.text()),
                 .action = fmt::format("write {}=round({})", word.name, value.text())});
  try {
    write_word(fresh, word.byte, word.type, old.order, result, word.name);
  } catch (const Error& error) {
    throw Error({.code = ErrorCode::input, .problem = error.parts().problem, .action = error.parts().action});
  }
}

std::vector<Assignment> parse_assignments(std::span<const std::string> texts, const HeaderMap& map,
                                          std::span<const ExpressionColumn> columns) {
  std::vector<Assignment> assignments;
  for (const std::string& text : texts) {
    ExpressionReader reader(text, map, columns);
    do {
      (void)reader.at_end();
      const std::size_t begin = reader.position();
      WordRef word = reader.word();
      const std::size_t word_end = reader.position();
      if (!reader.accept("="))
        reader.fail(begin, word_end, "an assignment is WORD=VALUE, and no = follows this",
                    "write cdp=100, for example");
      if (reader.accept("="))
        reader.fail(reader.position() - 2, reader.position(), "== compares, and a value is assigned here",
                    "write one =");
      (void)reader.at_end();
      const std::size_t value_begin = reader.position();
      Expression value = reader.expression();
      if (value.kind() == ValueKind::truth)
        reader.fail(value_begin, reader.position(), "a condition is no value of a word",
                    "give it a number; --where says of which traces");
      const bool takes_text = word.type.kind == WordKind::text;
      if (takes_text != (value.kind() == ValueKind::text))
        reader.fail(value_begin, reader.position(),
                    fmt::format("{} holds {}, and this is {}", echoed(word.name), takes_text ? "text" : "a number",
                                takes_text ? "a number" : "text"),
                    takes_text ? "write 'text' in quotes" : "give it a number");
      for (const Assignment& other : assignments)
        if (overlap(bytes_of(word), bytes_of(other.word)))
          reader.fail(begin, word_end,
                      fmt::format("{} and {} have bytes in common, and each would be set", echoed(other.word.name),
                                  echoed(word.name)),
                      "set each byte once");
      assignments.push_back({std::move(word), std::move(value)});
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
