// Arrays of NumPy from vectors of C++.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"

namespace sill::python {

/// The values of an expression, one per trace. Truth values are 0 and 1.
using Column =
    std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::uint8_t>, std::vector<std::string>>;

/// Local. Returns a column of `traces` values of the kind of `expression`.
[[nodiscard]] Column column_of(const segy::Expression& expression, std::int64_t traces);
/// Local. Sets value `i` to that of `expression` for a trace. Errors: as Expression::value.
void set_value(Column& column, std::size_t i, const segy::Expression& expression, const segy::HeaderView& header);
/// Local. Returns a column as an array; as a list if it has texts. Precondition: the GIL is held.
[[nodiscard]] nanobind::object object_of(Column&& column);

/// Values of a header word, one per trace.
struct NewWord {
  std::string name = {};  ///< a word, or `true(WORD)`
  std::variant<std::span<const std::int64_t>, std::span<const double>> values = {};
};

/// Numbers of traces, from 0.
using Doubles = nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using Numbers = nanobind::ndarray<const std::int64_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

using Samples = nanobind::ndarray<nanobind::c_contig, nanobind::device::cpu>;
using Values = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;

/// Local. Returns the format of samples in native byte order. Errors: TypeError for a type that samples do not have.
[[nodiscard]] segy::SampleFormat format_of(nanobind::dlpack::dtype type);

using WordArray =
    std::variant<Numbers,
                 nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>>;

/// Local. Returns the words of arrays, which must outlive the result.
[[nodiscard]] std::vector<NewWord> new_words(const std::vector<std::pair<std::string, WordArray>>& arrays);

template <class Element>
using Array = nanobind::ndarray<nanobind::numpy, Element>;

/// Local. Returns an array that owns `values`. Precondition: the GIL is held.
template <class Element, class Value>
[[nodiscard]] Array<Element> array_of(std::vector<Value>&& values, std::initializer_list<std::size_t> shape) {
  auto* held = new std::vector<Value>(std::move(values));
  const nanobind::capsule owner(held, [](void* memory) noexcept { delete static_cast<std::vector<Value>*>(memory); });
  return Array<Element>(reinterpret_cast<Element*>(held->data()), shape, owner);
}

}  // namespace sill::python
