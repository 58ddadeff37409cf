#include "server/client/whole_list.hpp"

#include "server/client/session.hpp"

namespace plimsoll::client {

using nlohmann::json;

Result<json> whole_list(ApiClient& api, const std::string& target) {
    const auto joined = target + (target.find('?') == std::string::npos ? "?" : "&") + "limit=200";
    json whole = {{"items", json::array()}};
    std::string cursor;
    do {
        const auto page = api.get_json(cursor.empty() ? joined : joined + "&cursor=" + cursor);
        if (!page) return fail(page.error());
        for (const auto& item : page->at("items")) whole["items"].push_back(item);
        const auto next = page->find("next_cursor");
        cursor = next != page->end() && next->is_string() ? next->get<std::string>() : "";
    } while (!cursor.empty());
    return whole;
}

Result<json> whole_list(const std::string& target) {
    auto api = signed_in();
    if (!api) return fail(api.error());
    return whole_list(*api, target);
}

}  // namespace plimsoll::client
