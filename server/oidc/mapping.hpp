#pragma once

#include "engine/base/result.hpp"
#include "server/identity/provider_store.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::oidc {

// Which of a provider's groups has which role in which team.
class Mapping {
  public:
    // "engineers = research:member, leads = research:admin, * = main:viewer": "*" is everybody. The
    // team is between the last "=" and the last ":". Errc::invalid_input names the entry.
    static Result<Mapping> parse(const std::string& text);

    bool empty() const { return entries_.empty(); }
    // Every team that the mapping names, with the highest role that the groups grant.
    std::vector<identity::MappedTeam> of(const std::vector<std::string>& groups) const;

  private:
    struct Entry {
        std::string group;
        std::string team;
        identity::Role role;
    };
    std::vector<Entry> entries_;
};

// The operator's rules for users of the provider.
struct Admission {
    std::string groups_claim;  // "groups", or a path through objects: "realm_access.roles"
    Mapping mapping;
    std::vector<std::string> admin_groups;  // of system admins; empty: groups do not decide that
    std::vector<std::string> domains;       // of verified addresses, in lower case; empty: all
    bool create = true;
    bool link = false;

    bool reads_groups() const { return !mapping.empty() || !admin_groups.empty(); }
    // `claims`: checked. Errc::forbidden: the user may not sign in, and why.
    Result<identity::ProvidedUser> admit(const nlohmann::json& claims) const;
};

// "ops, platform leads": none, unless commas separate some.
std::vector<std::string> parse_groups(const std::string& text);

// "example.com, example.org" in lower case; Errc::invalid_input names what is not a domain.
Result<std::vector<std::string>> parse_domains(const std::string& text);

}  // namespace plimsoll::oidc
