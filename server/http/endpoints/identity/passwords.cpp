// Passwords: the caller's own, and the links with which system admins let others set theirs.
#include "engine/base/json.hpp"
#include "server/http/access/authentication.hpp"
#include "server/http/access/failure_limit.hpp"
#include "server/http/access/password_service.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/identity/secret.hpp"

namespace plimsoll::http::endpoints {

using identity::PasswordStore;

namespace {

constexpr std::chrono::hours kPasswordLinkLifetime{24};

class Passwords {
  public:
    Passwords(PasswordStore& store, PasswordService& service, const Clock& clock)
        : store_(store), service_(service), clock_(clock) {}

    awaitable<Response> get(const Call& call) {
        const auto changed_at = need(co_await store_.changed_at(call.principal.user.id));
        co_return json_response(200, {{"is_set", changed_at.has_value()},
                                      {"changed_at", time_or_null(changed_at)},
                                      {"min_length", service_.min_length()}});
    }

    awaitable<Response> change(const Call& call) {
        if (call.principal.user.service || !has_all_scopes(call.principal)) {
            throw Refused(403,
                          "Only a session, or a token with all scopes of its user, can change "
                          "the password.");
        }
        const auto& address = call.request.remote_address;
        std::string present;
        if (const auto given = call.body.find("present_password"); given != call.body.end()) {
            auto attempt =
                co_await service_.check(call.principal.user.id, given->get<std::string>(), address);
            if (!attempt && attempt.error().status == 401) {
                // A 401 would say that the session has ended.
                throw Refused(Error{Errc::invalid_input, "is not your current password",
                                    "/present_password"});
            }
            if (!attempt) throw Refused(attempt.error());
            present = attempt->hash;
        } else {
            const auto changed_at = need(co_await store_.changed_at(call.principal.user.id));
            if (changed_at) {
                throw Refused(Error{Errc::invalid_input, "is required to change the password",
                                    "/present_password"});
            }
        }
        auto hash = need(co_await service_.hash(call.body.at("password").get<std::string>(),
                                                "/password", address));
        need(co_await store_.change(author_of(call), std::move(hash), std::move(present),
                                    call.principal.session));
        co_return empty_response(204);
    }

    awaitable<Response> create_link(const Call& call) {
        const auto user = user_id_of(call.body.at("user_id").get_ref<const std::string&>());
        const auto secret = identity::make_secret(identity::SecretKind::password_link);
        const auto expires_at = clock_.now() + kPasswordLinkLifetime;
        need(co_await store_.create_link(author_of(call), user, secret.hash, expires_at));
        co_return json_response(201, {{"path", "/#/set-password/" + secret.text},
                                      {"password_token", secret.text},
                                      {"expires_at", to_rfc3339(expires_at)}});
    }

    awaitable<Response> spend_link(const Call& call) {
        need(check_origin(call.request));
        const auto& address = call.request.remote_address;
        const auto now = FailureLimit::Clock::now();
        need(limit_.admit(address, now));
        const auto link =
            identity::hash_secret(identity::SecretKind::password_link,
                                  call.body.at("password_token").get_ref<const std::string&>());
        if (!link) {
            limit_.failed(address, now);
            throw Refused(401, "This link is invalid or has expired.");
        }
        auto hash = need(co_await service_.hash(call.body.at("password").get<std::string>(),
                                                "/password", address));
        const auto spent = co_await store_.spend_link(*link, std::move(hash),
                                                      call.body.value("end_tokens", false));
        if (spent) co_return empty_response(204);
        if (spent.error().code == Errc::unauthenticated) limit_.failed(address, now);
        throw Refused(spent.error());
    }

  private:
    PasswordStore& store_;
    PasswordService& service_;
    const Clock& clock_;
    FailureLimit limit_{limits::kFailedSignIns, limits::kFailureWindow, "failed-password-links"};
};

}  // namespace

void add_passwords(Handlers& handlers, PasswordStore& store, PasswordService& service,
                   const Clock& clock) {
    const Members on(handlers, std::make_shared<Passwords>(store, service, clock));
    on("getMyPassword", &Passwords::get);
    on("setMyPassword", &Passwords::change);
    on("createPasswordLink", &Passwords::create_link);
    on("spendPasswordLink", &Passwords::spend_link);
}

}  // namespace plimsoll::http::endpoints
