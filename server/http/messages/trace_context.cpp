#include "server/http/messages/trace_context.hpp"

#include <algorithm>

namespace plimsoll::http {
namespace {

constexpr std::size_t kLength = 55;  // 2 + 1 + 32 + 1 + 16 + 1 + 2: version, trace, parent, flags

bool are_digits(std::string_view text) {
    return std::ranges::all_of(
        text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_zero(std::string_view text) {
    return text.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

std::string_view trace_id(const Request& request) {
    const auto field = request.header("traceparent").value_or("");
    if (field.size() < kLength || field[2] != '-' || field[35] != '-' || field[52] != '-')
        return {};
    const auto version = field.substr(0, 2);
    const auto trace = field.substr(3, 32);
    const auto parent = field.substr(36, 16);
    const bool ends = field.size() == kLength || (version != "00" && field[kLength] == '-');
    if (!ends || version == "ff" || is_zero(trace) || is_zero(parent)) return {};
    for (const auto part : {version, trace, parent, field.substr(53, 2)}) {
        if (!are_digits(part)) return {};
    }
    return trace;
}

}  // namespace plimsoll::http
