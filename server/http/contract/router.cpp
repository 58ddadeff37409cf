#include "server/http/contract/router.hpp"

#include "server/http/contract/json_body.hpp"

#include <algorithm>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

namespace plimsoll::http {

namespace urls = boost::urls;

namespace {

// "/path?query" from most clients, "http://host/path" from some that talk through a proxy.
urls::result<urls::url_view> parse(std::string_view text) {
    if (text.starts_with('/')) return urls::parse_origin_form(text);
    if (text.starts_with("http://") || text.starts_with("https://")) return urls::parse_uri(text);
    return urls::error_code(boost::system::errc::invalid_argument,
                            boost::system::generic_category());
}

bool is_variable(std::string_view segment) { return segment.starts_with('{'); }

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

// The text after the variable: ".png" of "{index}.png".
std::string_view suffix(std::string_view variable) {
    return variable.substr(variable.find('}') + 1);
}

bool fits(const std::vector<std::string>& route, const std::vector<std::string>& segments) {
    return std::ranges::equal(route, segments, [](std::string_view expected, const auto& segment) {
        if (!is_variable(expected)) return expected == segment;
        return segment.size() > suffix(expected).size() && segment.ends_with(suffix(expected));
    });
}

std::string allowed(const std::vector<const Operation*>& operations) {
    std::string methods;
    for (const auto* operation : operations) {
        methods += (methods.empty() ? "" : ", ") + operation->method;
        if (operation->method == "GET") methods += ", HEAD";
    }
    return methods + ", OPTIONS";
}

}  // namespace

Outcome<Target> parse_target(std::string_view text) {
    const auto url = parse(text);
    if (!url) return refuse(400, "The request target is not a valid path.");
    Target target;
    for (const auto& segment : url->segments()) target.segments.push_back(segment);
    if (target.segments.size() == 1 && target.segments[0].empty()) target.segments.clear();
    for (const auto& segment : target.segments)
        if (segment == "." || segment == "..")
            return refuse(400, "The request target is not a valid path.");
    for (const auto& parameter : url->params())
        target.query.emplace_back(parameter.key, parameter.value);
    // Only names: a value, and a segment that is one, is checked where it can be refused by name.
    if (std::ranges::any_of(target.query, [](const auto& parameter) {
            return invalid_utf8(parameter.first).has_value();
        })) {
        return refuse(400, "The request target is not valid UTF-8.");
    }
    return target;
}

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
    const auto* route = find(target);
    if (route == nullptr) return refuse(404, "There is no resource at this path.");
    const auto wanted = method == "HEAD" ? "GET" : method;
    for (const auto* operation : route->operations) {
        if (operation->method != wanted) continue;
        Match match{operation, {}};
        for (std::size_t i = 0; i < route->segments.size(); ++i) {
            const std::string_view variable = route->segments[i];
            if (!is_variable(variable)) continue;
            const auto& segment = target.segments[i];
            match.path_parameters.emplace_back(
                variable.substr(1, variable.find('}') - 1),
                segment.substr(0, segment.size() - suffix(variable).size()));
        }
        return match;
    }
    Problem problem(405, "This path does not support the method.");
    problem.headers.push_back({"Allow", allowed(route->operations)});
    return tl::unexpected(std::move(problem));
}

std::string Router::methods(const Target& target) const {
    const auto* route = find(target);
    return route == nullptr ? std::string() : allowed(route->operations);
}

const Router::Route* Router::find(const Target& target) const {
    const auto route = std::ranges::find_if(
        routes_, [&](const Route& one) { return fits(one.segments, target.segments); });
    return route == routes_.end() ? nullptr : &*route;
}

}  // namespace plimsoll::http
