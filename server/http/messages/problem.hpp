#pragma once

#include "engine/base/result.hpp"
#include "server/http/messages/response.hpp"

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace plimsoll::http {

struct ProblemError {
    std::string pointer;    // JSON pointer into the body, or
    std::string parameter;  // the name of a path, query or header parameter
    std::string detail;
};

// An RFC 9457 problem. Every response that is not a success is one.
struct Problem {
    int status = 500;
    std::string detail;  // a full sentence for people, without secrets, SQL or paths
    std::vector<ProblemError> errors;
    std::vector<Header> headers;
    std::vector<std::pair<std::string, std::string>>
        members;       // additional members, with their JSON text
    std::string slug;  // one of kProblemTypes; empty: the first of the status

    Problem(int status_code, std::string text) : status(status_code), detail(std::move(text)) {}
    // Maps errors to HTTP statuses; the only such table. Messages of `internal` and `corrupt` go to
    // the log, not to the client.
    Problem(const Error& error);
};

template <class T>
using Outcome = tl::expected<T, Problem>;

// Ends a handler; `Api` turns it into the response. Only handlers and what they call throw it.
class Refused : public std::exception {
  public:
    explicit Refused(Problem why) : problem(std::move(why)) {}
    Refused(int status, std::string detail) : problem(status, std::move(detail)) {}

    Problem problem;
};

// What a handler cannot go on without.
template <class T, class E>
T need(tl::expected<T, E> result) {
    if (!result) throw Refused(Problem(std::move(result.error())));
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

[[nodiscard]] tl::unexpected<Problem> refuse(int status, std::string detail);

// 422 at one place of the body.
Problem invalid_member(std::string pointer, std::string why);

// 503 with Retry-After.
Problem overloaded(std::string detail);

Response to_response(const Problem& problem, std::string_view request_id);

}  // namespace plimsoll::http
