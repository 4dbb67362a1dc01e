// The index kept beside a file: when it is used, and when it is refused and why.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "io/varying_files.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/store/meter_store.hpp"
#include "store/thrown.hpp"

namespace sill {
namespace {

using test::Bytes;
using test::thrown;
using test::VaryingFile;

// 300 traces in 100 stretches of 3, of 20, 21, ... samples.
VaryingFile in_threes() {
  VaryingFile made;
  for (std::int64_t i = 0; i < 300; ++i) made.shapes.push_back({20 + i / 3, 1});
  return made;
}

class IndexFile : public testing::Test {
 protected:
  IndexFile() {
    test::make_file(path, bytes);
    built = index_traces(resources, *open_posix(path, OpenMode::read), description());
  }

  [[nodiscard]] segy::FileDescription description() const {
    segy::FileDescription file =
        test::description_of(made, static_cast<std::int64_t>(std::filesystem::file_size(path)));
    file.path = path;
    return file;
  }
  std::int64_t keep(const std::vector<IndexWord>& words = {}) {
    return write_index_file(resources, *open_posix(path, OpenMode::read), description(), built, words,
                            stamp_of(resources, path));
  }
  [[nodiscard]] StoredIndex kept() { return kept(description()); }
  [[nodiscard]] StoredIndex kept(const segy::FileDescription& file) {
    return read_index_file(resources, *metered(open_posix(path, OpenMode::read), meter), file);
  }
  // Why it is not used; nothing if it is.
  std::string why_not(const StoredIndex& found) {
    EXPECT_NE(found.index.has_value(), found.diagnostic.has_value());
    if (!found.diagnostic) return {};
    EXPECT_EQ(found.diagnostic->grade, Grade::minor);
    EXPECT_EQ(found.diagnostic->where, index_path_of(path));
    return found.diagnostic->problem;
  }
  // Sets the time of the last change, too: that of the system may go in steps of milliseconds.
  void change_seen() const {
    write_at(*open_posix(path, OpenMode::write), 5000, test::pattern(1));
    std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::microseconds(1));
  }
  // Changes bytes of the file and nothing that a stamp holds.
  void change_unseen(std::int64_t byte, const Bytes& with) const {
    struct stat before {};
    ASSERT_EQ(::stat(path.c_str(), &before), 0);
    write_at(*open_posix(path, OpenMode::write), byte, with);
    const timespec times[2] = {before.st_atim, before.st_mtim};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  [[nodiscard]] std::int64_t byte_of(std::int64_t trace) const { return built.table.bytes_of({trace, 1}).offset; }

  std::unique_ptr<Communicator> comm = make_alone();
  const Resources resources{.comm = *comm};
  const test::TemporaryFolder folder;
  const std::string path = folder / "line.sgy";
  const VaryingFile made = in_threes();
  const Bytes bytes = bytes_of(made);
  TraceIndex built;
  Meter meter;
};

TEST_F(IndexFile, IsReadAsItWasWritten) {
  EXPECT_EQ(why_not({.index = built, .words = {}, .diagnostic = {}}), "");
  const StoredIndex none = kept();
  EXPECT_FALSE(none.index);
  EXPECT_FALSE(none.diagnostic);
  const std::int64_t written = keep();
  EXPECT_EQ(written, 120 + 100 * 24 + 8);
  EXPECT_EQ(static_cast<std::int64_t>(std::filesystem::file_size(index_path_of(path))), written);
  EXPECT_EQ(test::names_in(folder.path()), (std::vector<std::string>{"line.sgy", "line.sgy.sill-index"}));
  const StoredIndex found = kept();
  ASSERT_TRUE(found.index);
  EXPECT_EQ(found.index->table.traces(), 300);
  EXPECT_TRUE(std::ranges::equal(found.index->table.stretches(), built.table.stretches()));
  EXPECT_LT(meter.read_bytes, 3600 * 2 + 2 * 18 * 240 + 1000);  // of the file: its start and some headers
  EXPECT_EQ(keep(), written);                                   // over the old one
}

TEST_F(IndexFile, TheBytesAreAsDocumented) {
  keep();
  const Bytes index = test::bytes_of_file(index_path_of(path));
  EXPECT_EQ(std::memcmp(index.data(), "SILL-IDX", 8), 0);
  const auto word = [&](std::size_t at) { return load<std::int64_t>(index.data() + at, ByteOrder::little); };
  EXPECT_EQ(word(8), 2);
  EXPECT_EQ(word(16), std::ssize(bytes));
  EXPECT_EQ(word(24), stamp_of(resources, path).changed_ns);
  const std::vector<std::int64_t> fixed{3600, std::ssize(bytes), 0, 4, 7, 0};
  for (std::size_t i = 0; i < fixed.size(); ++i) EXPECT_EQ(word(32 + 8 * i), fixed[i]) << i;
  EXPECT_EQ(word(88), 300);
  EXPECT_EQ(word(96), std::ssize(bytes));
  EXPECT_EQ(word(104), 100);
  EXPECT_EQ(word(112), 0);
  EXPECT_EQ(word(120 + 24), 3);
  EXPECT_EQ(word(120 + 24 + 8), byte_of(3));
  EXPECT_EQ(load<std::uint32_t>(index.data() + 120 + 24 + 16, ByteOrder::little), 21U);
  EXPECT_EQ(load<std::uint32_t>(index.data() + 120 + 24 + 20, ByteOrder::little), 1U);
}

TEST_F(IndexFile, OfAFileWithoutTracesAndOfACutOne) {
  const VaryingFile none;
  for (const std::int64_t size : {std::int64_t{3600}, byte_of(200) + 241, byte_of(200) + 239}) {
    test::make_file(path, std::span(bytes).first(static_cast<std::size_t>(size)));
    built = index_traces(resources, *open_posix(path, OpenMode::read), description());
    keep();
    const StoredIndex found = kept();
    ASSERT_TRUE(found.index) << size;
    EXPECT_EQ(found.index->table.traces(), size == 3600 ? 0 : 200);
    EXPECT_EQ(found.index->remainder_bytes, size == 3600 ? 0 : size - byte_of(200));
    EXPECT_EQ(found.index->remainder_shape.has_value(), size == byte_of(200) + 241);
  }
}

TEST_F(IndexFile, IsNotUsedWhenTheFileHasChanged) {
  keep();
  change_seen();
  EXPECT_NE(why_not(kept()).find("has changed"), std::string::npos);
  keep();
  EXPECT_EQ(why_not(kept()), "");
  std::filesystem::resize_file(path, bytes.size() - 4);
  EXPECT_NE(why_not(kept()).find("size"), std::string::npos);
}

TEST_F(IndexFile, IsNotUsedForAnotherWayOfReading) {
  keep();
  const auto with = [&](const std::function<void(segy::FileDescription&)>& change) {
    segy::FileDescription file = description();
    change(file);
    return why_not(kept(file));
  };
  using File = segy::FileDescription;
  for (const auto& change : std::vector<std::function<void(File&)>>{
           [](File& file) { file.byte_order = ByteOrder::little; }, [](File& file) { file.samples = 8; },
           [](File& file) { file.additional_trace_headers = 1; }, [](File& file) { file.trailers = 1; },
           [](File& file) { file.first_trace_byte = 6800; },
           [](File& file) { file.sample_format = segy::SampleFormat::int16; }})
    EXPECT_NE(with(change).find("other assumptions"), std::string::npos);
}

// No byte of the index can differ unnoticed, the reserved ones included.
TEST_F(IndexFile, IsNotUsedWhenDamaged) {
  keep();
  const Bytes sound = test::bytes_of_file(index_path_of(path));
  for (std::size_t at = 0; at < sound.size(); at += at < 140 || at + 20 > sound.size() ? 1U : 9U) {
    Bytes damaged = sound;
    damaged[at] ^= std::byte{0x10};
    test::make_file(index_path_of(path), damaged);
    EXPECT_NE(why_not(kept()), "") << at;
  }
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{7}, std::size_t{119}, sound.size() - 24, sound.size() - 1}) {
    test::make_file(index_path_of(path), std::span(sound).first(size));
    EXPECT_NE(why_not(kept()), "") << size;
  }
  Bytes longer = sound;
  longer.resize(sound.size() + 24);
  test::make_file(index_path_of(path), longer);
  EXPECT_NE(why_not(kept()), "");
  test::make_file(index_path_of(path), sound);
  EXPECT_EQ(why_not(kept()), "");
}

