#include "sill/formats/solution/record_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>

namespace sill::solution {
namespace {

// The forms of a number without blanks and sign: 0 represents any digit, + either sign.
constexpr std::string_view usual_number = "0.00000e+00";
constexpr std::string_view long_number = "0.00000e+000";
constexpr std::string_view infinity = "inf";
constexpr std::string_view no_number = "nan";

// The only number that begins with 0, and the exponent that no number has: the exponent of 0 is positive.
constexpr std::string_view zero = "0.00000e+00";
constexpr std::uint32_t exponent_of_none = std::bit_cast<std::uint32_t>(std::array{'e', '-', '0', '0'});
constexpr std::size_t exponent_at = 7;

// Number of records tested at once: a multiple of the vector size for any size of a record.
constexpr std::size_t records_at_once = 16;

// The allowed values of each byte of such records if all their numbers have the usual form: `from` to `from` + `more`,
// or `other`.
template <std::size_t record_bytes>
struct UsualBytes {
  std::array<unsigned char, records_at_once * record_bytes> from{};
  std::array<unsigned char, records_at_once * record_bytes> more{};
  std::array<unsigned char, records_at_once * record_bytes> other{};
};

template <std::size_t record_bytes>
constexpr UsualBytes<record_bytes> usual_bytes = [] {
  UsualBytes<record_bytes> made;
  constexpr std::size_t sign = record_bytes - 2 - usual_number.size();
  for (std::size_t i = 0; i < records_at_once * record_bytes; ++i) {
    const std::size_t at = i % record_bytes;
    char is = ' ';
    if (at > sign) is = at + 1 == record_bytes ? '\n' : usual_number[at - sign - 1];
    made.from[i] = made.other[i] = static_cast<unsigned char>(is);
    if (is == '0') made.more[i] = 9;
    if (is == '+' || at == sign) made.other[i] = '-';
  }
  return made;
}();

// Compilers vectorize this loop.
template <std::size_t record_bytes>
bool are_usual(const char* text) {
  constexpr const UsualBytes<record_bytes>& usual = usual_bytes<record_bytes>;
  unsigned char wrong = 0;
  for (std::size_t i = 0; i < records_at_once * record_bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto above = static_cast<unsigned char>(byte - usual.from[i]);
    wrong |=
        static_cast<unsigned char>(static_cast<int>(above > usual.more[i]) & static_cast<int>(byte != usual.other[i]));
  }
  if (wrong != 0) return false;
  constexpr std::size_t number = record_bytes - 1 - usual_number.size();
  std::uint32_t none = 0;
  std::uint32_t zeros = 0;
  for (std::size_t r = 0; r < records_at_once; ++r) {
    std::uint32_t exponent = 0;
    std::memcpy(&exponent, text + r * record_bytes + number + exponent_at, sizeof exponent);
    none |= static_cast<std::uint32_t>(exponent == exponent_of_none);
    zeros |= static_cast<std::uint32_t>(text[r * record_bytes + number] == '0');
  }
  if (none != 0) return false;
  for (std::size_t r = 0; zeros != 0 && r < records_at_once; ++r) {
    const char* const begin = text + r * record_bytes + number;
    if (*begin == '0' && std::memcmp(begin, zero.data(), zero.size()) != 0) return false;
  }
  return true;
}

// The differences between a record and a form of a number.
struct Likeness {
  std::size_t wrong_bytes = 0;
  std::size_t first_wrong = 0;  // the record's size if no byte is wrong
};

Likeness likeness(std::string_view record, std::string_view number) {
  const std::size_t before = record.size() - 1 - number.size();
  const auto is_like = [&](std::size_t at) {
    const char is = record[at];
    if (at < before) return is == ' ' || (is == '-' && at + 1 == before);
    if (at + 1 == record.size()) return is == '\n';
    switch (const char should_be = number[at - before]; should_be) {
      case '0': return is >= '0' && is <= '9';
      case '+': return is == '+' || is == '-';
      default: return is == should_be;
    }
  };
  Likeness found{.first_wrong = record.size()};
  for (std::size_t at = record.size(); at-- > 0;) {
    if (is_like(at)) continue;
    ++found.wrong_bytes;
    found.first_wrong = at;
  }
  return found;
}

// Returns the first byte at which a number differs from the output of printf for its value; the size of the number if
// there is none. Digits in the right columns are not enough: printf writes a leading 0 only for zero, an exponent of
// three digits only if two are too few, and never an exponent of -00.
std::size_t misprint(std::string_view number) {
  double value = 0;
  const char* const end = number.data() + number.size();
  if (std::from_chars(number.data(), end, value).ec != std::errc{}) return number.find('e') + 2;  // beyond all doubles
  std::array<char, 40> printed{};
  const auto behind =
      std::to_chars(printed.data(), printed.data() + printed.size(), value, std::chars_format::scientific, 5).ptr;
  const auto differ = std::mismatch(number.begin(), number.end(), printed.data(), behind);
  return static_cast<std::size_t>(differ.first - number.begin());
}

// Returns the first wrong byte of a record, compared with the most similar form; the record's size if there is none.
std::size_t wrong_byte(std::string_view record) {
  Likeness best = likeness(record, usual_number);
  bool is_finite = true;
  for (const std::string_view number : {long_number, infinity, no_number}) {
    if (best.wrong_bytes == 0) break;
    const Likeness found = likeness(record, number);
    if (found.wrong_bytes >= best.wrong_bytes) continue;
    best = found;
    is_finite = number == long_number;
  }
  if (best.wrong_bytes > 0 || !is_finite) return best.first_wrong;
  const std::size_t begin = record.find_first_not_of(' ');
  const std::string_view number = record.substr(begin, record.size() - 1 - begin);
  const std::size_t wrong = misprint(number);
  return wrong < number.size() ? begin + wrong : record.size();
}

template <std::size_t record_bytes>
std::optional<std::int64_t> first_no_number_of(std::string_view text) {
  constexpr std::size_t block = records_at_once * record_bytes;
  for (std::size_t at = 0; at < text.size(); at += block) {
    const std::string_view records = text.substr(at, block);
    if (records.size() == block && are_usual<record_bytes>(records.data())) continue;
    for (std::size_t r = 0; r < records.size(); r += record_bytes) {
      const std::size_t wrong = wrong_byte(records.substr(r, record_bytes));
      if (wrong < record_bytes) return static_cast<std::int64_t>(at + r + wrong);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> first_no_number(const Form& form, std::string_view text) {
  return form.record_bytes == 13 ? first_no_number_of<13>(text) : first_no_number_of<14>(text);
}

}  // namespace sill::solution
