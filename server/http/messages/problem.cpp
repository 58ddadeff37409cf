#include "server/http/messages/problem.hpp"

#include "server/base/log.hpp"
#include "server/http/messages/limits.hpp"

#include <array>

#include <nlohmann/json.hpp>

namespace plimsoll::http {
namespace {

struct Kind {
    int status;
    std::string_view slug;
    std::string_view title;
};

constexpr std::array kKinds = {
    Kind{400, "bad-request", "Bad request"},
    Kind{401, "unauthenticated", "Unauthenticated"},
    Kind{403, "forbidden", "Forbidden"},
    Kind{404, "not-found", "Not found"},
    Kind{405, "method-not-allowed", "Method not allowed"},
    Kind{408, "timeout", "Request timeout"},
    Kind{409, "conflict", "Conflict"},
    Kind{412, "precondition-failed", "Precondition failed"},
    Kind{413, "too-large", "Content too large"},
    Kind{414, "target-too-long", "Target too long"},
    Kind{415, "unsupported-media-type", "Unsupported media type"},
    Kind{416, "range-not-satisfiable", "Range not satisfiable"},
    Kind{422, "invalid-body", "Invalid body"},
    Kind{429, "too-many-requests", "Too many requests"},
    Kind{431, "header-too-large", "Header too large"},
    Kind{500, "internal", "Internal server error"},
    Kind{503, "unavailable", "Service unavailable"},
};

const Kind& kind_of(int status) {
    for (const auto& kind : kKinds) {
        if (kind.status == status) return kind;
    }
    return kind_of(500);
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
        detail = "The request failed. Quote the request id when you report this.";
    }
    if (status == 503 || status == 429) {
        headers.push_back({"Retry-After", std::to_string(limits::kRetryAfterSeconds)});
    }
    if (status == 422) errors.push_back({error.where, {}, error.message});
}

tl::unexpected<Problem> refuse(int status, std::string detail) {
    return tl::unexpected<Problem>(Problem(status, std::move(detail)));
}

Problem overloaded(std::string detail) {
    return Error{Errc::unavailable, std::move(detail), {}};
}

Response to_response(const Problem& problem, std::string_view request_id) {
    const auto& kind = kind_of(problem.status);
    nlohmann::json body = {
        {"type",
         "urn:plimsoll:problem:" + (problem.slug.empty() ? std::string(kind.slug) : problem.slug)},
        {"title", kind.title},
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
