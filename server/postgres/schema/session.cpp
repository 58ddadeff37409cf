#include "server/postgres/schema/session.hpp"

#include <memory>

#include <libpq-fe.h>

namespace plimsoll::postgres {
namespace {

std::string conninfo_value(const std::string& value) {
    std::string out = "'";
    for (const char c : value) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

}  // namespace

Result<std::string> session_options(const Target& target, const std::string& application_name) {
    char* error = nullptr;
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(
        PQconninfoParse(target.conninfo.c_str(), &error), &PQconninfoFree);
    if (!parsed) {
        const std::string why = error == nullptr ? "out of memory" : error;
        PQfreemem(error);
        return fail(Errc::invalid_input, "The connection string cannot be read: " + why);
    }
    std::string options =
        "fallback_application_name=" + conninfo_value(application_name) + " connect_timeout='10'";
    for (const auto* option = parsed.get(); option->keyword != nullptr; ++option) {
        if (option->val == nullptr) continue;
        if (!target.user.empty() && std::string_view(option->keyword) == "user") continue;
        options += std::string(" ") + option->keyword + "=" + conninfo_value(option->val);
    }
    if (!target.user.empty()) options += " user=" + conninfo_value(target.user);
    return options;
}

}  // namespace plimsoll::postgres
