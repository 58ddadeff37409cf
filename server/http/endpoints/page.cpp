#include "server/http/endpoints/page.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>

namespace plimsoll::http::endpoints {

std::string next_link(std::string_view target, std::string_view cursor) {
    boost::urls::url url(boost::urls::parse_uri_reference(target).value());
    url.params().set("cursor", cursor);
    return '<' + std::string(url.encoded_target()) + ">; rel=\"next\"";
}

std::size_t page_limit(const Call& call) {
    return static_cast<std::size_t>(call.parameters.integer("limit").value_or(50));
}

Problem invalid_cursor() {
    Problem problem(400, "A parameter is invalid.");
    problem.errors.push_back({{}, "cursor", "is not the next_cursor of a page"});
    return problem;
}

Response page_response(const Call& call, JsonWriter page, const std::optional<std::string>& next) {
    page.key("next_cursor");
    next ? page.text(*next) : page.null();
    page.end_object();
    auto response = json_text_response(200, page.take());
    if (next) response.with("Link", next_link(call.request.target, *next));
    return response;
}

}  // namespace plimsoll::http::endpoints
