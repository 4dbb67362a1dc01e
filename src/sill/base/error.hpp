// The one exception type of Sill: what happened, where, why, and what to do next.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace sill {

/// What kind of failure it is. The values are the exit codes of the program.
enum class ErrorCode : int {
  usage = 2,  ///< the caller asked for something that cannot be done as asked
  input = 3,  ///< a file is damaged, unknown or not yet supported
  io = 4,     ///< the system refused: missing file, no permission, full disk, no memory, MPI
};

/// Where it happened; whatever is not known stays empty.
struct Where {
  std::string file = {};                  ///< path as the user gave it
  std::optional<std::int64_t> byte = {};  ///< byte in the file, from 0
  std::optional<std::int64_t> item = {};  ///< item, from 1 as users count
  std::string item_word = "item";         ///< what the format calls an item
};

/// The parts of an error. `problem` is required, every other part may be empty.
struct ErrorParts {
  ErrorCode code = ErrorCode::io;
  std::string problem;  ///< what happened, one sentence without a full stop
  Where where = {};
  std::string clause = {};      ///< the clause of the format's standard that is broken
  std::string action = {};      ///< what the user can do next
  int system_error_number = 0;  ///< the errno of the cause (ENOSPC, EDQUOT, EIO, ...); 0 if there is none
  int rank = 0;                 ///< the rank at fault; set by `agree`
};

/// Local. Thrown by every part of the library. After a collective operation every rank throws an equal Error.
class Error : public std::exception {
 public:
  explicit Error(ErrorParts parts);

  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
  [[nodiscard]] const ErrorParts& parts() const noexcept { return parts_; }
  [[nodiscard]] ErrorCode code() const noexcept { return parts_.code; }

  /// True once all ranks of the operation's communicator are known to throw this same error.
  [[nodiscard]] bool agreed() const noexcept { return ranks_ > 0; }
  void set_agreed(int rank_at_fault, int ranks);
  /// Local. Changes the place.
  void set_where(Where where);

 private:
  ErrorParts parts_;
  std::string text_;
  int ranks_ = 0;  // that throw it, once that is known
};

/// Local. An Error of code `io` for a failed system call: `call` names it ("pwrite"), `errno_value` is its errno.
[[nodiscard]] Error system_error(int errno_value, const std::string& call, Where where, std::string action = {});

/// Local. Throws `error` with another place; all else stays.
[[noreturn]] void throw_at(Error error, Where where);

/// Local. The Error behind the exception being handled: an Error as it is, std::bad_alloc (ENOMEM),
/// std::system_error (its number) and others translated.
/// Precondition: called inside a catch block.
[[nodiscard]] Error current_error();

}  // namespace sill
