// A type of operation: its name, parameters and documentation.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "sill/flow/operation/arguments.hpp"
#include "sill/flow/operation/operation.hpp"

namespace sill::flow {

/// A parameter of an operation, for reading arguments and for documentation.
struct Parameter {
  std::string_view name;
  std::string_view form;           ///< "TIME", "rms | mean | median"
  std::string_view default_value;  ///< "none", "1", or empty if the parameter is required
  std::string_view text;
  bool is_flag = false;    ///< present means true; takes no value
  bool is_output = false;  ///< names a file that the operation writes
  /// Not empty: `@FILE` is a survey, whose traces are found by the keys in this parameter (default: its
  /// `default_value`).
  std::string_view survey_by = {};
  bool may_be_table = false;  ///< `@FILE` is a survey if its name ends like the name of a survey; otherwise it is a
                              ///< table
};

/// A type of operation.
struct OperationType {
  std::string_view name;
  std::string_view summary;
  std::string_view formula;
  std::string_view example;                        ///< a complete use of the operation, which tests run
  std::vector<std::string_view> positionals = {};  ///< parameters whose values may come first, without their keys
  std::vector<Parameter> parameters = {};
  bool reports = false;                                              ///< a flow with this operation is useful without
                                                                     ///< an output
  bool takes_assignments = false;                                    ///< any other key is the name of a header word
  bool needs_start = false;                                          ///< `bind` uses `SurveyState::start_us`
  std::function<std::unique_ptr<Operation>(const Arguments&)> make;  ///< errors: usage, as `Arguments`
};

}  // namespace sill::flow
