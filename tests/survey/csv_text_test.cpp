// Tables as comma separated values: separators, quotes, lines, and what is refused.
#include "sill/survey/edit/csv_text.hpp"

#include <gtest/gtest.h>

#include "sill/base/error.hpp"
#include "store/thrown.hpp"

namespace sill {
namespace {

using Cells = std::vector<std::string_view>;

TEST(CsvText, SeparatorsLinesAndMarks) {
  for (const char* text : {"a,b\n1,2\n\n3,4",
                           "\xEF\xBB\xBF"
                           "a;b\r\n1;2\r\n\r\n3;4\r\n",
                           "a\tb\n1\t2\n \n3\t4\n", "\n\"a\" , b \n 1 ,\"2\"\n\n3,4\n"}) {
    const CsvText table = read_csv(text, "t.csv");
    EXPECT_EQ(table.names, (std::vector<std::string>{"a", "b"})) << text;
    EXPECT_EQ(table.cells, (Cells{"1", "2", "3", "4"})) << text;
  }
  EXPECT_EQ(read_csv("a,b\n1,2\n\n3,4", "t").lines, (std::vector<std::int64_t>{2, 4}));
  // A comma is no separator where the first line has a semicolon.
  EXPECT_EQ(read_csv("a;b\n1,5;2\n", "t").cells, (Cells{"1,5", "2"}));
}

TEST(CsvText, QuotesHoldAnything) {
  const std::string text = "a,b\n\"x, \"\"y\"\"\n2\",\"\"\n3,4\n";
  const CsvText table = read_csv(text, "t.csv");
  EXPECT_EQ(table.cells, (Cells{"x, \"y\"\n2", "", "3", "4"}));
  EXPECT_EQ(table.lines, (std::vector<std::int64_t>{2, 4}));
}

TEST(CsvText, ErrorsTellTheLine) {
  const auto line_of = [](const char* text) {
    const auto error = test::thrown([&] { (void)read_csv(text, "t.csv"); });
    if (!error || error->code() != ErrorCode::input || error->parts().where.file != "t.csv") return std::int64_t{-1};
    return error->parts().where.item.value_or(-2);
  };
  EXPECT_EQ(line_of(""), 1);
  EXPECT_EQ(line_of("a,b\n1,2\n3\n"), 3);
  EXPECT_EQ(line_of("a,b\n1,2,3\n"), 2);
  EXPECT_EQ(line_of("a,a\n"), 1);
  EXPECT_EQ(line_of("a,b\n1,\"2\n3,4\n"), 2);
  EXPECT_EQ(line_of("a,b\n1,\"2\"x\n"), 2);
}

}  // namespace
}  // namespace sill
