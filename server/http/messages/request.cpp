#include "server/http/messages/request.hpp"

#include <algorithm>

namespace plimsoll::http {
namespace {

char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr std::size_t kLength = 55;  // 2 + 1 + 32 + 1 + 16 + 1 + 2: version, trace, parent, flags

bool are_digits(std::string_view text) {
    return std::ranges::all_of(
        text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_zero(std::string_view text) {
    return text.find_first_not_of('0') == std::string_view::npos;
}

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

std::string_view trace_id(const Request& request) {
    const auto field = request.header("traceparent").value_or("");
    if (field.size() < kLength || field[2] != '-' || field[35] != '-' || field[52] != '-')
        return {};
    const auto version = field.substr(0, 2);
    const auto trace = field.substr(3, 32);
    const auto parent = field.substr(36, 16);
    const bool ends = field.size() == kLength || (version != "00" && field[kLength] == '-');
    if (!ends || version == "ff" || is_zero(trace) || is_zero(parent)) return {};
    for (const auto part : {version, trace, parent, field.substr(53, 2)})
        if (!are_digits(part)) return {};
    return trace;
}

}  // namespace plimsoll::http
