#pragma once

#include "server/base/id.hpp"
#include "server/base/json_writer.hpp"
#include "server/http/api/handler.hpp"
#include "server/http/endpoints/json_values.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// Keyset pagination of lists.
namespace plimsoll::http::endpoints {

// The `Link` header value for the next page: the same request with its cursor.
std::string next_link(std::string_view target, std::string_view cursor);

// Items per page.
std::size_t page_limit(const Call& call);

// One more than a page has: tells whether there is a next page.
inline int peek_limit(const Call& call) { return static_cast<int>(page_limit(call)) + 1; }

// The id after which the page begins; nullopt for the first page. `prefix`: of the items' public
// ids.
template <class Id>
std::optional<Id> page_cursor(const Call& call, std::string_view prefix) {
    const auto cursor = call.parameters.text("cursor");
    if (!cursor) return std::nullopt;
    const auto value = parse_public_id(prefix, *cursor);
    if (!value) throw Refused(invalid_cursor());
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

// `items`: those of the page, plus one more if there is a next page. `shown(item)` is one as JSON,
// or `shown(page, item)` writes it. `place(item)`: the cursor after it. `ended_at`: the cursor
// where a bounded search stopped before the end of the list.
template <class Item, class Shown, class Place>
Response page_response(const Call& call, std::vector<Item> items, const Shown& shown,
                       const Place& place, std::optional<std::string> ended_at = std::nullopt) {
    const auto limit = page_limit(call);
    if (items.size() > limit) {
        items.resize(limit);
        ended_at = place(items.back());
    }
    JsonWriter page;
    page.begin_object().key("items").begin_array();
    for (const auto& item : items)
        if constexpr (std::is_invocable_v<Shown, JsonWriter&, const Item&>)
            shown(page, item);
        else
            page.json(to_text(shown(item)));
    page.end_array();
    return page_response(call, std::move(page), ended_at);
}

// The cursor of lists by the items' IDs.
template <class Item>
std::string place_by_id(const Item& item) {
    return to_public(item.id);
}

}  // namespace plimsoll::http::endpoints
