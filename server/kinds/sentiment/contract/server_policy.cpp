#include "server/kinds/sentiment/contract/server_policy.hpp"

#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

using nlohmann::json;

std::string default_model(const KindSettings& settings) {
    return std::string(settings.text(kUsesModels) == "0" ? kVader : settings.text(kModelName));
}

bool follows_server_policy(const KindSettings& settings) {
    return settings.text(kAdaptive) == "1" && settings.text(kUsesModels) == "1";
}

json server_policy(const KindSettings& settings) {
    if (!follows_server_policy(settings)) {
        return {{"description", "The server's default model, or vader if no worker has it."},
                {"model", default_model(settings)},
                {"fallback", {kVader}}};
    }
    json policy{{"description", "By NYSE hours, as set in the server's settings."},
                {"model", settings.text(kModelClosed)},
                {"rules",
                 {{{"markets", {"pre_market", "regular", "after_hours"}},
                   {"model", settings.text(kModelOpen)}}}}};
    if (const auto status = settings.text(kMarketStatus); !status.empty()) {
        policy["market_status"] = status;
    }
    return policy;
}

std::vector<std::string> settings_that_name(const KindSettings& settings, std::string_view model) {
    std::vector<std::string> keys;
    const auto look = [&](const KindSetting& setting) {
        if (settings.text(setting) == model) keys.emplace_back(setting.key);
    };
    if (settings.text(kUsesModels) == "0") return keys;
    if (follows_server_policy(settings)) {
        look(kModelOpen);
        look(kModelClosed);
    } else {
        look(kModelName);
    }
    return keys;
}

}  // namespace plimsoll::jobs::sentiment
