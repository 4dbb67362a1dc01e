// Solutions of local problems whose every value is known, distributed to the ranks of a test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/output_case.hpp"
#include "sill/io/simulation/solution_writer.hpp"

namespace sill::test {

inline double solution_value(std::int64_t problem, std::int64_t point, int dimension, std::int64_t step) {
  if (problem == 1 && point == 2) return dimension == 0 ? std::nan("") : -std::numeric_limits<double>::infinity();
  return std::pow(-1.5, static_cast<double>((31 * problem + 7 * point + 3 * dimension + step) % 300 - 150));
}

/// How problems are distributed to the ranks.
enum class Deal { evenly, first_none, last_all };

/// Seven problems, however many ranks there are; of points 6, of dimensions 2 unless changed.
class SolutionCase : public OutputCase {
 protected:
  static constexpr std::int64_t all_problems = 7;

  [[nodiscard]] Resources resources_of(const std::string& policy) const {
    return {.comm = comm,
            .open = opener_for(Policy::parse(policy).call),
            .policy = Policy::parse(policy),
            .memory_bytes = 1 << 20};
  }

  [[nodiscard]] std::int64_t distributed(Deal deal) const {
    const int last = comm.size() - 1;
    if (deal == Deal::last_all) return comm.rank() == last ? all_problems : 0;
    const int ranks = deal == Deal::first_none && last > 0 ? last : comm.size();
    const int turn = comm.rank() - (comm.size() - ranks);
    return turn < 0 ? 0 : all_problems * (turn + 1) / ranks - all_problems * turn / ranks;
  }

  [[nodiscard]] SolutionOutput output(Deal deal = Deal::evenly, solution::Files files = solution::Files::each) const {
    return {
        .folder = folder / "out", .my_problems = distributed(deal), .sub_elements = 2, .dimensions = 2, .files = files};
  }

  static std::vector<double> values_of(const SolutionWriter& writer, std::int64_t step) {
    std::vector<double> values;
    const solution::Form& form = writer.form();
    for (std::int64_t p = writer.problems().first; p < writer.problems().end(); ++p) {
      for (std::int64_t i = 0; i < solution::points_of(form.sub_elements); ++i) {
        for (int d = 0; d < form.dimensions; ++d) values.push_back(solution_value(p, i, d, step));
      }
    }
    return values;
  }
  static void write(SolutionWriter& writer, std::int64_t step) {
    std::vector<double> values = values_of(writer, step);
    writer.write_phase(step, values);
    // They are the program's again, also where requests are still under way.
    std::fill(values.begin(), values.end(), 1e30);
  }

  // The text of a problem, by printf.
  static std::string problem_text(const solution::Form& form, std::int64_t problem, std::int64_t step) {
    std::string text;
    for (int d = 0; d < form.dimensions; ++d) {
      for (std::int64_t i = 0; i < (form.sub_elements + 1) * (form.sub_elements + 2) / 2; ++i) {
        std::array<char, 40> record{};
        (void)std::snprintf(record.data(), record.size(), form.record_bytes == 13 ? "%12.5e\n" : "%13.5e\n",
                            solution_value(problem, i, d, step));
        text += record.data();
      }
    }
    return text;
  }

  // All files of these steps, by their paths in the folder.
  static std::map<std::string, std::string> files_of(const solution::Form& form,
                                                     const std::vector<std::int64_t>& steps) {
    std::map<std::string, std::string> files;
    for (const std::int64_t step : steps) {
      std::array<char, 40> name{};
      (void)std::snprintf(name.data(), name.size(), "solution%06d", static_cast<int>(step));
      std::string shared;
      for (std::int64_t p = 0; p < form.problems; ++p) {
        const std::string text = problem_text(form, p, step);
        if (form.files == solution::Files::each) {
          std::array<char, 80> path{};
          (void)std::snprintf(path.data(), path.size(), "local%06d/%s.txt", static_cast<int>(p), name.data());
          files[path.data()] = text;
          continue;
        }
        shared += text;
        const auto stride = static_cast<std::size_t>(form.stride_bytes);
        if (form.stride_bytes == 0 || text.size() == stride) continue;
        shared.append(stride - text.size() - 1, ' ');
        shared += '\n';
      }
      if (form.files == solution::Files::shared) files[std::string(name.data()) + ".txt"] = shared;
      files[std::string(name.data()) + ".index"] = solution::index_text({form, step});
    }
    return files;
  }

  static std::map<std::string, std::string> files_in(const std::string& path) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.is_directory() || entry.path().filename() == ".sill-solutions.lock")
        continue;  // while there is a writer
      const Bytes bytes = bytes_of_file(entry.path());
      files[std::filesystem::relative(entry.path(), path)] = {reinterpret_cast<const char*>(bytes.data()),
                                                              bytes.size()};
    }
    return files;
  }

  static void expect_equal(const std::map<std::string, std::string>& found,
                           const std::map<std::string, std::string>& wanted) {
    for (const auto& [path, text] : found) EXPECT_TRUE(wanted.contains(path)) << path;
    for (const auto& [path, text] : wanted) {
      const auto there = found.find(path);
      EXPECT_TRUE(there != found.end() && there->second == text) << path;
    }
  }

  // Collective. The folder holds the files of these steps and no others; it is emptied.
  void expect_files(const solution::Form& form, const std::vector<std::int64_t>& steps) {
    comm.barrier();
    if (comm.rank() == 0) {
      expect_equal(files_in(folder / "out"), files_of(form, steps));
      std::filesystem::remove_all(folder / "out");
    }
    comm.barrier();
  }
};

}  // namespace sill::test
