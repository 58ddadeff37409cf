#include "server/oidc/mapping.hpp"

#include "engine/base/json.hpp"
#include "server/oidc/encoding.hpp"

#include <algorithm>
#include <cctype>

namespace plimsoll::oidc {
namespace {

using identity::MappedTeam;
using identity::ProvidedUser;

constexpr std::size_t kMaxName = 64;            // characters of a user's name in openapi.yaml
constexpr std::string_view kInNames = " ._@-";  // after the first character
constexpr std::size_t kMaxAddress = 254;
constexpr std::size_t kMaxGroups = 4096;

std::string trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

std::vector<std::string> listed(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto comma = text.find(',');
        if (auto one = trimmed(text.substr(0, comma)); !one.empty())
            parts.push_back(std::move(one));
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    return parts;
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::string trimmed_in(const json& claims, const char* name) {
    return trimmed(text_in(claims, name));
}

bool has_control(std::string_view text) {
    return std::ranges::any_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

// The address, if the provider says that it is the user's: a user who can enter any address in a
// profile must not become somebody else.
std::string verified_address(const json& claims) {
    const auto verified = claims.find("email_verified");
    // Some providers send it as a string.
    const bool yes = verified != claims.end() && (*verified == true || *verified == "true");
    auto address = lower(trimmed_in(claims, "email"));
    const auto at = address.find('@');
    const bool good = at != std::string::npos && at > 0 && at + 1 < address.size() &&
                      at == address.rfind('@') && address.size() <= kMaxAddress &&
                      address.find(' ') == std::string::npos && !has_control(address);
    return yes && good ? address : std::string();
}

// As in openapi.yaml, and with the letters of U+00C0 to U+017F. In other scripts, widths or with
// what nobody sees, a name could look like somebody else's.
bool is_name(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (std::isalnum(c) != 0 || (i > 0 && kInNames.find(text[i]) != kInNames.npos)) continue;
        const auto letter = text.substr(i++, 2);
        if (c < 0xC3 || c > 0xC5 || letter == "×" || letter == "÷") return false;
    }
    return !text.empty() && text.size() <= kMaxName;
}

// The last one can be shown whatever the provider says.
std::vector<std::string> names_of(const json& claims) {
    std::vector<std::string> names;
    for (const auto* claim : {"name", "preferred_username", "email", "sub"}) {
        auto name = trimmed_in(claims, claim);
        if (is_name(name) && std::ranges::find(names, name) == names.end())
            names.push_back(std::move(name));
    }
    names.push_back("user " + to_base64url(sha256(text_in(claims, "sub"))).substr(0, 12));
    return names;
}

// By the whole name first, since claims may have dots in theirs ("https://example.com/groups").
const json* claim_of(const json& claims, const std::string& name) {
    if (const auto whole = claims.find(name); whole != claims.end()) return &*whole;
    const auto dot = name.find('.');
    if (dot == std::string::npos) return nullptr;
    const auto outer = claims.find(name.substr(0, dot));
    if (outer == claims.end() || !outer->is_object()) return nullptr;
    return claim_of(*outer, name.substr(dot + 1));
}

// A text is one group.
Result<std::vector<std::string>> groups_of(const json& claims, const std::string& name) {
    std::vector<std::string> groups;
    const auto* claim = claim_of(claims, name);
    if (claim == nullptr) {
        // This is how Microsoft reports that there are too many to send.
        const auto elsewhere = claims.find("_claim_names");
        if (elsewhere != claims.end() && elsewhere->is_object() && elsewhere->contains(name)) {
            return fail(Errc::forbidden,
                        "The provider omitted the user's groups because there are too many: "
                        "configure it to send only the groups assigned to the application.");
        }
        return groups;
    }
    if (claim->is_string()) groups.push_back(claim->get<std::string>());
    if (!claim->is_array()) return groups;
    if (claim->size() > kMaxGroups) {
        return fail(Errc::forbidden,
                    "The user is in more than " + std::to_string(kMaxGroups) + " groups.");
    }
    for (const auto& group : *claim)
        if (group.is_string()) groups.push_back(group.get<std::string>());
    return groups;
}

}  // namespace

Result<Mapping> Mapping::parse(const std::string& text) {
    Mapping mapping;
    for (const auto& one : listed(text)) {
        const auto equals = one.rfind('=');
        const auto colon = one.rfind(':');
        if (equals == std::string::npos || colon == std::string::npos || colon < equals)
            return fail(Errc::invalid_input, "must list GROUP=TEAM:ROLE, not " + one);
        Entry entry{trimmed(std::string_view(one).substr(0, equals)),
                    trimmed(std::string_view(one).substr(equals + 1, colon - equals - 1)),
                    identity::Role::viewer};
        const auto role = identity::parse_role(trimmed(std::string_view(one).substr(colon + 1)));
        if (entry.group.empty() || entry.team.empty() || !role) {
            return fail(Errc::invalid_input,
                        "must list GROUP=TEAM:ROLE with the role viewer, member, admin or owner, "
                        "not " +
                            one);
        }
        entry.role = *role;
        mapping.entries_.push_back(std::move(entry));
    }
    return mapping;
}

std::vector<MappedTeam> Mapping::of(const std::vector<std::string>& groups) const {
    std::vector<MappedTeam> teams;
    for (const auto& [group, name, role] : entries_) {
        auto team = std::ranges::find(teams, name, &MappedTeam::name);
        if (team == teams.end()) team = teams.insert(team, {name, std::nullopt});
        const bool applies = group == "*" || std::ranges::find(groups, group) != groups.end();
        if (applies && (!team->role || *team->role < role)) team->role = role;
    }
    return teams;
}

Result<ProvidedUser> Admission::admit(const json& claims) const {
    ProvidedUser user;
    user.issuer = trimmed_in(claims, "iss");
    user.subject = claims.at("sub").get<std::string>();
    user.email = verified_address(claims);
    user.names = names_of(claims);
    user.create = create;
    user.link = link;
    if (!domains.empty()) {
        const auto domain = user.email.substr(user.email.find('@') + 1);
        if (user.email.empty() || std::ranges::find(domains, domain) == domains.end()) {
            return fail(Errc::forbidden,
                        "The user has no verified address in one of oidc.allowed_domains.");
        }
    }
    if (reads_groups()) {
        TRY(const auto groups, groups_of(claims, groups_claim));
        user.teams = mapping.of(groups);
        if (!admin_groups.empty())
            user.admin = std::ranges::find_first_of(groups, admin_groups) != groups.end();
    }
    return user;
}

std::vector<std::string> parse_groups(const std::string& text) { return listed(text); }

Result<std::vector<std::string>> parse_domains(const std::string& text) {
    auto domains = listed(lower(text));
    for (const auto& domain : domains) {
        const bool good =
            domain.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == std::string::npos;
        if (!good || domain.starts_with('.'))
            return fail(Errc::invalid_input, "must list domains like example.com, not " + domain);
    }
    return domains;
}

}  // namespace plimsoll::oidc
