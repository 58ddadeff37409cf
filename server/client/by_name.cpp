#include "server/client/by_name.hpp"

#include "engine/base/closest.hpp"

#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::client {

Result<std::string> id_of(ApiClient& api, const Named& list, const std::string& text) {
    if (text.starts_with(list.prefix)) return text;
    std::vector<std::string> names;
    std::vector<std::string> fitting;
    std::string cursor;
    do {
        const auto joined = list.target.find('?') == std::string::npos ? "?cursor=" : "&cursor=";
        const auto page =
            api.get_json(cursor.empty() ? list.target : list.target + joined + cursor);
        if (!page) return fail(page.error());
        for (const auto& item : page->at("items")) {
            names.push_back(item.at("name").get<std::string>());
            if (names.back() == text) fitting.push_back(item.at("id").get<std::string>());
        }
        const auto next = page->find("next_cursor");
        cursor = next != page->end() && next->is_string() ? next->get<std::string>() : "";
    } while (!cursor.empty());
    if (fitting.size() == 1) return fitting.front();
    if (fitting.size() > 1) {
        std::string ids;
        for (const auto& id : fitting) ids += (ids.empty() ? "" : ", ") + id;
        return fail(Errc::conflict,
                    "Several have the name \"" + text + "\": use one of their IDs, " + ids + ".");
    }
    return fail(Errc::not_found,
                "There is no " + list.what + " \"" + text + "\"." + did_you_mean(text, names));
}

}  // namespace plimsoll::client