constexpr segy::WordType i2{segy::WordKind::signed_integer, 2};
const std::vector<IndexWord> words_9_and_115{{9, {}}, {115, i2}};

TEST_F(IndexFile, StoresWordsOfAllTraces) {
  const std::int64_t written = keep(words_9_and_115);
  EXPECT_EQ(written, 120 + 100 * 24 + 2 * 16 + 8 + 300 * 6 + 8);
  EXPECT_EQ(static_cast<std::int64_t>(std::filesystem::file_size(index_path_of(path))), written);
  const StoredIndex found = kept();
  EXPECT_EQ(why_not(found), "");
  ASSERT_TRUE(found.words);
  EXPECT_TRUE(std::ranges::equal(found.words->words(), words_9_and_115));
  EXPECT_EQ(found.words->part(), (ByteRange{8, 108}));
  ASSERT_EQ(found.words->blocks(), 1);
  Bytes parts(300 * 108);
  const auto index = open_posix(index_path_of(path), OpenMode::read);
  found.words->require_same_index(*index);
  found.words->read(*index, 0, parts);
  for (std::int64_t trace = 0; trace < 300; ++trace) {
    const std::byte* const header = bytes.data() + byte_of(trace);
    const std::byte* const part = parts.data() + trace * 108;
    ASSERT_EQ(std::memcmp(part, header + 8, 4), 0) << trace;
    ASSERT_EQ(std::memcmp(part + 106, header + 114, 2), 0) << trace;
  }
  keep({{9, {}}, {117, i2}});
  EXPECT_EQ(thrown([&] { found.words->require_same_index(*open_posix(index_path_of(path), OpenMode::read)); })->code(),
            ErrorCode::input);
  keep();
  EXPECT_FALSE(kept().words);
}

