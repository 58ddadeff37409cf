#pragma once

#include "server/base/id.hpp"
#include "server/base/json_writer.hpp"
#include "server/http/api/handler.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Keyset pagination of lists.
namespace plimsoll::http::endpoints {

// The `Link` header value for the next page: the same request with its cursor.
std::string next_link(std::string_view target, std::string_view cursor);

// Items per page.
std::size_t page_limit(const Call& call);

// The id after which the page begins; nullopt for the first page. `prefix`: of the items' public
// ids.
template <class Id>
Outcome<std::optional<Id>> page_cursor(const Call& call, std::string_view prefix) {
    const auto cursor = call.parameters.text("cursor");
    if (!cursor) return std::nullopt;
    const auto value = parse_public_id(prefix, *cursor);
    if (!value) return tl::unexpected(invalid_cursor());
    return Id{*value};
}

// Completes a page whose items are already written, with the cursor of the next page, if any.
Response page_response(const Call& call, JsonWriter page, const std::optional<std::string>& next);

// A page of a list that is short enough to be read whole: an array, ordered by `key`, which is
// unique.
Response list_response(const Call& call, nlohmann::json items,
                       const std::function<std::string(const nlohmann::json&)>& key);

// In the order of their ids.
inline Response list_by_id(const Call& call, nlohmann::json items) {
    return list_response(call, std::move(items), [](const nlohmann::json& item) {
        return item.at("id").get<std::string>();
    });
}

// `items`: those of the page, plus one more if there is a next page. `write(page, item)` writes one
// as JSON. `ended_at`: where a bounded search stopped before the end of the list.
template <class Item, class Write, class Id = decltype(Item::id)>
Response page_response(const Call& call, std::vector<Item> items, const Write& write,
                       const std::optional<Id>& ended_at = std::nullopt) {
    const auto limit = page_limit(call);
    const bool more = items.size() > limit;
    if (more) items.resize(limit);
    JsonWriter page;
    page.begin_object().key("items").begin_array();
    for (const auto& item : items) write(page, item);
    page.end_array();
    std::optional<std::string> next;
    if (more) {
        next = to_public(items.back().id);
    } else if (ended_at) {
        next = to_public(*ended_at);
    }
    return page_response(call, std::move(page), next);
}

}  // namespace plimsoll::http::endpoints
