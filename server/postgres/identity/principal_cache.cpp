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
    Batch batch;
    if (!tokens.empty()) batch.push_back(Statement::of(sql::identity_by_tokens, tokens));
    if (!sessions.empty()) batch.push_back(Statement::of(sql::identity_by_sessions, sessions));
    return batch;
}

std::map<Credential, Principal> PrincipalLookups::read(const std::set<Credential>& credentials,
                                                       const Replies& replies) const {
    std::map<Credential, Principal> found;
    // The replies are in the order of the credentials, tokens before sessions.
    auto kind = credentials.begin()->kind;
    for (const Rows& rows : replies) {
        for (const Row row : rows) {
            Principal principal = to_principal(row);
            if (kind == SecretKind::token) {
                principal.token = TokenId{row.get<std::int64_t>("token_id")};
                for (auto& scope : row.get<std::vector<std::string>>("scopes"))
                    principal.scopes.insert(std::move(scope));
            } else {
                principal.session = row.get<SessionId>("session_id");
                principal.csrf = row.get<std::string>("csrf");
            }
            found.emplace(Credential{kind, row.get<std::string>("hash")}, std::move(principal));
        }
        kind = SecretKind::session;
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
