// The second factor at sign-in with a password: the caller's own, and how system admins remove one.
#include "engine/base/json.hpp"
#include "server/http/access/authentication.hpp"
#include "server/http/access/password_service.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/identity/identity_json.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/identity/totp.hpp"

namespace plimsoll::http::endpoints {

using identity::PasswordStore;

namespace {

// A 401 would say that the session has ended.
Problem at_member(Problem problem, const char* pointer, const char* detail) {
    if (problem.status != 401) return problem;
    return Error{Errc::invalid_input, detail, pointer};
}

void check_owner(const Call& call) {
    if (!call.principal.user.service && has_all_scopes(call.principal)) return;
    throw Refused(403,
                  "Only a session, or a token with all scopes of its user, can change the second "
                  "factor.");
}

class SecondFactors {
  public:
    SecondFactors(PasswordStore& store, PasswordService& service)
        : store_(store), service_(service) {}

    awaitable<Response> get(const Call& call) {
        const auto factor = need(co_await store_.second_factor(call.principal.user.id));
        const auto confirmed_at = factor ? factor->confirmed_at : std::nullopt;
        co_return json_response(200, {{"is_set", confirmed_at.has_value()},
                                      {"confirmed_at", time_or_null(confirmed_at)},
                                      {"recovery_codes_left", factor ? factor->codes_left : 0}});
    }

    awaitable<Response> offer(const Call& call) {
        check_owner(call);
        const auto& user = call.principal.user;
        const auto attempt =
            co_await service_.check(user.id, call.body.at("present_password").get<std::string>(),
                                    call.request.remote_address);
        if (!attempt) {
            throw Refused(
                at_member(attempt.error(), "/present_password", "is not your current password"));
        }
        const auto secret = identity::make_code_secret();
        need(co_await store_.offer_second_factor(user.id, secret));
        co_return json_response(
            200,
            {{"secret", identity::to_base32(secret)},
             {"uri", identity::code_uri(secret, user.email.empty() ? user.name : user.email)}});
    }

    awaitable<Response> confirm(const Call& call) {
        check_owner(call);
        const auto factor = need(co_await store_.second_factor(call.principal.user.id));
        if (!factor) throw Refused(404, "Start setting up a second factor first.");
        const auto step =
            identity::match_code(factor->secret, call.body.at("code").get<std::string>(),
                                 factor->now, factor->last_step);
        if (!step) {
            throw Refused(Error{
                Errc::invalid_input,
                "is not the current code: check the clock of the device that shows it", "/code"});
        }
        const auto codes = identity::make_recovery_codes();
        std::vector<std::string> hashes;
        auto texts = json::array();
        for (const auto& code : codes) {
            hashes.push_back(code.hash);
            texts.push_back(code.text);
        }
        need(co_await store_.confirm_second_factor(author_of(call), factor->secret, *step,
                                                   std::move(hashes)));
        co_return json_response(200, {{"recovery_codes", std::move(texts)}});
    }

    awaitable<Response> remove(const Call& call) {
        check_owner(call);
        const auto user = call.principal.user.id;
        const auto right = co_await service_.check_code(
            user, call.body.at("code").get<std::string>(), call.request.remote_address);
        if (!right) {
            throw Refused(at_member(
                right.error(), "/code",
                "is wrong or has already been used: enter the app's next code, or another recovery "
                "code"));
        }
        need(co_await store_.remove_second_factor(author_of(call), user));
        co_return empty_response(204);
    }

    awaitable<Response> reset(const Call& call) {
        const auto user = user_id_of(call.parameters.text("user_id"));
        need(co_await store_.remove_second_factor(author_of(call), user));
        co_return empty_response(204);
    }

  private:
    PasswordStore& store_;
    PasswordService& service_;
};

}  // namespace

void add_second_factor(Handlers& handlers, PasswordStore& store, PasswordService& service) {
    const Members on(handlers, std::make_shared<SecondFactors>(store, service));
    on("getMySecondFactor", &SecondFactors::get);
    on("offerMySecondFactor", &SecondFactors::offer);
    on("confirmMySecondFactor", &SecondFactors::confirm);
    on("removeMySecondFactor", &SecondFactors::remove);
    on("deleteUserSecondFactor", &SecondFactors::reset);
}

}  // namespace plimsoll::http::endpoints
