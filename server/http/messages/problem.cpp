#include "server/http/messages/problem.hpp"

#include "server/base/author.hpp"
#include "server/base/log.hpp"
#include "server/http/messages/limits.hpp"

#include <array>

#include <nlohmann/json.hpp>

namespace plimsoll::http {
namespace {

// The beginning of the `type` of a problem: an address of this server, which leads to the page that
// explains the problem and its solution.
inline constexpr std::string_view kProblemAddress = "/docs/problems/";

struct ProblemType {
    int status;
    std::string_view slug;  // the end of its address; stable, since programs compare it
    std::string_view title;
};

// All of them. The first type of a status is the default for problems with that status. The page
// web/src/routes/docs/topics/problems.md has an entry for each.
inline constexpr std::array kProblemTypes = {
    ProblemType{400, "bad-request", "Bad request"},
    ProblemType{401, "unauthenticated", "Unauthenticated"},
    ProblemType{401, "second-factor-needed", "Second factor needed"},
    ProblemType{403, "forbidden", "Forbidden"},
    ProblemType{404, "not-found", "Not found"},
    ProblemType{405, "method-not-allowed", "Method not allowed"},
    ProblemType{406, "not-acceptable", "Not acceptable"},
    ProblemType{408, "timeout", "Request timeout"},
    ProblemType{409, "conflict", "Conflict"},
    ProblemType{409, "not-unique", "Unique key in use"},
    ProblemType{409, "offset-mismatch", "Upload offset mismatch"},
    ProblemType{409, "already-made", "Already created"},
    ProblemType{412, "precondition-failed", "Precondition failed"},
    ProblemType{413, "too-large", "Content too large"},
    ProblemType{414, "target-too-long", "Target too long"},
    ProblemType{415, "unsupported-media-type", "Unsupported media type"},
    ProblemType{416, "range-not-satisfiable", "Range not satisfiable"},
    ProblemType{421, "misdirected", "Misdirected request"},
    ProblemType{422, "invalid-body", "Invalid body"},
    ProblemType{422, "idempotency-mismatch", "Idempotency key already used"},
    ProblemType{422, "unreadable-file", "Unreadable file"},
    ProblemType{429, "too-many-requests", "Too many requests"},
    ProblemType{429, "over-quota", "Over quota"},
    ProblemType{431, "header-too-large", "Header too large"},
    ProblemType{500, "internal", "Internal server error"},
    ProblemType{503, "unavailable", "Service unavailable"},
};

const ProblemType& type_of(const Problem& problem) {
    for (const auto& type : kProblemTypes)
        if (problem.slug.empty() ? type.status == problem.status : type.slug == problem.slug)
            return type;
    return type_of(Problem(500, {}));
}

int status_of(Errc code) {
    switch (code) {
        case Errc::invalid_input: return 422;
        case Errc::unauthenticated: return 401;
        case Errc::forbidden: return 403;
        case Errc::not_found: return 404;
        case Errc::conflict: return 409;
        case Errc::too_large: return 413;
        case Errc::exhausted: return 429;
        case Errc::unavailable:
        case Errc::timeout:
        case Errc::cancelled: return 503;
        case Errc::corrupt:
        case Errc::internal: return 500;
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
    if (status == 503 || status == 429)
        headers.push_back({"Retry-After", std::to_string(limits::kRetryAfterSeconds)});
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

Problem overloaded(std::string detail) { return Error{Errc::unavailable, std::move(detail), {}}; }

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
        if (error.parameter.empty())
            entry["pointer"] = error.pointer;
        else
            entry["parameter"] = error.parameter;
        body["errors"].push_back(std::move(entry));
    }
    auto response = json_response(problem.status, body);
    response.headers = problem.headers;
    response.with("Content-Type", "application/problem+json");
    if (problem.status == 401) response.with("WWW-Authenticate", "Bearer");
    return response;
}

}  // namespace plimsoll::http
