// An edit in place that is killed before each of its calls on files: the bytes are all old or all new afterwards.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "io/survey_files.hpp"
#include "sill/io/edit/edit_journal.hpp"
#include "sill/store/forwarding_store.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "sill/survey/edit/edit.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"
#include "support/fault_store.hpp"

namespace sill {
namespace {

constexpr int was_killed = 9;

/// Ends the process, as kill -9 does, instead of its n-th call that changes something.
class MortalStore : public ForwardingStore {
 public:
  MortalStore(std::unique_ptr<Store> inner, int& calls_left)
      : ForwardingStore(std::move(inner)), calls_left_(calls_left) {}

  void submit(std::span<const Request> requests) override {
    for (const Request& request : requests) {
      if (request.operation == Operation::write && calls_left_ == 1 && length_of(request) > 1) {
        // Half of it is written.
        iovec half = request.memory.front();
        half.iov_len /= 2;
        const Request part{Operation::write, request.offset_bytes, {&half, 1}};
        inner().submit({&part, 1});
      }
      if (request.operation == Operation::write) live();
      inner().submit({&request, 1});
    }
  }
  void allocate(std::int64_t size_bytes) override {
    live();
    inner().allocate(size_bytes);
  }
  void sync() override {
    live();
    inner().sync();
    live();
  }
  void close() override {
    inner().close();
    live();
  }

 private:
  void live() const {
    if (--calls_left_ == 0) ::_exit(was_killed);
  }

  int& calls_left_;
};

// Traces of more than 16 KiB, so that each is written by a request of its own.
test::Bytes long_traces() {
  segy::SurveyOptions survey = test::small_survey(20);
  survey.samples = 5000;
  return test::survey_bytes(survey);
}

// Words and the text header.
void edit_both(const Resources& resources, const std::string& path) {
  const EditLocks locks(resources, {path});
  const SurveyReader reader(resources, {path});
  EditOptions options;
  options.locks = &locks;
  options.headers.assignments = segy::parse_assignments(std::vector<std::string>{"cdp=trace*1000+7,sx=sx+1"});
  options.text = std::vector<std::string>{"C 1 NEW"};
  (void)edit(resources, reader, options);
}

int exit_code_of_edit(const std::string& path, int calls) {
  const pid_t child = ::fork();
  if (child == 0) {
    int left = calls;
    const auto comm = make_alone();
    Resources resources{.comm = *comm};
    resources.policy.threads = 1;
    resources.open = [&](const std::string& file, OpenMode mode) -> std::unique_ptr<Store> {
      return std::make_unique<MortalStore>(open_posix(file, mode), left);
    };
    try {
      edit_both(resources, path);
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(EditKilled, AtEveryCallLeavesOldOrNewBytes) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/in.sgy";
  const test::Bytes old = long_traces();
  const auto comm = make_alone();
  const Resources resources{.comm = *comm};
  // What it comes to if nobody kills it.
  test::make_file(path, old);
  ASSERT_EQ(exit_code_of_edit(path, -1), 0);
  const test::Bytes fresh = test::bytes_of_file(path);
  ASSERT_NE(fresh, old);
  bool had_journal = false;
  bool had_none = false;
  int code = was_killed;
  for (int calls = 1; code != 0; ++calls) {
    ASSERT_LT(calls, 500);
    test::make_file(path, old);
    code = exit_code_of_edit(path, calls);
    ASSERT_TRUE(code == 0 || code == was_killed) << "call " << calls << ": " << code;
    if (std::filesystem::exists(journal_path_of(path))) {
      had_journal = true;
      const auto refused = test::thrown([&] { (void)SurveyReader(resources, {path}); });
      ASSERT_TRUE(refused) << calls;
      EXPECT_EQ(refused->code(), ErrorCode::input);
      EXPECT_TRUE(undo_edit(resources, path, Undoing::before_an_edit).was_there);
      EXPECT_EQ(test::bytes_of_file(path), old) << calls;
      EXPECT_FALSE(std::filesystem::exists(journal_path_of(path)));
    } else {
      had_none = true;
      EXPECT_EQ(test::bytes_of_file(path), code == 0 ? fresh : old) << calls;
    }
  }
  EXPECT_TRUE(had_journal);
  EXPECT_TRUE(had_none);
}

// A call that fails is an error; what was written before it is undone at once.
TEST(EditFails, AtEveryCallLeavesTheOldBytesAndNoJournal) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/in.sgy";
  const test::Bytes old = long_traces();
  const auto comm = make_alone();
  test::make_file(path, old);
  int failures = 0;
  for (const auto call : {Fault::Call::write, Fault::Call::sync, Fault::Call::allocate, Fault::Call::open}) {
    for (const auto kind : {Fault::Kind::fails, Fault::Kind::is_short}) {
      if (kind == Fault::Kind::is_short && call != Fault::Call::write) continue;
      for (std::int64_t nth = 1;; ++nth) {
        ASSERT_LT(nth, 500);
        Fault fault{.call = call, .nth = nth, .kind = kind};
        Resources resources{.comm = *comm, .open = faulty(open_posix, fault)};
        resources.policy.threads = 1;
        const auto error = test::thrown([&] { edit_both(resources, path); });
        EXPECT_FALSE(std::filesystem::exists(journal_path_of(path))) << nth;
        EXPECT_EQ(test::names_in(folder.path()).size(), 1U);
        if (!error) break;
        ++failures;
        EXPECT_EQ(test::bytes_of_file(path), old) << nth;
      }
      test::make_file(path, old);
    }
  }
  EXPECT_GT(failures, 40);
}

// Undoing can be killed as well, and then be done again.
TEST(EditKilled, SoDoesUndoing) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/in.sgy";
  const test::Bytes old = long_traces();
  const auto comm = make_alone();
  const Resources resources{.comm = *comm};
  test::make_file(path, old);
  int calls = 1;
  while (!std::filesystem::exists(journal_path_of(path))) ASSERT_NE(exit_code_of_edit(path, calls++), 0);
  // Some words on: the journal has its name before any of them is written.
  ASSERT_EQ(exit_code_of_edit(path, 1), 1);
  for (int left = 1;; ++left) {
    const pid_t child = ::fork();
    if (child == 0) {
      int calls_left = left;
      Resources mortal{.comm = *comm};
      mortal.policy.threads = 1;
      mortal.open = [&](const std::string& file, OpenMode mode) -> std::unique_ptr<Store> {
        return std::make_unique<MortalStore>(open_posix(file, mode), calls_left);
      };
      (void)undo_edit(mortal, path, Undoing::as_asked);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WEXITSTATUS(status) == 0) break;
    ASSERT_LT(left, 500);
    EXPECT_TRUE(std::filesystem::exists(journal_path_of(path)));
  }
  EXPECT_EQ(test::bytes_of_file(path), old);
}

}  // namespace
}  // namespace sill
