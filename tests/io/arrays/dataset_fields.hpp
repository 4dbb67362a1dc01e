// What the tests of datasets write: a grid with steps, a profile without, a row of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/layout/box.hpp"

namespace sill::arrays_test {

inline const Index shape{3, 4, 7};  // z, y, x

// Depth (z), without steps; u (time, z, y, x) as floats; mask (time, x) as bytes.
inline DatasetDescription description() {
  return {.dimensions = {{"time", unlimited}, {"z", 3}, {"y", 4}, {"x", 7}},
          .variables = {{"depth", ElementType::f8, {"z"}, {{"units", "m"}, {"_FillValue", 9.9692099683868690e+36}}},
                        {"u", ElementType::f4, {"time", "z", "y", "x"}, {{"_FillValue", -9.0F}}},
                        {"mask", ElementType::i1, {"time", "x"}}},
          .attributes = {{"title", "test"}}};
}

inline double value_of(const Index& point, std::int64_t step) {
  return static_cast<double>(1000 * step + 100 * point[0] + 10 * point[1] + point[2]) / 4;
}

// What a rank brings: u as doubles with a layer of ghost points, x slowest if `transposed`.
class Fields {
 public:
  Fields(const Box& mine, bool transposed) : mine_(mine), transposed_(transposed) {
    stored_ = mine;
    for (std::size_t d = 0; d < 3; ++d) {
      stored_.first[d] -= 1;
      stored_.count[d] += 2;
    }
    u_.resize(static_cast<std::size_t>(stored_.items()));
  }
  [[nodiscard]] std::vector<ArrayPart> parts_at(std::int64_t step, bool has_holes) {
    const Index& count = stored_.count;
    const Index strides = transposed_ ? Index{1, count[0], count[0] * count[1]} : row_major_strides(count, 1);
    for (std::int64_t z = 0; z < count[0]; ++z) {
      for (std::int64_t y = 0; y < count[1]; ++y) {
        for (std::int64_t x = 0; x < count[2]; ++x) {
          u_[static_cast<std::size_t>(offset_of({z, y, x}, strides))] =
              value_of({stored_.first[0] + z, stored_.first[1] + y, stored_.first[2] + x}, step);
        }
      }
    }
    Box mine = mine_;
    if (has_holes && mine.first[2] == 0 && !mine.empty()) {
      mine.first[2] = 1;
      mine.count[2] -= 1;
    }
    std::vector<ArrayPart> parts;
    if (!mine.empty()) {
      const Index from{mine.first[0] - stored_.first[0], mine.first[1] - stored_.first[1],
                       mine.first[2] - stored_.first[2]};
      parts.emplace_back("u", mine, u_.data() + offset_of(from, strides), strides);
    }
    // Of the mask each rank that has the first of z and y brings what it has in x.
    if (!has_holes && mine_.first[0] == 0 && mine_.first[1] == 0 && !mine_.empty()) {
      mask_.clear();
      for (std::int64_t x = 0; x < mine_.count[2]; ++x)
        mask_.push_back(static_cast<std::int8_t>(mine_.first[2] + x + step));
      parts.emplace_back("mask", Box{{mine_.first[2]}, {mine_.count[2]}}, mask_.data());
    }
    return parts;
  }

 private:
  Box mine_;
  Box stored_;
  bool transposed_;
  std::vector<double> u_;
  std::vector<std::int8_t> mask_;
};

// What a rank brings to several steps of one call, from step `first` on.
class FieldsOfSteps {
 public:
  FieldsOfSteps(const Box& mine, std::int64_t first, std::int64_t steps, std::int64_t hole = -1)
      : fields_(static_cast<std::size_t>(steps), Fields(mine, false)) {
    for (std::int64_t step = 0; step < steps; ++step) {
      for (ArrayPart& part : fields_[static_cast<std::size_t>(step)].parts_at(first + step, first + step == hole)) {
        part.step = step;
        parts.push_back(std::move(part));
      }
    }
  }
  FieldsOfSteps(const FieldsOfSteps&) = delete;
  FieldsOfSteps& operator=(const FieldsOfSteps&) = delete;

  std::vector<ArrayPart> parts;

 private:
  std::vector<Fields> fields_;
};

inline Index grid_of(int ranks, int kind) {
  if (kind == 0) return {1, 1, ranks};
  if (kind == 1) return {ranks, 1, 1};
  return ranks % 2 == 0 ? Index{1, 2, ranks / 2} : Index{1, ranks, 1};
}

}  // namespace sill::arrays_test
