#include "server/terminal/assignment.hpp"

#include <algorithm>

namespace plimsoll::terminal {

using nlohmann::json;

Result<void> assign(json& args, const std::string& setting) {
    const auto equals = setting.find('=');
    if (equals == 0 || equals == std::string::npos) {
        return fail(Errc::invalid_input,
                    "--set takes member=value or outer.inner=value, not \"" + setting + "\".");
    }
    std::string place = "/" + setting.substr(0, equals);
    std::ranges::replace(place, '.', '/');
    const auto text = setting.substr(equals + 1);
    auto value = json::parse(text, nullptr, false);
    try {
        args[json::json_pointer(place)] = value.is_discarded() ? json(text) : std::move(value);
    } catch (const json::exception&) {
        return fail(Errc::invalid_input,
                    "--set " + setting + ": the path leads into a value that is not an object.");
    }
    return {};
}

Result<json> column_args(const std::vector<std::string>& columns) {
    json chosen = json::object();
    for (const auto& column : columns) {
        const auto equals = column.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == column.size()) {
            return fail(Errc::invalid_input,
                        "--column takes member=COLUMN, not \"" + column + "\".");
        }
        const auto member = column.substr(0, equals);
        if (member == "keep") {
            chosen[member].push_back(column.substr(equals + 1));
        } else {
            chosen[member] = column.substr(equals + 1);
        }
    }
    return chosen;
}

}  // namespace plimsoll::terminal
