// An edit in place whose files are replaced, changed or made unremovable meanwhile: nothing of others is written, and
// what was there can be had again.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "io/survey_files.hpp"
#include "sill/io/edit/edit_journal.hpp"
#include "sill/store/forwarding_store.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "sill/survey/edit/edit.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"
#include "store/unprivileged.hpp"

namespace sill {
namespace {

enum class Doing { write, close };

// Tells what is about to be done with a file.
using Watcher = std::function<void(Doing doing, const std::string& path)>;

class WatchedStore : public ForwardingStore {
 public:
  WatchedStore(std::unique_ptr<Store> inner, const Watcher& watcher)
      : ForwardingStore(std::move(inner)), watcher_(watcher) {}

  void submit(std::span<const Request> requests) override {
    if (!requests.empty() && requests.front().operation == Operation::write) watcher_(Doing::write, name());
    inner().submit(requests);
  }
  void close() override {
    inner().close();
    watcher_(Doing::close, name());
  }

 private:
  const Watcher& watcher_;
};

// Does `work` once.
Watcher once(Doing when, const std::string& ending, const std::function<void()>& work) {
  return [=, done = false](Doing doing, const std::string& path) mutable {
    if (done || doing != when || !path.ends_with(ending)) return;
    done = true;
    work();
  };
}

class EditHindered : public testing::Test {
 protected:
  // Edits cdp of the files; `watcher` hears of every write and every closing.
  [[nodiscard]] std::optional<Error> edit_watched(const std::vector<std::string>& paths, const Watcher& watcher) {
    Resources resources{.comm = *comm_};
    resources.policy.threads = 1;
    resources.open = [&](const std::string& file, OpenMode mode) -> std::unique_ptr<Store> {
      return std::make_unique<WatchedStore>(open_posix(file, mode), watcher);
    };
    return test::thrown([&] {
      const EditLocks locks(resources, paths);
      const SurveyReader reader(resources, paths);
      EditOptions options;
      options.locks = &locks;
      options.headers.assignments = segy::parse_assignments(std::vector<std::string>{"cdp=trace*1000+7"});
      (void)edit(resources, reader, options);
    });
  }

  // Edits `path`, which is moved away and replaced by another file once something is done.
  [[nodiscard]] std::optional<Error> edit_replaced(const std::string& path, const std::string& moved, Doing when,
                                                   const std::string& ending) {
    const Watcher watcher = once(when, ending, [&] {
      std::filesystem::rename(path, moved);
      test::make_file(path, other_);
    });
    return edit_watched({path}, watcher);
  }

  std::string make(const std::string& name, std::span<const std::byte> bytes) {
    const std::string path = folder_.path() + "/" + name;
    test::make_file(path, bytes);
    return path;
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<Communicator> comm_ = make_alone();
  Resources resources_{.comm = *comm_};
  test::Bytes old_ = test::survey_bytes(test::small_survey(9));
  test::Bytes other_ = test::survey_bytes(test::small_survey(9));  // a copy: only its inode is another
};

TEST_F(EditHindered, AFileReplacedBeforeAWordIsWrittenIsLeftAlone) {
  const std::string path = make("in.sgy", old_);
  const std::string moved = folder_.path() + "/moved.sgy";
  const auto error = edit_replaced(path, moved, Doing::close, ".sill-journal");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::input) << error->what();
  EXPECT_EQ(test::bytes_of_file(path), other_);
  EXPECT_EQ(test::bytes_of_file(moved), old_);
  EXPECT_FALSE(has_journal(path));
}

TEST_F(EditHindered, AFileReplacedWhileItIsWrittenCanBeHadAgain) {
  const std::string path = make("in.sgy", old_);
  const std::string moved = folder_.path() + "/moved.sgy";
  const auto error = edit_replaced(path, moved, Doing::write, "/in.sgy");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::input) << error->what();
  EXPECT_EQ(test::bytes_of_file(path), other_);
  EXPECT_NE(test::bytes_of_file(moved), old_);
  ASSERT_TRUE(has_journal(path));
  EXPECT_NE(std::string(error->what()).find("--recover"), std::string::npos) << error->what();
  // Not before the edited file has its name again.
  EXPECT_TRUE(test::thrown([&] { (void)undo_edit(resources_, path, Undoing::before_an_edit); }));
  EXPECT_EQ(test::bytes_of_file(path), other_);
  std::filesystem::rename(moved, path);
  EXPECT_TRUE(undo_edit(resources_, path, Undoing::before_an_edit).was_there);
  EXPECT_EQ(test::bytes_of_file(path), old_);
}

TEST_F(EditHindered, AFileChangedAfterItsJournalWasWrittenIsLeftAsThatLeftIt) {
  const std::string path = make("in.sgy", old_);
  other_[3600 + 240 + 3] ^= std::byte{1};
  const Watcher watcher = once(Doing::close, ".sill-journal", [&] {
    test::make_file(path, other_);
    std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(2));
  });
  const auto error = edit_watched({path}, watcher);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::input) << error->what();
  EXPECT_EQ(test::bytes_of_file(path), other_);
  EXPECT_FALSE(has_journal(path));
}

