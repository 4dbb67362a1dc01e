// The text of errors, and what becomes of other exceptions.
#include "sill/base/error.hpp"
#include "support/memory.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <future>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace sill {
namespace {

TEST(ErrorTest, TellsWhatIsKnownAndNothingElse) {
  const Error bare({.code = ErrorCode::usage, .problem = "no"});
  EXPECT_STREQ(bare.what(), "no");
  EXPECT_EQ(bare.code(), ErrorCode::usage);
  EXPECT_FALSE(bare.agreed());
  EXPECT_EQ(bare.parts().system_error_number, 0);

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
  EXPECT_EQ(full.parts().system_error_number, ENOSPC);
  for (const int reason : {ENOSPC, EDQUOT, ENOENT, EACCES, EPERM, EROFS, EISDIR, EMFILE, ENFILE, EFBIG, EIO}) {
    EXPECT_FALSE(system_error(reason, "opening", {}).parts().action.empty()) << reason;
  }
  EXPECT_EQ(system_error(ENXIO, "reading", {}).parts().action, "");
  EXPECT_EQ(system_error(ENOSPC, "writing", {}, "pray").parts().action, "pray");
}

TEST(SystemError, KeepsItsNumberAtAnotherPlaceAndAfterAgreement) {
  Error error = system_error(EDQUOT, "writing", {.file = "a"});
  error.set_agreed(1, 2);
  EXPECT_EQ(error.parts().system_error_number, EDQUOT);
  try {
    throw_at(error, {.file = "b"});
  } catch (const Error& moved) {
    EXPECT_EQ(moved.parts().where.file, "b");
    EXPECT_EQ(moved.parts().system_error_number, EDQUOT);
  }
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

TEST(CurrentError, CarriesTheNumberOfTheSystem) {
  const auto number_of = [](const auto& exception) { return translated(exception).parts().system_error_number; };
  EXPECT_EQ(number_of(std::bad_alloc()), ENOMEM);
  EXPECT_EQ(number_of(system_error(EIO, "reading", {})), EIO);
  for (const int reason : {ENOSPC, EDQUOT, EACCES}) {
    EXPECT_EQ(number_of(std::system_error(reason, std::generic_category())), reason);
    EXPECT_EQ(number_of(std::system_error(reason, std::system_category())), reason);
    EXPECT_EQ(number_of(std::filesystem::filesystem_error("copy", {reason, std::system_category()})), reason);
  }
  EXPECT_EQ(number_of(std::system_error(std::make_error_code(std::future_errc::no_state))), 0) << "not of the system";
  EXPECT_EQ(number_of(std::runtime_error("strange")), 0);
}

TEST(CurrentError, TellsThatMemoryIsOutWhereThereIsNoneForWords) {
  const std::runtime_error strange("longer than what a string holds without memory");
  for (int i = 0; i < 2; ++i) {
    const Error error = [&] {
      const test::LimitedMemory none(0);
      return i == 0 ? translated(std::bad_alloc()) : translated(strange);
    }();
    EXPECT_EQ(error.parts().problem, "out of memory");
    EXPECT_EQ(error.parts().system_error_number, ENOMEM);
    EXPECT_EQ(error.code(), ErrorCode::io);
  }
}

}  // namespace
}  // namespace sill
