#include "server/http/contract/target.hpp"

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

}  // namespace

Outcome<Target> parse_target(std::string_view text) {
    const auto url = parse(text);
    if (!url) return refuse(400, "The request target is not a valid path.");
    Target target;
    for (const auto& segment : url->segments()) target.segments.push_back(segment);
    if (target.segments.size() == 1 && target.segments[0].empty()) target.segments.clear();
    for (const auto& segment : target.segments) {
        if (segment == "." || segment == "..") {
            return refuse(400, "The request target is not a valid path.");
        }
    }
    for (const auto& parameter : url->params()) {
        target.query.emplace_back(parameter.key, parameter.value);
    }
    // Only names: a value, and a segment that is one, is checked where it can be refused by name.
    if (std::ranges::any_of(target.query, [](const auto& parameter) {
            return invalid_utf8(parameter.first).has_value();
        })) {
        return refuse(400, "The request target is not valid UTF-8.");
    }
    return target;
}

}  // namespace plimsoll::http
