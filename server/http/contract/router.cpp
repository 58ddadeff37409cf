#include "server/http/contract/router.hpp"

#include <algorithm>

namespace plimsoll::http {
namespace {

bool is_variable(std::string_view segment) {
    return segment.starts_with('{');
}

std::vector<std::string> split(std::string_view path) {
    std::vector<std::string> segments;
    while (path.starts_with('/')) {
        path.remove_prefix(1);
        const auto end = std::min(path.find('/'), path.size());
        segments.emplace_back(path.substr(0, end));
        path.remove_prefix(end);
    }
    return segments;
}

bool fits(const std::vector<std::string>& route, const std::vector<std::string>& segments) {
    return std::ranges::equal(route, segments, [](const auto& expected, const auto& segment) {
        return is_variable(expected) ? !segment.empty() : expected == segment;
    });
}

std::string allowed(const std::vector<const Operation*>& operations) {
    std::string methods;
    for (const auto* operation : operations) {
        methods += (methods.empty() ? "" : ", ") + operation->method;
        if (operation->method == "GET") methods += ", HEAD";
    }
    return methods;
}

}  // namespace

Router::Router(const Contract& contract) {
    for (const auto& operation : contract.operations()) {
        auto segments = split(operation.path);
        auto route = std::ranges::find(routes_, segments, &Route::segments);
        if (route == routes_.end()) {
            routes_.push_back({std::move(segments), {}});
            route = std::prev(routes_.end());
        }
        route->operations.push_back(&operation);
    }
    // Fixed words before variables: /v1/users/me is not the user "me".
    std::ranges::sort(routes_, {}, [](const Route& route) {
        return std::ranges::count_if(route.segments, is_variable);
    });
}

Outcome<Match> Router::match(std::string_view method, const Target& target) const {
    const auto route = std::ranges::find_if(
        routes_, [&](const Route& one) { return fits(one.segments, target.segments); });
    if (route == routes_.end()) return refuse(404, "There is no resource at this path.");
    const auto wanted = method == "HEAD" ? "GET" : method;
    for (const auto* operation : route->operations) {
        if (operation->method != wanted) continue;
        Match match{operation, {}};
        for (std::size_t i = 0; i < route->segments.size(); ++i) {
            const auto& name = route->segments[i];
            if (!is_variable(name)) continue;
            match.path_parameters.emplace_back(name.substr(1, name.size() - 2), target.segments[i]);
        }
        return match;
    }
    Problem problem(405, "This path does not support the method.");
    problem.headers.push_back({"Allow", allowed(route->operations)});
    return tl::unexpected(std::move(problem));
}

}  // namespace plimsoll::http
