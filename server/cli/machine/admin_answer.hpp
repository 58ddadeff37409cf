#pragma once

#include "engine/base/closest.hpp"
#include "engine/base/result.hpp"
#include "server/base/time.hpp"
#include "server/identity/identity.hpp"
#include "server/identity/provider_store.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

// What `plimsoll admin` prints, and how it finds what is named.
namespace plimsoll::cli {

// What a request did: for programs and for people.
struct Answer {
    nlohmann::json value;
    std::string text;
};

inline nlohmann::json admin_json(const identity::User& user) {
    return {{"id", to_public(user.id)},
            {"name", user.name},
            {"email", user.email},
            {"is_admin", user.administrator},
            {"disabled", user.disabled}};
}

inline nlohmann::json admin_json(const identity::Team& team) {
    return {{"id", to_public(team.id)}, {"name", team.name}, {"archived", team.archived}};
}

inline nlohmann::json admin_json(const identity::ProvidedIdentity& one) {
    return {{"id", to_public(one.id)},
            {"issuer", one.issuer},
            {"subject", one.subject},
            {"created_at", to_rfc3339(one.created_at)},
            {"last_used_at", to_rfc3339(one.last_used_at)}};
}

inline std::string admin_line(const identity::User& user) {
    return to_public(user.id) + "  " + user.name + (user.administrator ? "  system admin" : "") +
           (user.disabled ? "  disabled" : "");
}

inline std::string admin_line(const identity::Team& team) {
    return to_public(team.id) + "  " + team.name + (team.archived ? "  archived" : "");
}

inline std::string admin_line(const identity::ProvidedIdentity& one) {
    return to_public(one.id) + "  " + one.issuer + "  " + one.subject + "  last used " +
           to_rfc3339(one.last_used_at);
}

template <class Thing>
Answer listed(const char* name, const std::vector<Thing>& things) {
    Answer answer{{{name, nlohmann::json::array()}}, {}};
    for (const auto& thing : things) {
        answer.value[name].push_back(admin_json(thing));
        answer.text += (answer.text.empty() ? "" : "\n") + admin_line(thing);
    }
    return answer;
}

// The item with this name or ID.
template <class Thing>
Result<Thing> find_named(const std::vector<Thing>& things, const std::string& what,
                         const std::string& text) {
    std::vector<std::string> names;
    for (const auto& thing : things) {
        if (thing.name == text || to_public(thing.id) == text) return thing;
        names.push_back(thing.name);
    }
    return fail(Errc::not_found,
                "There is no " + what + " \"" + text + "\"." + did_you_mean(text, names),
                "--" + what);
}

}  // namespace plimsoll::cli
