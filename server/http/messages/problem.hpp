#pragma once

#include "engine/base/result.hpp"
#include "server/http/messages/response.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::http {

struct ProblemError {
    std::string pointer;    // JSON pointer into the body, or
    std::string parameter;  // the name of a path, query or header parameter
    std::string detail;
};

// A failure as RFC 9457 wants it told. Everything that is not a success becomes one.
struct Problem {
    int status = 500;
    std::string detail;  // a full sentence for people, without secrets, SQL or paths
    std::vector<ProblemError> errors;
    std::vector<Header> headers;
    std::vector<std::pair<std::string, std::string>> members;  // further ones, with their JSON text
    std::string slug;  // the end of the type URN; empty: the status's own

    Problem(int status_code, std::string text) : status(status_code), detail(std::move(text)) {}
    // The one table from expected failures to HTTP. `internal` and `corrupt` are told without
    // their message: that goes to the log.
    Problem(const Error& error);
};

template <class T>
using Outcome = tl::expected<T, Problem>;

[[nodiscard]] tl::unexpected<Problem> refuse(int status, std::string detail);

// 503 that says when to come back.
Problem overloaded(std::string detail);

Response to_response(const Problem& problem, std::string_view request_id);

}  // namespace plimsoll::http
