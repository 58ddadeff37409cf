// Endpoints to sign in and out, and of the caller.
//
// How a sign-in with the identity provider begins; it ends at the sessions. And how a user signs
// out there.
#include "engine/base/json.hpp"
#include "server/http/access/authentication.hpp"
#include "server/http/access/failure_limit.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/identity/secret.hpp"

#include <algorithm>
#include <unordered_set>

namespace plimsoll::http::endpoints {

using identity::NewSession;
using identity::SecretKind;

namespace {

constexpr std::chrono::hours kSessionLifetime{7 * 24};

// The client's user agent, without characters that a terminal or a log would not show.
std::string agent_of(const Request& request) {
    std::string agent(request.header("User-Agent").value_or("").substr(0, identity::kAgentLength));
    std::erase_if(agent, [](char c) { return c < ' ' || c > '~'; });
    return agent;
}

json session_json(const Call& call, const identity::Session& session) {
    return {{"id", to_public(session.id)},
            {"user", {{"id", to_public(session.user)}, {"name", session.user_name}}},
            {"team", {{"id", to_public(session.team.id)}, {"name", session.team.name}}},
            {"current", call.principal.session == session.id},
            {"address", text_or_null(session.address)},
            {"agent", text_or_null(session.agent)},
            {"created_at", to_rfc3339(session.created_at)},
            {"last_used_at", time_or_null(session.last_used_at)},
            {"expires_at", to_rfc3339(session.expires_at)}};
}

// A session may do all that its user may, so a token that may do less must not become one.
NewSession session_of(const identity::Principal& principal) {
    if (principal.user.service)
        throw Refused(403, "A service account cannot sign in: it uses tokens.");
    if (!has_all_scopes(principal))
        throw Refused(403, "Only a token with all scopes of its user can sign in.");
    return {principal.user.id, principal.team.id, principal.token};
}

// Who signs in, and the data that comes with it besides the session.
struct Identified {
    explicit Identified(NewSession who) : session(std::move(who)) {}
    explicit Identified(ProviderService::Ending ended)
        : session(std::move(ended.session)), id_token(std::move(ended.id_token)) {}

    NewSession session;
    std::string id_token;  // of an identity provider
};

class Sessions {
  public:
    Sessions(identity::IdentityStore& store, PasswordService& service, ProviderService& providers,
             identity::InvitationStore& invitations, const Clock& clock)
        : store_(store),
          service_(service),
          providers_(providers),
          invitations_(invitations),
          clock_(clock) {}

    awaitable<Response> create(const Call& call) {
        need(check_origin(call.request));
        const auto& address = call.request.remote_address;
        const auto now = FailureLimit::Clock::now();
        // Passwords can be guessed, so they wait; except of users who have signed in from there,
        // whose own attempts are delayed.
        const auto given = call.body.find("credentials");
        const bool by_password = given != call.body.end();
        const auto user = by_password ? network_of(address) + '\n' + given->value("user", "") : "";
        if (by_password && !known_.contains(user)) need(limit_.admit(address, now));
        std::optional<Identified> who;
        try {
            who = co_await identify(call);
        } catch (const Refused& refused) {
            const auto& problem = refused.problem;
            if (problem.status != 401 || problem.slug == kCodeNeeded) throw;
            auto told = limit_.refusal(address, now, problem);
            if (by_password) throw;
            throw Refused(std::move(told));
        }
        if (by_password && known_.size() < limits::kKnownNetworks) known_.insert(user);
        auto session = who->session;
        session.address = address;
        session.agent = agent_of(call.request);
        auto opened = co_await open(std::move(session), call.request.secure);
        if (call.body.contains("provider"))
            opened.with("Set-Cookie", expired_sign_in_cookie(call.request.secure));
        if (!who->id_token.empty()) {
            opened.with("Set-Cookie",
                        sign_out_cookie(who->id_token, kSessionLifetime, call.request.secure));
        }
        co_return opened;
    }

    awaitable<Response> list(const Call& call) {
        const auto sessions = co_await visible(call);
        auto items = json::array();
        for (const auto& session : sessions) items.push_back(session_json(call, session));
        co_return list_by_id(call, std::move(items));
    }

