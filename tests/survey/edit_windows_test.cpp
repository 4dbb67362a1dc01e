// What an edit in place writes by one request: bytes of which no other segment of its journal has any.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "io/survey_files.hpp"
#include "sill/base/byte_order.hpp"
#include "sill/store/forwarding_store.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "sill/survey/edit/edit.hpp"
#include "store/temporary_folder.hpp"

namespace sill {
namespace {

using SeeWrite = std::function<void(ByteRange)>;

class StoreOfSeenWrites : public ForwardingStore {
 public:
  StoreOfSeenWrites(std::unique_ptr<Store> inner, const SeeWrite& see) : ForwardingStore(std::move(inner)), see_(see) {}

  void submit(std::span<const Request> requests) override {
    for (const Request& request : requests)
      if (request.operation == Operation::write) see_({request.offset_bytes, length_of(request)});
    inner().submit(requests);
  }

 private:
  const SeeWrite& see_;
};

// A file of revision 2 with a data trailer, its traces less than a window long.
test::Bytes with_trailer() {
  test::Bytes bytes = test::survey_bytes(test::small_survey(9));
  bytes[3500] = std::byte{2};
  bytes[3501] = std::byte{0};
  store<std::int16_t>(bytes.data() + 3502, 1, ByteOrder::big);
  store<std::int32_t>(bytes.data() + 3528, 1, ByteOrder::big);
  bytes.resize(bytes.size() + segy::text_header_bytes, std::byte{0x40});
  return bytes;
}

TEST(EditWindows, TextsBeforeAndBehindTheTracesAreNotWrittenWithThem) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/in.sgy";
  const test::Bytes old = with_trailer();
  test::make_file(path, old);
  const std::unique_ptr<Communicator> comm = make_alone();
  std::mutex mutex;
  std::vector<ByteRange> written;
  const SeeWrite see = [&](ByteRange bytes) {
    const std::lock_guard lock(mutex);
    written.push_back(bytes);
  };
  Resources resources{.comm = *comm};
  resources.policy.threads = 4;
  resources.open = [&](const std::string& file, OpenMode mode) -> std::unique_ptr<Store> {
    if (!file.ends_with("/in.sgy")) return open_posix(file, mode);
    return std::make_unique<StoreOfSeenWrites>(open_posix(file, mode), see);
  };
  const std::vector<std::string> paths{path};
  {
    const EditLocks locks(resources, paths);
    const SurveyReader reader(resources, paths);
    ASSERT_EQ(reader.files().front().trailers, 1);
    EditOptions options;
    options.locks = &locks;
    options.headers.assignments = segy::parse_assignments(std::vector<std::string>{"cdp=trace*1000+7"});
    options.text = std::vector<std::string>(80, "NEW");
    (void)edit(resources, reader, options);
  }
  const std::int64_t traces_end = std::ssize(old) - std::int64_t{segy::text_header_bytes};
  std::array<int, 3> requests{};
  for (const ByteRange bytes : written) {
    const bool is_before = bytes.end() <= segy::file_header_bytes;
    const bool is_behind = bytes.offset >= traces_end;
    EXPECT_TRUE(is_before || is_behind || (bytes.offset >= segy::file_header_bytes && bytes.end() <= traces_end))
        << bytes.offset << " to " << bytes.end();
    ++requests[is_before ? 0 : is_behind ? 2 : 1];
  }
  EXPECT_EQ(requests, (std::array{1, 1, 1}));
  const test::Bytes fresh = test::bytes_of_file(path);
  ASSERT_EQ(fresh.size(), old.size());
  for (std::int64_t trace = 0; trace < 9; ++trace)
    EXPECT_EQ(load<std::int32_t>(fresh.data() + segy::file_header_bytes + trace * 284 + 20, ByteOrder::big),
              (trace + 1) * 1000 + 7);
  EXPECT_FALSE(std::equal(fresh.end() - segy::text_header_bytes, fresh.end(), old.end() - segy::text_header_bytes));
}

}  // namespace
}  // namespace sill
