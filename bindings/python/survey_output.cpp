#include "survey_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "arrays.hpp"
#include "communicator.hpp"
#include "errors.hpp"
#include "segy_file.hpp"
#include "sill/base/splitmix.hpp"
#include "sill/base/threads.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/flow/run/bound_flow.hpp"
#include "sill/io/survey/file_words.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/convert/trace_conversion.hpp"
#include "sill/survey/output/finish_output.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

// Size of a rank's traces between two collective writes.
constexpr std::int64_t call_bytes = std::int64_t{16} << 20U;
// Size of the traces that a thread writes at once: they stay in the cache of a core.
constexpr std::int64_t thread_bytes = std::int64_t{512} << 10U;

// Returns a number whose sums over different traces differ.
std::uint64_t mixed(std::int64_t number) { return splitmix_of(static_cast<std::uint64_t>(number) + splitmix_step); }

segy::SampleFormat sample_format_of(const std::string& name) {
  const auto format = segy::sample_format_from_name(name);
  if (!format)
    refuse(fmt::format("unknown sample format `{}`", name),
           fmt::format("the formats are {}", fmt::join(segy::sample_format_names(2), ", ")));
  return *format;
}

bool is_named_su(const std::string& path) { return path.ends_with(".su") || path.ends_with(".SU"); }

segy::FileForm form_of(const NewSurvey& given) {
  segy::FileForm form;
  if (is_named_su(given.path) && (!given.revision.empty() || !given.text.empty() || given.measurement_system != 0))
    refuse("Seismic Unix files do not state a revision, a text or units", "omit revision=, text= and units=");
  if (is_named_su(given.path)) form.kind = segy::FileKind::seismic_unix;
  form.samples = given.samples;
  form.interval_us = given.interval_us;
  form.traces = given.traces;
  form.measurement_system = given.measurement_system;
  form.text = given.text;
  if (!given.sample_format.empty()) form.sample_format = sample_format_of(given.sample_format);
  if (!given.revision.empty()) form.revision = segy::parse_revision(given.revision);
  const bool is_little = form.kind == segy::FileKind::seismic_unix;
  if (given.text.empty()) form.text = segy::numbered_text({}, form.revision);
  form.byte_order = !given.byte_order.empty() ? byte_order_of(given.byte_order)
                    : is_little               ? ByteOrder::little
                                              : ByteOrder::big;
  return form;
}

segy::HeaderMap map_of(Communicator& comm, const NewSurvey& given, const segy::FileForm& form) {
  std::optional<segy::HeaderMap> map;
  if (!given.map.empty()) map = open_header_map(comm, given.map);
  const segy::HeaderKind kind = form.kind == segy::FileKind::seismic_unix ? segy::HeaderKind::su
                                : form.revision == segy::Revision::rev0   ? segy::HeaderKind::segy_of_revision_0
                                                                          : segy::HeaderKind::segy;
  return segy::words_of(kind, {}, nullptr, map ? &*map : nullptr);
}

}  // namespace

