// Invitations into the caller's team, and how users accept them.
#include "engine/base/json.hpp"
#include "server/http/access/authentication.hpp"
#include "server/http/access/failure_limit.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/link_expiry.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/identity/identity.hpp"
#include "server/identity/secret.hpp"

#include <algorithm>

namespace plimsoll::http::endpoints {

using identity::Invitation;
using identity::InvitationId;

namespace {

constexpr LinkLifetime kInvitationLifetime{.standard = std::chrono::days(7),
                                           .longest = std::chrono::days(30)};

json invitation_json(const Invitation& invitation) {
    return {{"id", to_public(invitation.id)},
            {"role", identity::to_string(invitation.role)},
            {"email", text_or_null(invitation.email)},
            {"created_by", {{"id", to_public(invitation.user)}, {"name", invitation.user_name}}},
            {"created_at", to_rfc3339(invitation.created_at)},
            {"expires_at", to_rfc3339(invitation.expires_at)}};
}

InvitationId named(const Call& call) {
    return parse_id<InvitationId>("inv", call.parameters.text("invitation_id"),
                                  "The invitation was not found.");
}

class Invitations {
  public:
    Invitations(identity::InvitationStore& store, identity::IdentityStore& people,
                const Clock& clock)
        : store_(store), people_(people), clock_(clock) {}

    awaitable<Response> list(const Call& call) const {
        const auto found = need(co_await store_.list(call.principal.team.id));
        co_return list_by_id(call, array_of(found, invitation_json));
    }

    awaitable<Response> create(const Call& call) const {
        const auto& principal = call.principal;
        // Who joins by an invitation outlives the token that created it, so only callers with all
        // rights of their user may create one.
        if (!has_all_scopes(principal)) {
            throw Refused(403,
                          "Only a session, or a token with all scopes of its user, can invite.");
        }
        const auto role = *identity::parse_role(call.body.value("role", "member"));
        if (!identity::may_appoint(principal.role, has_scope(principal, "sys:admin"), role)) {
            throw Refused(403,
                          "Only an owner of the team, or a system admin, may invite an owner.");
        }
        const auto end = link_expiry(call, clock_.now(), kInvitationLifetime);
        const auto secret = identity::make_secret(identity::SecretKind::invitation);
        const auto made =
            need(co_await store_.create(author_of(call), {role,
                                                          call.body.value("email", ""),
                                                          secret.hash,
                                                          end,
                                                          {principal.token, principal.session}}));
        co_return located(json_response(201, {{"invitation", invitation_json(made)},
                                              {"secret", secret.text},
                                              {"path", "/#/join/" + secret.text}}),
                          "/v1/invitations/" + to_public(made.id));
    }

    awaitable<Response> revoke(const Call& call) const {
        const auto id = named(call);
        need(co_await store_.revoke(author_of(call), id));
        co_return empty_response(204);
    }

    awaitable<Response> offer(const Call& call) {
        const auto& address = call.request.remote_address;
        const auto now = FailureLimit::Clock::now();
        const auto hash = identity::hash_secret(identity::SecretKind::invitation,
                                                call.parameters.text("X-Invitation").value_or(""));
        if (!hash) {
            throw Refused(limit_.refusal(
                address, now, {404, "X-Invitation must be the secret of an invitation."}));
        }
        const auto found = co_await store_.find(*hash);
        if (!found && found.error().code == Errc::not_found)
            throw Refused(limit_.refusal(address, now, found.error()));
        if (!found) throw Refused(found.error());
        co_return json_response(200, {{"team_name", found->team_name},
                                      {"role", identity::to_string(found->role)},
                                      {"email", text_or_null(found->email)},
                                      {"invited_by", found->invited_by},
                                      {"expires_at", to_rfc3339(found->expires_at)}});
    }

    awaitable<Response> join(const Call& call) const {
        if (!call.principal.session) {
            throw Refused(409,
                          "This request uses a token, which is valid in one team only: sign in "
                          "to accept the invitation.");
        }
        const auto user = call.principal.user.id;
        const auto hash =
            identity::hash_secret(identity::SecretKind::invitation,
                                  call.body.at("invitation_token").get_ref<const std::string&>());
        if (!hash) throw Refused(404, "invitation_token is not the secret of an invitation.");
        const auto joined = need(co_await store_.accept(*hash, {.user = user}, call.request.id));
        const auto memberships = need(co_await people_.memberships(user));
        const auto found = std::ranges::find_if(memberships, [&joined](const auto& membership) {
            return membership.team.id == joined.team;
        });
        if (found == memberships.end()) throw Refused(404, "The team was not found.");
        co_return json_response(
            200, {{"team", team_json(found->team)}, {"role", identity::to_string(found->role)}});
    }

  private:
    identity::InvitationStore& store_;
    identity::IdentityStore& people_;
    const Clock& clock_;
    FailureLimit limit_{limits::kFailedSignIns, limits::kFailureWindow, "failed-invitations"};
};

}  // namespace

void add_invitations(Handlers& handlers, identity::InvitationStore& store,
                     identity::IdentityStore& people, const Clock& clock) {
    const Members on(handlers, std::make_shared<Invitations>(store, people, clock));
    on("listInvitations", &Invitations::list);
    on("createInvitation", &Invitations::create);
    on("deleteInvitation", &Invitations::revoke);
    on("getInvitationOffer", &Invitations::offer);
    on("joinTeam", &Invitations::join);
}

}  // namespace plimsoll::http::endpoints
