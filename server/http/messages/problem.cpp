#include "server/http/messages/problem.hpp"

#include "server/base/author.hpp"
#include "server/base/log.hpp"
#include "server/http/messages/limits.hpp"
#include "server/http/messages/problem_types.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::http {
namespace {

const ProblemType& type_of(const Problem& problem) {
    for (const auto& type : kProblemTypes) {
        if (problem.slug.empty() ? type.status == problem.status : type.slug == problem.slug) {
            return type;
        }
    }
    return type_of(Problem(500, {}));
}

int status_of(Errc code) {
    switch (code) {
        case Errc::invalid_input:
            return 422;
        case Errc::unauthenticated:
            return 401;
        case Errc::forbidden:
            return 403;
        case Errc::not_found:
            return 404;
        case Errc::conflict:
            return 409;
        case Errc::too_large:
            return 413;
        case Errc::exhausted:
            return 429;
        case Errc::unavailable:
        case Errc::timeout:
        case Errc::cancelled:
            return 503;
        case Errc::corrupt:
        case Errc::internal:
            return 500;
    }
    return 500;
}

}  // namespace

Problem::Problem(const Error& error) : status(status_of(error.code)), detail(error.message) {
    if (status == 500) {
        log::error("request failed",
                   {{"code", std::string(to_string(error.code))}, {"why", error.message}});
        detail = "The request failed. Quote the request ID when you report this.";
    }
    if (status == 503 || status == 429) {
        headers.push_back({"Retry-After", std::to_string(limits::kRetryAfterSeconds)});
    }
    if (error.code == Errc::conflict && error.where == kSeen) status = 412;
    if (status == 422) errors.push_back({error.where, {}, error.message});
}

tl::unexpected<Problem> refuse(int status, std::string detail) {
    return tl::unexpected<Problem>(Problem(status, std::move(detail)));
}

Problem invalid_member(std::string pointer, std::string why) {
    Problem problem(422, "The body is invalid in 1 place.");
    problem.errors.push_back({std::move(pointer), {}, std::move(why)});
    return problem;
}

Problem overloaded(std::string detail) {
    return Error{Errc::unavailable, std::move(detail), {}};
}

Response to_response(const Problem& problem, std::string_view request_id) {
    const auto& type = type_of(problem);
    nlohmann::json body = {
        {"type", std::string(kProblemAddress) + std::string(type.slug)},
        {"title", type.title},
        {"status", problem.status},
        {"detail", problem.detail},
        {"request_id", request_id},
    };
    for (const auto& [name, value] : problem.members) body[name] = nlohmann::json::parse(value);
    for (const auto& error : problem.errors) {
        nlohmann::json entry = {{"detail", error.detail}};
        if (error.parameter.empty()) {
            entry["pointer"] = error.pointer;
        } else {
            entry["parameter"] = error.parameter;
        }
        body["errors"].push_back(std::move(entry));
    }
    auto response = json_response(problem.status, body);
    response.headers = problem.headers;
    response.with("Content-Type", "application/problem+json");
    if (problem.status == 401) response.with("WWW-Authenticate", "Bearer");
    return response;
}

}  // namespace plimsoll::http