TEST_F(IndexFile, IsNotUsedWhereItsWordsAreOthers) {
  keep(words_9_and_115);
  change_unseen(byte_of(299) + 8, test::pattern(4));
  EXPECT_NE(why_not(kept()).find("header of trace 300 contains other words"), std::string::npos);
  test::make_file(path, bytes);
  keep(words_9_and_115);
  const Bytes sound = test::bytes_of_file(index_path_of(path));
  for (std::size_t at = 0; at < sound.size(); at += 7) {
    Bytes damaged = sound;
    damaged[at] ^= std::byte{0x10};
    test::make_file(index_path_of(path), damaged);
    EXPECT_NE(why_not(kept()), "") << at;
  }
  for (const std::size_t size : {sound.size() - 1, sound.size() - 1000, sound.size() - 1816, sound.size() - 1817}) {
    test::make_file(index_path_of(path), std::span(sound).first(size));
    EXPECT_NE(why_not(kept()), "") << size;
  }
}

TEST_F(IndexFile, StoresIntegersOfTheFirstHeaderOnly) {
  using segy::WordKind;
  EXPECT_EQ(index_word_of({.name = "iline", .byte = 189, .type = {}}), (IndexWord{189, {}}));
  for (const segy::WordRef& other : {segy::WordRef{.name = "a", .byte = 1, .type = {WordKind::ieee, 4}},
                                     {.name = "b", .byte = 1, .type = {WordKind::text, 4}},
                                     {.name = "c", .byte = 233, .type = {WordKind::signed_integer, 8}},
                                     {.name = "d", .byte = 241, .type = {}}})
    EXPECT_EQ(thrown([&] { (void)index_word_of(other); })->code(), ErrorCode::usage) << other.name;
}

