// A kind of operation: its name, parameters and documentation.
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
  bool is_flag = false;    ///< its name alone means yes
  bool is_output = false;  ///< it names a file that the operation writes
  /// Not empty: `@FILE` is a survey, whose traces are found by the keys that this parameter names, by default its
  /// `default_value`.
  std::string_view survey_by = {};
  bool may_be_table = false;  ///< only a file whose name ends as a survey's is one
};

/// A kind of operation.
struct OperationType {
  std::string_view name;
  std::string_view summary;
  std::string_view formula;
  std::string_view example;                        ///< a use of it, complete; tests run it
  std::vector<std::string_view> positionals = {};  ///< parameters whose values may stand first, without their key
  std::vector<Parameter> parameters = {};
  bool reports = false;                                              ///< a flow is of use without an output
  bool takes_assignments = false;                                    ///< any other key is a header word
  std::function<std::unique_ptr<Operation>(const Arguments&)> make;  ///< errors: usage, as `Arguments`
};

}  // namespace sill::flow
