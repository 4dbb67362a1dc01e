#include "sill/formats/segy/samples/rescaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/segy/expression/assignment.hpp"

namespace sill::segy {
namespace {

[[noreturn]] void refuse_rescaling(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage,
               .problem = std::move(problem),
               .clause = "SEG-Y rev 1, trace header bytes 69-72",
               .action = std::move(action)});
}

bool is_integer_word(WordType type) {
  return type.kind == WordKind::signed_integer || type.kind == WordKind::unsigned_integer;
}

// A type that can hold any 8-byte word times any two scalars.
__extension__ using Wide = __int128;

// A scalar as a multiplier and a divisor, both integers; one of them is 1.
struct Factor {
  Wide times = 1;
  Wide over = 1;
};
Factor factor_of(std::int64_t scalar) {
  if (scalar > 0) return {scalar, 1};
  return {1, scalar == 0 ? 1 : -static_cast<Wide>(scalar)};
}

Wide stored_integer(const WordRef& word, const HeaderView& trace) {
  const std::uint64_t bits = load_bits(trace.header + (word.byte - 1), word.type.bytes, trace.order);
  return word.type.kind == WordKind::signed_integer ? Wide{sign_extended(bits, word.type.bytes)} : Wide{bits};
}

}  // namespace

Rescaling Rescaling::parse(std::string_view text, const HeaderMap& map) {
  constexpr std::string_view form = "write coordinates=-100 or elevations=10, for example";
  const std::size_t equals = text.find('=');
  const std::string what = detail::lower_case(trimmed(text.substr(0, equals)));
  if (equals == std::string_view::npos || (what != "coordinates" && what != "elevations"))
    refuse_rescaling(fmt::format("'{}' is not a group of words with a scalar", echoed(text)), std::string(form));
  const std::string_view number = trimmed(text.substr(equals + 1));
  Rescaling made;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), made.scalar_);
  constexpr std::array allowed{1, 10, 100, 1000, 10000};
  if (read.ec != std::errc() || read.ptr != number.data() + number.size() ||
      std::ranges::find(allowed, std::abs(made.scalar_)) == allowed.end())
    refuse_rescaling(fmt::format("'{}' is not a scalar", echoed(number)),
                     "use 1, 10, 100, 1000, 10000 or their negatives");
  const WordRef scalar = map.word(what == "coordinates" ? "scalco" : "scalel");
  made.words_.push_back(scalar);
  for (const MapWord& word : map.all()) {
    if (word.scaling.kind != Scaling::Kind::word || word.scaling.byte != scalar.byte) continue;
    // Skips words of headers that the traces do not have.
    if (word.byte > trace_header_bytes * (1 + map.additional_headers())) continue;
    const WordRef ref = map.word(fmt::format("@{}:{}", word.byte, segy::name_of(word.type)));
    if (!is_integer_word(ref.type))
      refuse_rescaling(fmt::format("{} is scaled and stored as {}, so it cannot be rescaled", word.names.front(),
                                   segy::name_of(ref.type)),
                       "set scalar and words with --set");
    WordRef named = ref;
    named.name = word.names.front();
    const bool is_known =
        std::ranges::any_of(made.words_, [&](const WordRef& known) { return bytes_of(known) == bytes_of(named); });
    if (is_known) continue;
    for (const WordRef& known : made.words_)
      if (overlap(bytes_of(known), bytes_of(named)))
        refuse_rescaling(fmt::format("{} and {} have bytes in common and one scalar", known.name, named.name),
                         "name the words of the file in a header map");
    made.words_.push_back(std::move(named));
  }
  std::ranges::sort(made.words_.begin() + 1, made.words_.end(), {}, &WordRef::byte);
  return made;
}

void Rescaling::apply(const HeaderView& old, std::byte* fresh) const {
  const WordRef& scalar = words_.front();
  const Factor before = factor_of(static_cast<std::int64_t>(stored_integer(scalar, old)));
  const Factor after = factor_of(scalar_);
  for (const WordRef& word : std::span(words_).subspan(1)) {
    const Wide stored = stored_integer(word, old);
    // stored * before = fresh * after
    const Wide times = stored * before.times * after.over;
    const Wide over = before.over * after.times;
    const auto refuse = [&](std::string_view why) {
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("{} is {} with the scalar {}, and with {} {}", word.name,
                                          static_cast<std::int64_t>(stored),
                                          static_cast<std::int64_t>(stored_integer(scalar, old)), scalar_, why),
                   .clause = "SEG-Y rev 1, trace header bytes 69-72",
                   .action = "use a scalar with which all true values can be stored"});
    };
    if (times % over != 0) refuse("it would lose digits");
    const Wide value = times / over;
    const int bits = 8 * word.type.bytes;
    const bool is_signed = word.type.kind == WordKind::signed_integer;
    const Wide max = (Wide{1} << (is_signed ? bits - 1 : bits)) - 1;
    const Wide min = is_signed ? -max - 1 : 0;
    if (value < min || value > max) refuse(fmt::format("it would not fit {} bytes", word.type.bytes));
    WordValue result;
    if (is_signed) {
      result.number = static_cast<std::int64_t>(value);
    } else {
      result.number = static_cast<std::uint64_t>(value);
    }
    write_word(fresh, word.byte, word.type, old.order, result, word.name);
  }
  write_word(fresh, scalar.byte, scalar.type, old.order, {std::int64_t{scalar_}}, scalar.name);
}

}  // namespace sill::segy
