#pragma once

#include <array>
#include <string_view>

namespace plimsoll::http {

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

}  // namespace plimsoll::http
