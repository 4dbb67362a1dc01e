#include "sill/survey/select/cut.hpp"

#include <fmt/format.h>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/io/survey/same_file.hpp"

namespace sill {

CutResult cut(const Resources& resources, const SurveyReader& reader, const CutOptions& options) {
  Communicator& comm = resources.comm;
  require_other_file(resources, options.output, with_kept_beside(reader.paths()));
  const segy::TimeWindow* const window = options.window ? &*options.window : nullptr;
  const TraceChoice chosen =
      select_traces(resources, reader, options.where ? &*options.where : nullptr, window, options.headers);
  const std::int64_t count = all_reduce(comm, chosen.traces.count(), Reduction::sum);
  run_and_agree(comm, [&] {
    if (count > 0) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = reader.traces() == 0 ? "the input has no traces"
                                                 : fmt::format("none of {} traces satisfies '{}'", reader.traces(),
                                                               options.where ? echoed(options.where->text()) : ""),
                 .where = {.file = reader.paths().front()},
                 .action = "see the values of the words with sill scan; no file was written"});
  });
  return {write_selected(resources, reader, options.output, chosen.traces, window, options.marks), chosen.search};
}

}  // namespace sill
