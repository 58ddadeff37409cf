#include "server/terminal/assignment.hpp"

#include "engine/base/json.hpp"

#include <algorithm>
#include <set>

namespace plimsoll::terminal {

Result<void> assign(json& args, const std::string& setting) {
    const auto equals = setting.find('=');
    if (equals == 0 || equals == std::string::npos) {
        return fail(Errc::invalid_input,
                    "--set must be member=value or outer.inner=value, not \"" + setting + "\".");
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

Result<void> assign_all(json& args, const std::vector<std::string>& settings) {
    std::set<std::string, std::less<>> places;
    for (const auto& setting : settings) {
        TRY_DO(assign(args, setting));
        const auto place = setting.substr(0, setting.find('='));
        if (!places.insert(place).second)
            return fail(Errc::invalid_input, "--set gives " + place + " twice.");
    }
    return {};
}

Error given_twice(const std::string& column) {
    const auto equals = column.find('=');
    const auto member = column.substr(0, equals);
    const auto name = column.substr(equals + 1);
    if (member == "keep") return {Errc::invalid_input, "--keep gives " + name + " twice.", {}};
    const std::string flag = member == "group" ? "--group-by " + name : "--column " + column;
    return {Errc::invalid_input, flag + ": " + member + " already has a column.", {}};
}

Result<json> column_args(const std::vector<std::string>& columns) {
    json chosen = json::object();
    for (const auto& column : columns) {
        const auto equals = column.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == column.size()) {
            return fail(Errc::invalid_input,
                        "--column must be member=COLUMN, not \"" + column + "\".");
        }
        const auto member = column.substr(0, equals);
        const auto name = column.substr(equals + 1);
        const bool keeps = member == "keep";
        const json before = chosen.value(member, json::array());
        const bool repeats = keeps ? std::find(before.begin(), before.end(), name) != before.end()
                                   : chosen.contains(member);
        if (repeats) return fail(given_twice(column));
        if (keeps)
            chosen[member].push_back(name);
        else
            chosen[member] = name;
    }
    return chosen;
}

}  // namespace plimsoll::terminal
