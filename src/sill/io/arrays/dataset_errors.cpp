#include "sill/io/arrays/dataset_errors.hpp"

#include <fmt/format.h>

#include <utility>

namespace sill {

void refuse_dataset(const std::string& path, std::string problem, std::string action) {
  throw Error(
      {.code = ErrorCode::usage, .problem = std::move(problem), .where = {.file = path}, .action = std::move(action)});
}

void refuse_closed(const std::string& path) {
  refuse_dataset(path, "arrays: the dataset was closed before", "close it when everything is written");
}

void refuse_no_steps(const std::string& path) {
  refuse_dataset(path, "arrays: a step of a dataset in which no variable has steps",
                 "give a variable the unlimited dimension");
}

Error calls_differ() {
  return Error({.code = ErrorCode::usage,
                .problem = "arrays: some ranks complete a step, or more steps, than others",
                .action = "let all ranks make the same calls"});
}

void refuse_late(const std::string& path, const std::string& name) {
  refuse_dataset(path, fmt::format("attribute {} is set when something was written already", name),
                 "set attributes first");
}

}  // namespace sill