    awaitable<Response> end(const Call& call) {
        const auto session = co_await named(call);
        need(co_await store_.end_session(author_of(call), session.id));
        co_return empty_response(204);
    }

    awaitable<Response> end_current(const Call& call) {
        if (!call.principal.session) {
            throw Refused(409,
                          "This request uses a token, not a session. Delete the token instead.");
        }
        need(co_await store_.end_session(author_of(call), *call.principal.session));
        auto response = empty_response(204);
        response.with("Set-Cookie", expired_session_cookie(call.request.secure));
        co_return response;
    }

    awaitable<Response> switch_team(const Call& call) {
        if (!call.principal.session)
            throw Refused(409, "This request uses a token, which is valid in one team only.");
        const auto team = team_id_of(call.body.at("team_id").get_ref<const std::string&>());
        need(co_await store_.switch_team(*call.principal.session, team));
        co_return empty_response(204);
    }

    awaitable<Response> teams(const Call& call) {
        const auto found = need(co_await store_.memberships(call.principal.user.id));
        auto items = json::array();
        for (const auto& [team, role] : found) {
            // A token knows only its own team.
            if (call.principal.token && team.id != call.principal.team.id) continue;
            items.push_back({{"team", team_json(team)}, {"role", identity::to_string(role)}});
        }
        co_return list_response(call, std::move(items), [](const json& item) {
            return item.at("team").at("name").get<std::string>();
        });
    }

    static awaitable<Response> me(const Call& call) {
        auto body = principal_json(call.principal);
        body["csrf_token"] = call.principal.session ? json(call.principal.csrf) : json(nullptr);
        co_return json_response(200, body);
    }

  private:
    // The caller's own; with team:admin, also those that act in the caller's team. A token knows
    // only its own team.
    awaitable<std::vector<identity::Session>> visible(const Call& call) {
        if (!has_all_scopes(call.principal)) {
            throw Refused(403,
                          "Only a session, or a token with all scopes of its user, can "
                          "manage sessions.");
        }
        auto found =
            need(co_await store_.sessions({.user = call.principal.user.id,
                                           .team = call.principal.team.id,
                                           .whole_team = has_scope(call.principal, "team:admin"),
                                           .all_teams = !call.principal.token}));
        co_return found;
    }

    awaitable<identity::Session> named(const Call& call) {
        const auto sessions = co_await visible(call);
        const auto id = parse_public_id("sess", call.parameters.text("session_id").value_or(""));
        const auto found = std::ranges::find_if(
            sessions, [&](const auto& session) { return id && session.id.value == *id; });
        if (found == sessions.end()) throw Refused(404, "The session was not found.");
        co_return *found;
    }

    awaitable<Identified> identify(const Call& call) {
        const auto& body = call.body;
        if (const auto given = body.find("credentials"); given != body.end())
            co_return Identified(co_await by_password(*given, call.request.remote_address));
        if (const auto given = body.find("invitation"); given != body.end())
            co_return Identified(co_await by_invitation(*given, call.request.id));
        if (const auto given = body.find("provider"); given != body.end()) {
            auto ended = need(co_await providers_.end(
                call.request, {given->at("code").get<std::string>(), given->value("iss", "")},
                given->at("state").get<std::string>()));
            co_return Identified(std::move(ended));
        }
        constexpr std::string_view kNotGood =
            "This sign-in link or token is invalid or has expired.";
        if (body.contains("sign_in_token")) {
            const auto hash = identity::hash_secret(
                SecretKind::sign_in, body["sign_in_token"].get_ref<const std::string&>());
            if (!hash) throw Refused(401, std::string(kNotGood));
            auto who = need(co_await store_.spend_sign_in_link(*hash));
            co_return Identified(who);
        }
        const auto hash =
            identity::hash_secret(SecretKind::token, body["token"].get_ref<const std::string&>());
        if (!hash) throw Refused(401, std::string(kNotGood));
        co_return Identified(session_of(need(co_await store_.by_token(*hash))));
    }

