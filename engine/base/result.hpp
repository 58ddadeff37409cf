#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace plimsoll {

// Why an expected failure happened, coarse enough that every layer can act on it: one table maps
// these to HTTP statuses, exit codes and to "retry" or "final".
enum class Errc {
    invalid_input,    // the caller's data break a rule; `where` names the field
    unauthenticated,  // no or no valid credentials
    forbidden,        // authenticated, but not permitted
    not_found,        // does not exist, or is hidden from the caller
    conflict,         // the current state of the resource forbids it
    too_large,        // over a stated limit
    exhausted,        // out of a resource (memory, quota, rate); may be retried later
    unavailable,      // a dependency does not respond; may be retried
    timeout,          // a deadline passed
    cancelled,        // a stop was requested
    corrupt,          // stored or received data fail their checks
    internal,         // a bug in Plimsoll
};

std::string_view to_string(Errc code);

// An expected failure as a value. `message` is a full sentence for people; `where` locates the
// cause: a JSON pointer ("/texts/3"), a file position ("prices.csv:17") or empty.
struct Error {
    Errc code = Errc::internal;
    std::string message;
    std::string where;
};

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(Errc code, std::string message,
                                                std::string where = {}) {
    return tl::unexpected<Error>(Error{code, std::move(message), std::move(where)});
}

[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
    return tl::unexpected<Error>(std::move(error));
}

}  // namespace plimsoll

// Hand a failure on to the caller, else go on:
//   TRY(const auto text, read_file(path));   // `text` is the value of the Result
//   TRY_DO(check(text));   // a Result whose value nobody needs; it ends at once, so not a guard
// CO_TRY and CO_TRY_DO are the same in coroutines. TRY declares a variable, so that it cannot be
// the only statement of an `if` without braces.
#define TRY(declaration, ...) \
    PLIMSOLL_TRY(PLIMSOLL_RESULT(__LINE__), return, declaration, __VA_ARGS__)
#define CO_TRY(declaration, ...) \
    PLIMSOLL_TRY(PLIMSOLL_RESULT(__LINE__), co_return, declaration, __VA_ARGS__)
#define TRY_DO(...) PLIMSOLL_TRY_DO(PLIMSOLL_RESULT(__LINE__), return, __VA_ARGS__)
#define CO_TRY_DO(...) PLIMSOLL_TRY_DO(PLIMSOLL_RESULT(__LINE__), co_return, __VA_ARGS__)
#define PLIMSOLL_TRY(result, leave, declaration, ...)                    \
    auto result = __VA_ARGS__;                                           \
    if (!(result)) leave tl::make_unexpected(std::move(result).error()); \
    declaration = *std::move(result)
#define PLIMSOLL_TRY_DO(result, leave, ...) \
    if (auto result = __VA_ARGS__; !(result)) leave tl::make_unexpected(std::move(result).error())
#define PLIMSOLL_RESULT(line) PLIMSOLL_JOIN(result_of_line_, line)
#define PLIMSOLL_JOIN(left, right) left##right
