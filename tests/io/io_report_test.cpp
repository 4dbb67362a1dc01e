// The report's figures in brief, and its two forms.
#include "sill/io/session/io_report.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace sill {
namespace {

TEST(RankSpreadTest, NamesTheLowestOfEqualRanks) {
  const RankSpread odd = spread_of(std::vector<double>{5, 1, 9, 1, 9});
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.min_rank, 1);
  EXPECT_EQ(odd.median, 5);
  EXPECT_EQ(odd.max, 9);
  EXPECT_EQ(odd.max_rank, 2);
  EXPECT_EQ(spread_of(std::vector<double>{4, 8, 1, 3}).median, 3.5);
  const RankSpread alone = spread_of(std::vector<double>{7});
  EXPECT_EQ(alone.min, 7);
  EXPECT_EQ(alone.median, 7);
  EXPECT_EQ(alone.max, 7);
}

class IoReportTest : public testing::Test {
 protected:
  const std::unique_ptr<Communicator> comm = make_alone();

  IoReport report_of_two() {
    Meter stations;
    Meter surfaces;
    stations.count_open(0.5);
    stations.count_writes(3, 100, 1.5);
    stations.count_output(2, 4);
    surfaces.count_writes(1, 5000, 0.25);
    surfaces.count_reads(2, 0, 0.125);
    const std::vector<const Meter*> meters{&stations, &surfaces};
    std::vector<IoFigures> figures = gathered_figures(*comm, meters);
    EXPECT_EQ(figures.size(), 3U);
    IoReport report{.threads = 2, .policy = "direct", .total = figures.back()};
    report.outputs = {{"stations", "staged", 6, figures[0]}, {"surfaces", "elected", 1, figures[1]}};
    report.striping = {{"Lustre: 2 stripes of 1M", 3, "a.vtk"}};
    report.mpiio_hints = {{{{{"cb_nodes", "4", "2"}, {"romio_cb_write", "enable", ""}}, false}, 1, "b.vtk"},
                          {{{{"cb_nodes", "4", "4"}}, true}, 2, "c.vtk"}};
    return report;
  }
};

TEST_F(IoReportTest, FiguresAreThoseOfTheMeters) {
  const IoReport report = report_of_two();
  const IoFigures& stations = report.outputs[0].figures;
  EXPECT_EQ(stations.phases, 2);
  EXPECT_EQ(stations.opens, 1);
  EXPECT_EQ(stations.write_requests, 3);
  EXPECT_EQ(stations.written_bytes, 300);
  EXPECT_DOUBLE_EQ(stations.write_s, 1.5);
  EXPECT_DOUBLE_EQ(stations.calls_s, 4);
  EXPECT_DOUBLE_EQ(stations.of_file_s.max, 2);
  ASSERT_EQ(stations.write_sizes.size(), 1U);
  EXPECT_EQ(stations.write_sizes[0].from_bytes, 64);
  EXPECT_EQ(stations.write_sizes[0].to_bytes, 127);
  EXPECT_EQ(stations.write_sizes[0].requests, 3);
  EXPECT_EQ(report.outputs[1].figures.read_sizes.at(0).to_bytes, 0);
  EXPECT_EQ(report.total.written_bytes, 5300);
  EXPECT_EQ(report.total.write_sizes.size(), 2U);
  EXPECT_DOUBLE_EQ(report.total.of_file_s.median, 2.375);
}

TEST_F(IoReportTest, JsonTellsAllOfIt) {
  const std::string text = report_of_two().json();
  for (const char* part :
       {R"("bytes_written": 5300)", R"("requests_written": 4)", R"("phases": 2)", R"("from_bytes": 4096)",
        R"("to_bytes": 8191)", R"("stations": {)", R"("policy": "elected")", R"("stripes": "Lustre: 2 stripes of 1M")",
        R"("in_effect": "2")", R"("in_effect": null)", R"("is_echo": true)", R"("max_rank": 0)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(IoReportTest, TablesAreForPeople) {
  const std::string text = report_of_two().table();
  EXPECT_EQ(text.back(), '\n');
  for (const char* part :
       {"1 rank on 1 node, 2 threads each", "all together", "stations: staged; 6 threads per rank",
        "surfaces: elected; 1 thread per rank", "2 phases of output, 4.000000 s", "4,096 to 8,191",
        "a.vtk and 2 more: Lustre: 2 stripes of 1M",
        "b.vtk: cb_nodes 2 (requested 4), romio_cb_write not used (requested enable)",
        "c.vtk and 1 more: cb_nodes 4 requested; effect unknown, because this MPI returns the requested values"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace sill
