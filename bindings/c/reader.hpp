// A reader of the C interface, and its opening.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "session.hpp"
#include "sill/io/survey/file_words.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::bindings {

struct ReaderArguments {
  std::vector<std::string> paths;
  InputRules rules = {};
  std::string map = {};  // empty: none
};

/// Local. Collects the arguments of a reader. Errors: usage for paths that are NULL, and for invalid assumptions.
[[nodiscard]] inline ReaderArguments reader_arguments(const char* const* paths, std::int64_t count, const char* assume,
                                                      const char* map) {
  ReaderArguments all{.paths = {}, .map = text_of(map)};
  if (count > 0) (void)at(paths, "the array of paths");
  for (const char* path : elements(paths, count)) all.paths.emplace_back(&at(path, "a path"));
  if (const std::string text = text_of(assume); !text.empty()) all.rules.assume.add(text);
  return all;
}

/// Collective. Opens a reader. A map is needed only during the call. Errors: as open_header_map and SurveyReader.
[[nodiscard]] inline SurveyReader opened_reader(const Resources& resources, const ReaderArguments& arguments) {
  std::optional<segy::HeaderMap> map;
  if (!arguments.map.empty()) map = open_header_map(resources.comm, arguments.map);
  return SurveyReader(resources, arguments.paths, map ? &*map : nullptr, arguments.rules);
}

}  // namespace sill::bindings

struct sill_reader {
  sill_reader(std::shared_ptr<sill::bindings::Session> session, const sill::bindings::ReaderArguments& arguments)
      : held(std::move(session)), reader(sill::bindings::opened_reader(held->io->resources("segy"), arguments)) {}
  std::shared_ptr<sill::bindings::Session> held;
  sill::SurveyReader reader;
};
