#include "server/kinds/sentiment/contract/settings.hpp"

#include "engine/base/json.hpp"
#include "engine/models/manifest.hpp"
#include "server/base/addresses.hpp"
#include "server/base/parse_flag.hpp"
#include "server/kinds/sentiment/contract/policy.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

#include <limits>

namespace plimsoll::jobs::sentiment {

Result<std::string> check_batch_size(std::string_view value) {
    return whole_number(value, 0, kMaxTexts);
}

Result<std::string> check_model_name(std::string_view value) {
    if (models::is_model_name(value)) return std::string(value);
    return fail(Errc::invalid_input,
                "must be a model's name: 1 to 64 characters (a-z, 0-9, \".\", \"_\", \"-\"), "
                "beginning with a letter or digit");
}

Result<std::string> check_hub(std::string_view value) {
    std::string hub(value);
    while (hub.ends_with('/')) hub.pop_back();
    const auto url = parse_url(hub);
    const bool fits = url && (url->scheme() == "http" || url->scheme() == "https") &&
                      !url->has_userinfo() && url->encoded_path().empty() && !url->has_query();
    if (hub.empty() || fits) return hub;
    return fail(Errc::invalid_input, "must be https://host");
}

Result<std::string> check_switch(std::string_view value) {
    const auto on = parse_flag(value);
    if (!on) return fail(Errc::invalid_input, std::string(kFlagRule));
    return std::string(*on ? "1" : "0");
}

Result<std::string> check_market_status(std::string_view value) {
    if (value.empty() || parse_market_status(value)) return std::string(value);
    return fail(Errc::invalid_input,
                "must be open, closed, extended, pre_market, regular or after_hours");
}

Result<std::string> check_warm_up_hours(std::string_view value) {
    return whole_number(value, 0, kMaxWarmUpHours);
}

std::size_t max_texts(const KindSettings& settings) {
    const auto texts = std::stoul(std::string(settings.text(kBatchSize)));
    return texts == 0 ? std::numeric_limits<std::size_t>::max() : texts;
}

std::chrono::seconds warm_up_time(const KindSettings& settings) {
    return std::chrono::hours(std::stoi(std::string(settings.text(kWarmUpHours))));
}

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
    if (const auto status = settings.text(kMarketStatus); !status.empty())
        policy["market_status"] = status;
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
