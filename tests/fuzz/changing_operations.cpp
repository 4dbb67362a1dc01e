#include "fuzz/changing_operations.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "sill/formats/segy/expression/assignment.hpp"
#include "sill/io/edit/edit_locks.hpp"
#include "sill/survey/edit/edit.hpp"
#include "sill/survey/merge/merge.hpp"
#include "sill/survey/repair/repair.hpp"
#include "store/temporary_folder.hpp"

namespace sill::fuzz {
namespace {

constexpr std::int64_t cdp_at = 20;  // bytes 21-24 of a trace header
constexpr std::int64_t cdp_bytes = 4;

RepairResult repaired(const Resources& resources, const RepairOptions& options) {
  RepairResult result = repair(resources, nullptr, {}, options);
  require(static_cast<std::int64_t>(std::filesystem::file_size(options.output)) == result.output_bytes,
          "repair: another size than told");
  return result;
}

bool keeps_samples(const CompareResult& difference) {
  return difference.samples.samples == 0 && difference.trace_samples.traces == 0;
}

}  // namespace

void repair_file(const SurveyFile& file, unsigned way) {
  constexpr std::array revisions = {segy::Revision::rev0, segy::Revision::rev1, segy::Revision::rev2_0,
                                    segy::Revision::rev2_1};
  RepairOptions options{.input = file.path, .output = file.output};
  if ((way & 3) == 1) options.last_trace = LastTrace::drop;
  if ((way & 3) == 2) options.last_trace = LastTrace::pad;
  if ((way & 4) != 0) options.byte_order = (way & 8) != 0 ? ByteOrder::little : ByteOrder::big;
  if ((way & 16) != 0) options.revision = revisions[way >> 6 & 3];
  const RepairResult result = repaired(file.resources, options);
  const test::Bytes bytes = test::bytes_of_file(file.output);
  if (result.repairs.empty()) require(bytes == test::bytes_of_file(file.path), "repair: nothing told, but other bytes");
  if (result.traces_in < 0) return;  // a copy as text, undone
  require(read_again(file.resources, file.output, "repair").traces() == result.traces_out,
          "repair: another number of traces than told");
  (void)is_done("compare", [&] {
    const CompareResult difference = compared(file.resources, file.path, file.output);
    require(result.traces_in != result.traces_out || keeps_samples(difference), "repair: other samples");
  });
  const std::string again = file.output + ".again";
  RepairResult second;
  require(is_done("repair", [&] { second = repaired(file.resources, {.input = file.output, .output = again}); }),
          "repair: what was repaired is refused");
  const test::Bytes after = test::bytes_of_file(again);
  std::filesystem::remove(again);
  require(second.repairs.empty() && after == bytes, "repair: what was repaired is repaired");
}

void edit_file(const SurveyFile& file, const SurveyReader& reader, std::string_view condition,
               const std::string& copy) {
  EditOptions options;
  options.output = file.output;
  options.headers.assignments = segy::parse_assignments(std::vector<std::string>{"cdp=trace*3+1"});
  if (!condition.empty()) options.headers.where = segy::Expression::parse_condition(condition, reader.words());
  const EditResult result = edit(file.resources, reader, options);
  require(result.traces == reader.traces() && result.changed <= result.chosen && result.chosen <= result.traces,
          "edit: other numbers of traces");
  const auto before = traces_of(reader);
  const auto after = traces_of(read_again(file.resources, file.output, "edit"));
  require(before.size() == after.size(), "edit: another number of traces");
  std::int64_t changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto& [was, is] = std::pair(before[i], after[i]);
    if (was == is) continue;
    ++changed;
    require(was.size() == is.size() && std::equal(was.begin(), was.begin() + cdp_at, is.begin()) &&
                std::equal(was.begin() + cdp_at + cdp_bytes, was.end(), is.begin() + cdp_at + cdp_bytes),
            "edit: other bytes than those of the word");
  }
  require(changed == result.changed, "edit: another number of changed traces than told");

  test::make_file(copy, test::bytes_of_file(file.path));
  options.output.clear();
  require(is_done("edit in place",
                  [&] {
                    const EditLocks locks(file.resources, {copy});
                    options.locks = &locks;
                    (void)edit(file.resources, SurveyReader(file.resources, {copy}), options);
                  }),
          "edit: refuses in place what makes a new file");
  require(traces_of(read_again(file.resources, copy, "edit in place")) == after, "edit: other traces in place");
}

void merge_with_converted(const SurveyFile& file, const SurveyReader& reader, unsigned form,
                          const std::string& converted) {
  (void)convert(file.resources, reader, conversion_to(converted, form));
  constexpr std::array of_samples = {"samples=vary", "samples=pad", "samples=cut", "samples=refuse"};
  MergeOptions options{.output = file.output};
  for (const char* const rule : {"files=keep", "kind=convert", "domain=keep", "format=round", "interval=vary",
                                 "units=first", "coordinates=keep", "extended=first", "duplicates=keep"})
    options.rules.add(rule);
  options.rules.add(of_samples[form & 3]);
  const MergeInputs inputs = merge_inputs(file.resources, {file.path, converted}, options.rules);
  const SurveyReader both(file.resources, inputs.paths, nullptr, {.may_differ = true});
  const MergeResult result = merge(file.resources, both, inputs, options);
  require(static_cast<std::int64_t>(std::filesystem::file_size(file.output)) == result.bytes,
          "merge: another size than told");
  const auto before = traces_of(reader);
  const auto after = traces_of(read_again(file.resources, file.output, "merge"));
  require(after.size() == 2 * before.size() && result.traces == std::ssize(after), "merge: another number of traces");
  if (result.form.lengths_vary != reader.files().front().lengths_vary || !reader.is_uniform()) return;
  const auto middle = after.begin() + std::ssize(before);
  require(std::equal(before.begin(), before.end(), after.begin()), "merge: other traces of the first input");
  if (both.files().back().sample_format != reader.files().front().sample_format) return;
  const std::int64_t headers = before.empty() ? 0 : reader.shape_of(0).header_bytes();
  require(std::equal(before.begin(), before.end(), middle,
                     [&](const auto& was, const auto& is) {
                       return std::equal(was.begin() + headers, was.end(), is.begin() + headers, is.end());
                     }),
          "merge: other samples of the second input");
}

}  // namespace sill::fuzz
