#include "server/app/identity_provider.hpp"

#include "server/outbound/exchange.hpp"

#include <fstream>
#include <iterator>

#include <boost/asio/ssl/context.hpp>

namespace plimsoll::app {
namespace {

// A file often ends with a line feed that is not part of the secret.
Result<std::string> client_secret(const Settings::Oidc& settings) {
    if (settings.client_secret_file.empty()) return settings.client_secret;
    std::ifstream file(settings.client_secret_file, std::ios::binary);
    std::string secret((std::istreambuf_iterator<char>(file)), {});
    while (secret.ends_with('\n') || secret.ends_with('\r')) secret.pop_back();
    if (!file || secret.empty()) {
        return fail(Errc::invalid_input, "oidc.client_secret_file cannot be read, or is empty.",
                    settings.client_secret_file);
    }
    return secret;
}

// "https://login.example.com" of an address there.
std::string origin_of(const std::string& address) {
    return address.substr(0, address.find('/', address.find("//") + 2));
}

}  // namespace

Result<std::optional<oidc::Registration>> identity_provider(const Settings::Oidc& settings) {
    if (settings.issuer.empty()) return std::optional<oidc::Registration>();
    auto secret = client_secret(settings);
    if (!secret) return fail(std::move(secret.error()));
    auto tls = outbound::verifying_context(settings.ca_file);
    if (!tls)
        return fail(tls.error().code, "oidc.ca_file: " + tls.error().message, tls.error().where);
    // Checked with the settings.
    auto allowed = outbound::AllowList::parse(
        origin_of(settings.issuer) + "," + settings.allowed_origins, settings.allowed_networks);
    return oidc::Registration{
        {.issuer = settings.issuer,
         .id = settings.client_id,
         .secret = std::move(*secret),
         .redirect_uri = settings.redirect_uri,
         .scopes = settings.scopes,
         .name = settings.name,
         .sign_out = settings.sign_out},
        {.groups_claim = settings.groups_claim,
         .mapping = oidc::Mapping::parse(settings.groups).value(),
         .admin_groups = oidc::parse_groups(settings.admin_groups),
         .domains = oidc::parse_domains(settings.allowed_domains).value(),
         .create = settings.create_users,
         .link = settings.link_users},
        oidc::Calls(outbound::Caller(std::move(allowed.value()), std::move(*tls)))};
}

}  // namespace plimsoll::app
