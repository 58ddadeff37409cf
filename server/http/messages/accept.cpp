#include "server/http/messages/accept.hpp"

#include "server/http/messages/request.hpp"

#include <algorithm>
#include <cstdlib>

namespace plimsoll::http {
namespace {

struct Range {
    std::string_view name;
    double quality = 1;
};

std::string_view take(std::string_view& rest, char separator) {
    const auto end = std::min(rest.find(separator), rest.size());
    const auto part = trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}

std::vector<Range> ranges(std::string_view header) {
    std::vector<Range> result;
    while (!header.empty()) {
        auto entry = take(header, ',');
        Range range{take(entry, ';')};
        while (!entry.empty()) {
            const auto parameter = take(entry, ';');
            if (parameter.starts_with("q=") || parameter.starts_with("Q="))
                range.quality = std::strtod(std::string(parameter.substr(2)).c_str(), nullptr);
        }
        if (!range.name.empty()) result.push_back(range);
    }
    return result;
}

// 0: does not fit, 1: */*, 2: type/*, 3: exactly.
int fit(std::string_view range, std::string_view type) {
    if (same_token(range, type)) return 3;
    if (range == "*/*") return 1;
    const auto slash = type.find('/') + 1;
    return range.ends_with("/*") && same_token(range.substr(0, slash), type.substr(0, slash)) ? 2
                                                                                              : 0;
}

}  // namespace

std::optional<std::string> negotiate(std::string_view accept,
                                     const std::vector<std::string>& offered) {
    const auto wanted = ranges(accept);
    if (wanted.empty()) return offered.front();
    std::optional<std::string> best;
    double best_quality = 0;
    int best_fit = 0;
    for (const auto& type : offered) {
        Range closest{{}, 0};
        int closest_fit = 0;
        for (const auto& range : wanted) {
            if (const int how = fit(range.name, type); how > closest_fit) {
                closest = range;
                closest_fit = how;
            }
        }
        if (closest.quality > best_quality ||
            (closest.quality == best_quality && closest.quality > 0 && closest_fit > best_fit)) {
            best = type;
            best_quality = closest.quality;
            best_fit = closest_fit;
        }
    }
    return best;
}

bool is_acceptable(std::string_view accept, const std::vector<std::string>& types) {
    if (types.empty() || negotiate(accept, types)) return true;
    return std::ranges::any_of(ranges(accept), [](const Range& range) {
        return same_token(range.name, "application/problem+json") && range.quality > 0;
    });
}

bool accepts_encoding(std::string_view accept_encoding, std::string_view coding) {
    for (const auto& range : ranges(accept_encoding))
        if (same_token(range.name, coding) || range.name == "*") return range.quality > 0;
    return false;
}

}  // namespace plimsoll::http