TEST_F(EditHindered, AFileWithTwoNamesIsNotEdited) {
  const std::string path = make("in.sgy", old_);
  std::filesystem::create_hard_link(path, folder_.path() + "/second.sgy");
  const auto error = edit_watched({path}, [](Doing, const std::string&) {});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage) << error->what();
  EXPECT_EQ(test::bytes_of_file(path), old_);
}

// Of a folder in which nothing can be removed any more, once the words are written.
TEST_F(EditHindered, OneJournalThatCannotBeRemovedUndoesTheEdit) {
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  const std::string failed = test::as_unprivileged_user([&] {
    // Only its owner may change the mode of a folder.
    std::filesystem::create_directory(folder_.path() + "/own");
    const std::string own = folder_.path() + "/own/in.sgy";
    test::make_file(own, old_);
    const auto error = edit_watched(
        {own}, once(Doing::write, "/in.sgy", [&] { (void)::chmod((folder_.path() + "/own").c_str(), 0555); }));
    const bool stated =
        error && error->code() == ErrorCode::io && std::string(error->what()).find("--recover") != std::string::npos;
    const bool is_old = test::bytes_of_file(own) == old_ && has_journal(own);
    (void)::chmod((folder_.path() + "/own").c_str(), 0755);
    const UndoneEdit undone = undo_edit(resources_, own, Undoing::as_asked);
    return stated && is_old && undone.was_there && undone.changes_undone == 0 && !has_journal(own);
  });
  EXPECT_EQ(failed, "");
}

TEST_F(EditHindered, OfTwoJournalsOneThatCannotBeRemovedLeavesBothFilesEdited) {
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  const std::string failed = test::as_unprivileged_user([&] {
    const std::string first = folder_.path() + "/a";
    const std::string second = folder_.path() + "/b";
    for (const std::string& one : {first, second}) {
      std::filesystem::create_directory(one);
      test::make_file(one + "/in.sgy", old_);
    }
    for (const std::string& stuck : {first, second}) {
      for (const std::string& one : {first, second}) test::make_file(one + "/in.sgy", old_);
      const auto error = edit_watched({first + "/in.sgy", second + "/in.sgy"},
                                      once(Doing::write, "/in.sgy", [&] { (void)::chmod(stuck.c_str(), 0555); }));
      (void)::chmod(stuck.c_str(), 0755);
      const std::string& loose = stuck == first ? second : first;
      if (!error || error->code() != ErrorCode::io) return false;
      if (std::string(error->what()).find("remove " + journal_path_of(stuck + "/in.sgy")) == std::string::npos)
        return false;
      if (!has_journal(stuck + "/in.sgy") || has_journal(loose + "/in.sgy")) return false;
      if (test::bytes_of_file(first + "/in.sgy") == old_ || test::bytes_of_file(second + "/in.sgy") == old_)
        return false;
      std::filesystem::remove(journal_path_of(stuck + "/in.sgy"));
    }
    return true;
  });
  EXPECT_EQ(failed, "");
}

}  // namespace
}  // namespace sill
