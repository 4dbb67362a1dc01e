#include "remote.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "process.hpp"
#include "sill/store/ranged/ranged_store.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

// An object of Python that is released with the GIL, on any thread.
using Shared = std::shared_ptr<nb::object>;

Shared shared(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* held) { with_gil([&] { delete held; }); }};
}

// Throws the error that sill.remote makes of an exception. Precondition: the GIL is held.
[[noreturn]] void throw_failure(const std::string& url, nb::handle exception) {
  const nb::object failure = nb::module_::import_("sill.remote").attr("failure");
  const auto [kind, number, problem, action] =
      nb::cast<std::tuple<std::string, int, std::string, std::string>>(call_python(failure, nb::make_tuple(exception)));
  if (kind == "changed") throw changed_error(url);
  const Error error({.code = kind == "usage" ? ErrorCode::usage : ErrorCode::io,
                     .problem = problem,
                     .where = {.file = url},
                     .action = action,
                     .system_error_number = number});
  if (kind == "passing") throw PassingError(error);
  throw Error(error);
}

// Calls Python, and throws its exceptions as errors.
template <class Call>
auto in_python(const std::string& url, const Call& call) {
  return with_gil([&] {
    try {
      return call();
    } catch (nb::python_error& raised) {
      if (raised.matches(PyExc_Exception)) throw_failure(url, raised.value());
      PyErr_SetInterrupt();  // raises KeyboardInterrupt again when C++ returns
      throw Error(
          {.code = ErrorCode::io, .problem = "interrupted", .where = {.file = url}, .system_error_number = ECANCELED});
    }
  });
}

class PythonSource final : public RangedSource {
 public:
  PythonSource(std::string url, Shared file) : url_(std::move(url)), file_(std::move(file)) {}

  RangedState state() override {
    return in_python(url_, [&] {
      const nb::object state = file_->attr("state");
      const auto [bytes, identity, one_state] =
          nb::cast<std::tuple<std::int64_t, std::string, bool>>(call_python(state, nb::make_tuple()));
      reads_one_state_ = one_state;
      return RangedState{bytes, identity};
    });
  }

  void read(std::span<RangedRead> reads) override {
    std::vector<std::int64_t> begins;
    std::vector<std::int64_t> ends;
    for (const RangedRead& read : reads) {
      begins.push_back(read.offset_bytes);
      ends.push_back(read.offset_bytes + length_of({.operation = Operation::read, .memory = read.memory}));
    }
    in_python(url_, [&] {
      const nb::object read = file_->attr("read");
      const auto found = nb::cast<nb::list>(call_python(read, nb::make_tuple(begins, ends)));
      nb::object failed;
      for (std::size_t i = 0; i < reads.size(); ++i) {
        nb::bytes bytes;
        if (!nb::try_cast(found[i], bytes)) {
          failed = found[i];
          continue;
        }
        const char* from = bytes.c_str();
        for (const iovec& piece : reads[i].memory) {
          std::copy_n(from, piece.iov_len, static_cast<char*>(piece.iov_base));
          from += piece.iov_len;
        }
        reads[i].is_complete = true;
      }
      if (failed.is_valid()) throw_failure(url_, failed);
    });
  }

  [[nodiscard]] bool reads_one_state() const override { return reads_one_state_; }

 private:
  std::string url_;
  Shared file_;
  std::atomic<bool> reads_one_state_ = false;
};

}  // namespace

void add_remote(nb::module_& module) {
  nb::class_<RangedFiles>(module, "RemoteFiles")
      .def("__init__", [](RangedFiles* self, nb::object open, std::int64_t cache_bytes) {
        RangedOpener opener = [held = shared(std::move(open))](const std::string& url) {
          return in_python(url, [&] {
            return std::make_unique<PythonSource>(url, shared(call_python(*held, nb::make_tuple(url))));
          });
        };
        new (self) RangedFiles(std::move(opener), {.cache_bytes = cache_bytes});
      });
}

}  // namespace sill::python