// What changes neither size nor time is found in the first 3600 bytes, and else only where one looks.
TEST_F(IndexFile, WhatIsAndIsNotNoticedOfChangesThatLeaveNoTrace) {
  keep();
  Bytes length(2);
  store<std::uint16_t>(length.data(), 50, ByteOrder::big);
  change_unseen(byte_of(0) + 240, Bytes(4));  // samples: they do not matter
  EXPECT_EQ(why_not(kept()), "");
  change_unseen(byte_of(4) + 114, length);  // of a trace that is not looked at: not noticed
  EXPECT_EQ(why_not(kept()), "");
  change_unseen(byte_of(299) + 114, length);  // of the last trace
  EXPECT_NE(why_not(kept()).find("trace 300"), std::string::npos);
  test::make_file(path, bytes);
  keep();
  change_unseen(byte_of(0) + 114, length);  // of the first trace
  EXPECT_NE(why_not(kept()).find("trace 1 "), std::string::npos);
  test::make_file(path, bytes);
  keep();
  change_unseen(byte_of(3 * 52) + 114, length);  // of one of 16 between: stretch 52 of 99 is 9 / 17 of the way
  EXPECT_NE(why_not(kept()).find("trace 157"), std::string::npos);
  test::make_file(path, bytes);
  keep();
  change_unseen(100, Bytes(1));  // the text header
  EXPECT_NE(why_not(kept()).find("file header"), std::string::npos);
}

TEST_F(IndexFile, AFileThatChangesWhileItIsIndexedHasNoIndex) {
  const FileStamp before = stamp_of(resources, path);
  change_seen();
  const auto error =
      thrown([&] { write_index_file(resources, *open_posix(path, OpenMode::read), description(), built, {}, before); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::input);
  EXPECT_EQ(test::names_in(folder.path()), std::vector<std::string>{"line.sgy"});
}

TEST_F(IndexFile, WhatIsNoIndexIsNeitherReplacedNorRemovedNorUsed) {
  const Bytes other = test::pattern(5000);
  test::make_file(index_path_of(path), other);
  for (const auto& work :
       std::vector<std::function<void()>>{[&] { keep(); }, [&] { remove_index_file(resources, path); }}) {
    const auto error = thrown(work);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_EQ(error->parts().where.file, index_path_of(path));
  }
  EXPECT_NE(why_not(kept()).find("not an index"), std::string::npos);
  EXPECT_EQ(test::bytes_of_file(index_path_of(path)), other);
}

TEST_F(IndexFile, IsRemoved) {
  EXPECT_FALSE(remove_index_file(resources, path));
  keep();
  EXPECT_TRUE(remove_index_file(resources, path));
  EXPECT_EQ(test::names_in(folder.path()), std::vector<std::string>{"line.sgy"});
}

TEST_F(IndexFile, IndexedTakesTheKeptOneOrBuildsOne) {
  const auto take = [&] { return indexed(resources, *open_posix(path, OpenMode::read), description()); };
  EXPECT_FALSE(take().is_stored);
  EXPECT_FALSE(take().diagnostic);
  keep();
  EXPECT_TRUE(take().is_stored);
  test::make_file(index_path_of(path), test::pattern(300));
  const IndexedFile built_again = take();
  EXPECT_FALSE(built_again.is_stored);
  EXPECT_TRUE(built_again.diagnostic);
  EXPECT_EQ(built_again.index.table.traces(), 300);
}

}  // namespace
}  // namespace sill
