#include "server/app/settings_table.hpp"
#include "server/oidc/mapping.hpp"
#include "server/outbound/target.hpp"

namespace plimsoll::app {
namespace {

// Codes and tokens go there: without TLS, only within this machine.
std::string broken_address(const std::string& value, const char* example) {
    if (value.empty()) return {};
    const auto target = outbound::parse_target(value);
    if (!target || value.find_first_of("?# ") != std::string::npos ||
        (!target->tls && !is_loopback(target->host))) {
        return std::string("must be an https URL without query or fragment, like ") + example;
    }
    return {};
}

using Oidc = Settings::Oidc;

// A text that has a rule.
template <class Rule>
Entry ruled(Setting about, std::string_view fallback, std::string Oidc::* member, Rule rule) {
    return {about, fallback, false,
            [=](Settings& s, const std::string& value) {
                s.oidc.*member = value;
                return rule(value);
            },
            [=](const Settings& s) { return s.oidc.*member; }};
}

}  // namespace

std::vector<Entry> oidc_entries() {
    using S = Settings;
    return {
        ruled({"oidc.issuer", "PLIMSOLL_OIDC_ISSUER", "https://host[/path]",
               "Issuer of the OpenID Connect provider that users can sign in with; empty: none"},
              "", &Oidc::issuer,
              [](const std::string& value) {
                  return broken_address(value, "https://login.example.com");
              }),
        text({"oidc.name", "PLIMSOLL_OIDC_NAME", "text",
              "Name of the provider, for the button on the sign-in page"},
             "single sign-on", &S::oidc, &Oidc::name),
        text({"oidc.client_id", "PLIMSOLL_OIDC_CLIENT_ID", "text",
              "ID under which this server is registered with the provider"},
             "", &S::oidc, &Oidc::client_id),
        text({"oidc.client_secret", "PLIMSOLL_OIDC_CLIENT_SECRET", "text",
              "Client secret; with neither this nor a file: a public client"},
             "", &S::oidc, &Oidc::client_secret, true),
        text({"oidc.client_secret_file", "PLIMSOLL_OIDC_CLIENT_SECRET_FILE", "file",
              "File that holds the secret, instead of oidc.client_secret"},
             "", &S::oidc, &Oidc::client_secret_file),
        ruled({"oidc.redirect_uri", "PLIMSOLL_OIDC_REDIRECT_URI", "https://host[:port]/",
               "URL of this server's pages, as registered with the provider, which sends "
               "browsers back to it"},
              "", &Oidc::redirect_uri,
              [](const std::string& value) {
                  return broken_address(value, "https://plimsoll.example.com/");
              }),
        text({"oidc.scopes", "PLIMSOLL_OIDC_SCOPES", "scope …",
              "Scopes to request, separated by spaces; openid must be among them"},
             "openid email profile", &S::oidc, &Oidc::scopes),
        text({"oidc.groups_claim", "PLIMSOLL_OIDC_GROUPS_CLAIM", "name, or name.name",
              "Claim that lists the groups of a user"},
             "groups", &S::oidc, &Oidc::groups_claim),
        ruled({"oidc.groups", "PLIMSOLL_OIDC_GROUPS", "group=team:role, …",
               "Team roles by group, applied at each sign-in; the group * means everybody; users "
               "without a role are removed from the teams named here"},
              "", &Oidc::groups,
              [](const std::string& value) { return broken_rule(oidc::Mapping::parse(value)); }),
        text({"oidc.admin_groups", "PLIMSOLL_OIDC_ADMIN_GROUPS", "group, …",
              "Groups whose users are system admins, applied at each sign-in; if empty, the "
              "provider neither grants nor revokes the right"},
             "", &S::oidc, &Oidc::admin_groups),
        flag({"oidc.create_users", "PLIMSOLL_OIDC_CREATE_USERS", "true or false",
              "Create a user at the first sign-in of anyone to whom oidc.groups gives a team"},
             "true", &S::oidc, &Oidc::create_users),
        flag({"oidc.link_users", "PLIMSOLL_OIDC_LINK_USERS", "true or false",
              "Let the provider sign in an existing user who has the same email address, if the "
              "provider has verified it"},
             "false", &S::oidc, &Oidc::link_users),
        ruled({"oidc.allowed_domains", "PLIMSOLL_OIDC_ALLOWED_DOMAINS", "example.com, …",
               "Domains of verified email addresses that may sign in, separated by commas; empty: "
               "any"},
              "", &Oidc::allowed_domains,
              [](const std::string& value) { return broken_rule(oidc::parse_domains(value)); }),
        ruled({"oidc.allowed_origins", "PLIMSOLL_OIDC_ALLOWED_ORIGINS", "https://host[:port], …",
               "Origins besides the issuer's from which the provider serves tokens, keys and "
               "user information, separated by commas"},
              "", &Oidc::allowed_origins,
              [](const std::string& value) {
                  return broken_rule(outbound::AllowList::parse(value, ""));
              }),
        ruled({"oidc.allowed_networks", "PLIMSOLL_OIDC_ALLOWED_NETWORKS", "10.1.2.0/24, …",
               "Private networks where the provider may be, separated by commas; empty: public "
               "addresses only"},
              "", &Oidc::allowed_networks,
              [](const std::string& value) {
                  return broken_rule(outbound::AllowList::parse("", value));
              }),
        flag({"oidc.sign_out", "PLIMSOLL_OIDC_SIGN_OUT", "true or false",
              "Let users who sign out here also sign out at the provider, where oidc.redirect_uri "
              "must be registered as a post-logout redirect URI"},
             "false", &S::oidc, &Oidc::sign_out),
        text({"oidc.ca_file", "PLIMSOLL_OIDC_CA_FILE", "file, PEM",
              "Certificate authorities to trust for the provider, besides the system's"},
             "", &S::oidc, &Oidc::ca_file),
    };
}

}  // namespace plimsoll::app
