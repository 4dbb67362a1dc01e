// A comparison of a file with its expected content finds each byte that differs, and nothing else.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/communicator.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"

namespace sill::kernels {
namespace {

using namespace test;

class ExpectedContentTest : public testing::Test {
 protected:
  TemporaryFolder folder;
  std::string path = folder / "file";

  void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
  void change(const std::string& file, std::int64_t byte) const {
    std::fstream changed(file, std::ios::binary | std::ios::in | std::ios::out);
    changed.seekg(byte);
    const int before = changed.get();
    changed.seekp(byte);
    changed.put(static_cast<char>(before ^ 1));
  }
};

// More than two blocks of a comparison.
TEST_F(ExpectedContentTest, NamesTheFirstByteThatDiffersInAnyBlock) {
  std::string bytes(2'500'000, 'a');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>('a' + i % 23);
  write(bytes);
  require_content(path, bytes);
  for (const std::int64_t byte : {0, 1, (1 << 20) - 1, 1 << 20, (1 << 21) + 5, 2'499'999}) {
    change(path, byte);
    const std::optional<Error> found = thrown([&] { require_content(path, bytes); });
    ASSERT_TRUE(found);
    EXPECT_EQ(found->code(), ErrorCode::input);
    EXPECT_EQ(found->parts().where.byte, byte);
    change(path, byte);
  }
  EXPECT_TRUE(thrown([&] { require_content(path, bytes + "a"); }));
  EXPECT_TRUE(thrown([&] { require_content(path, std::string_view(bytes).substr(1)); }));
}

TEST_F(ExpectedContentTest, PadsAndSkips) {
  write(std::string("ab\0\0\0??????\x01\x02", 13));
  const auto add_all = [](ExpectedContent& expected) {
    expected.add("ab");
    expected.pad_to(5);
    expected.skip_to(11);
    expected.add_value(std::uint16_t{0x0102}, ByteOrder::big);
  };
  require_content(path, 13, add_all);
  for (const std::int64_t byte : {1, 2, 4, 5, 10, 11, 12}) {
    change(path, byte);
    EXPECT_EQ(thrown([&] { require_content(path, 13, add_all); }).has_value(), byte < 5 || byte > 10) << byte;
    change(path, byte);
  }
  EXPECT_THROW(require_content(path, 13, [](ExpectedContent& expected) { expected.add("ab"); }), std::logic_error);
}

// The last byte of each file is that of a value.
TEST_F(ExpectedContentTest, EveryFormOfStationsIsVerified) {
  const std::unique_ptr<Communicator> alone = make_alone();
  const Resources resources{.comm = *alone, .policy = Policy::parse("direct,threads=1"), .memory_bytes = 64 << 20};
  for (const StationForm form : {StationForm::text, StationForm::sac, StationForm::segy, StationForm::su}) {
    const std::unique_ptr<Kernel> kernel =
        make_station_kernel({.folder = folder.path()}, {.stations = 3, .steps = 50, .every = 20, .form = form});
    (void)kernel->run(resources);
    kernel->verify(resources);
    change(kernel->paths().back(), kernel->file_bytes() / std::ssize(kernel->paths()) - 2);
    EXPECT_TRUE(thrown([&] { kernel->verify(resources); })) << static_cast<int>(form);
  }
}

}  // namespace
}  // namespace sill::kernels