    awaitable<NewSession> by_password(const json& given, const std::string& address) {
        const auto attempt = need(co_await service_.check(given.at("user").get<std::string>(),
                                                          given.at("password").get<std::string>(),
                                                          given.value("code", ""), address));
        if (!attempt.team)
            throw Refused(403, "You are not in a team. Ask a system admin to add you to one.");
        co_return NewSession{*attempt.user, *attempt.team, {}};
    }

    // For a new user; an existing one is already signed in, and joins the team.
    awaitable<NewSession> by_invitation(const json& given, const std::string& request_id) {
        constexpr std::string_view kNotGood =
            "This invitation is invalid, has been used or revoked, or has expired.";
        const auto hash = identity::hash_secret(SecretKind::invitation,
                                                given.at("secret").get_ref<const std::string&>());
        if (!hash) throw Refused(401, std::string(kNotGood));
        const auto joined = co_await invitations_.accept(
            *hash, {.name = given.at("name"), .email = given.value("email", "")}, request_id);
        if (joined) co_return NewSession{joined->user, joined->team, {}};
        if (joined.error().code == Errc::not_found) throw Refused(401, std::string(kNotGood));
        throw Refused(joined.error());
    }

    awaitable<Response> open(NewSession who, bool secure) {
        const auto secret = identity::make_secret(SecretKind::session);
        const auto csrf = identity::make_nonce();
        const auto created = need(co_await store_.create_session(who, secret.hash, csrf,
                                                                 clock_.now() + kSessionLifetime));
        const auto principal = need(co_await store_.by_session(secret.hash));
        auto body = principal_json(principal);
        body["csrf_token"] = csrf;
        auto response = json_response(201, body);
        response.with("Location", "/v1/sessions/" + to_public(created));
        response.with("Set-Cookie", session_cookie(secret.text, kSessionLifetime, secure));
        co_return response;
    }

    identity::IdentityStore& store_;
    PasswordService& service_;
    ProviderService& providers_;
    identity::InvitationStore& invitations_;
    const Clock& clock_;
    FailureLimit limit_{limits::kFailedSignIns, limits::kFailureWindow, "failed-sign-ins"};
    std::unordered_set<std::string> known_;  // networks and users who have signed in from there
};

awaitable<Response> sign_in_methods(const ProviderService& service) {
    co_return json_response(200, {{"provider", text_or_null(service.name())}});
}

awaitable<Response> begin_provider_sign_in(const Call& call, ProviderService& service) {
    need(check_origin(call.request));
    auto begun = need(co_await service.begin(call.request));
    auto response = json_response(201, {{"authorization_url", begun.url}});
    response.with("Set-Cookie", begun.cookie);
    co_return response;
}

awaitable<Response> sign_out_at_provider(const Call& call, ProviderService& service) {
    need(check_origin(call.request));
    const auto url = need(co_await service.sign_out(call.request));
    auto response = json_response(200, {{"sign_out_url", text_or_null(url)}});
    response.with("Set-Cookie", expired_sign_out_cookie(call.request.secure));
    co_return response;
}

}  // namespace

void add_sessions(Handlers& handlers, identity::IdentityStore& store, PasswordService& service,
                  ProviderService& providers, identity::InvitationStore& invitations,
                  const Clock& clock) {
    const Members on(handlers,
                     std::make_shared<Sessions>(store, service, providers, invitations, clock));
    on("createSession", &Sessions::create);
    on("listSessions", &Sessions::list);
    on("deleteSession", &Sessions::end);
    on("deleteCurrentSession", &Sessions::end_current);
    on("switchTeam", &Sessions::switch_team);
    on("listMyTeams", &Sessions::teams);
    handlers["getMe"] = [](const Call& call) { return Sessions::me(call); };
}

void add_provider_sign_ins(Handlers& handlers, ProviderService& service) {
    handlers["getSignInMethods"] = [&service](const Call&) { return sign_in_methods(service); };
    handlers["createProviderSignIn"] = [&service](const Call& call) {
        return begin_provider_sign_in(call, service);
    };
    handlers["createProviderSignOut"] = [&service](const Call& call) {
        return sign_out_at_provider(call, service);
    };
}

}  // namespace plimsoll::http::endpoints
