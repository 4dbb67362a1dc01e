// Where traces lie, against a plain list of them.
#include "sill/formats/segy/description/trace_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <vector>

#include "sill/base/error.hpp"

namespace sill::segy {
namespace {

/// A trace as a test wants it: samples and headers, few of each, so that neighbours are alike now and then.
std::vector<TraceShape> any_shapes() {
  const auto numbers = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6));
  std::vector<TraceShape> shapes;
  for (const int number : numbers) shapes.push_back({number / 2, 1 + number % 2});
  return shapes;
}

std::int64_t bytes_of(const TraceShape& shape, int sample_bytes) {
  return 240 * shape.headers + shape.samples * sample_bytes;
}

TraceTable table_of(const std::vector<TraceShape>& shapes, std::int64_t first_byte, int sample_bytes) {
  std::vector<TraceStretch> stretches;
  std::int64_t byte = first_byte;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (i == 0 || shapes[i] != shapes[i - 1])
      stretches.push_back({static_cast<std::int64_t>(i), byte, static_cast<std::uint32_t>(shapes[i].samples),
                           static_cast<std::uint32_t>(shapes[i].headers)});
    byte += bytes_of(shapes[i], sample_bytes);
  }
  return {std::move(stretches), std::ssize(shapes), byte, sample_bytes};
}

RC_GTEST_PROP(TraceTable, IsAListOfTraces, ()) {
  const std::vector<TraceShape> shapes = any_shapes();
  const int sample_bytes = *rc::gen::inRange(1, 9);
  const TraceTable table = table_of(shapes, 3600, sample_bytes);
  RC_ASSERT(table.traces() == std::ssize(shapes));
  std::vector<std::int64_t> places{3600};
  for (const TraceShape& shape : shapes) places.push_back(places.back() + bytes_of(shape, sample_bytes));
  RC_ASSERT(table.end_byte() == places.back());
  for (std::int64_t first = 0; first <= table.traces(); ++first)
    for (std::int64_t end = first; end <= table.traces(); ++end) {
      const ItemRange range{first, end - first};
      const auto begin = places[static_cast<std::size_t>(first)];
      RC_ASSERT(table.bytes_of(range) == (ByteRange{begin, places[static_cast<std::size_t>(end)] - begin}));
      std::int64_t seen = first;
      int fewest = 1000;
      table.for_each_stretch(range, [&](ItemRange alike, ByteRange bytes, TraceShape shape) {
        RC_ASSERT(alike.first == seen);
        RC_ASSERT(bytes == table.bytes_of(alike));
        for (; seen < alike.end(); ++seen) RC_ASSERT(shapes[static_cast<std::size_t>(seen)] == shape);
        fewest = std::min(fewest, shape.headers);
      });
      RC_ASSERT(seen == end);
      if (!range.empty()) RC_ASSERT(table.min_headers(range) == fewest);
    }
  for (std::size_t i = 0; i < shapes.size(); ++i) RC_ASSERT(table.shape_of(static_cast<std::int64_t>(i)) == shapes[i]);
}

RC_GTEST_PROP(TraceTable, JoinedTablesAreTheirTracesOneAfterAnother, ()) {
  const std::vector<TraceShape> a = any_shapes();
  const std::vector<TraceShape> b = any_shapes();
  std::vector<TraceShape> both = a;
  both.insert(both.end(), b.begin(), b.end());
  const std::vector<TraceTable> tables{table_of(a, 3600, 4), table_of(b, 10000, 4)};
  const TraceTable joined = TraceTable::joined(tables, 128, 2);
  const TraceTable expected = table_of(both, 128, 2);
  RC_ASSERT(joined.traces() == expected.traces());
  RC_ASSERT(joined.end_byte() == expected.end_byte());
  RC_ASSERT(std::ranges::equal(joined.stretches(), expected.stretches()));
}

TEST(TraceTable, StretchesThatDoNotJoinAreRefused) {
  const auto refused = [](std::vector<TraceStretch> stretches, std::int64_t traces, std::int64_t end) {
    EXPECT_THROW(TraceTable(std::move(stretches), traces, end, 4), Error) << traces << ' ' << end;
  };
  EXPECT_NO_THROW(TraceTable({{0, 3600, 10, 1}}, 2, 3600 + 2 * 280, 4));
  refused({{0, 3600, 10, 1}}, 2, 3600 + 2 * 280 + 1);
  refused({{0, 3600, 10, 1}}, 3, 3600 + 2 * 280);
  refused({{1, 3600, 10, 1}}, 2, 3600 + 280);
  refused({{0, 3600, 10, 0}}, 1, 3600 + 40);
  refused({{0, 3600, 10, 1}, {1, 3881, 11, 1}}, 2, 3881 + 284);
  refused({}, 1, 3600);
}

}  // namespace
}  // namespace sill::segy
