#include "apply.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "errors.hpp"
#include "process.hpp"
#include "sill/base/crc32.hpp"
#include "sill/base/error.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operation/program_operation.hpp"
#include "sill/flow/operations/operation_types.hpp"
#include "sill/formats/segy/expression/assignment.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

thread_local const nb::dict* functions_of_thread = nullptr;
thread_local Progress* progress_of_thread = nullptr;

/// The words that a function gave to each trace, as hashes. Operations on headers may be called several times for a
/// trace, in any thread, and must give it the same words each time.
class GivenWords {
 public:
  /// Local. Errors: usage, if other words were given to `trace` before.
  void check(std::int64_t trace, std::span<const std::byte> words) {
    const std::uint32_t hash = std::max<std::uint32_t>(crc32_of(words), 1);  // 0: none given yet
    const std::scoped_lock lock(mutex_);
    std::vector<std::uint32_t>& block = blocks_[trace / traces_per_block];
    block.resize(traces_per_block);
    std::uint32_t& given = block[static_cast<std::size_t>(trace % traces_per_block)];
    if (given != 0 && given != hash)
      refuse("the function was called twice for a trace, and gave it other words the second time",
             "let the words depend only on what the function reads, or use scope='gather'");
    given = hash;
  }

 private:
  static constexpr std::int64_t traces_per_block = 65536;
  std::mutex mutex_;
  std::map<std::int64_t, std::vector<std::uint32_t>> blocks_;
};

/// A function of Python with its declarations. Calls it for one thread at a time, unless it may run in several.
class Function {
 public:
  /// Local. Precondition: the GIL is held.
  Function(std::string name, const nb::handle& applied)
      : name_(std::move(name)),
        applied_(new nb::object(nb::borrow(applied))),
        reads_(nb::cast<std::vector<std::string>>(applied.attr("reads"))),
        writes_(nb::cast<std::vector<std::string>>(applied.attr("writes"))),
        reads_samples_(nb::cast<bool>(applied.attr("reads_samples"))),
        writes_samples_(nb::cast<bool>(applied.attr("writes_samples"))),
        is_concurrent_(nb::cast<bool>(applied.attr("concurrent"))),
        progress_(progress_of_thread) {}
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;
  ~Function() {
    with_gil([this] { delete applied_; });
  }

  /// Local. Returns the declarations of `function` for gathers, or for traces.
  static flow::ProgramOperation declared(const std::shared_ptr<Function>& function, bool is_gather) {
    const auto work = [function](const flow::ProgramBlock& block) { function->call(block); };
    const bool has_samples = function->reads_samples_ || function->writes_samples_;
    function->is_gather_ = is_gather;
    flow::ProgramOperation operation;
    operation.is_gather = is_gather;
    operation.reads_words = function->reads_;
    operation.writes_words = function->writes_;
    operation.reads_samples = function->reads_samples_;
    operation.writes_samples = operation.changes_amplitudes = function->writes_samples_;
    // Per sample: the copy for the function, the result as float64, and the result as float32. Per trace: the columns.
    operation.bytes_per_sample = has_samples ? 4 + 8 + 4 : 0;
    operation.bytes_per_trace = 8 * (2 + std::ssize(function->reads_) + std::ssize(function->writes_));
    (is_gather || has_samples ? operation.run : operation.edit_header) = work;
    return operation;
  }

 private:
  void call(const flow::ProgramBlock& block) const {
    std::vector<Column> columns = columns_of(block);
    std::vector<float> samples;
    const auto count = block.traces.size();
    const auto length = static_cast<std::size_t>(block.samples);
    if (block.values != nullptr) {
      samples.reserve(count * length);
      for (std::size_t i = 0; i < count; ++i) samples.insert(samples.end(), row(block, i), row(block, i) + length);
    }
    std::unique_lock<std::mutex> lock(one_at_a_time_, std::defer_lock);
    if (!is_concurrent_) lock.lock();  // before the GIL
    count_done(progress_, 0);          // ends a flow that was cancelled
    if (has_failed_) throw Error(*failure_);
    with_gil([&] {
      try {
        nb::list words;
        for (Column& column : columns) words.append(object_of(std::move(column)));
        nb::object values = nb::none();
        if (block.values != nullptr) values = nb::cast(array_of<float>(std::move(samples), {count, length}));
        std::vector<std::int64_t> numbers(block.traces.begin(), block.traces.end());
        const bool is_depth = block.survey->domain == segy::Domain::depth;
        const nb::object result =
            call_python(*applied_, nb::make_tuple(values, array_of<std::int64_t>(std::move(numbers), {count}), words,
                                                  block.survey->interval_us * (is_depth ? 1e-3 : 1e-6)));
        if (writes_samples_) store_samples(nb::borrow(result[0]), block);
        for (std::size_t w = 0; w < writes_.size(); ++w)
          if (const nb::object given = nb::borrow(result[1][w]); !given.is_none())
            store_words(writes_[w], given, block);
      } catch (const nb::python_error&) {
        throw failed({.code = ErrorCode::usage,
                      .problem = "the function " + name_ + " raised an exception\n" +
                                 nb::cast<std::string>(applied_->attr("text")),
                      .action = "correct the function"});
      } catch (const Error& error) {
        throw failed(error.parts());
      }
    });
    if (is_gather_ || block.values != nullptr) return;
    std::vector<std::byte> words;
    for (const std::string& name : writes_) {
      const segy::WordRef word = block.survey->words->word(name);
      words.insert(words.end(), header(block, 0) + word.byte - 1, header(block, 0) + word.byte - 1 + word.type.bytes);
    }
    given_.check(block.traces.front(), words);
  }

