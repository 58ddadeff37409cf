// Tokens, links, codes and cursors: what a caller makes up is none of ours.
#include "server/http/api/cursors.hpp"
#include "server/identity/secret.hpp"
#include "server/identity/totp.hpp"
#include "tests/fuzz/parsers/targets.hpp"

#include <string>

namespace plimsoll::fuzz {

using identity::SecretKind;

void give_secrets(std::string_view text) {
    int kinds = 0;
    for (const auto kind :
         {SecretKind::token, SecretKind::sign_in, SecretKind::session, SecretKind::report_link,
          SecretKind::password_link, SecretKind::invitation}) {
        const auto hash = identity::hash_secret(kind, text);
        ensure(!hash || hash->size() == 32);
        kinds += hash.has_value();
    }
    ensure(kinds <= 1);
    static_cast<void>(identity::hash_recovery_code(text));
    static_cast<void>(identity::match_code("secret", text, Timestamp(), -1));
    const http::Cursors cursors(std::string(32, 'k'), "listJobs", "team_0000000000001");
    ensure(!cursors.open(text));
    const auto opened = cursors.open(cursors.seal(text));
    ensure(opened && *opened == text);
}

}  // namespace plimsoll::fuzz
