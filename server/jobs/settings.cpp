#include "server/jobs/settings.hpp"

#include <charconv>
#include <cstdlib>

namespace plimsoll::jobs {

std::string_view KindSettings::text(const KindSetting& setting) const {
    const auto found = values.find(setting.key);
    return found == values.end() ? setting.default_value : std::string_view(found->second);
}

Result<void> read_environment(std::span<const KindSetting> settings, KindSettings& into) {
    for (const auto& setting : settings) {
        const std::string variable(setting.variable);
        const char* value = std::getenv(variable.c_str());
        if (value == nullptr || *value == '\0') continue;
        auto checked = setting.check(value);
        if (!checked) {
            return fail(Errc::invalid_input,
                        "It " + checked.error().message + ", not \"" + value + "\".", variable);
        }
        into.values.insert_or_assign(std::string(setting.key), std::move(*checked));
    }
    return {};
}

Result<std::string> any_text(std::string_view value) { return std::string(value); }

Result<std::string> whole_number(std::string_view value, int min, int max) {
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size() || number < min ||
        number > max) {
        return fail(Errc::invalid_input, "must be a whole number from " + std::to_string(min) +
                                             " to " + std::to_string(max));
    }
    return std::to_string(number);
}

}  // namespace plimsoll::jobs
