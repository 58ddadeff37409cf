#include "server/identity/invitation_store.hpp"

#include "server/postgres/identity/principal_cache.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"
#include "server/postgres/stores.hpp"

#include <memory>
#include <utility>

namespace plimsoll::postgres {

using identity::Invitation;
using identity::InvitationOffer;

namespace {

identity::Role role_in(const Row& row) {
    return identity::parse_role(row.get<std::string>("role")).value();
}

Invitation to_invitation(const Row& row) {
    Invitation invitation;
    invitation.id = {row.get<std::int64_t>("id")};
    invitation.role = role_in(row);
    invitation.email = row.get<Maybe<std::string>>("email").value_or("");
    invitation.user = row.get<UserId>("user_id");
    invitation.user_name = row.get<Maybe<std::string>>("user_name").value_or("");
    invitation.created_at = row.get<Timestamp>("created_at");
    invitation.expires_at = row.get<Timestamp>("expires_at");
    return invitation;
}

Error invites_nobody() {
    return {Errc::not_found,
            "This invitation is invalid, has been used or revoked, or has expired.",
            {}};
}

std::optional<std::string> text_or_none(std::string text) {
    return text.empty() ? std::nullopt : std::optional(std::move(text));
}

class InvitationStore final : public identity::InvitationStore {
  public:
    InvitationStore(Pool& pool, std::shared_ptr<PrincipalCache> known)
        : pool_(pool), known_(std::move(known)) {}

    Answer<std::vector<Invitation>> list(TeamId team) override {
        co_return every(co_await run(team, Statement::of(sql::invitations_list, team.value)),
                        to_invitation);
    }

    Answer<Invitation> create(Author author, identity::NewInvitation invitation) override {
        CO_TRY(
            auto rows,
            co_await run(author.team,
                         Statement::of(sql::invitations_create, author.team.value,
                                       author.user.value, std::string(to_string(invitation.role)),
                                       text_or_none(std::move(invitation.email)),
                                       Bytes{std::move(invitation.hash)}, invitation.expires_at,
                                       identity::kInvitationsPerTeam, author.request_id,
                                       invitation.origin.token, invitation.origin.session)));
        if (rows.empty()) {
            co_return fail(
                team_limit_reached(identity::kInvitationsPerTeam, "open invitations", "Revoke"));
        }
        co_return to_invitation(rows[0]);
    }

    Answer<void> revoke(Author author, identity::InvitationId id) override {
        co_return found(
            co_await run(author.team,
                         Statement::of(sql::invitations_revoke, id.value, author.team.value,
                                       author.user.value, author.request_id)),
            {Errc::not_found, "The invitation was not found.", {}});
    }

    Answer<InvitationOffer> find(std::string hash) override {
        CO_TRY(auto rows,
               co_await pool_.run(Statement::of(sql::invitations_find, Bytes{std::move(hash)}),
                                  kCallTimeout));
        if (rows.empty()) co_return fail(invites_nobody());
        const Row row = rows[0];
        InvitationOffer offer;
        offer.team_name = row.get<std::string>("team_name");
        offer.role = role_in(row);
        offer.email = row.get<Maybe<std::string>>("email").value_or("");
        offer.invited_by = row.get<std::string>("invited_by");
        offer.expires_at = row.get<Timestamp>("expires_at");
        co_return offer;
    }

    Answer<identity::Joined> accept(std::string hash, identity::Invitee who,
                                    std::string request_id) override {
        const auto cache = known_;
        const auto user = who.user ? std::optional(who.user->value) : std::nullopt;
        auto rows = co_await pool_.run(
            Statement::of(sql::invitations_accept, Bytes{std::move(hash)}, user,
                          text_or_none(std::move(who.name)), text_or_none(std::move(who.email)),
                          std::move(request_id)),
            kCallTimeout);
        if (!rows && rows.error().code == Errc::conflict) {
            co_return fail(
                Errc::conflict,
                "A user with this name, or one that looks like it, already exists. If that is you, "
                "sign in and open the invitation again.");
        }
        if (!rows) co_return fail(std::move(rows.error()));
        cache->forget();
        const Row row = (*rows)[0];
        const auto outcome = row.get<std::string>("outcome");
        if (outcome == "address")
            co_return fail(Errc::forbidden, "This invitation is for a different email address.");
        if (outcome == "member")
            co_return fail(Errc::conflict, "You are already a member of this team.");
        if (outcome != "accepted") co_return fail(invites_nobody());
        co_return identity::Joined{row.get<UserId>("user_id"), row.get<TeamId>("team_id")};
    }

  private:
    Answer<Rows> run(TeamId team, Statement statement) {
        return run_in(pool_, in_team(team), std::move(statement));
    }

    Pool& pool_;
    std::shared_ptr<PrincipalCache> known_;
};

}  // namespace

std::unique_ptr<identity::InvitationStore> make_invitation_store(
    Pool& pool, std::shared_ptr<PrincipalCache> known) {
    return std::make_unique<InvitationStore>(pool, std::move(known));
}

}  // namespace plimsoll::postgres
