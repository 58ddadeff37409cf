#include "server/postgres/identity/principal_cache.hpp"

#include "server/postgres/identity/identity_rows.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {

using identity::Principal;
using identity::SecretKind;

Batch PrincipalLookups::question(const std::set<Credential>& credentials) const {
    std::vector<Bytes> tokens;
    std::vector<Bytes> sessions;
    for (const auto& [kind, hash] : credentials)
        (kind == SecretKind::token ? tokens : sessions).push_back({hash});
    return {Statement::of(sql::identity_by_tokens, tokens),
            Statement::of(sql::identity_by_sessions, sessions)};
}

std::map<Credential, Principal> PrincipalLookups::read(const std::set<Credential>& /*credentials*/,
                                                       const Replies& replies) const {
    std::map<Credential, Principal> found;
    for (const Row row : replies[0]) {
        Principal principal = to_principal(row);
        principal.token = TokenId{row.get<std::int64_t>("token_id")};
        for (auto& scope : row.get<std::vector<std::string>>("scopes"))
            principal.scopes.insert(std::move(scope));
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

Error PrincipalLookups::missing() const { return invalid_credential(); }

std::optional<PrincipalCache::Found> PrincipalCache::find(const Credential& credential,
                                                          Clock::time_point now) const {
    const auto known = entries_.find(credential);
    if (known == entries_.end() || known->second.until <= now) return std::nullopt;
    return known->second.found;
}

void PrincipalCache::keep(const Credential& credential, const Found& found, Question question) {
    if (question.changes != changes_) return;
    // An error says nothing about the credential, unless it is this one.
    if (!found && found.error().code != Errc::unauthenticated) return;
    const auto asked = question.asked;
    if (entries_.size() >= kMax && asked - tidied_at_ >= kLifetime) {
        tidied_at_ = asked;
        std::erase_if(entries_, [&](const auto& entry) { return entry.second.until <= asked; });
    }
    if (entries_.size() >= kMax && !entries_.contains(credential)) return;
    entries_.insert_or_assign(credential, Entry{found, asked + kLifetime});
}

void PrincipalCache::forget() {
    entries_.clear();
    ++changes_;
}

}  // namespace plimsoll::postgres
