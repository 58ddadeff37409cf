#include "server/postgres/identity/principal_lookups.hpp"

#include "server/postgres/identity/identity_rows.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {

using identity::Principal;
using identity::SecretKind;

Batch PrincipalLookups::question(const std::set<Credential>& credentials) const {
    std::vector<Bytes> tokens;
    std::vector<Bytes> sessions;
    for (const auto& [kind, hash] : credentials) {
        (kind == SecretKind::token ? tokens : sessions).push_back({hash});
    }
    return {Statement::of(sql::identity_by_tokens, tokens),
            Statement::of(sql::identity_by_sessions, sessions)};
}

std::map<Credential, Principal> PrincipalLookups::read(const Replies& replies) const {
    std::map<Credential, Principal> found;
    for (const Row row : replies[0]) {
        Principal principal = to_principal(row);
        principal.token = TokenId{row.get<std::int64_t>("token_id")};
        for (auto& scope : row.get<std::vector<std::string>>("scopes")) {
            principal.scopes.insert(std::move(scope));
        }
        found.emplace(Credential{SecretKind::token, row.get<std::string>("hash")},
                      std::move(principal));
    }
    for (const Row row : replies[1]) {
        Principal principal = to_principal(row);
        principal.session = row.get<SessionId>("session_id");
        principal.csrf = row.get<std::string>("csrf");
        found.emplace(Credential{SecretKind::session, row.get<std::string>("hash")},
                      std::move(principal));
    }
    return found;
}

Error PrincipalLookups::missing() const {
    return invalid_credential();
}

}  // namespace plimsoll::postgres
