#include "sill/survey/geometry/grid_candidates.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sill/formats/segy/words/words.hpp"

namespace {

using namespace sill;

/// Headers of zeros, into which numbers are put by trace.
class Headers {
 public:
  explicit Headers(std::int64_t traces, ByteOrder order = ByteOrder::big)
      : bytes_(static_cast<std::size_t>(traces * segy::trace_header_bytes)), order_(order), traces_(traces) {}

  template <class Number>
  Headers& put(int byte, const std::function<std::int64_t(std::int64_t)>& value) {
    for (std::int64_t i = 0; i < traces_; ++i)
      store(bytes_.data() + i * segy::trace_header_bytes + byte - 1, static_cast<Number>(value(i)), order_);
    return *this;
  }

  [[nodiscard]] std::vector<std::string> maps(const CandidateRules& rules = {}) const {
    std::vector<std::string> maps;
    for (const GridCandidate& found : grid_candidates({bytes_, order_, traces_, traces_}, rules))
      maps.push_back(found.header_map());
    return maps;
  }

 private:
  std::vector<std::byte> bytes_;
  ByteOrder order_;
  std::int64_t traces_;
};

std::string map_of(int iline_byte, int xline_byte) {
  return R"({"words": {"iline": {"byte": )" + std::to_string(iline_byte) + R"(, "type": "i4"}, "xline": {"byte": )" +
         std::to_string(xline_byte) + R"(, "type": "i4"}}})";
}

std::int64_t iline_of(std::int64_t trace) { return 1000 + trace / 20; }
std::int64_t xline_of(std::int64_t trace) { return -7 + 3 * (trace % 20); }

TEST(GridCandidates, AreFoundInEveryByteOrder) {
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise}) {
    Headers headers(400, order);
    headers.put<std::int32_t>(221, iline_of).put<std::int32_t>(225, xline_of);
    EXPECT_EQ(headers.maps(), std::vector{map_of(221, 225)});
  }
}

TEST(GridCandidates, BeginAgainWithEachLine) {
  Headers headers(400);
  headers.put<std::int32_t>(221, iline_of).put<std::int32_t>(225, [](std::int64_t trace) { return trace; });
  EXPECT_TRUE(headers.maps().empty());
}

TEST(GridCandidates, DoNotComeBackToAPlace) {
  Headers headers(400);
  headers.put<std::int32_t>(221, [](std::int64_t trace) { return 1 + trace / 200; })
      .put<std::int32_t>(225, [](std::int64_t trace) { return trace % 20; });
  EXPECT_TRUE(headers.maps().empty());
}

TEST(GridCandidates, AreNoEnsembleCoordinates) {
  Headers headers(400);
  headers.put<std::int32_t>(181, iline_of).put<std::int32_t>(185, xline_of);
  EXPECT_EQ(headers.maps(), std::vector{map_of(181, 185)});
  EXPECT_TRUE(headers.maps({.uses_ensemble_coordinates = true}).empty());
}

TEST(GridCandidates, InWordsOfTheStandardOnlyIfAllowedOrNamed) {
  Headers headers(400);
  headers.put<std::int32_t>(9, iline_of).put<std::int32_t>(21, xline_of);
  EXPECT_EQ(headers.maps(), std::vector{map_of(9, 21)});
  EXPECT_TRUE(headers.maps({.standard_words = false}).empty());
  const std::vector<segy::ByteLabel> labels{{9, 12, "XLINE", segy::LabelMeaning::crossline_number, 1},
                                            {21, 24, "INLINE", segy::LabelMeaning::inline_number, 2}};
  EXPECT_EQ(headers.maps({.labels = labels, .standard_words = false}), std::vector{map_of(21, 9)});
}

TEST(GridCandidates, OfNoTraces) { EXPECT_TRUE(Headers(0).maps().empty()); }

}  // namespace
