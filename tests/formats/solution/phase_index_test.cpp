// Indexes of output phases: read back as they were, and nothing else taken for one.
#include "sill/formats/solution/phase_index.hpp"

#include <gtest/gtest.h>

#include <string>

#include "sill/base/error.hpp"

namespace sill::solution {
namespace {

const PhaseIndex packed{{.problems = 1024, .files = Files::shared}, 10};

TEST(PhaseIndex, IsTextWithALineAFact) {
  EXPECT_EQ(index_text({{.problems = 4, .sub_elements = 2, .dimensions = 3, .record_bytes = 14}, 7}),
            "sill solutions 1\nstep 7\nproblems 4\nsub-elements 2\ndimensions 3\nrecord-bytes 14\nfiles each\n"
            "chunk-bytes 252\n");
}

TEST(PhaseIndex, IsReadBack) {
  for (const PhaseIndex& index :
       {packed, PhaseIndex{aligned_to(packed.form, 4096), 0}, PhaseIndex{{.problems = 3, .dimensions = 2}, 123}}) {
    EXPECT_EQ(parse_index(index_text(index), "x"), index);
    const std::string in_comments = "# mine\n# mine\n" + index_text(index, "# ") + "FORMAT\n# step\n\nproblems 5\n";
    EXPECT_EQ(parse_index(in_comments, "x", "# "), index);
  }
}

TEST(PhaseIndex, AnythingElseIsRefused) {
  const std::string text = index_text(packed);
  const auto refused = [](const std::string& wrong) {
    try {
      (void)parse_index(wrong, "the/path");
    } catch (const Error& error) {
      return error.code() == ErrorCode::input && error.parts().where.file == "the/path";
    }
    return false;
  };
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    return other.replace(other.find(from), from.size(), to);
  };
  EXPECT_FALSE(refused(text));
  EXPECT_TRUE(refused(""));
  EXPECT_TRUE(refused("\n" + text));
  EXPECT_TRUE(refused(text + "step 10\n"));
  EXPECT_TRUE(refused(text + "colour 10\n"));
  EXPECT_TRUE(refused(changed("solutions 1", "solutions 2")));
  EXPECT_TRUE(refused(changed("dimensions 1\n", "")));
  EXPECT_TRUE(refused(changed("dimensions 1", "dimensions one")));
  EXPECT_TRUE(refused(changed("dimensions 1", "dimensions 99999999999")));
  EXPECT_TRUE(refused(changed("problems 1024", "problems -4")));
  EXPECT_TRUE(refused(changed("problems 1024", "problems 0")));
  EXPECT_TRUE(refused(changed("record-bytes 13", "record-bytes 15")));
  EXPECT_TRUE(refused(changed("files shared", "files many")));
  EXPECT_TRUE(refused(changed("files shared", "files each") + " "));
  EXPECT_TRUE(refused(changed("chunk-bytes 27885", "chunk-bytes 27884")));
}

}  // namespace
}  // namespace sill::solution
