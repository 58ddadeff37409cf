// What an identity provider sends: its description, its keys and ID tokens. Nobody makes up a token
// that is accepted.
#include "server/oidc/discovery.hpp"
#include "server/oidc/encoding.hpp"
#include "server/oidc/id_token.hpp"
#include "server/oidc/mapping.hpp"
#include "tests/fuzz/parsers/targets.hpp"

#include <string>

namespace plimsoll::fuzz {

namespace {

constexpr auto kIssuer = "https://login.example.com";
// RFC 7515, A.3.
constexpr auto kPublicKey = R"({"keys":[{"kty":"EC","crv":"P-256",
"x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})";

void give_token(std::string_view text) {
    static const auto keys = oidc::parse_keys(kPublicKey).value();
    const auto token = oidc::read_token(text);
    if (!token) return;
    ensure(token->claims.is_object());
    ensure(text.starts_with(token->message));
    ensure(!oidc::check_id_token(*token, {}, {}));
    ensure(
        !oidc::check_id_token(*token, keys, {kIssuer, "plimsoll", "nonce", "access", Timestamp()}));
    oidc::Admission admission;
    admission.groups_claim = "realm_access.roles";
    admission.mapping = oidc::Mapping::parse("staff = main:member, * = main:viewer").value();
    auto claims = token->claims;
    claims["sub"] = "248289761001";  // as the checks have made sure
    if (const auto user = admission.admit(claims)) ensure(!user->teams.empty());
}

}  // namespace

void give_provider(std::string_view text) {
    if (const auto bytes = oidc::from_base64url(text)) ensure(oidc::to_base64url(*bytes) == text);
    give_token(text);
    if (const auto keys = oidc::parse_keys(text)) {
        ensure(!keys->empty() && keys->size() <= oidc::kMaxKeys);
        for (const auto& key : *keys) {
            ensure(!oidc::verifies(key, text, std::string(64, 's')));
            ensure(!oidc::verifies(key, text, std::string(256, 's')));
        }
    }
    if (const auto found = oidc::parse_discovery(text, kIssuer)) {
        for (const auto& address :
             {found->authorization_endpoint, found->token_endpoint, found->jwks_uri}) {
            ensure(address.starts_with("https://"));
        }
    }
    static_cast<void>(oidc::Mapping::parse(std::string(text)));
    static_cast<void>(oidc::parse_domains(std::string(text)));
}

}  // namespace plimsoll::fuzz