SurveyOutput::SurveyOutput(std::unique_ptr<Communicator> comm, const NewSurvey& form, const Survey* like)
    : io_(std::move(comm)),
      path_(form.path),
      like_(like),
      traces_(form.traces),
      words_(segy::HeaderMap::standard()),
      rules_(form.rules),
      first_sample_(form.first_sample),
      read_as_(form.read_as) {
  Resources& resources = io_.resources;
  run_and_agree(resources.comm, [&] {
    if (form.samples < 0 || (form.samples == 0 && like == nullptr))
      refuse("traces without samples cannot be written", "give at least one sample per trace");
  });
  if (like != nullptr) {
    const SurveyReader& reader = like->reader();
    run_and_agree(resources.comm, [&] {
      (void)like->samples_per_trace();
      if (!form.first_sample && is_named_su(form.path) != (reader.files().front().kind == segy::FileKind::seismic_unix))
        refuse("the name ends with .su or .SU for one kind of file, and the survey that it is like has the other kind",
               "name the file accordingly, and change its kind with sill.convert");
      if (!form.byte_order.empty() || !form.revision.empty() || !form.text.empty() || !form.map.empty() ||
          form.measurement_system != 0)
        refuse("byte order, revision, text, map and units are those of the survey that the new one is like",
               "change them afterwards with sill.convert and sill.edit");
    });
    require_other_file(resources, form.path, with_kept_beside(reader.paths()));
    words_ = reader.words();
    state_ = flow::state_of(reader);
    format_ = form.sample_format.empty() ? reader.files().front().sample_format : sample_format_of(form.sample_format);
    if (form.samples > 0) state_.samples = form.samples;
    if (form.interval_us > 0.0) state_.interval_us = form.interval_us;
    if (form.traces != reader.traces() && !first_sample_) state_.sorting_code = -1;
    sample_bytes_ = segy::bytes_of(format_);
    const segy::FileDescription& file = reader.files().front();
    keeps_samples_ = first_sample_ && format_ == file.sample_format;
    // File headers that contradict assumptions are not copied.
    if (format_ == file.sample_format && state_.interval_us == file.interval_us && reader.assumptions().empty())
      create_as_like(form);
    else
      of_like_.emplace(resources, reader, state_, form.path, format_, form.traces, flow::FlowHistory{});
  } else {
    const segy::FileForm whole = run_and_agree(resources.comm, [&] { return form_of(form); });
    words_ = map_of(resources.comm, form, whole);
    state_.order = whole.byte_order;
    state_.kind = whole.kind;
    state_.samples = whole.samples;
    state_.interval_us = whole.interval_us;
    format_ = whole.sample_format;
    writer_.emplace(resources, form.path, whole);
  }
  state_.words = &words_;
  sample_bytes_ = segy::bytes_of(format_);
}

void SurveyOutput::create_as_like(const NewSurvey& form) {
  const SurveyReader& reader = like_->reader();
  const segy::FileDescription& file = reader.files().front();
  EndsChange change{.traces = form.traces};
  if (state_.samples != like_->samples_per_trace()) change.samples = state_.samples;
  if (form.traces != reader.traces()) change.sorting_code = state_.sorting_code;
  ends_ = file_ends(io_.resources.comm, reader, change);
  writer_.emplace(io_.resources, form.path, ItemList{file.first_trace_byte, trace_bytes(), form.traces},
                  SurveyWriter::Space::at_once, file.trailers * std::int64_t{segy::text_header_bytes});
  writer_->write_header(ends_->header);
}

void SurveyOutput::write_own(const NewTraces& traces, std::span<const Word> words) {
  const std::int64_t at_once = std::max<std::int64_t>(1, thread_bytes / bytes_in_memory());
  const auto count = std::ssize(traces.numbers);
  const int threads = io_.resources.threads();
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(threads));
  parallel_for(threads, (count + at_once - 1) / at_once, [&](std::int64_t task, int thread) {
    if (io_.resources.comm.size() == 1) check_signals(thread);
    const ItemRange piece{task * at_once, std::min(at_once, count - task * at_once)};
    std::vector<std::byte>& buffer = buffers[static_cast<std::size_t>(thread)];
    buffer.resize(static_cast<std::size_t>(piece.count * trace_bytes()));
    encode(traces, words, piece, buffer);
    const std::span<const std::int64_t> numbers = part_of(traces.numbers, piece);
    std::span<const std::byte> rest = buffer;
    for (std::size_t begin = 0; begin < numbers.size();) {  // one request for consecutive traces
      std::size_t end = begin + 1;
      while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
      const ByteRange place = writer().bytes_of({numbers[begin], static_cast<std::int64_t>(end - begin)});
      writer().mover().write_own(0, place.offset, rest.first(static_cast<std::size_t>(place.length)));
      rest = rest.subspan(static_cast<std::size_t>(place.length));
      begin = end;
    }
  });
}

