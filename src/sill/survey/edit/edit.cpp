#include "sill/survey/edit/edit.hpp"

#include <algorithm>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/io/survey/survey_writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/edit/computed_edit.hpp"
#include "sill/survey/edit/edit_in_place.hpp"
#include "sill/survey/edit/renumbering.hpp"
#include "sill/survey/output/finish_output.hpp"
#include "sill/survey/output/trace_stream.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill {
namespace {

void transform(const SurveyReader& reader, const TraceEdit& edit, ItemRange traces, std::span<const std::byte> in,
               std::span<std::byte> out) {
  for_each_trace(reader, traces.first, traces.count, [&](std::int64_t i) {
    const std::int64_t trace = traces.first + i;
    // The numbers within ensembles are set after all traces are written.
    EnsembleRun ensemble;
    (void)edit.apply(reader.view(trace, in.data()), out.data(), {trace + 1, ensemble});
    const auto bytes = static_cast<std::size_t>(reader.bytes_of({trace, 1}));
    in = in.subspan(bytes);
    out = out.subspan(bytes);
  });
}

void write_new_file(const Resources& resources, const SurveyReader& reader, const EditOptions& options,
                    const ComputedEdit& edit) {
  Communicator& comm = resources.comm;
  std::vector<std::byte> header;  // on rank 0
  std::vector<std::byte> trailer;
  run_on_rank(comm, 0, [&] {
    header = reader.file_header(0);
    trailer = reader.file_trailer(0);
    const std::int64_t end_byte = reader.files().front().traces_end_byte();
    for (const ComputedEdit::Text& text : edit.texts(0))
      std::ranges::copy(text.fresh, text.first_byte < std::ssize(header)
                                        ? header.begin() + text.first_byte
                                        : trailer.begin() + text.first_byte - end_byte);
  });
  const segy::FileDescription& file = reader.files().front();
  segy::TraceTable table = reader.table(0);
  SurveyWriter writer(resources, options.output, std::move(table),
                      file.trailers * std::int64_t{segy::text_header_bytes});
  writer.write_header(header);
  resources.begin_stage("writing traces", reader.bytes_of(block_of(edit.traces_of(0), comm.size(), comm.rank())));
  stream_traces(resources, reader, writer,
                [&](ItemRange traces, std::span<const std::byte> in, std::span<std::byte> out, int /*thread*/) {
                  std::ranges::copy(in, out.begin());
                  if (!edit.trace_edit().targets().empty()) transform(reader, edit.trace_edit(), traces, in, out);
                });
  writer.write_trailer(trailer);
  if (options.headers.renumber) renumber_written(resources, writer, reader.traces(), file.byte_order);
  MeantReading meant = read_as_input(reader);
  meant.problem = "with these words the file would be read differently";
  meant.action = "set other words";
  finish_output(resources, reader, writer, options.output, std::move(meant));
}

}  // namespace

void require_edit(const Resources& resources, const SurveyReader& reader, const EditOptions& options) {
  run_and_agree(resources.comm, [&] {
    const auto refuse = [](const char* problem, const char* action) {
      throw Error({.code = ErrorCode::usage, .problem = problem, .action = action});
    };
    const bool sets_text = options.text || !options.history.empty();
    if (TraceEdit(reader, options.headers).targets().empty() && !sets_text)
      refuse("no edit is given", "give --set, --rescale, --renumber, --text or --history");
    if (sets_text && reader.files().front().kind == segy::FileKind::seismic_unix)
      refuse("Seismic Unix data has no text header", "convert it to SEG-Y first: sill convert");
    if (options.headers.renumber && (options.headers.where || options.headers.table != nullptr))
      refuse("--renumber counts all traces, but only some are selected", "renumber in a separate run");
    if (!options.output.empty() && reader.files().size() > 1)
      refuse("several files would be written into one",
             "edit one file into a new one, or join the files with sill sort or convert");
  });
  if (!options.output.empty())
    require_other_file(resources, options.output, with_kept_beside(reader.paths()));
  else if (!options.dry_run)
    options.locks->require_one_name_each();
}

EditResult edit(const Resources& resources, const SurveyReader& reader, const EditOptions& options) {
  require_edit(resources, reader, options);
  const ComputedEdit computed(resources, reader, options);
  EditResult result = computed.result();
  if (options.dry_run) return result;
  if (options.output.empty())
    edit_in_place(resources, *options.locks, reader, computed, result);
  else
    write_new_file(resources, reader, options, computed);
  return result;
}

}  // namespace sill