  // Returns the error of a call, which later calls then throw immediately.
  [[nodiscard]] Error failed(const ErrorParts& parts) const {
    const std::scoped_lock lock(failing_);
    if (!has_failed_) failure_.emplace(parts);
    has_failed_ = true;
    return *failure_;
  }

  static float* row(const flow::ProgramBlock& block, std::size_t i) {
    return block.values + static_cast<std::ptrdiff_t>(i) * block.stride;
  }

  static std::byte* header(const flow::ProgramBlock& block, std::size_t i) {
    return block.headers.data() + static_cast<std::ptrdiff_t>(i) * block.survey->header_bytes;
  }

  static segy::HeaderView view(const flow::ProgramBlock& block, std::size_t i) {
    return {.header = header(block, i), .order = block.survey->order, .trace = block.traces[i] + 1};
  }

  // Returns the words that are read, and then those that are written.
  [[nodiscard]] std::vector<Column> columns_of(const flow::ProgramBlock& block) const {
    std::call_once(parsed_, [&] {
      for (const std::vector<std::string>* const names : {&reads_, &writes_})
        for (const std::string& name : *names)
          expressions_.push_back(segy::Expression::parse(name, *block.survey->words));
    });
    std::vector<Column> columns;
    for (const segy::Expression& expression : expressions_) {
      Column& column = columns.emplace_back(column_of(expression, std::ssize(block.traces)));
      for (std::size_t i = 0; i < block.traces.size(); ++i) set_value(column, i, expression, view(block, i));
    }
    return columns;
  }

  static void store_samples(const nb::object& result, const flow::ProgramBlock& block) {
    const auto values = nb::cast<nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(result);
    const auto length = static_cast<std::size_t>(block.samples);
    for (std::size_t i = 0; i < block.traces.size(); ++i)
      std::copy_n(values.data() + i * length, length, row(block, i));
  }

  static void store_words(const std::string& name, const nb::object& result, const flow::ProgramBlock& block) {
    const segy::WordRef word = block.survey->words->word(name);
    if (word.type.kind == segy::WordKind::text)
      throw Error({.code = ErrorCode::usage, .problem = name + " stores text, which functions do not set"});
    const auto store = [&](const auto& values) {
      for (std::size_t i = 0; i < block.traces.size(); ++i)
        segy::store_value(word, {.number = values.data()[i]}, view(block, i), header(block, i));
    };
    using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    if (Integers integers; nb::try_cast(result, integers, false))
      store(integers);
    else
      store(nb::cast<nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(result));
  }

  std::string name_;
  nb::object* applied_;  // destroyed with the GIL
  std::vector<std::string> reads_;
  std::vector<std::string> writes_;
  bool reads_samples_;
  bool writes_samples_;
  bool is_concurrent_;
  bool is_gather_ = false;
  Progress* progress_;
  mutable std::mutex one_at_a_time_;
  mutable std::mutex failing_;
  mutable std::atomic<bool> has_failed_{false};
  mutable std::optional<Error> failure_;
  mutable GivenWords given_;
  mutable std::once_flag parsed_;
  mutable std::vector<segy::Expression> expressions_;  // parsed in the first call, with the words of the survey
};

constexpr std::array<std::string_view, 2> scopes{"trace", "gather"};

std::unique_ptr<flow::Operation> make(const flow::Arguments& arguments) {
  const std::string name = arguments.required_text("function");
  const bool is_gather = arguments.choice("scope", scopes) == 1;
  if (!is_gather && arguments.has("by")) arguments.refuse("by", "by= needs scope=gather");
  auto declared = std::make_shared<flow::ProgramOperation>();
  with_gil([&] {
    if (functions_of_thread != nullptr && functions_of_thread->contains(name.c_str()))
      *declared = Function::declared(std::make_shared<Function>(name, (*functions_of_thread)[name.c_str()]), is_gather);
  });
  if (!declared->run && !declared->edit_header) {  // the operation is only described, or the function is missing
    declared->is_gather = is_gather;
    declared->reads_samples = declared->writes_samples = declared->changes_amplitudes = true;
    declared->run = [step = arguments.step()](const flow::ProgramBlock&) {
      flow::Arguments(step).refuse("function", "there is no such function of Python",
                                   "pass the function: survey.apply(function)");
    };
  }
  return flow::make_program_operation(std::move(declared), arguments);
}

}  // namespace

AppliedFunctions::AppliedFunctions(const nb::dict& functions, Progress* progress) {
  functions_of_thread = &functions;
  progress_of_thread = progress;
}

AppliedFunctions::~AppliedFunctions() {
  functions_of_thread = nullptr;
  progress_of_thread = nullptr;
}

void add_apply() {
  flow::add_operation_type(
      {.name = "apply",
       .summary = "Passes traces through a function of Python",
       .formula = "that of the function",
       .example = "apply function=denoise scope=gather by=cdp",
       .parameters = {{"function", "NAME", "", "name of the function"},
                      {"scope", "trace | gather", "trace", "what one call of the function receives"},
                      flow::NamedKeys::parameter()},
       .make = make});
}

}  // namespace sill::python