void SurveyOutput::write_together(const NewTraces& traces, std::span<const Word> words) {
  Communicator& comm = io_.resources.comm;
  const auto count = std::ssize(traces.numbers);
  const std::int64_t at_once = std::max<std::int64_t>(1, call_bytes / bytes_in_memory());
  const int threads = io_.resources.threads();
  std::int64_t pieces = (count + at_once - 1) / at_once;
  if (comm.size() > 1) pieces = all_reduce(comm, pieces, Reduction::max);
  std::vector<std::byte> buffer;
  for (std::int64_t p = 0; p < pieces; ++p) {
    if (comm.size() == 1) check_signals(0);
    const std::int64_t first = std::min(count, p * at_once);
    const ItemRange piece{first, std::min(at_once, count - first)};
    run_and_agree(comm, [&] {
      buffer.resize(static_cast<std::size_t>(piece.count * trace_bytes()));
      run_on_threads(threads, [&](int thread) {
        const ItemRange own = block_of(piece.count, threads, thread);
        encode(traces, words, {piece.first + own.first, own.count},
               std::span(buffer).subspan(static_cast<std::size_t>(own.first * trace_bytes()),
                                         static_cast<std::size_t>(own.count * trace_bytes())));
      });
    });
    writer().write(part_of(traces.numbers, piece), buffer);
  }
}

void SurveyOutput::write(const NewTraces& traces) {
  Communicator& comm = io_.resources.comm;
  const auto count = std::ssize(traces.numbers);
  const std::vector<Word> words = run_and_agree(comm, [&] {
    if (traces.problem) throw Error(*traces.problem);
    const std::int64_t samples = count * state_.samples * segy::bytes_of(traces.format);
    const bool is_copy = traces.samples.empty() && !traces.headers_of.empty() && first_sample_;
    if (std::ssize(traces.samples) != samples && !is_copy)
      refuse(fmt::format("{} traces of {} samples are expected", count, state_.samples),
             "pass an array of the shape (traces, samples)");
    with_kind(Wrong::index, [&] {
      for (const std::int64_t number : traces.numbers)
        if (number < 0 || number >= traces_)
          refuse(fmt::format("trace {} is written, but the survey has {} traces, from 0", number, traces_),
                 "give the number of each trace with at=, or open the writer for more traces");
    });
    for (const NewWord& word : traces.words)
      if (std::visit([](const auto& values) { return std::ssize(values); }, word.values) != count)
        refuse(fmt::format("{} has another number of values than there are traces", word.name), "pass one per trace");
    if (!traces.headers_of.empty() && std::ssize(traces.headers_of) != count)
      refuse(fmt::format("headers_of has {} traces for {} traces", traces.headers_of.size(), count),
             "name one trace for each trace that is written");
    if (!traces.headers_of.empty())
      for (const std::int64_t number : traces.headers_of) like_->reader().require_traces({number, 1});
    return words_of(traces);
  });
  if (!writer().mover().writes_own())
    write_together(traces, words);
  else if (comm.size() == 1)
    write_own(traces, words);  // interrupts are exceptions of Python
  else
    run_and_agree(comm, [&] { write_own(traces, words); });
  for (const std::int64_t number : traces.numbers) sum_ += mixed(number);
  written_ += count;
}

std::vector<std::string> SurveyOutput::finish() {
  Communicator& comm = io_.resources.comm;
  std::array<std::int64_t, 3> all{written_, static_cast<std::int64_t>(sum_), rounded_integers_};
  if (comm.size() > 1) comm.all_reduce(all, Reduction::sum);
  const segy::ConversionAccount account = of_all_ranks(comm, account_);
  run_and_agree(comm, [&] {
    std::uint64_t expected = 0;
    for (std::int64_t number = 0; number < traces_; ++number) expected += mixed(number);
    if (all[0] != traces_ || static_cast<std::uint64_t>(all[1]) != expected)
      throw Error({.code = ErrorCode::usage,
                   .problem = all[0] == traces_
                                  ? std::string("some traces were written several times, and others never")
                                  : fmt::format("{} traces were written, but the survey has {}", all[0], traces_),
                   .where = {.file = path_},
                   .action = "write each trace once; a call that failed may have written some of its traces"});
    require_signal(account, rules_, format_, path_, "multiply the samples by a factor");
  });
  std::vector<std::string> notes;
  for (const auto& [count, what] : {std::pair(account.clipped, "clipped"), std::pair(account.zeroed, "set to zero")})
    if (count > 0) notes.push_back(fmt::format("{} samples were {}", format_count(count), what));
  if (all[2] > 0)
    notes.push_back(
        fmt::format("{} integers were rounded to values of the sample format ({}); int32 and ieee64 have more "
                    "digits (sample_format=)",
                    format_count(all[2]), segy::name_of(format_)));
  if (of_like_) {
    of_like_->finish(notes);
  } else if (!ends_) {
    writer_->finish();
  } else {
    writer_->write_trailer(ends_->trailer);
    MeantReading meant = read_as_input(like_->reader());
    if (meant.file.samples != state_.samples) meant.assume.samples.reset();  // the headers state it
    meant.file.samples = state_.samples;
    meant.file.traces = traces_;
    meant.has_one_length = true;
    finish_output(io_.resources, like_->reader(), *writer_, path_, meant);
  }
  io_.io.finish();
  return notes;
}

