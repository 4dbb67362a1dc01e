#include "sill/base/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "sill/base/user_text.hpp"

namespace sill {
namespace {

std::string compose(const ErrorParts& parts, int ranks) {
  std::string text = parts.problem;
  if (!parts.where.file.empty())
    text += fmt::format("\n  file:   {}", echoed(parts.where.file, parts.where.file.max_size()));
  if (parts.where.byte) text += fmt::format("\n  byte:   {}", *parts.where.byte);
  if (parts.where.item)
    text += fmt::format("\n  {:<7} {}", fmt::format("{}:", parts.where.item_word), *parts.where.item);
  if (ranks > 1) text += fmt::format("\n  rank:   {} of {}", parts.rank, ranks);
  if (!parts.clause.empty()) text += fmt::format("\n  clause: {}", parts.clause);
  if (!parts.action.empty()) text += fmt::format("\n  to do:  {}", parts.action);
  return text;
}

std::string usual_action(int errno_value) {
  switch (errno_value) {
    case ENOSPC: return "free space on this file system, or write to another one";
    case EDQUOT: return "your disk quota is used up: free space, or write to another file system";
    case ENOENT: return "check the path";
    case EACCES:
    case EPERM:
    case EROFS: return "check the permissions of the file and of its folder";
    case EISDIR: return "name a file, not a directory";
    case EFBIG: return "the file would exceed what the file system or your limit (ulimit -f) allows";
    case EIO: return "the disk or the connection to it failed: see the system's log, then try again";
    case EMFILE:
    case ENFILE:
      return "name fewer files at a time, or raise the limit on open files (ulimit -n; beyond ulimit -Hn the "
             "administrator does)";
    default: return {};
  }
}

// Tests the category instead of default_error_condition(), because some errors, such as EDQUOT, have no std::errc.
int errno_of(const std::error_code& code) {
  return code.category() == std::generic_category() || code.category() == std::system_category() ? code.value() : 0;
}

Error unexpected_failure(const std::exception& cause, int errno_value) {
  return Error({.code = ErrorCode::io,
                .problem = fmt::format("unexpected failure: {}", cause.what()),
                .system_error_number = errno_value});
}

}  // namespace

Error::Error(ErrorParts parts) : parts_(std::move(parts)), text_(compose(parts_, 1)) {}

void Error::set_agreed(int rank_at_fault, int ranks) {
  parts_.rank = rank_at_fault;
  ranks_ = ranks;
  text_ = compose(parts_, ranks_);
}

void Error::set_where(Where where) {
  parts_.where = std::move(where);
  text_ = compose(parts_, ranks_);
}

Error usage_error(std::string problem, std::string action, Where where) {
  return Error({.code = ErrorCode::usage,
                .problem = std::move(problem),
                .where = std::move(where),
                .action = std::move(action)});
}

Error system_error(int errno_value, const std::string& call, Where where, std::string action) {
  if (action.empty()) action = usual_action(errno_value);
  return Error({.code = ErrorCode::io,
                .problem = fmt::format("{} failed: {}", call, std::strerror(errno_value)),
                .where = std::move(where),
                .action = std::move(action),
                .system_error_number = errno_value});
}

void throw_at(Error error, Where where) {
  error.set_where(std::move(where));
  throw error;
}

Error current_error() {
  try {
    try {
      throw;
    } catch (const Error& error) {
      return error;
    } catch (const std::bad_alloc&) {
      return Error({.code = ErrorCode::io,
                    .problem = "out of memory",
                    .action = "use fewer ranks or threads on the node, less memory for buffers (--memory, or "
                              "SILL_OPTIONS=memory=SIZE), or a node with more memory",
                    .system_error_number = ENOMEM});
    } catch (const std::system_error& failure) {
      return unexpected_failure(failure, errno_of(failure.code()));
    } catch (const std::exception& other) {
      return unexpected_failure(other, 0);
    }
  } catch (const std::bad_alloc&) {
    // There may be no memory for a longer text; one this short needs no allocation.
    return Error({.code = ErrorCode::io, .problem = "out of memory", .system_error_number = ENOMEM});
  }
}

}  // namespace sill
