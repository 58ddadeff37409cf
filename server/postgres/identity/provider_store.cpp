#include "server/identity/provider_store.hpp"

#include "server/postgres/identity/principal_cache.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"
#include "server/postgres/stores.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace plimsoll::postgres {

namespace {

Error no_provided_sign_in(const std::string& outcome) {
    if (outcome == "unknown")
        return {Errc::not_found, "No user matches this account of the provider.", {}};
    if (outcome == "taken") {
        return {Errc::conflict,
                "A user with this email address already exists, or all names for the new user are "
                "taken.",
                {}};
    }
    if (outcome == "disabled") return {Errc::forbidden, "The user is disabled.", {}};
    return {Errc::forbidden, "The user would be in no team: see oidc.groups.", {}};
}

class ProviderStore final : public identity::ProviderStore {
  public:
    ProviderStore(Pool& pool, std::shared_ptr<PrincipalCache> known)
        : pool_(pool), known_(std::move(known)) {}

    Answer<bool> spend_state(std::string hash, Timestamp expires_at) override {
        CO_TRY(auto rows, co_await run(Statement::of(sql::providers_spend_state,
                                                     Bytes{std::move(hash)}, expires_at)));
        co_return !rows.empty();
    }

    Answer<identity::ProvidedSignIn> sign_in(identity::ProvidedUser user,
                                             std::string request_id) override {
        const auto cache = known_;
        std::vector<std::string> teams;
        std::vector<std::string> roles;
        for (auto& [name, role] : user.teams) {
            teams.push_back(std::move(name));
            roles.emplace_back(role ? to_string(*role) : "");
        }
        CO_TRY(auto rows,
               co_await run(Statement::of(
                   sql::providers_sign_in, std::move(user.issuer), std::move(user.subject),
                   std::move(user.names),
                   user.email.empty() ? std::nullopt : std::optional(std::move(user.email)),
                   user.create, user.link, std::move(teams), std::move(roles),
                   std::move(request_id), user.admin)));
        cache->forget();
        const Row row = rows[0];
        const auto outcome = row.get<std::string>("outcome");
        if (outcome != "signed in") co_return fail(no_provided_sign_in(outcome));
        co_return identity::ProvidedSignIn{row.get<UserId>("user_id"), row.get<TeamId>("team_id"),
                                           row.get<std::vector<std::string>>("unknown_teams"),
                                           row.get<std::vector<std::string>>("ownerless_teams"),
                                           row.get<bool>("last_admin")};
    }

    Answer<std::vector<identity::ProvidedIdentity>> identities(UserId user) override {
        CO_TRY(auto rows, co_await run(Statement::of(sql::providers_identities, user.value)));
        std::vector<identity::ProvidedIdentity> found;
        for (const Row row : rows) {
            found.push_back({row.get<identity::IdentityId>("id"), row.get<std::string>("issuer"),
                             row.get<std::string>("subject"), row.get<Timestamp>("created_at"),
                             row.get<Timestamp>("last_used_at")});
        }
        co_return found;
    }

    Answer<void> unlink(Author author, UserId user, identity::IdentityId identity) override {
        const auto cache = known_;
        auto gone = found(
            co_await run(Statement::of(sql::providers_unlink, user.value, identity.value,
                                       author.team.value, author.user.value, author.request_id)),
            {Errc::not_found, "The user has no such identity at a provider.", {}});
        cache->forget();
        co_return gone;
    }

  private:
    // Across teams.
    Answer<Rows> run(Statement statement) {
        return run_in(pool_, across_teams(), std::move(statement));
    }

    Pool& pool_;
    std::shared_ptr<PrincipalCache> known_;
};

}  // namespace

std::unique_ptr<identity::ProviderStore> make_provider_store(
    Pool& pool, std::shared_ptr<PrincipalCache> known) {
    return std::make_unique<ProviderStore>(pool, std::move(known));
}

}  // namespace plimsoll::postgres
