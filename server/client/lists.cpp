#include "server/client/lists.hpp"

#include "engine/base/closest.hpp"
#include "engine/base/json.hpp"
#include "server/client/session.hpp"

#include <vector>

#include <boost/url/url.hpp>

namespace plimsoll::client {

Result<json> whole_list(ApiClient& api, const std::string& target) {
    const auto joined = target + (target.find('?') == std::string::npos ? "?" : "&") + "limit=200";
    json whole = {{"items", json::array()}};
    std::string cursor;
    do {
        TRY(const auto page, api.get_json(cursor.empty() ? joined : joined + "&cursor=" + cursor));
        for (const auto& item : page.at("items")) whole["items"].push_back(item);
        const auto next = page.find("next_cursor");
        cursor = next != page.end() && next->is_string() ? next->get<std::string>() : "";
    } while (!cursor.empty());
    return whole;
}

Result<json> whole_list(const std::string& target) {
    TRY(auto api, signed_in());
    return whole_list(api, target);
}

Result<std::string> id_of(ApiClient& api, const Named& list, const std::string& text) {
    if (text.starts_with(list.prefix)) return text;
    std::vector<std::string> names;
    std::vector<std::string> fitting;
    TRY(const auto found, whole_list(api, list.target));
    for (const auto& item : found.at("items")) {
        names.push_back(item.at("name").get<std::string>());
        if (names.back() == text) fitting.push_back(item.at("id").get<std::string>());
    }
    if (fitting.size() == 1) return fitting.front();
    if (fitting.size() > 1) {
        std::string ids;
        for (const auto& id : fitting) ids += (ids.empty() ? "" : ", ") + id;
        return fail(Errc::conflict, "Several items have the name \"" + text +
                                        "\": use one of their IDs, " + ids + ".");
    }
    return fail(Errc::not_found,
                "There is no " + list.what + " \"" + text + "\"." + did_you_mean(text, names));
}

std::string with_query(std::string_view path,
                       const std::vector<std::pair<std::string_view, std::string>>& parameters) {
    boost::urls::url target;
    target.set_path(path);
    for (const auto& [name, value] : parameters)
        if (!value.empty()) target.params().append({name, value});
    return std::string(target.buffer());
}

}  // namespace plimsoll::client
