#include "sill/formats/solution/local_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <system_error>

#include "sill/base/error.hpp"
#include "sill/base/exponent_text.hpp"
#include "sill/base/first_index.hpp"

namespace sill::solution {
namespace {

constexpr ExponentForm coordinate_form{.width = 12, .precision = 5};
constexpr ExponentForm corner_form{.width = 24, .precision = 16};
static_assert(9 * (corner_form.width + 1) == element_bytes);
static_assert(corner_form.max_characters() == static_cast<std::size_t>(corner_form.width));

// Calls `make(record, text)` for each record of `record_bytes` that overlaps `range`, and stores its bytes in `range`.
template <std::size_t record_bytes, class Make>
void in_records(ByteRange range, std::span<std::byte> bytes, Make&& make) {
  constexpr auto each = static_cast<std::int64_t>(record_bytes);
  std::byte* to = bytes.data();
  for (std::int64_t at = range.offset; at < range.end();) {
    std::array<char, record_bytes> text;  // NOLINT(cppcoreguidelines-pro-type-member-init): `make` fills it
    make(at / each, std::span(text));
    const std::int64_t skipped = at % each;
    const std::int64_t length = std::min(each - skipped, range.end() - at);
    std::memcpy(to, text.data() + skipped, static_cast<std::size_t>(length));
    to += length;
    at += length;
  }
}

// A position in rows, each shorter than the preceding row by `shorter`.
struct InRow {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t columns = 0;  // of the row

  InRow(std::int64_t number, std::int64_t first_columns, std::int64_t shorter)
      : column(number), columns(first_columns) {
    while (column >= columns) next_row(shorter);
  }
  void advance(std::int64_t shorter) {
    if (++column == columns) next_row(shorter);
  }

 private:
  void next_row(std::int64_t shorter) {
    column -= columns;
    columns -= shorter;
    ++row;
  }
};

void put_number(std::int64_t number, std::span<char> text) {
  std::fill(text.begin(), text.end(), ' ');
  auto at = text.rbegin();
  do {
    *at++ = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
}

}  // namespace

void require_element(const Element& element, std::int64_t problem) {
  for (std::size_t corner = 0; corner < element.size(); ++corner) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (std::abs(element[corner][axis]) < 1e98) continue;  // false for a NaN
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("coordinate {} of corner {} of local problem {} is {}", "xyz"[axis],
                                          "ABC"[corner], problem + first_index(), element[corner][axis]),
                   .action = "give numbers below 1e98"});
    }
  }
}

std::string element_line(const Element& element) {
  std::string line(static_cast<std::size_t>(element_bytes), ' ');
  const std::span<char> text(line);
  std::size_t at = 0;
  for (const auto& corner : element) {
    for (const double coordinate : corner) {
      (void)write_exponent_text(coordinate, corner_form, text.subspan(at));
      at += corner_form.width + 1;
    }
  }
  line.back() = '\n';
  return line;
}

Element parse_element(std::string_view line, const std::string& path, std::int64_t line_number) {
  Element element{};
  const char* at = line.data();
  const char* const end = at + line.size();
  for (auto& corner : element) {
    for (double& coordinate : corner) {
      while (at != end && *at == ' ') ++at;
      const auto [after, error] = std::from_chars(at, end, coordinate);
      if (error != std::errc{} || !(std::abs(coordinate) < 1e98)) {
        throw Error({.code = ErrorCode::input,
                     .problem = fmt::format("this is not an element of nine coordinates: {:?}", line.substr(0, 60)),
                     .where = {.file = path, .item = line_number, .item_word = "line"}});
      }
      at = after;
    }
  }
  return element;
}

void LocalMesh::write_coordinates(const Element& element, std::size_t axis, ByteRange range,
                                  std::span<std::byte> bytes) const {
  const double a = element[0][axis];
  const double along_ab = (element[1][axis] - a) / static_cast<double>(sub_elements_);
  const double along_ac = (element[2][axis] - a) / static_cast<double>(sub_elements_);
  InRow node(range.offset / coordinate_bytes, sub_elements_ + 1, 1);
  in_records<coordinate_bytes>(range, bytes, [&](std::int64_t, std::span<char> text) {
    double value = a + static_cast<double>(node.column) * along_ab + static_cast<double>(node.row) * along_ac;
    if (std::abs(value) < 1e-98) value = 0;  // its exponent would take three digits
    (void)write_exponent_text(value, coordinate_form, text);
    text.back() = '\n';
    node.advance(1);
  });
}

void LocalMesh::write_triangles(std::int64_t first_node, ByteRange range, std::span<std::byte> bytes) const {
  InRow triangle(range.offset / triangle_bytes, 2 * sub_elements_ - 1, 2);
  in_records<triangle_bytes>(range, bytes, [&](std::int64_t, std::span<char> text) {
    const std::int64_t row = triangle.row;
    const std::int64_t column = triangle.column / 2;
    const std::int64_t below = first_node + row * (sub_elements_ + 1) - row * (row - 1) / 2 + column;
    const std::int64_t above = below + sub_elements_ + 1 - row;  // the node above it, in the next row
    // Triangles alternate: one stands on the row, the next hangs from the next row.
    const bool stands = triangle.column % 2 == 0;
    put_number(stands ? below : below + 1, text.subspan(0, 10));
    put_number(stands ? below + 1 : above + 1, text.subspan(10, 10));
    put_number(above, text.subspan(20, 10));
    text.back() = '\n';
    triangle.advance(2);
  });
}

std::string LocalMesh::text(const Element& element) const {
  std::string text = fmt::format("coordinates\n{:>10}\n", nodes());
  const auto grow = [&](std::int64_t bytes) {
    const std::size_t before = text.size();
    text.resize(before + static_cast<std::size_t>(bytes));
    return std::as_writable_bytes(std::span(text).subspan(before));
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t bytes = nodes() * coordinate_bytes;
    write_coordinates(element, axis, {0, bytes}, grow(bytes));
  }
  text += fmt::format("tria3\n{:>10}\n", triangles());
  const std::int64_t bytes = triangles() * triangle_bytes;
  write_triangles(1, {0, bytes}, grow(bytes));
  return text;
}

}  // namespace sill::solution
