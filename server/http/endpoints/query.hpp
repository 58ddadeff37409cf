#pragma once

#include "server/base/author.hpp"
#include "server/base/id.hpp"
#include "server/base/time.hpp"
#include "server/http/api/handler.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

// What operations read from their parameters.

namespace plimsoll::http::endpoints {

// The caller as the author of the call's changes.
inline Author author_of(const Call& call) {
    return {call.principal.team.id, call.principal.user.id, call.request.id, {}};
}

// The time in a parameter, which the contract has checked.
inline std::optional<Timestamp> time_parameter(const Call& call, std::string_view name) {
    const auto text = call.parameters.text(name);
    return text ? std::optional(parse_rfc3339(*text).value()) : std::nullopt;
}

// An ID in a path or a body. 404 for a malformed one, as for a missing object.
template <class Id>
Id parse_id(std::string_view prefix, const std::optional<std::string>& text, const char* missing) {
    const auto value = parse_public_id(prefix, text.value_or(""));
    if (!value) throw Refused(404, missing);
    return Id{*value};
}

// Reads an id such as "7.2" or "7.2.31" into as many whole numbers. False: it is none.
template <class... Numbers>
bool read_dotted(std::string_view text, Numbers&... numbers) {
    const char* at = text.data();
    const char* const end = at + text.size();
    bool first = true;
    const auto read = [&](auto& number) {
        if (!std::exchange(first, false) && (at == end || *at++ != '.')) return false;
        const auto [rest, error] = std::from_chars(at, end, number);
        at = rest;
        return error == std::errc();
    };
    return (read(numbers) && ...) && at == end;
}

}  // namespace plimsoll::http::endpoints
