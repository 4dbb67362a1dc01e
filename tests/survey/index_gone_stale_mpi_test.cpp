// A file of many lengths that changes between its being opened and its being sorted.
#include <gtest/gtest.h>

#include "io/varying_files.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/sort/sort.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::world;

TEST(SortMpi, ATraceMustTellWhatItsIndexHas) {
  Communicator& comm = world();
  test::SharedFolder folder(comm);
  test::VaryingFile file;
  for (int i = 0; i < 40; ++i) file.shapes.push_back({5 + i % 3, 1});
  const test::Bytes bytes = test::bytes_of(file);
  test::Bytes header(3600);
  for (std::size_t i = 0; i < 3200; ++i) header[i] = std::byte{0x40};
  header[3221] = std::byte{7};  // samples
  header[3217] = std::byte{2};  // interval
  header[3225] = std::byte{5};  // format
  header[3500] = std::byte{1};  // revision
  test::Bytes whole = header;
  whole.insert(whole.end(), bytes.begin() + 3600, bytes.end());
  folder.put("in", whole);
  const Resources resources{.comm = comm};
  const SurveyReader reader(resources, {folder / "in"});
  ASSERT_FALSE(reader.is_uniform());
  constexpr std::int64_t stale = 20;
  whole[static_cast<std::size_t>(reader.table(0).bytes_of({stale, 1}).offset) + 115] = std::byte{4};
  folder.put("in", whole);
  SortOptions wanted;
  wanted.output = folder / "out";
  wanted.keys = segy::TraceKey::parse_list("fldr,-tracf");
  const auto error = test::thrown([&] { (void)sort(resources, reader, wanted); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::input) << error->what();
  EXPECT_EQ(error->parts().where.item, stale + 1);
  EXPECT_NE(error->parts().problem.find("states 4 samples, but the index of the file has"), std::string::npos)
      << error->what();
}

}  // namespace
}  // namespace sill