namespace {

/// An output, as an object of Python. With several ranks, only the thread that opened it may use it.
struct Opened {
  std::string path;
  OpenedBy by;
  std::unique_ptr<SurveyOutput> output;
  mutable std::mutex mutex = {};  // calls on several threads follow one another

  ~Opened() {
    if (!by.is_here()) (void)output.release();  // its resources stay allocated
  }
  template <class Work>
  auto use(const Work& work) const {
    by.require_here(path);
    return without_gil([&] {
      const std::scoped_lock lock(mutex);
      return work(*output);
    });
  }
};

NewSurvey new_survey(const nb::dict& options) {
  NewSurvey survey;
  nb::bytes path("");
  nb::bytes map("");
  bool reads_double = false;
  set(options, "path", path);
  set(options, "traces", survey.traces);
  set(options, "samples", survey.samples);
  set(options, "interval", survey.interval_us);
  set(options, "sample_format", survey.sample_format);
  set(options, "byte_order", survey.byte_order);
  set(options, "revision", survey.revision);
  set(options, "text", survey.text);
  set(options, "units", survey.measurement_system);
  set(options, "map", map);
  set(options, "clip", survey.rules.clip);
  set(options, "nonfinite", survey.rules.nonfinite_to_zero);
  set(options, "accept_loss", survey.rules.accept_loss);
  set(options, "first_sample", survey.first_sample);
  set(options, "reads_double", reads_double);
  survey.path = {path.c_str(), path.size()};
  survey.map = {map.c_str(), map.size()};
  if (reads_double) survey.read_as = segy::SampleFormat::ieee_double;
  return survey;
}

void open_output(Opened* self, const nb::object& comm, const nb::dict& options, const Survey* like,
                 const Problem& problem) {
  NewSurvey survey;
  require_one_writer(comm);
  std::unique_ptr<Communicator> ranks = make_communicator(comm);
  std::optional<Error> error = error_of(problem);
  std::vector<NamedText> texts;
  keep_first(error, attempt([&] {
               survey = new_survey(options);
               for (const auto& [name, value] : options)
                 texts.push_back({nb::str(name).c_str(), nb::repr(value).c_str()});
             }));
  auto output = without_gil([&] {
    agree(*ranks, error);
    require_same_on_all(
        *ranks, [&] { return texts; }, "the ranks were given different");
    return std::make_unique<SurveyOutput>(std::move(ranks), survey, like);
  });
  new (self) Opened{survey.path, OpenedBy(!comm.is_none()), std::move(output)};
}

void write_traces(const Opened& opened, const Numbers& numbers, const Values& samples,
                  const std::vector<std::pair<std::string, WordArray>>& words, const Numbers& headers_of,
                  const Problem& problem) {
  const std::vector<NewWord> values = new_words(words);
  const NewTraces traces{.numbers = {numbers.data(), numbers.size()},
                         .samples = {static_cast<const std::byte*>(samples.data()), samples.nbytes()},
                         .format = format_of(samples.dtype()),
                         .words = values,
                         .headers_of = {headers_of.data(), headers_of.size()},
                         .problem = error_of(problem)};
  opened.use([&](SurveyOutput& output) { output.write(traces); });
}

}  // namespace

void add_survey_outputs(nb::module_& module) {
  nb::class_<Opened>(module, "SurveyOutput")
      .def("__init__", &open_output, nb::arg("comm").none(), nb::arg("options"), nb::arg("like").none(),
           nb::arg("problem").none(), nb::keep_alive<1, 4>())
      .def("write", &write_traces, nb::arg("numbers"), nb::arg("samples"), nb::arg("words"), nb::arg("headers_of"),
           nb::arg("problem").none())
      .def("finish",
           [](const Opened& opened) { return opened.use([](SurveyOutput& output) { return output.finish(); }); });
}

}  // namespace sill::python
