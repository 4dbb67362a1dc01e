#include "sill/io/same_reading.hpp"

#include <fmt/format.h>

#include <string_view>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/describe.hpp"

namespace sill {
namespace {

// What is read otherwise than before, or empty.
std::string reading_difference(const segy::FileDescription& before, const segy::FileDescription& after) {
  const auto differ = [](std::string_view what, auto old, auto fresh) {
    return old == fresh ? std::string() : fmt::format("{} would be {} instead of {}", what, fresh, old);
  };
  for (std::string found :
       {differ("the format", name_of(before.kind), name_of(after.kind)),
        differ("the byte order", name_of(before.byte_order), name_of(after.byte_order)),
        differ("the sample format", segy::name_of(before.sample_format), segy::name_of(after.sample_format)),
        differ("the number of additional headers", before.additional_trace_headers, after.additional_trace_headers),
        differ("the first trace's byte", before.first_trace_byte, after.first_trace_byte),
        differ("the byte after the last trace", before.traces_end_byte(), after.traces_end_byte())})
    if (!found.empty()) return found;
  if (before.lengths_vary != after.lengths_vary) return "whether the traces differ in length";
  if (before.lengths_vary) return {};
  return differ("the number of samples", before.samples, after.samples);
}

}  // namespace

void require_same_reading(const Resources& resources, const segy::FileDescription& before,
                          const segy::Assumptions& assume, const std::string& path, const std::string& reported) {
  std::string problem;
  try {
    problem = reading_difference(before, open_described(resources, path, assume).description);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::io) throw;
    problem = error.parts().problem;
  }
  together(resources.comm, [&] {
    if (problem.empty()) return;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("with these words the file would not be read as it is now: {}", problem),
                 .where = {.file = reported},
                 .action = "nothing was changed; set other words"});
  });
}

}  // namespace sill
