// Bytes of solution files against printf, sizes against the paper's table.
#include "sill/formats/solution/solution_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "sill/base/error.hpp"

namespace sill::solution {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// As a program would print it: dimension after dimension of each problem.
std::string printed_solutions(const Form& form, const std::vector<double>& values) {
  std::string text;
  const std::int64_t points = (form.sub_elements + 1) * (form.sub_elements + 2) / 2;
  for (std::int64_t p = 0; p < form.problems; ++p) {
    for (int d = 0; d < form.dimensions; ++d) {
      for (std::int64_t i = 0; i < points; ++i) {
        std::array<char, 40> record{};
        (void)std::snprintf(record.data(), record.size(), form.record_bytes == 13 ? "%12.5e\n" : "%13.5e\n",
                            values[static_cast<std::size_t>((p * points + i) * form.dimensions + d)]);
        text += record.data();
      }
    }
    if (form.files == Files::shared && form.stride_bytes > 0) {
      const auto end = static_cast<std::size_t>((p + 1) * form.stride_bytes);
      if (text.size() < end) {
        text.resize(end - 1, ' ');
        text += '\n';
      }
    }
  }
  return text;
}

std::vector<double> some_values(const Form& form) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < form.problems * values_of(form); ++i) {
    values.push_back(std::pow(-1.75, static_cast<double>(i % 400) - 200));
  }
  values[1] = std::nan("");
  values[2] = -std::nan("");
  values[3] = -infinity;
  values[4] = 1e-300;
  values[5] = -0.0;
  return values;
}

TEST(SolutionFile, AnyPartOfTheTextIsThatOfPrintf) {
  for (const int record : {13, 14}) {
    for (const int dimensions : {1, 3}) {
      for (const std::int64_t align : {0, 1, 7, 13, 64, 1000}) {
        Form form{.problems = 3, .sub_elements = 3, .dimensions = dimensions, .record_bytes = record};
        if (align > 0) {
          form.files = Files::shared;
          form = aligned_to(form, align);
        }
        require_possible(form);
        const std::vector<double> values = some_values(form);
        const std::string expected = printed_solutions(form, values);
        const auto size = static_cast<std::int64_t>(expected.size());
        ASSERT_EQ(size, phase_bytes(form));
        for (std::int64_t begin = 0; begin < size; begin += 1 + begin / 50) {
          for (const std::int64_t length :
               {std::int64_t{1}, std::int64_t{12}, std::int64_t{26}, std::int64_t{200}, size - begin}) {
            if (begin + length > size) continue;
            std::string text(static_cast<std::size_t>(length), '#');
            write_text(form, values.data(), {begin, length}, std::as_writable_bytes(std::span(text)));
            ASSERT_EQ(text, expected.substr(static_cast<std::size_t>(begin), text.size())) << begin;
          }
        }
      }
    }
  }
}

// Its table I, in MiB; the entry of 8 and 128 sub-elements is off (FORMATS.md §5).
TEST(SolutionFile, SizesAreThoseOfThePaper) {
  struct Entry {
    int ccross;
    std::int64_t sub_elements;
    double mib;
  };
  for (const Entry& entry : {Entry{3, 64, 1.7},
                             {3, 128, 6.6},
                             {4, 32, 1.8},
                             {4, 1024, 1668.9},
                             {5, 64, 27.2},
                             {5, 512, 1673.8},
                             {6, 128, 425.8},
                             {6, 256, 1683.5},
                             {7, 128, 1703.2},
                             {8, 64, 1742.8},
                             {9, 32, 1823.2}}) {
    const Form form{.problems = std::int64_t{1} << (2 * entry.ccross), .sub_elements = entry.sub_elements};
    EXPECT_NEAR(static_cast<double>(phase_bytes(form)) / 1048576, entry.mib, 0.1);
  }
}

TEST(SolutionFile, NamesAreTold) {
  const Form each{.problems = 5};
  const Form shared{.problems = 5, .files = Files::shared};
  EXPECT_EQ(solution_path("out", each, 17, 10), "out/local000017/solution000010.txt");
  EXPECT_EQ(solution_path("out", shared, 17, 1234567), "out/solution1234567.txt");
  EXPECT_EQ(index_name(10), "solution000010.index");
}

TEST(SolutionFile, NumbersThatAreTooLongForTheirRecordAreFound) {
  const Form form{.problems = 2, .sub_elements = 1, .dimensions = 2};
  const std::vector<double> fine{1e-300,       1e300,          -9.9e-99, -9.999994e99, -0.0, -infinity,
                                 std::nan(""), -9.999996e-100, -1e-99,   -9e99,        0,    5};
  EXPECT_FALSE(first_misfit(form, fine));
  for (const double wrong : {-1e-100, -1e100, -9.999996e99, -5e-324, -1.7e308, -9.99999e-100}) {
    std::vector<double> values = fine;
    values[9] = wrong;
    values[10] = wrong;
    const auto found = first_misfit(form, values);
    ASSERT_TRUE(found) << wrong;
    EXPECT_EQ(found->problem, 1);
    EXPECT_EQ(found->point, 1);
    EXPECT_EQ(found->dimension, 1);
    EXPECT_EQ(found->value, wrong);
    Form wide = form;
    wide.record_bytes = 14;
    EXPECT_FALSE(first_misfit(wide, values));
    std::string text(static_cast<std::size_t>(phase_bytes(wide)), '#');
    write_text(wide, values.data(), {0, phase_bytes(wide)}, std::as_writable_bytes(std::span(text)));
    EXPECT_EQ(text, printed_solutions(wide, values));
  }
}

TEST(SolutionFile, WhatCannotBeIsRefused) {
  const Form sound{.problems = 4, .sub_elements = 2};
  EXPECT_NO_THROW(require_possible(sound));
  const auto refused = [&](auto&& change) {
    Form form = sound;
    change(form);
    try {
      require_possible(form);
    } catch (const Error& error) {
      return error.code() == ErrorCode::usage && !error.parts().action.empty();
    }
    return false;
  };
  EXPECT_TRUE(refused([](Form& form) { form.problems = 0; }));
  EXPECT_TRUE(refused([](Form& form) { form.sub_elements = 0; }));
  EXPECT_TRUE(refused([](Form& form) { form.sub_elements = 60'001; }));
  EXPECT_TRUE(refused([](Form& form) { form.dimensions = 0; }));
  EXPECT_TRUE(refused([](Form& form) { form.record_bytes = 12; }));
  EXPECT_TRUE(refused([](Form& form) { form.problems = std::int64_t{1} << 62; }));
  EXPECT_TRUE(refused([](Form& form) { form.problems = std::int64_t{1} << 31; }));
  EXPECT_TRUE(refused([](Form& form) {
    form.files = Files::shared;
    form.stride_bytes = 6 * 13 - 1;
  }));
}

}  // namespace
}  // namespace sill::solution
