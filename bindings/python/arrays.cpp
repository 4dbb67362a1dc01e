#include "arrays.hpp"

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

}  // namespace sill::python
