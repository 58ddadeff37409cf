#include "server/http/endpoints/page.hpp"

#include <algorithm>

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

Response page_response(const Call& call, JsonWriter page, const std::optional<std::string>& next) {
    const auto cursor = next ? call.cursors.seal(*next) : std::string();
    page.key("next_cursor");
    next ? page.text(cursor) : page.null();
    page.end_object();
    auto response = json_text_response(200, page.take());
    if (next) response.with("Link", next_link(call.request.target, cursor));
    return response;
}

Response list_response(const Call& call, nlohmann::json items,
                       const std::function<std::string(const nlohmann::json&)>& key) {
    std::sort(items.begin(), items.end(),
              [&](const auto& a, const auto& b) { return key(a) < key(b); });
    auto first = items.begin();
    if (const auto cursor = call.parameters.text("cursor")) {
        first = std::find_if(items.begin(), items.end(),
                             [&](const auto& item) { return key(item) > *cursor; });
    }
    JsonWriter page;
    page.begin_object().key("items").begin_array();
    std::optional<std::string> next;
    auto left = page_limit(call);
    std::string last;
    for (; first != items.end() && !next; ++first) {
        if (left-- == 0) {
            next = last;
            break;
        }
        page.json(to_text(*first));
        last = key(*first);
    }
    page.end_array();
    return page_response(call, std::move(page), next);
}

}  // namespace plimsoll::http::endpoints
