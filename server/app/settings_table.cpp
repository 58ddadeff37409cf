#include "server/app/settings_table.hpp"

#include "server/base/parse_flag.hpp"
#include "server/jobs/registry.hpp"

#include <charconv>

#include <nlohmann/json.hpp>

namespace plimsoll::app {

bool is_loopback(const std::string& host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string set_number(int& target, const std::string& text, int min, int max) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max)
        return "must be a whole number from " + std::to_string(min) + " to " + std::to_string(max);
    target = value;
    return {};
}

std::string set_flag(bool& target, const std::string& text) {
    const auto on = parse_flag(text);
    if (!on) return std::string(kFlagRule);
    target = *on;
    return {};
}

std::string print_settings(const Settings& settings) {
    std::string text;
    for (const auto& [about, value] : values_of(settings)) {
        constexpr const char* kPlain =
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._/";
        const bool plain = !value.empty() && value.find_first_not_of(kPlain) == value.npos;
        text += (value == kSecretIsSet ? "# " : "") + std::string(about.key) + ": " +
                (plain ? value : nlohmann::json(value).dump()) + "\n    # " +
                std::string(about.help) + " (" + std::string(about.unit) + "; " +
                std::string(about.environment) + ")\n";
    }
    for (const auto& kind : jobs::contracts())
        for (const auto& [name, why] : kind.unused_variables)
            text += "# " + std::string(name) + " has no effect: " + std::string(why) + "\n";
    return text;
}

std::string print_settings_json(const Settings& settings) {
    nlohmann::ordered_json all = {{"settings", nlohmann::ordered_json::array()},
                                  {"without_effect", nlohmann::ordered_json::array()}};
    for (const auto& [about, value] : values_of(settings)) {
        all["settings"].push_back({{"key", about.key},
                                   {"value", value},
                                   {"environment", about.environment},
                                   {"unit", about.unit},
                                   {"help", about.help}});
    }
    for (const auto& kind : jobs::contracts())
        for (const auto& [name, why] : kind.unused_variables)
            all["without_effect"].push_back({{"environment", name}, {"reason", why}});
    return all.dump(1) + "\n";
}

}  // namespace plimsoll::app
