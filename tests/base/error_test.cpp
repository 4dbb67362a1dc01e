// The text of errors, and what becomes of other exceptions.
#include "sill/base/error.hpp"
#include "support/memory.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <new>
#include <stdexcept>
#include <string>

namespace sill {
namespace {

TEST(ErrorTest, TellsWhatIsKnownAndNothingElse) {
  const Error bare({.code = ErrorCode::usage, .problem = "no"});
  EXPECT_STREQ(bare.what(), "no");
  EXPECT_EQ(bare.code(), ErrorCode::usage);
  EXPECT_FALSE(bare.agreed());

  const Error full({.code = ErrorCode::input,
                    .problem = "the file is damaged",
                    .where = {.file = "a.sgy", .byte = 0, .item = 3, .item_word = "trace"},
                    .clause = "SEG-Y rev 1, bytes 1-2",
                    .action = "fetch it again"});
  EXPECT_STREQ(full.what(),
               "the file is damaged\n  file:   a.sgy\n  byte:   0\n  trace:  3\n  clause: SEG-Y rev 1, bytes 1-2\n"
               "  to do:  fetch it again");
}

TEST(ErrorTest, NamesTheRankOnceSeveralAgreed) {
  Error error({.problem = "no"});
  error.set_agreed(2, 4);
  EXPECT_TRUE(error.agreed());
  EXPECT_EQ(error.parts().rank, 2);
  EXPECT_STREQ(error.what(), "no\n  rank:   2 of 4");
  Error alone({.problem = "no"});
  alone.set_agreed(0, 1);
  EXPECT_TRUE(alone.agreed());
  EXPECT_STREQ(alone.what(), "no");
}

TEST(ErrorTest, CodesAreTheExitCodes) {
  EXPECT_EQ(static_cast<int>(ErrorCode::usage), 2);
  EXPECT_EQ(static_cast<int>(ErrorCode::input), 3);
  EXPECT_EQ(static_cast<int>(ErrorCode::io), 4);
}

TEST(SystemError, NamesCallReasonAndRemedy) {
  const Error full = system_error(ENOSPC, "writing", {.file = "out", .byte = 17});
  EXPECT_EQ(full.code(), ErrorCode::io);
  EXPECT_EQ(full.parts().problem, "writing failed: No space left on device");
  EXPECT_EQ(full.parts().where.file, "out");
  EXPECT_EQ(full.parts().where.byte, 17);
  for (const int reason : {ENOSPC, EDQUOT, ENOENT, EACCES, EPERM, EROFS, EISDIR, EMFILE, ENFILE, EFBIG, EIO}) {
    EXPECT_FALSE(system_error(reason, "opening", {}).parts().action.empty()) << reason;
  }
  EXPECT_EQ(system_error(ENXIO, "reading", {}).parts().action, "");
  EXPECT_EQ(system_error(ENOSPC, "writing", {}, "pray").parts().action, "pray");
}

template <class Exception>
Error translated(const Exception& exception) {
  try {
    throw exception;
  } catch (...) {
    return current_error();
  }
}

TEST(CurrentError, KeepsAnErrorAsItIs) {
  Error error({.code = ErrorCode::input, .problem = "damaged", .where = {.file = "f"}});
  error.set_agreed(1, 3);
  const Error same = translated(error);
  EXPECT_STREQ(same.what(), error.what());
  EXPECT_EQ(same.code(), ErrorCode::input);
  EXPECT_TRUE(same.agreed());
}

TEST(CurrentError, TranslatesOtherExceptions) {
  EXPECT_EQ(translated(std::bad_alloc()).parts().problem, "out of memory");
  EXPECT_EQ(translated(std::bad_alloc()).parts().action.find("sort"), std::string::npos) << "none may be running";
  EXPECT_EQ(translated(std::bad_alloc()).code(), ErrorCode::io);
  const Error other = translated(std::runtime_error("strange"));
  EXPECT_EQ(other.code(), ErrorCode::io);
  EXPECT_NE(other.parts().problem.find("strange"), std::string::npos);
}

TEST(CurrentError, TellsThatMemoryIsOutWhereThereIsNoneForWords) {
  const std::runtime_error strange("longer than what a string holds without memory");
  for (int i = 0; i < 2; ++i) {
    const Error error = [&] {
      const test::LimitedMemory none(0);
      return i == 0 ? translated(std::bad_alloc()) : translated(strange);
    }();
    EXPECT_EQ(error.parts().problem, "out of memory");
    EXPECT_EQ(error.code(), ErrorCode::io);
  }
}

}  // namespace
}  // namespace sill
