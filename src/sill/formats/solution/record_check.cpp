#include "sill/formats/solution/record_check.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace sill::solution {
namespace {

// What a number looks like without blanks and sign: 0 stands for any digit, + for either sign.
constexpr std::string_view usual_number = "0.00000e+00";
constexpr std::string_view long_number = "0.00000e+000";
constexpr std::string_view infinity = "inf";
constexpr std::string_view no_number = "nan";

// So many records are looked at at once: a whole number of vectors, whatever a record's bytes are.
constexpr std::size_t records_at_once = 16;

// What each byte of such records may be if all their numbers are usual ones: `from` and up to `more` above it, or
// `other`.
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

// Compilers make vector instructions of it.
template <std::size_t record_bytes>
bool are_usual(const char* text) {
  constexpr const UsualBytes<record_bytes>& usual = usual_bytes<record_bytes>;
  unsigned char wrong = 0;
  for (std::size_t i = 0; i < records_at_once * record_bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto above = static_cast<unsigned char>(byte - usual.from[i]);
    wrong |= static_cast<unsigned char>((above > usual.more[i]) & (byte != usual.other[i]));
  }
  return wrong == 0;
}

// How a record differs from one of a number that looks so.
struct Likeness {
  std::size_t wrong_bytes = 0;
  std::size_t first_wrong = 0;  // the record's size if there is none
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

// The first byte of one record that is not as it should be, by what it is most like; the record's size if all are.
std::size_t wrong_byte(std::string_view record) {
  Likeness most = likeness(record, usual_number);
  if (most.wrong_bytes == 0) return record.size();
  bool is_long = false;
  for (const std::string_view number : {long_number, infinity, no_number}) {
    const Likeness found = likeness(record, number);
    if (found.wrong_bytes >= most.wrong_bytes) continue;
    most = found;
    is_long = number == long_number;
  }
  if (most.wrong_bytes > 0 || !is_long) return most.first_wrong;
  double value = 0;
  const char* const end = record.data() + record.size() - 1;
  const bool is_double = std::from_chars(record.data() + record.find_first_not_of(' '), end, value).ec == std::errc{};
  return is_double ? record.size() : record.size() - 4;  // where the digits of the exponent begin
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
