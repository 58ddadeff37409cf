#include "server/http/messages/request.hpp"

#include <algorithm>

namespace plimsoll::http {
namespace {

char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool same_token(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower_letter, lower_letter);
}

std::optional<std::string_view> find_header(const std::vector<Header>& headers,
                                            std::string_view name) {
    for (const auto& header : headers)
        if (same_token(header.name, name)) return header.value;
    return std::nullopt;
}

std::size_t count_headers(const std::vector<Header>& headers, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::count_if(
        headers, [&](const Header& header) { return same_token(header.name, name); }));
}

std::string Request::list(std::string_view name) const {
    std::string values;
    for (const auto& header : headers) {
        if (!same_token(header.name, name)) continue;
        if (!values.empty()) values += ", ";
        values += header.value;
    }
    return values;
}

std::optional<std::string_view> Request::cookie(std::string_view name) const {
    auto rest = header("Cookie").value_or("");
    while (!rest.empty()) {
        const auto end = std::min(rest.find(';'), rest.size());
        const auto pair = trim(rest.substr(0, end));
        const auto equals = pair.find('=');
        if (equals != std::string_view::npos && pair.substr(0, equals) == name)
            return pair.substr(equals + 1);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return std::nullopt;
}

std::string trace_id(const Request& request) {
    if (request.span.context) return tracing::trace_id(request.span.context);
    const auto sent = tracing::parse_traceparent(request.header("traceparent").value_or(""));
    return sent ? tracing::trace_id(sent->context) : "";
}

}  // namespace plimsoll::http
