// The layout of the solutions of all local problems in one EnSight Gold case in ASCII, which ParaView opens.
#pragma once

#include <cstdint>
#include <string>

#include "sill/formats/solution/local_mesh.hpp"
#include "sill/formats/solution/phase_index.hpp"
#include "sill/formats/solution/solution_file.hpp"
#include "sill/layout/range.hpp"

namespace sill::solution {

/// The files of a case: the case, "<name>.case", which names the others; the geometry, "<name>.geo", with one part that
/// contains the meshes of the problems one after another; and one scalar per node for each dimension,
/// "<name>.solution_1" and so on, with the same text as in the solution files.
class EnsightCase {
 public:
  /// Local. Computes the layout. Errors: usage if `path` does not end with ".case"; input if there are more nodes than
  /// EnSight's integers of ten digits can represent, at most 2^31 - 1.
  EnsightCase(const PhaseIndex& phase, std::string path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string geometry_path() const { return base_ + ".geo"; }
  /// Local. Returns the path of the file of dimension `dimension`, from 0.
  [[nodiscard]] std::string variable_path(int dimension) const;

  /// Local. Returns the complete text of the case file. Its comments describe the solution files.
  [[nodiscard]] std::string case_text() const;

  /// Local. Return the text before the x of the first node, before the first triangle, and before the first value.
  [[nodiscard]] std::string geometry_head() const;
  [[nodiscard]] std::string triangles_head() const;
  [[nodiscard]] std::string variable_head(int dimension) const;

  /// Local. Return positions in the geometry file: of the coordinates `axis` of the nodes of a problem, of the text
  /// before the first triangle, and of the triangles of a problem.
  [[nodiscard]] ByteRange coordinates_of(std::int64_t problem, std::size_t axis) const;
  [[nodiscard]] std::int64_t triangles_head_offset() const;
  [[nodiscard]] ByteRange triangles_of(std::int64_t problem) const;
  /// Local. Returns the position of the values of a problem in the file of any variable.
  [[nodiscard]] ByteRange values_of_problem(std::int64_t problem, int dimension) const;
  [[nodiscard]] std::int64_t geometry_bytes() const;
  [[nodiscard]] std::int64_t variable_bytes(int dimension) const;

  /// Local. Returns the number that EnSight gives to node 0 of a problem; EnSight counts nodes from 1.
  [[nodiscard]] std::int64_t first_node_of(std::int64_t problem) const { return 1 + problem * mesh_.nodes(); }
  [[nodiscard]] const LocalMesh& mesh() const { return mesh_; }
  [[nodiscard]] const PhaseIndex& phase() const { return phase_; }

 private:
  PhaseIndex phase_;
  std::string path_;
  std::string base_;  // without ".case"
  LocalMesh mesh_;
};

/// Local. Returns the phase from which a case was made, as the text of the case states it. Errors: input if Sill did
/// not make the case.
[[nodiscard]] PhaseIndex phase_of_case(std::string_view text, const std::string& path);

}  // namespace sill::solution
