// How ranks share errors: run alone and under MPI.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "sill/comm/agree.hpp"
#include "store/thrown.hpp"

namespace sill::test {

/// An error with all its parts, different from rank to rank.
inline Error full_error(int rank) {
  const std::string mark = std::to_string(rank);
  return Error({.code = rank % 2 == 0 ? ErrorCode::input : ErrorCode::io,
                .problem = "problem " + mark + std::string(static_cast<std::size_t>(rank) * 1000, 'x'),
                .where = {.file = "file " + mark, .byte = 10 + rank, .item = 20 + rank, .item_word = "trace"},
                .clause = "clause " + mark,
                .action = "action " + mark,
                .system_error_number = 100 + rank});
}

inline void check_agreed(const std::optional<Error>& error, const ErrorParts& expected, int rank, int ranks) {
  ASSERT_TRUE(error);
  EXPECT_TRUE(error->agreed());
  const ErrorParts& parts = error->parts();
  EXPECT_EQ(parts.code, expected.code);
  EXPECT_EQ(parts.problem, expected.problem);
  EXPECT_EQ(parts.where.file, expected.where.file);
  EXPECT_EQ(parts.where.byte, expected.where.byte);
  EXPECT_EQ(parts.where.item, expected.where.item);
  EXPECT_EQ(parts.where.item_word, expected.where.item_word);
  EXPECT_EQ(parts.clause, expected.clause);
  EXPECT_EQ(parts.action, expected.action);
  EXPECT_EQ(parts.system_error_number, expected.system_error_number);
  EXPECT_EQ(parts.rank, rank);
  Error same(expected);
  same.set_agreed(rank, ranks);
  EXPECT_STREQ(error->what(), same.what());
}

inline void check_agree(Communicator& comm) {
  EXPECT_FALSE(thrown([&] { agree(comm, std::nullopt); }));
  for (unsigned failing = 1; failing < 1U << static_cast<unsigned>(comm.size()); ++failing) {  // every set of ranks
    const bool mine = (failing >> static_cast<unsigned>(comm.rank()) & 1U) != 0;
    int lowest = 0;
    while ((failing >> static_cast<unsigned>(lowest) & 1U) == 0) ++lowest;
    const auto error = thrown([&] { agree(comm, mine ? std::optional(full_error(comm.rank())) : std::nullopt); });
    check_agreed(error, full_error(lowest).parts(), lowest, comm.size());
  }
  // Parts that are not known stay unknown.
  const ErrorParts bare{.code = ErrorCode::usage, .problem = "bare"};
  check_agreed(thrown([&] { agree(comm, Error(bare)); }), bare, 0, comm.size());
}

inline void check_together(Communicator& comm) {
  EXPECT_EQ(run_and_agree(comm, [&] { return comm.rank() * 2; }), comm.rank() * 2);
  int runs = 0;
  run_and_agree(comm, [&] { ++runs; });
  EXPECT_EQ(runs, 1);
  const auto movable = run_and_agree(comm, [] { return std::make_unique<int>(7); });
  EXPECT_EQ(*movable, 7);
  const int last = comm.size() - 1;
  check_agreed(thrown([&] {
                 run_and_agree(comm, [&] {
                   if (comm.rank() == last) throw full_error(last);
                 });
               }),
               full_error(last).parts(), last, comm.size());
  const auto translated = thrown([&] {
    (void)run_and_agree(comm, [&]() -> int {
      if (comm.rank() == last) throw std::bad_alloc();
      return 1;
    });
  });
  ASSERT_TRUE(translated);
  EXPECT_EQ(translated->parts().problem, "out of memory");
  EXPECT_EQ(translated->parts().system_error_number, ENOMEM);
  EXPECT_EQ(translated->parts().rank, last);
}

inline void check_unless_failed(Communicator& comm) {
  const int last = comm.size() - 1;
  const auto fails_on_last = [&] {
    run_and_agree(comm, [&] {
      if (comm.rank() == last) throw full_error(last);
    });
  };
  EXPECT_FALSE(attempt_together(comm, [] {}));
  check_agreed(attempt_together(comm, fails_on_last), full_error(last).parts(), last, comm.size());

  std::optional<Error> failure;
  int runs = 0;
  std::string seen;
  run_unless_failed(comm, failure, [&] { ++runs; });
  EXPECT_FALSE(failure);
  for (int call = 0; call < 2; ++call) {  // the second throws the first error again, without its work
    const auto error = thrown([&] {
      run_unless_failed(
          comm, failure,
          [&] {
            ++runs;
            fails_on_last();
          },
          [&] { seen += failure ? failure->parts().problem : "nothing"; });
    });
    check_agreed(error, full_error(last).parts(), last, comm.size());
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(seen, full_error(last).parts().problem);
  }

  // What one rank of several throws alone ends the program: it is thrown on, and nothing is kept.
  std::optional<Error> of_rank;
  const auto alone = thrown([&] { run_unless_failed(comm, of_rank, [] { throw Error({.problem = "here alone"}); }); });
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->parts().problem, "here alone");
  EXPECT_EQ(of_rank.has_value(), comm.size() == 1);
}

inline void check_on_rank(Communicator& comm) {
  for (int root = 0; root < comm.size(); ++root) {
    int runs = 0;
    run_on_rank(comm, root, [&] { ++runs; });
    EXPECT_EQ(runs, comm.rank() == root ? 1 : 0);
    check_agreed(thrown([&] { run_on_rank(comm, root, [&] { throw full_error(root); }); }), full_error(root).parts(),
                 root, comm.size());
  }
}

}  // namespace sill::test
