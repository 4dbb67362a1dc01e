#include "arrays.hpp"

#include <array>
#include <type_traits>

#include "errors.hpp"

namespace nb = nanobind;

namespace sill::python {

Column column_of(const segy::Expression& expression, std::int64_t traces) {
  const auto size = static_cast<std::size_t>(traces);
  switch (expression.kind()) {
    case segy::ValueKind::integer: return std::vector<std::int64_t>(size);
    case segy::ValueKind::real: return std::vector<double>(size);
    case segy::ValueKind::truth: return std::vector<std::uint8_t>(size);
    case segy::ValueKind::text: break;
  }
  return std::vector<std::string>(size);
}

void set_value(Column& column, std::size_t i, const segy::Expression& expression, const segy::HeaderView& header) {
  std::visit(
      [&](auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<Value, std::int64_t>) {
          values[i] = expression.integer(header);
        } else if constexpr (std::is_same_v<Value, double>) {
          values[i] = expression.real(header);
        } else if constexpr (std::is_same_v<Value, std::uint8_t>) {
          values[i] = expression.holds(header) ? 1 : 0;
        } else {
          values[i] = expression.value(header).text();
        }
      },
      column);
}

nb::object object_of(Column&& column) {
  return std::visit(
      [](auto&& values) -> nb::object {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        const std::size_t size = values.size();
        if constexpr (std::is_same_v<Value, std::string>) {
          nb::list texts;
          for (const std::string& text : values) texts.append(path_str(text));
          return texts;
        } else if constexpr (std::is_same_v<Value, std::uint8_t>) {
          return nb::cast(array_of<bool>(std::move(values), {size}));
        } else {
          return nb::cast(array_of<Value>(std::move(values), {size}));
        }
      },
      std::move(column));
}

segy::SampleFormat format_of(nb::dlpack::dtype type) {
  using enum nb::dlpack::dtype_code;
  struct Known {
    nb::dlpack::dtype_code code;
    int bits;
    segy::SampleFormat format;
  };
  constexpr std::array<Known, 10> all{{{Float, 32, segy::SampleFormat::ieee_float},
                                       {Float, 64, segy::SampleFormat::ieee_double},
                                       {Int, 8, segy::SampleFormat::int8},
                                       {Int, 16, segy::SampleFormat::int16},
                                       {Int, 32, segy::SampleFormat::int32},
                                       {Int, 64, segy::SampleFormat::int64},
                                       {UInt, 8, segy::SampleFormat::uint8},
                                       {UInt, 16, segy::SampleFormat::uint16},
                                       {UInt, 32, segy::SampleFormat::uint32},
                                       {UInt, 64, segy::SampleFormat::uint64}}};
  for (const Known& known : all)
    if (static_cast<std::uint8_t>(known.code) == type.code && known.bits == type.bits) return known.format;
  throw nb::type_error("samples are read as float32, float64, or integers of 1, 2, 4 or 8 bytes");
}

std::vector<NewWord> new_words(const std::vector<std::pair<std::string, WordArray>>& arrays) {
  std::vector<NewWord> words;
  for (const auto& [name, array] : arrays)
    std::visit([&](const auto& each) { words.push_back({name, std::span(each.data(), each.size())}); }, array);
  return words;
}

}  // namespace sill::python
