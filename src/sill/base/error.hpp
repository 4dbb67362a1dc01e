// The only exception type of Sill: what happened, where, why, and what to do next.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace sill {

/// The kind of a failure. The values are the exit codes of the program.
enum class ErrorCode : int {
  usage = 2,  ///< the caller asked for something that cannot be done in that way
  input = 3,  ///< a file is damaged, unknown or not yet supported
  io = 4,     ///< the system refused: missing file, no permission, full disk, no memory, MPI
};

/// The location of a failure; unknown fields stay empty.
struct Where {
  std::string file = {};                  ///< path as the user gave it
  std::optional<std::int64_t> byte = {};  ///< byte in the file, from 0
  std::optional<std::int64_t> item = {};  ///< number of the item, from 1
  std::string item_word = "item";         ///< word for an item in this format
};

/// The fields of an error. `problem` is required; all others may be empty.
struct ErrorParts {
  ErrorCode code = ErrorCode::io;
  std::string problem;  ///< what happened, one sentence without a full stop
  Where where = {};
  std::string clause = {};      ///< the violated clause of the format's standard
  std::string action = {};      ///< advice to the user
  int system_error_number = 0;  ///< the errno of the cause (ENOSPC, EDQUOT, EIO, ...); 0 if there is none
  int rank = 0;                 ///< the rank at fault; set by `agree`
};

/// The exception of all library functions. After a collective operation, every rank throws an equal Error.
class Error : public std::exception {
 public:
  explicit Error(ErrorParts parts);

  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
  [[nodiscard]] const ErrorParts& parts() const noexcept { return parts_; }
  [[nodiscard]] ErrorCode code() const noexcept { return parts_.code; }

  /// Local. Returns true once all ranks of the operation's communicator are known to throw this same error.
  [[nodiscard]] bool agreed() const noexcept { return ranks_ > 0; }
  void set_agreed(int rank_at_fault, int ranks);
  /// Local. Changes the location of the failure to `where`.
  void set_where(Where where);

 private:
  ErrorParts parts_;
  std::string text_;
  int ranks_ = 0;  // number of ranks that throw this error; 0 until known
};

/// Local. Returns an Error of code `io` for a failed system call. `call` is its name ("pwrite"), `errno_value` its
/// errno.
[[nodiscard]] Error system_error(int errno_value, const std::string& call, Where where, std::string action = {});

/// Local. Returns an Error of code `usage`.
[[nodiscard]] Error usage_error(std::string problem, std::string action = {}, Where where = {});

/// Local. Throws `error` with the location `where`; all other fields are unchanged.
[[noreturn]] void throw_at(Error error, Where where);

/// Local. Returns the exception being handled as an Error. An Error is returned unchanged; std::bad_alloc (ENOMEM),
/// std::system_error (its number) and others are converted. Precondition: called inside a catch block.
[[nodiscard]] Error current_error();

}  // namespace sill
