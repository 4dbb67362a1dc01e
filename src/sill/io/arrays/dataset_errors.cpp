#include "sill/io/arrays/dataset_errors.hpp"

#include <fmt/format.h>

#include <utility>

#include "sill/store/part/part_name.hpp"

namespace sill {

void refuse_dataset(const std::string& path, std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage,
               .problem = std::move(problem),
               .where = {.file = target_of_part(path)},
               .action = std::move(action)});
}

void refuse_closed(const std::string& path) {
  refuse_dataset(path, "arrays: the dataset is already closed", "use it before it is closed, or open it again");
}

void refuse_no_steps(const std::string& path) {
  refuse_dataset(path, "arrays: a step is written, but no variable of the dataset has steps",
                 "give a variable the unlimited dimension");
}

Error calls_differ() {
  return Error({.code = ErrorCode::usage,
                .problem = "arrays: the ranks complete different numbers of steps",
                .action = "make the same calls on all ranks"});
}

void refuse_late(const std::string& path, const std::string& name) {
  refuse_dataset(path, fmt::format("attribute {} is set after the first write", name), "set attributes first");
}

}  // namespace sill
