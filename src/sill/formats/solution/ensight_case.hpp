// The solutions of all local problems as one EnSight Gold case in ASCII, which ParaView opens: where its bytes live.
#pragma once

#include <cstdint>
#include <string>

#include "sill/formats/solution/local_mesh.hpp"
#include "sill/formats/solution/phase_index.hpp"
#include "sill/formats/solution/solution_file.hpp"
#include "sill/layout/range.hpp"

namespace sill::solution {

/// The files of a case: the case, "<name>.case", which names the others; the geometry, "<name>.geo", of one part in
/// which the meshes of the problems lie one after another; and a scalar a node for each dimension, "<name>.solution_1"
/// and so on, whose text is that of the solution files.
class EnsightCase {
 public:
  /// Local. `path` ends with ".case". Errors: usage if it does not; input if the nodes are more than EnSight's integers
  /// of ten digits, 2^31 - 1 at most, can count.
  EnsightCase(const PhaseIndex& phase, std::string path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string geometry_path() const { return base_ + ".geo"; }
  /// Local. Of dimension `dimension`, from 0.
  [[nodiscard]] std::string variable_path(int dimension) const;

  /// Local. The whole of the case file. It describes the solution files in comments.
  [[nodiscard]] std::string case_text() const;

  /// Local. What comes before the x of the first node; before the first triangle; before the first value.
  [[nodiscard]] std::string geometry_head() const;
  [[nodiscard]] std::string triangles_head() const;
  [[nodiscard]] std::string variable_head(int dimension) const;

  /// Local. In the geometry, where the coordinates `axis` of a problem's nodes are, and its triangles.
  [[nodiscard]] ByteRange coordinates_of(std::int64_t problem, std::size_t axis) const;
  [[nodiscard]] std::int64_t triangles_head_offset() const;
  [[nodiscard]] ByteRange triangles_of(std::int64_t problem) const;
  /// Local. In the file of any variable, where the values of a problem are.
  [[nodiscard]] ByteRange values_of_problem(std::int64_t problem, int dimension) const;
  [[nodiscard]] std::int64_t geometry_bytes() const;
  [[nodiscard]] std::int64_t variable_bytes(int dimension) const;

  /// Local. The number that node 0 of a problem has in EnSight, from 1.
  [[nodiscard]] std::int64_t first_node_of(std::int64_t problem) const { return 1 + problem * mesh_.nodes(); }
  [[nodiscard]] const LocalMesh& mesh() const { return mesh_; }
  [[nodiscard]] const PhaseIndex& phase() const { return phase_; }

 private:
  PhaseIndex phase_;
  std::string path_;
  std::string base_;  // without ".case"
  LocalMesh mesh_;
};

/// Local. The phase that a case was made of, from its text. Errors: input if it is no case that Sill made.
[[nodiscard]] PhaseIndex phase_of_case(std::string_view text, const std::string& path);

}  // namespace sill::solution
