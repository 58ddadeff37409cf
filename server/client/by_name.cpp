#include "server/client/by_name.hpp"

#include "engine/base/closest.hpp"
#include "server/client/whole_list.hpp"

#include <vector>

namespace plimsoll::client {

Result<std::string> id_of(ApiClient& api, const Named& list, const std::string& text) {
    if (text.starts_with(list.prefix)) return text;
    std::vector<std::string> names;
    std::vector<std::string> fitting;
    const auto found = whole_list(api, list.target);
    if (!found) return fail(found.error());
    for (const auto& item : found->at("items")) {
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

}  // namespace plimsoll::client
