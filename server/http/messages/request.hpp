#pragma once

#include "server/base/tracing.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::http {

// Without the optional whitespace of RFC 9110 (spaces and tabs) at both ends.
inline std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

struct Header {
    std::string name;
    std::string value;
};

// Finds a header, case-insensitively; nullopt if absent.
std::optional<std::string_view> find_header(const std::vector<Header>& headers,
                                            std::string_view name);
std::size_t count_headers(const std::vector<Header>& headers, std::string_view name);

// Case-insensitive ASCII comparison.
bool same_token(std::string_view a, std::string_view b);

// One request, independent of parser and socket.
struct Request {
    std::string id;  // "req_…", unique; in its response and log lines
    std::string method;
    std::string target;  // as sent: path and query, still encoded
    std::vector<Header> headers;
    std::string body;  // empty until the head is admitted
    std::string remote_address;
    bool secure = false;  // came over TLS
    tracing::Span span;   // recorded when it is answered

    std::optional<std::string_view> header(std::string_view name) const {
        return find_header(headers, name);
    }
    // The values of all fields of this name, as one list.
    std::string list(std::string_view name) const;
    std::optional<std::string_view> cookie(std::string_view name) const;
};

// The id of its trace, or else of its caller's: log lines include it. Empty: there is none.
std::string trace_id(const Request& request);

}  // namespace plimsoll::http
